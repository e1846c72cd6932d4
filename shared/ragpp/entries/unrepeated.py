"""The part of an answer that goes beyond the memories that the agent was given. Pure.

An agent that answers from its memories repeats them. Taken from its answer they would come back as something that
it said, one "I have learned" longer each time, and outlive what they were taken from.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ragpp.text.english import FUNCTION_WORDS
from ragpp.text.lexical import terms, words
from ragpp.text.sentences import clean, split
from ragpp.text.spans import Span, merged

LEFT_OUT: Final = "…"
_DENYING: Final = frozenset({"not", "no", "never", "none", "nothing", "nobody", "without", "cannot"})
_CONTRACTED: Final = re.compile(r"n['’]t\b", re.IGNORECASE)
"""Both change what the words around them say."""
_TELLING: Final = frozenset(
    terms("according know known knowledge learned memory mentioned noted remember recall said told")
)
"""Words that introduce what is repeated."""
_RUN: Final = re.compile(rf"{LEFT_OUT}(?:\s*{LEFT_OUT})+")


def repeated(answer: str, given: Iterable[str]) -> list[Span]:
    """The sentences of `answer` that say no more than one sentence of what was `given`: its words, in its order,
    denying what it denies. One with a word of its own, in another order, or that denies otherwise, says something
    else."""
    known = [told for text in given for told in _told(text)]
    found = []
    for start, end, said, denies in _sentences(answer) if known else ():
        new = [term for term in said if term not in _TELLING]
        if new and any(denies == other and _in_order(new, one) for one, other in known):
            found.append(Span(start, end))
    return found


def unrepeated(answer: str, given: Iterable[str]) -> str:
    """`answer` with LEFT_OUT in place of what it repeats of what was `given`."""
    kept = answer
    for start, end in reversed(merged(repeated(answer, given))):
        kept = kept[:start] + LEFT_OUT + kept[end:]
    return _RUN.sub(LEFT_OUT, kept)


def _told(text: str) -> Iterator[tuple[list[int], bool]]:
    for _, _, said, denies in _sentences(text):
        yield said, denies


def _sentences(text: str) -> Iterator[tuple[int, int, list[int], bool]]:
    """Where each is, the terms of its words that say something, and whether it denies."""
    for sentence in split(clean(text)):
        piece = text[sentence.start : sentence.end]
        spoken = list(words(piece))
        denies = _CONTRACTED.search(piece) is not None or not _DENYING.isdisjoint(spoken)
        telling = " ".join(word for word in spoken if word not in FUNCTION_WORDS and word not in _DENYING)
        yield sentence.start, sentence.end, list(terms(telling)), denies


def _in_order(said: Sequence[int], known: Sequence[int]) -> bool:
    """True where all of `said` stand in `known`, in that order."""
    left = iter(known)
    return all(term in left for term in said)
