"""What counts tokens, loaded once a process when first asked: a vocabulary takes longer to load than most tests."""

from typing import Final

from ragpp.text.readers import Tokenizers
from ragpp.text.tokens import TokenCounter

TOKENIZERS: Final = Tokenizers()
COUNTER: Final = TokenCounter()
