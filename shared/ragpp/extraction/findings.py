"""Reads what the speaker decided, understood, got wrong, intends and does again and again, and what happened when.

A clause gives one finding, of the first kind that fits in the order decision, error, insight, plan, pattern, event.
Confidence: 0.8 where the words name the kind ("I've decided"), 0.7 where a habit is stated, 0.6 for what only
the form tells ("we're flying there on Friday"), 0.5 for a dated event. The scale is this project's own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.extraction import finding_rules as rules
from ragpp.extraction.port import DateMention, FindingMention
from ragpp.extraction.sentences import Sentence, asserts
from ragpp.extraction.tenses import tense_at
from ragpp.models import DateSpan, FindingKind

MAX_TEXT: Final = 300
"""Characters of a finding's text."""

_SHORTEST_DECISION: Final = 4


@dataclass(frozen=True, slots=True)
class _Clause:
    """`text[start:end]` of a sentence."""

    start: int
    end: int


def read_findings(
    sentence: Sentence, dates: Sequence[DateMention], said_at: datetime | None, text: str
) -> Iterator[FindingMention]:
    """What a cleaned sentence asserts; none of a question. `dates` are those of the sentence, with the offsets of the
    message; `text` is the message word for word."""
    if sentence.asks:
        return
    if not dates and not rules.OURS.search(sentence.text) and not rules.UNSAID.search(sentence.text):
        return
    for clause in _clauses(sentence.text):
        inside = [found for found in dates if clause.start <= found.start - sentence.start < clause.end]
        kind = _kind(sentence, clause, inside, said_at)
        if kind is not None:
            finding, confidence = kind
            whole = text[sentence.start + clause.start : sentence.start + clause.end].strip(" ,;")
            when = _when(finding, inside or dates, said_at)
            yield FindingMention(finding, _cut(whole), confidence, when)


def _clauses(text: str) -> Iterator[_Clause]:
    begin = 0
    for match in rules.CLAUSES.finditer(text):
        yield _Clause(begin, match.start())
        begin = match.end()
    yield _Clause(begin, len(text))


def _kind(
    sentence: Sentence, clause: _Clause, dates: Sequence[DateMention], said_at: datetime | None
) -> tuple[FindingKind, float] | None:
    text = sentence.text
    for finding, confidence, pattern in rules.RULES:
        match = pattern.search(text, clause.start, clause.end)
        if match is None or not asserts(text, match.start(), first_person=True):
            continue
        if finding == "pattern" and _is_over(text, clause):
            continue
        if finding == "decision" and len(text[match.start() : clause.end].split()) < _SHORTEST_DECISION:
            continue  # "I've decided." does not say what
        return finding, confidence
    if not dates or said_at is None:
        return None
    about = rules.ABOUT_US.search(text, clause.start, clause.end)
    if about is None or not asserts(text, about.start(), first_person=True):
        return None
    if rules.ARRANGED.search(text, clause.start, clause.end) and any(_is_ahead(found, said_at) for found in dates):
        return "plan", 0.6
    past = tense_at(text, dates[0].start - sentence.start, dates[0].end - sentence.start) == "past"
    if (
        past
        and any(found.span.start <= said_at for found in dates)
        and not rules.NOT.search(text, about.start(), clause.end)
    ):
        return "event", 0.5
    return None


def _is_ahead(found: DateMention, said_at: datetime) -> bool:
    """Whether a date lies ahead, and is not only the end of what goes on already ("until June")."""
    return found.span.end > said_at and not found.span.text.lower().startswith(("until", "till", "since", "today"))


def _is_over(text: str, clause: _Clause) -> bool:
    """Whether a habit was one of the past."""
    return rules.ONCE.search(text, clause.start, clause.end) is not None


def _when(finding: FindingKind, dates: Sequence[DateMention], said_at: datetime | None) -> DateSpan | None:
    """The time that fits the kind: a plan lies ahead, an event behind; a habit has none."""
    if finding == "pattern" or not dates:
        return None
    if said_at is not None and finding in {"plan", "event"}:
        ahead = finding == "plan"
        fitting = [found for found in dates if (found.span.end > said_at if ahead else found.span.start <= said_at)]
        return fitting[0].span if fitting else None
    return dates[0].span


def _cut(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    return text[: MAX_TEXT - 1].rsplit(maxsplit=1)[0] + "…"
