"""Candidates: the memories of the catalog that may be shown for a message, scored. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.entries.describing import forms_of, keywords_of, sizes
from ragpp.entries.formatting import Line
from ragpp.entries.relevance import Scorable, Scored, ScoreWeights, scored
from ragpp.entries.usage import USEFUL
from ragpp.entries.values import CatalogEntry, Form, FoundEntry
from ragpp.text.port import ReaderMeter

BLENDED: Final = ScoreWeights()
"""Relevance, the search's score and the learned value."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to an agent, and which agent that is, where one is named; `goal`: what memories are to be worth for."""

    text: str
    agent: str | None
    goal: str | None
    max_tokens: int

    @property
    def aim(self) -> str:
        """The goal, whether it is named or not."""
        return self.goal or USEFUL


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may be shown for a message."""

    found: FoundEntry
    forms: dict[Form, str]
    scored: Scored

    @property
    def shortest(self) -> Form:
        """The form of fewest characters."""
        return next(form for form in reversed(Form) if form in self.forms)

    @property
    def entry(self) -> CatalogEntry:
        """Without its content."""
        return self.found.entry.model_copy(update={"content": None})

    def is_over(self, now: datetime) -> bool:
        """True where it has expired, and only waits to be cleaned up."""
        expires = self.found.entry.expires
        return expires is not None and expires <= now

    def line(self, form: Form, handle: str | None = None) -> Line:
        """It as it is shown in that form."""
        entry = self.found.entry
        return Line(entry.type, entry.timestamp, handle or entry.memory_id, self.forms[form])


def candidates_of(
    found: Sequence[FoundEntry], message: Message, now: datetime, weights: ScoreWeights = BLENDED
) -> list[Candidate]:
    """The entries that were found for a message, in the same order, scored."""
    tags = keywords_of(message.text)
    return [_candidate(one, message, tags, now, weights) for one in found]


def unscored(found: FoundEntry) -> Candidate:
    """One that was asked for by its id."""
    entry = found.entry
    return Candidate(found, forms_of(entry.content or "", entry.summary, entry.abstract), Scored(1.0, 1.0))


def tokens_of(one: Candidate, counter: ReaderMeter, handle: str | None = None) -> dict[Form, int]:
    """Tokens of each form with the lead of its line, which is counted by itself: no text is shorter for that."""
    known = one.found.tokens if one.found.tokenizer == counter.name else sizes(one.forms, counter)
    before = counter.count(one.line(Form.FULL, handle).lead)
    return {form: before + known[form] for form in one.forms if form in known}


def _candidate(
    found: FoundEntry, message: Message, tags: Sequence[str], now: datetime, weights: ScoreWeights
) -> Candidate:
    entry = found.entry
    judged = scored(
        Scorable(
            tags=[tag.lower() for tag in entry.tags],
            occurred_at=entry.timestamp,
            priority=entry.priority,
            agent=entry.ci,
            search=found.score,
            value=found.values.get(message.aim),
        ),
        now=now,
        message_tags=tags,
        agent=message.agent,
        score=weights,
    )
    return Candidate(found, forms_of(entry.content or "", entry.summary, entry.abstract), judged)
