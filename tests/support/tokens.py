"""A counter and tokenizers, loaded once a process when first asked: a vocabulary loads longer than most tests run."""

from typing import Final

from ragpp.text.readers import Tokenizers
from ragpp.text.tokens import TokenCounter

TOKENIZERS: Final = Tokenizers()
COUNTER: Final = TokenCounter()
