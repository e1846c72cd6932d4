"""Which of what was found is about the question at all: the rest does not fill a context. Pure."""

from collections.abc import Sequence
from typing import Final

from ragpp.models import Memory
from ragpp.text.english import CHAT_WORDS, STOP_WORDS, word_set
from ragpp.text.lexical import words

LEAST_RELEVANCE: Final = 0.09
DOUBTFUL: Final = 2
"""An interaction that scores less is hardly about the question, and only the first DOUBTFUL of them are shown: of what
the embedder knows little, as of other languages, the right one scores no more. A context of a thousand tokens loses
none of the evidence of the development sets by it (of hints, 0.8 points)."""
_OF_ALL: Final = word_set(
    "summarise summarize summary everything anything all memory memories remembered discussed talked tell"
)
"""By which a query asks for what there is, whatever it is about."""


def names_something(query: str) -> bool:
    """Whether a query is after anything in particular; "What do you know about me?" is not."""
    return any(word not in STOP_WORDS and word not in CHAT_WORDS and word not in _OF_ALL for word in words(query))


def why_cut(memory: Memory) -> str:
    """Why a memory of the ranking is not in the context."""
    if _is_doubtful(memory):
        return f"hardly about the question: its score is below {LEAST_RELEVANCE}"
    return "no room left in the token budget"


def about_the_question(ranking: Sequence[Memory]) -> list[Memory]:
    """`ranking` (best first) without what is hardly about the question, but for the first DOUBTFUL."""
    doubtful = {id(memory) for memory in [one for one in ranking if _is_doubtful(one)][DOUBTFUL:]}
    return [memory for memory in ranking if id(memory) not in doubtful]


def _is_doubtful(memory: Memory) -> bool:
    return memory.kind == "interaction" and memory.score < LEAST_RELEVANCE
