"""Anaphora: what a clause needs of those before it to be read alone. Pure.

A pronoun at its beginning, or no subject at all, means what the clauses before it name: "moss is scared of the toaster.
hes a rescue lurcher". Who is meant is not guessed: the clause is kept with those that name it. English alone.
"""

import re
from collections.abc import Sequence
from typing import Final

from ragpp.text.spans import Span
from ragpp_services.workers.language.attribution import without_lead_in

FARTHEST: Final = 2
"""Clauses that one may need; what is named farther off is meant by few."""
MOST_CHARACTERS: Final = 300
"""Of a clause with those that it needs."""
FEW_WORDS: Final = 8
"""Words up to which a clause that names nobody and has no verb behind a subject is a fragment: "Ever.", "Senior from
1 Oct"."""
_STARTS_WITH_PRONOUN: Final = re.compile(
    r"\W*(?:(?:he|she|it|they|that|this|these|those)(?:['’]?(?:s|re|ll|d|ve))?|its|his|hers?|theirs?|him|them)\b",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(
    r"\b(?:i(?:['’]?(?:m|ve|d|ll))?|me|my|mine|we(?:['’]?(?:re|ve))?|our|us)\b", re.IGNORECASE
)
_OF_OTHERS: Final = re.compile(r"\b(?:s?he|s?hes|theyre|they|him|hers?|his|them|their)\b", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<=[\w,] )(?-i:[A-ZÀ-Þ])\w+")
_SUBJECT_AND_VERB: Final = re.compile(
    r"\w\s+(?:is|are|was|were|has|have|had|will|would|can|could|should|must|might|does|did)(?:n['’]?t)?\b|\w['’]s\s",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"(?:[-*•–—]|\d{1,3}[.)])\s")
_WORD: Final = re.compile(r"[^\W\d_]+")


def first_needed(text: str, clauses: Sequence[Span], index: int) -> int:
    """The index of the first of `clauses`, stretches of `text` in order, that is read with the one at `index`: its own
    where it can be read alone."""
    first = index
    while first and index - first < FARTHEST and _needs(text, clauses[first]):
        if clauses[index].end - clauses[first - 1].start > MOST_CHARACTERS or _is_apart(text, clauses, first):
            break
        first -= 1
    return first


def _is_apart(text: str, clauses: Sequence[Span], index: int) -> bool:
    """True where something that is no clause stands between one and the one before it, or both are items of a list."""
    before, start = clauses[index - 1].end, clauses[index].start
    is_item = _ITEM.match(text, start) is not None and not text.endswith(":", 0, before)
    return is_item or _WORD.search(text, before, start) is not None


def _needs(text: str, clause: Span) -> bool:
    said = without_lead_in(text[clause.start : clause.end])
    if _STARTS_WITH_PRONOUN.match(said):
        return True
    if _NAME.search(said):
        return False
    if _OF_OTHERS.search(said):
        return True
    is_whole = _FIRST_PERSON.search(said) or _SUBJECT_AND_VERB.search(said)
    return not is_whole and len(_WORD.findall(said)) <= FEW_WORDS
