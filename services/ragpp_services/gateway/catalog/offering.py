"""What of the catalog matters for a message, packed into a budget of tokens."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.api import Offered, RelevantMemories
from ragpp.entries.describing import forms_of, keywords_of, sizes
from ragpp.entries.formatting import HEADING, Line, fitting, format_injection
from ragpp.entries.packing import Offer, pack
from ragpp.entries.relevance import Scorable, Scored, scored
from ragpp.entries.usage import USEFUL
from ragpp.entries.values import CatalogEntry, EntryQuery, Form, FoundEntry
from ragpp.models import Scope
from ragpp.text.port import TokenSpans
from ragpp.tiers import CatalogTier

OFFERED: Final = 50
"""So many of those that answer a message best are scored and packed: each takes 20 tokens at least."""


@dataclass(frozen=True, slots=True)
class Message:
    """What an agent is asked, and by which agent, where one is named; `goal`: what memories are to be worth for."""

    text: str
    agent: str | None
    goal: str | None
    max_tokens: int


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

    def line(self, form: Form, handle: str | None = None) -> Line:
        """It as it is shown in that form."""
        entry = self.found.entry
        return Line(entry.type, entry.timestamp, handle or entry.memory_id, self.forms[form])


async def relevant(
    catalog: CatalogTier, scope: Scope, message: Message, counter: TokenSpans, now: datetime
) -> RelevantMemories:
    """The memories that matter most for a message, in the forms that are worth most within its budget: of the best
    OFFERED that answer it, or, where it says nothing, of the latest. Raises what the tier and `counter` raise."""
    candidates = await candidates_for(catalog, scope, message, now)
    return await asyncio.to_thread(_offered, candidates, message, counter)


async def candidates_for(catalog: CatalogTier, scope: Scope, message: Message, now: datetime) -> list[Candidate]:
    """What may be shown for a message, scored. Raises what the tier raises."""
    found = await catalog.find_entries(scope, EntryQuery(text=message.text, contents=True, limit=OFFERED))
    tags = keywords_of(message.text)
    return [_candidate(one, message, tags, now) for one in found]


def _offered(candidates: Sequence[Candidate], message: Message, counter: TokenSpans) -> RelevantMemories:
    by_id = {one.found.entry.memory_id: one for one in candidates}
    offers = [Offer(identifier, one.scored.score, tokens_of(one, counter)) for identifier, one in by_id.items()]
    packed = pack(offers, max(0, message.max_tokens - counter.count(f"{HEADING}\n")))
    shown = [(by_id[identifier], form) for identifier, form in packed.shown.items()]
    kept = fitting([one.line(form) for one, form in shown], message.max_tokens, counter.count)
    formatted = format_injection(kept)
    over = [one.found.entry.memory_id for one, _ in shown[len(kept) :]]
    return RelevantMemories(
        memories=tuple(
            Offered(
                entry=one.entry,
                form=form,
                text=one.forms[form],
                score=one.scored.score,
                relevance=one.scored.relevance,
                explain=one.scored.terms,
            )
            for one, form in shown[: len(kept)]
        ),
        formatted=formatted,
        tokens=counter.count(formatted),
        left_out={**packed.left_out, **dict.fromkeys(over, "others are worth more")},
    )


def unscored(found: FoundEntry) -> Candidate:
    """One that was asked for by its id."""
    entry = found.entry
    return Candidate(found, forms_of(entry.content or "", entry.summary, entry.abstract), Scored(1.0, 1.0))


def tokens_of(one: Candidate, counter: TokenSpans, handle: str | None = None) -> dict[Form, int]:
    """Of each form with what stands before it in its line, which is counted by itself: no text is shorter for that."""
    known = one.found.tokens or sizes(one.forms, counter)
    before = counter.count(one.line(Form.FULL, handle).lead)
    return {form: before + known[form] for form in one.forms if form in known}


def scorable(found: FoundEntry, goal: str | None) -> Scorable:
    """What of an entry is scored, with what it is worth for `goal`; USEFUL where that is None."""
    entry = found.entry
    return Scorable(
        tags=[tag.lower() for tag in entry.tags],
        occurred_at=entry.timestamp,
        priority=entry.priority,
        agent=entry.ci,
        search=found.score,
        value=found.values.get(goal or USEFUL),
    )


def _candidate(found: FoundEntry, message: Message, tags: Sequence[str], now: datetime) -> Candidate:
    entry = found.entry
    judged = scored(
        scorable(found, message.goal),
        now=now,
        message_tags=tags,
        agent=message.agent,
    )
    return Candidate(found, forms_of(entry.content or "", entry.summary, entry.abstract), judged)
