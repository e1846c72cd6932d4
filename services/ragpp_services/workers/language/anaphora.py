"""Anaphora: what a clause needs of those before it to be read alone. Pure.

A pronoun at its beginning, or no subject at all, means what the clauses before it name: "the kennel rang about Biscuit.
hes a whippet". Who is meant is not guessed: the clause is kept with those that name it. English alone.
"""

import re
from collections.abc import Sequence
from typing import Final

from ragpp.text.spans import Span
from ragpp_services.workers.language.attribution import without_lead_in

FARTHEST: Final = 2
"""Clauses that one may need; what is named farther off is meant by few."""
MOST_CHARACTERS: Final = 300
"""The length of a clause with those that it needs."""
FEW_WORDS: Final = 8
"""Words up to which a clause without a name, a first person or a verb behind its first words is a fragment: "Never.",
"Abroad until May"."""
_STARTS_WITH_PRONOUN: Final = re.compile(
    r"\W*(?:(?:he|she|(?-i:[Ii]t)|they)(?:['’](?:s|re|ll|d|ve))?|hes|shes|theyre|theyve|thats"
    r"|(?:this|that|these|those)(?:['’]s|\s+(?:is|are|was|were|means?|has|have|will|would|can|makes?))"
    r"|its|his|hers?|theirs?|him|them)\b",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(
    r"\b(?:i(?:['’]?(?:m|ve|d|ll))?|me|my|mine|we(?:['’]?(?:re|ve))?|our|us)\b", re.IGNORECASE
)
_OF_OTHERS: Final = re.compile(r"\b(?:s?he|s?hes|theyre|they|him|hers?|his|them|their)\b", re.IGNORECASE)
_SUBJECT_AND_VERB: Final = re.compile(
    r"\w\s+(?:is|are|was|were|has|have|had|will|would|can|could|should|must|might|does|did)(?:n['’]?t)?\b|\w['’]s\s"
    r"|\A\W*\w+\s+[a-z]{2,}e[sd]\b",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"(?:[-*•–—]|\d{1,3}[.)])\s")
_WORD: Final = re.compile(r"[^\W\d_]+")
_ENGLISH: Final = re.compile(r"[a-z]", re.IGNORECASE | re.ASCII)


def start_in_context(text: str, clause: Span, before: Sequence[Span]) -> int:
    """Where what is read with `clause`, a stretch of `text`, begins: at its own start where it can be read alone.
    `before`: the clauses before it that it may be read with, in order."""
    first = clause
    for earlier in reversed(before[-FARTHEST:]):
        if not _needs(text, first) or clause.end - earlier.start > MOST_CHARACTERS or _is_apart(text, earlier, first):
            break
        first = earlier
    return first.start


def _is_apart(text: str, earlier: Span, later: Span) -> bool:
    """True where something else stands between two clauses, or both are items of a list."""
    is_item = _ITEM.match(text, later.start) is not None and not text.endswith(":", 0, earlier.end)
    return is_item or _WORD.search(text, earlier.end, later.start) is not None


def _needs(text: str, clause: Span) -> bool:
    said = without_lead_in(text[clause.start : clause.end])
    if _STARTS_WITH_PRONOUN.match(said):
        return True
    words = _WORD.findall(said)
    if any(len(word) > 1 and word[0].isupper() for word in words[1:]) or not _ENGLISH.search(said):
        return False
    if _OF_OTHERS.search(said):
        return True
    is_whole = _FIRST_PERSON.search(said) or _SUBJECT_AND_VERB.search(said)
    return not is_whole and len(words) <= FEW_WORDS
