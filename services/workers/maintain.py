"""Maintain: what is done to a user's memory as time passes: decay, retention, compression."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, Literal, cast

from pydantic import JsonValue

from ragpp.errors import InvalidInput, NotFound
from ragpp.ledger import Work, WorkKey
from ragpp.models import Page, Scope
from ragpp.retention import RETAINED, Due, Kept, RetainedTier, RetentionPolicy, due
from services.workers.parts import WorkerParts

Task = Literal["decay", "retention"]
PAGE: Final = 500
LISTED: Final = 200
"""How many items a dry run names, of each tier; the counts are of all."""
FORGOTTEN_AT_ONCE: Final = 500


async def maintain(parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Mapping[str, JsonValue]]:
    """Do the tasks that `batch` asks for; the payload names `task`, and `dry_run` for retention.

    Repeating it changes nothing. Raises TierUnavailable, and InvalidInput for a task that is none.
    """
    results: dict[WorkKey, Mapping[str, JsonValue]] = {}
    for work in batch:
        task = work.payload.get("task")
        if task == "decay":
            results[work.key] = await decay(parts, work.scope)
        elif task == "retention":
            results[work.key] = await retain(
                parts, work.scope, work.key.event_id, dry_run=bool(work.payload.get("dry_run", False))
            )
        else:
            raise InvalidInput(f"{task!r} is no maintenance task")
    return results


async def decay(parts: WorkerParts, scope: Scope) -> dict[str, JsonValue]:
    """Persist what time has taken from confidences, and archive what faded below the floor.

    Time is that of the user's conversations: it stands at their latest message, so that neither an import of old ones
    nor a long silence empties a memory. A recall counts decay to its own moment all the same.
    """
    latest = await parts.episodic.list_interactions(scope, limit=1)
    if not latest.items:
        return {"task": "decay", "relationships_updated": 0, "relationships_archived": 0, "entities_merged": 0}
    now = min(parts.clock(), latest.items[0].occurred_at)
    done = await parts.semantic.consolidate(scope, now, parts.learning.archive_below)
    return {
        "task": "decay",
        "relationships_updated": done.updated,
        "relationships_archived": done.archived,
        "entities_merged": len(done.merged),
    }


async def retain(parts: WorkerParts, scope: Scope, event_id: int, *, dry_run: bool) -> dict[str, JsonValue]:
    """Apply the policy of the user's plan, or only say what it would let go, and why.

    `{task, dry_run, plan, tiers: {tier: {due, bytes, reasons: {reason: n}, items: [...]}}, compressed}`; `items` names
    the first LISTED, never their text. `event_id`: of the job; results of earlier ones that may name what went are
    dropped. Without a policy for the plan that of `default` applies, which is none at first.
    """
    plan = (await parts.ledger.user_settings(scope)).plan
    policy = parts.learning.retention.get(plan) or parts.learning.retention.get("default") or RetentionPolicy()
    tiers: dict[str, JsonValue] = {}
    for tier in RETAINED:
        if policy.of(tier).forgets:
            going = await _due(parts, scope, tier, policy)
            if going and not dry_run:
                await _let_go(parts, scope, tier, going)
                if tier == "semantic":  # the others' stores do so in their own transaction
                    await parts.ledger.drop_results(scope, event_id)
            tiers[tier] = _shown(going)
    compressed = 0
    if policy.episodic.compress_after_days is not None and not dry_run:
        before = parts.clock() - timedelta(days=policy.episodic.compress_after_days)
        compressed = await parts.episodic.compress(scope, before)
    return {"task": "retention", "dry_run": dry_run, "plan": plan, "tiers": tiers, "compressed": compressed}


async def _due(parts: WorkerParts, scope: Scope, tier: RetainedTier, policy: RetentionPolicy) -> list[Due]:
    items = [item async for item in _ITEMS[tier](parts, scope)]
    pinned = await parts.pins.pinned(scope, tier)
    if tier == "episodic":
        pinned |= await _sources_of_pinned(parts, scope)
    return due(items, policy.of(tier), parts.clock(), pinned)


async def _sources_of_pinned(parts: WorkerParts, scope: Scope) -> frozenset[str]:
    """The interactions that pinned items of the other tiers rest on: without them those would go as well."""
    sources: set[str] = set()
    for item_id in await parts.pins.pinned(scope, "semantic"):
        for read in (parts.semantic.get_relationship, parts.semantic.get_entity):
            with suppress(NotFound):
                sources.update((await read(scope, item_id)).sources)
    wanted = await parts.pins.pinned(scope, "procedural")
    for item_id in wanted:
        for read_one in (parts.procedural.get_preference, parts.procedural.get_rule):
            with suppress(NotFound):
                sources.update((await read_one(scope, item_id)).sources)
    cursor: str | None = None
    while wanted:
        page = await parts.procedural.list_findings(scope, cursor=cursor, limit=PAGE)
        sources.update(source for finding in page.items if finding.id in wanted for source in finding.sources)
        cursor = page.next_cursor
        if cursor is None:
            break
    return frozenset(sources)


async def _let_go(parts: WorkerParts, scope: Scope, tier: RetainedTier, going: Sequence[Due]) -> None:
    forget = {
        "episodic": parts.episodic.forget,
        "semantic": parts.semantic.forget,
        "procedural": parts.procedural.expire,  # nobody said that it is wrong: resumed, it is learned again
    }[tier]
    for start in range(0, len(going), FORGOTTEN_AT_ONCE):
        await forget(scope, [found.item.id for found in going[start : start + FORGOTTEN_AT_ONCE]])


def _shown(going: Sequence[Due]) -> dict[str, JsonValue]:
    reasons: dict[str, int] = {}
    for found in going:
        reasons[found.reason] = reasons.get(found.reason, 0) + 1
    return {
        "due": len(going),
        "bytes": sum(found.item.size for found in going),
        "reasons": cast("JsonValue", reasons),
        "items": [found.shown() for found in going[:LISTED]],
    }


async def _interactions(parts: WorkerParts, scope: Scope) -> AsyncIterator[Kept]:
    """Newest first, so that a session's first one seen is its last message."""
    last_of: dict[str, datetime] = {}

    async def page(cursor: str | None) -> Page[Kept]:
        found = await parts.episodic.list_interactions(scope, None, cursor, PAGE)
        kept = []
        for said in found.items:
            last_at = last_of.setdefault(said.session_id, said.occurred_at)
            size = len(said.content.encode())
            kept.append(Kept(said.id, "interaction", said.occurred_at, last_at, size))
        return Page[Kept](items=tuple(kept), next_cursor=found.next_cursor)

    async for item in _pages(page):
        yield item


async def _graph(parts: WorkerParts, scope: Scope) -> AsyncIterator[Kept]:
    async def relationships(cursor: str | None) -> Page[Kept]:
        found = await parts.semantic.list_relationships(scope, cursor=cursor, limit=PAGE, state="all")
        return Page[Kept](
            items=tuple(
                Kept(
                    edge.id,
                    "relationship",
                    edge.first_mention,
                    edge.last_mention,
                    len(edge.context.encode()),
                    needs=(edge.source_id, edge.target_id),
                )
                for edge in found.items
            ),
            next_cursor=found.next_cursor,
        )

    async def entities(cursor: str | None) -> Page[Kept]:
        found = await parts.semantic.list_entities(scope, cursor=cursor, limit=PAGE)
        return Page[Kept](
            items=tuple(
                # forgetting it would take what was said of it lately as well: it is as old as its last mention
                Kept(node.id, "entity", node.last_mention, node.last_mention, len(node.name.encode()))
                for node in found.items
            ),
            next_cursor=found.next_cursor,
        )

    for source in (relationships, entities):
        async for item in _pages(source):
            yield item


async def _procedures(parts: WorkerParts, scope: Scope) -> AsyncIterator[Kept]:
    async def preferences(cursor: str | None) -> Page[Kept]:
        found = await parts.procedural.list_preferences(scope, cursor=cursor, limit=PAGE)
        return Page[Kept](
            items=tuple(
                Kept(held.id, "preference", held.learned_at, held.occurred_at, len(held.value.encode()))
                for held in found.items
            ),
            next_cursor=found.next_cursor,
        )

    async def rules(cursor: str | None) -> Page[Kept]:
        found = await parts.procedural.list_rules(scope, cursor=cursor, limit=PAGE)
        return Page[Kept](
            items=tuple(
                Kept(rule.id, "rule", rule.occurred_at, rule.occurred_at, len(rule.text.encode()))
                for rule in found.items
            ),
            next_cursor=found.next_cursor,
        )

    async def findings(cursor: str | None) -> Page[Kept]:
        found = await parts.procedural.list_findings(scope, cursor=cursor, limit=PAGE)
        return Page[Kept](
            items=tuple(
                Kept(finding.id, "finding", finding.first_at, finding.last_at, len(finding.text.encode()))
                for finding in found.items
            ),
            next_cursor=found.next_cursor,
        )

    for source in (preferences, rules, findings):
        async for item in _pages(source):
            yield item


_ITEMS: Final[Mapping[RetainedTier, Callable[[WorkerParts, Scope], AsyncIterator[Kept]]]] = {
    "episodic": _interactions,
    "semantic": _graph,
    "procedural": _procedures,
}


async def _pages(page: Callable[[str | None], Awaitable[Page[Kept]]]) -> AsyncIterator[Kept]:
    cursor: str | None = None
    while True:
        found = await page(cursor)
        for item in found.items:
            yield item
        cursor = found.next_cursor
        if cursor is None:
            return
