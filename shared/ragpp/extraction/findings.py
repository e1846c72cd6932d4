"""Reads what the speaker decided, understood, got wrong, intends and does again and again, and what happened when.

A clause gives one finding, of the first kind that fits in the order decision, error, insight, plan, pattern, event.
Confidence: 0.8 where the words name the kind ("I've decided"), 0.7 where a habit is stated, 0.6 for what only
the form tells ("we're flying there on Friday"), 0.5 for a dated event. The scale is this project's own.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from ragpp.extraction import finding_rules as rules
from ragpp.extraction.engine import PatternRule, apply_rules
from ragpp.extraction.gate import Claim, Gate
from ragpp.extraction.port import DateMention, FindingMention
from ragpp.extraction.times.fitting import time_among
from ragpp.extraction.times.tenses import tense_at
from ragpp.models import FindingKind
from ragpp.text.sentences import between

MAX_TEXT: Final = 300
"""Characters of a finding's text."""

_SHORTEST_DECISION: Final = 4


@dataclass(frozen=True, slots=True)
class _Clause:
    """`text[start:end]` of a sentence, and the dates in it with the offsets of the message."""

    gate: Gate
    text: str
    start: int
    end: int
    dates: Sequence[DateMention]
    said_at: datetime | None


_Kind = tuple[FindingKind, float]


def read_findings(
    gate: Gate, dates: Sequence[DateMention], said_at: datetime | None, text: str
) -> Iterator[FindingMention]:
    """The findings that a cleaned sentence asserts. `dates` are those of the sentence, with the offsets of the message;
    `text` is the message word for word."""
    sentence = gate.sentence
    if not dates and not rules.OURS.search(sentence.text) and not rules.UNSAID.search(sentence.text):
        return
    for start, end in between(rules.CLAUSES, sentence.text):
        inside = [found for found in dates if start <= found.start - sentence.start < end]
        clause = _Clause(gate, sentence.text, start, end, inside, said_at)
        kind = next(apply_rules(_RULES, clause, start=start, end=end), None)
        if kind is not None:
            finding, confidence = kind
            whole = text[sentence.start + start : sentence.start + end].strip(" ,;")
            when = time_among(finding, inside or dates, said_at)
            yield FindingMention(finding, _cut(whole), confidence, when)


def _named(finding: FindingKind, confidence: float, match: re.Match[str], clause: _Clause) -> Iterator[_Kind]:
    """The kind that a clause's words name."""
    if finding == "pattern" and _is_over(clause):
        return
    if finding == "decision" and len(clause.text[match.start() : clause.end].split()) < _SHORTEST_DECISION:
        return  # "I've decided." does not say what
    yield finding, confidence


def _dated(match: re.Match[str], clause: _Clause) -> Iterator[_Kind]:
    """The kind that only a clause's form and its dates show: a plan or an event."""
    dates, said_at = clause.dates, clause.said_at
    if not dates or said_at is None:
        return
    text, begin = clause.text, clause.gate.sentence.start
    if rules.ARRANGED.search(text, clause.start, clause.end) and any(_is_ahead(found, said_at) for found in dates):
        yield "plan", 0.6
        return
    past = tense_at(text, dates[0].start - begin, dates[0].end - begin) == "past"
    if (
        past
        and any(found.span.start <= said_at for found in dates)
        and not rules.NOT.search(text, match.start(), clause.end)
    ):
        yield "event", 0.5


def _is_ahead(found: DateMention, said_at: datetime) -> bool:
    """True where a date lies ahead, and is not only the end of what goes on already ("until June")."""
    return found.span.end > said_at and not found.span.text.lower().startswith(("until", "till", "since", "today"))


def _is_over(clause: _Clause) -> bool:
    """True where a habit was one of the past."""
    return rules.ONCE.search(clause.text, clause.start, clause.end) is not None


def _cut(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    return text[: MAX_TEXT - 1].rsplit(maxsplit=1)[0] + "…"


_RULES: Final[tuple[PatternRule[_Clause, _Kind], ...]] = (
    *(
        PatternRule(pattern, Claim.OWN, partial(_named, finding, confidence), once=True)
        for finding, confidence, pattern in rules.RULES
    ),
    PatternRule(rules.ABOUT_US, Claim.OWN, _dated, once=True),
)
