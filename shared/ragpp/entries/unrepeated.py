"""What an answer says beyond the memories that the agent was given. Pure.

An agent that answers from its memories repeats them. Taken from its answer they would come back as something that
it said, one "I have learned" longer each time, and outlive what they were taken from.
"""

import re
from collections.abc import Sequence
from typing import Final

from ragpp.text.english import FUNCTION_WORDS
from ragpp.text.lexical import terms, words
from ragpp.text.sentences import clean, split

LEFT_OUT: Final = "…"
_DENYING: Final = frozenset({"not", "no", "never", "none", "nothing", "without"})
"""They change what the words around them say."""
_TELLING: Final = "according know known knowledge learned memory mentioned noted remember recall said told"
"""Words that introduce what is repeated."""
_RUN: Final = re.compile(rf"{LEFT_OUT}(?:\s*{LEFT_OUT})+")


def unrepeated(answer: str, given: Sequence[str]) -> str:
    """`answer` with LEFT_OUT in place of the sentences all of whose words stand in one memory of those `given`.

    One that has a word of its own is kept as it is, and so is one that denies what the memory does not, or that says of
    the one what another says.
    """
    introducing = set(terms(_TELLING))
    known = [introducing | _telling(text) for text in given]
    kept = answer
    for sentence in reversed(list(split(clean(answer)))) if known else ():
        said = _telling(answer[sentence.start : sentence.end]) - introducing
        if said and any(said <= one for one in known):
            kept = kept[: sentence.start] + LEFT_OUT + kept[sentence.end :]
    return _RUN.sub(LEFT_OUT, kept)


def _telling(text: str) -> set[int]:
    """The terms of the words that say something."""
    return set(terms(" ".join(word for word in words(text) if word in _DENYING or word not in FUNCTION_WORDS)))
