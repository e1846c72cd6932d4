"""What of the catalog matters for a message, packed into a budget of tokens."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ragpp.api import Offered, RelevantMemories
from ragpp.catalog import MAX_K, ItemQuery, MemoryItem
from ragpp.entries.describing import keywords_of
from ragpp.entries.formatting import HEADING, Line, fitting, format_injection
from ragpp.entries.making import entry_of
from ragpp.entries.packing import Offer, pack
from ragpp.entries.relevance import Scorable, Scored, scored
from ragpp.entries.values import CatalogEntry, Form
from ragpp.models import Scope
from ragpp.text.port import TokenSpans
from ragpp.tiers import CatalogTier


@dataclass(frozen=True, slots=True)
class Message:
    """What an agent is asked, and by which agent, where one is named; `goal`: what memories are to be worth for."""

    text: str
    agent: str | None
    goal: str | None
    max_tokens: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    entry: CatalogEntry
    forms: dict[Form, str]
    scored: Scored


async def relevant(
    catalog: CatalogTier, scope: Scope, message: Message, counter: TokenSpans, now: datetime
) -> RelevantMemories:
    """The memories that matter most for a message, in the forms that are worth most within its budget: of the best
    MAX_K that answer it, or, where it says nothing, of the latest. Raises what the tier and `counter` raise."""
    scores: Sequence[float | None]
    if message.text.strip():
        found = await catalog.search_items(scope, ItemQuery(text=message.text, k=MAX_K))
        items, scores = found.items, found.confidence_scores
    else:
        items = (await catalog.list_items(scope, limit=MAX_K)).items
        scores = [None] * len(items)
    return await asyncio.to_thread(_offered, items, scores, message, counter, now)


def _offered(
    items: Sequence[MemoryItem], scores: Sequence[float | None], message: Message, counter: TokenSpans, now: datetime
) -> RelevantMemories:
    tags = keywords_of(message.text)
    candidates = [_candidate(item, score, message, tags, now) for item, score in zip(items, scores, strict=True)]
    by_id = {one.entry.memory_id: one for one in candidates}
    offers = [
        Offer(
            one.entry.memory_id,
            one.scored.score,
            {form: counter.count(f"{_line(one.entry, text)}\n") for form, text in one.forms.items()},
        )
        for one in candidates
    ]
    packed = pack(offers, max(0, message.max_tokens - counter.count(f"{HEADING}\n")))
    shown = [(by_id[identifier], form) for identifier, form in packed.shown.items()]
    lines = [_line(one.entry, one.forms[form]) for one, form in shown]
    kept = fitting(lines, message.max_tokens, counter.count)
    formatted = format_injection(kept)
    over = [one.entry.memory_id for one, _ in shown[len(kept) :]]
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


def _candidate(
    item: MemoryItem, score: float | None, message: Message, tags: Sequence[str], now: datetime
) -> _Candidate:
    entry = entry_of(item)
    value = item.goal_values.get(message.goal) if message.goal is not None else None
    judged = scored(
        Scorable(
            tags=[tag.lower() for tag in entry.tags],
            occurred_at=entry.timestamp,
            priority=entry.priority,
            agent=entry.ci,
            search=score,
            value=None if value is None else value.value,
        ),
        now=now,
        message_tags=tags,
        agent=message.agent,
    )
    whole = " ".join(item.content.split())
    forms = {Form.FULL: item.content}
    if len(entry.abstract) < len(whole):
        forms[Form.ABSTRACT] = entry.abstract
    if len(entry.summary) < len(entry.abstract):
        forms[Form.SUMMARY] = entry.summary
    return _Candidate(entry, forms, judged)


def _line(entry: CatalogEntry, text: str) -> Line:
    return Line(entry.type, entry.timestamp, entry.memory_id, text)
