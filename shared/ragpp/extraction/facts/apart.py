"""Keeps apart what a document says of different things in the same words, by the headings that it says it under."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ragpp.extraction.facts import evidence
from ragpp.extraction.facts.comparing import contradicts
from ragpp.extraction.facts.hanging import after_headings
from ragpp.extraction.facts.verbs import Clause
from ragpp.extraction.port import FactMention

_MOST_COMPARED: Final = 20
"""Statements with one subject and one verb that each is compared with: a long document takes time by its length."""


def kept_apart(said: Sequence[tuple[FactMention, tuple[str, ...]]]) -> list[FactMention]:
    """Facts, each given with the headings it stands under. Of two that stand under different headings and could not
    both be true ("Support answers within four hours", "… two days") each comes behind its own. A subject with a name
    needs none: what is said of it twice is a contradiction."""
    alike = defaultdict[tuple[str, str], list[int]](list)
    unclear = set[int]()
    for number, (fact, under) in enumerate(said):
        clause = Clause(fact.text)
        if not under or not clause.subject or evidence.names(clause.subject):
            continue
        before = alike[clause.subject.casefold(), clause.verb_word.casefold()]
        for other in before[-_MOST_COMPARED:]:
            if said[other][1] != under and contradicts(said[other][0].text, fact.text):
                unclear |= {other, number}
        before.append(number)
    return [
        replace(fact, text=after_headings(under, fact.text)) if number in unclear else fact
        for number, (fact, under) in enumerate(said)
    ]
