"""Maintain: what is done to a user's memory as time passes: decay, retention, compression, upkeep of the catalog; and
what was left of its sentences."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, Literal, TypeVar, cast

from pydantic import JsonValue

from ragpp.catalog import EVERYBODY
from ragpp.counterparts import same_entities, same_relationships
from ragpp.errors import EmbeddingError, InvalidInput, NotFound
from ragpp.ledger import Work, WorkKey
from ragpp.models import Scope
from ragpp.observability.metrics import retained
from ragpp.paging import pages
from ragpp.preference_values import canonical
from ragpp.retention import RETAINED, Due, EntryRetention, Kept, RetainedTier, RetentionPolicy, due, entries_due
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.catalog.asking import consolidate_later
from ragpp_services.workers.stages.catalog.passages import index_passages
from ragpp_services.workers.stages.sentences import index_sentences

Task = Literal["decay", "retention", "views", "sentences", "catalog"]
ItemT = TypeVar("ItemT")
PAGE: Final = 500
LISTED: Final = 200
"""How many items a dry run names, of each tier; the counts are of all."""
FORGOTTEN_AT_ONCE: Final = 500
KEPT_ONCE: Final[frozenset[RetainedTier]] = frozenset({"episodic", "catalog"})
"""Tiers that keep no view by itself."""


async def maintain(parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Mapping[str, JsonValue]]:
    """Do the tasks that `batch` asks for; the payload names `task`, and `dry_run` for retention. With any that is none,
    all that the user's messages tell is embedded.

    Repeating it changes nothing. Raises TierUnavailable, and InvalidInput for a task that is none.
    """
    results: dict[WorkKey, Mapping[str, JsonValue]] = {}
    for work in batch:
        task = work.payload.get("task")
        if task == "decay":
            results[work.key] = await decay(parts, work.scope)
        elif task == "retention":
            results[work.key] = await retain(parts, work.scope, dry_run=bool(work.payload.get("dry_run", False)))
        elif task == "catalog":
            results[work.key] = await look_after_catalog(parts, work.scope)
        elif task in {"views", "sentences"}:
            # no view is left to be built by whoever maintains, and no sentence below
            results[work.key] = {"task": task}
        else:
            raise InvalidInput(f"{task!r} is no maintenance task")
    if not all(work.payload.get("dry_run", False) for work in batch) and batch[0].scope.user_id != EVERYBODY:
        await index_sentences(parts, batch[0].scope, most=None)
    return results


async def decay(parts: WorkerParts, scope: Scope) -> dict[str, JsonValue]:
    """Persist what time has taken from confidences, and archive what faded below the floor.

    Time is that of the user's conversations: it stands at their latest message, so that neither an import of old ones
    nor a long silence empties a memory. A recall counts decay to its own moment all the same.
    """
    epoch = await parts.semantic.epoch(scope)
    latest = await parts.episodic.list_interactions(scope, limit=1)
    if not latest.items:
        return {"task": "decay", "relationships_updated": 0, "relationships_archived": 0, "entities_merged": 0}
    now = min(parts.clock(), latest.items[0].occurred_at)
    done = await parts.semantic.consolidate(scope, now, parts.learning.archive_below, epoch)
    return {
        "task": "decay",
        "relationships_updated": done.updated,
        "relationships_archived": done.archived,
        "entities_merged": len(done.merged),
    }


async def look_after_catalog(parts: WorkerParts, scope: Scope) -> dict[str, JsonValue]:
    """Have embedded what resources say that nobody asked to be extracted, ask for the pages to be made again to whose
    categories anything came, compress what is old, and drop the vectors of what is older. It is kept once for all
    views, and in a view nothing is done."""
    if scope.view is not None:
        return {"task": "catalog", "consolidating": 0, "compressed": 0, "vectors_dropped": 0}
    policy, compressed, dropped = (await _policy(parts, scope))[1].catalog, 0, 0
    with suppress(EmbeddingError):  # until it answers, passages are found by their words
        await index_passages(parts, scope)
    names = await parts.catalog.due_categories(scope, 1)
    for name in names:
        await consolidate_later(parts, scope, name)
    if policy.compress_after_days is not None:
        before = parts.clock() - timedelta(days=policy.compress_after_days)
        compressed = await parts.catalog.compress(scope, before)
        retained("catalog", "compressed", compressed)
    if policy.drop_vectors_after_days is not None:
        before = parts.clock() - timedelta(days=policy.drop_vectors_after_days)
        dropped = await parts.catalog.drop_vectors(scope, before)
        retained("catalog", "vectors_dropped", dropped)
    return {"task": "catalog", "consolidating": len(names), "compressed": compressed, "vectors_dropped": dropped}


async def _policy(parts: WorkerParts, scope: Scope) -> tuple[str, RetentionPolicy]:
    """The user's plan, and the policy that applies to it."""
    plan = (await parts.ledger.user_settings(scope)).plan
    retention = parts.learning.retention
    return plan, retention.get(plan) or retention.get("default") or RetentionPolicy()


async def retain(parts: WorkerParts, scope: Scope, *, dry_run: bool) -> dict[str, JsonValue]:
    """Apply the policy of the user's plan, or only say what it would let go, and why.

    `{task, dry_run, plan, tiers: {tier: {due, bytes, reasons: {reason: n}, items: [...]}}, compressed}`; `items` names
    the first LISTED, never their text. Without a policy for the plan that of `default` applies, which is none at first.
    """
    plan, policy = await _policy(parts, scope)
    tiers: dict[str, JsonValue] = {}
    for tier in RETAINED:
        if policy.of(tier).forgets and (scope.view is None or tier not in KEPT_ONCE):
            going = await _due(parts, scope, tier, policy)
            if going and not dry_run:
                await _let_go(parts, scope, tier, going)
            tiers[tier] = _shown(going)
    if parts.learning.entries is not None and scope.view is None:
        loose = await _due_entries(parts, scope, parts.learning.entries)
        if loose and not dry_run:
            await _let_go_of(parts.catalog.expire_entries, parts, scope, "catalog", loose)
        if loose:
            tiers["entries"] = _shown(loose)
    compressed = 0
    if policy.episodic.compress_after_days is not None and not dry_run and scope.view is None:
        before = parts.clock() - timedelta(days=policy.episodic.compress_after_days)
        compressed = await parts.episodic.compress(scope, before)
        retained("episodic", "compressed", compressed)
    return {"task": "retention", "dry_run": dry_run, "plan": plan, "tiers": tiers, "compressed": compressed}


async def _due(parts: WorkerParts, scope: Scope, tier: RetainedTier, policy: RetentionPolicy) -> list[Due]:
    items = [item async for item in _ITEMS[tier](parts, scope)]
    pinned = await _pinned(parts, scope, tier)
    if tier == "episodic":
        pinned |= await _sources_of_pinned(parts, scope)
    return due(items, policy.of(tier), parts.clock(), pinned)


async def _due_entries(parts: WorkerParts, scope: Scope, limits: EntryRetention) -> list[Due]:
    kept = await parts.catalog.kept_entries(scope)
    return entries_due(kept, limits, parts.clock(), await parts.pins.pinned(scope, "catalog"))


async def _pinned(parts: WorkerParts, scope: Scope, tier: RetainedTier) -> frozenset[str]:
    """The ids of pinned items: in a view's graph, those of the same people, things and relationships."""
    pinned = await parts.pins.pinned(scope, tier)
    if scope.view is None or tier != "semantic":
        return pinned
    whole, here = scope.seen_by(None), set[str]()
    for item_id in pinned:
        with suppress(NotFound):
            stated = await parts.semantic.get_relationship(whole, item_id)
            here.update(await same_relationships(parts.semantic, scope, stated))
        with suppress(NotFound):
            here.update(await same_entities(parts.semantic, scope, await parts.semantic.get_entity(whole, item_id)))
    return frozenset(here)


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
    if wanted:
        findings = pages(lambda cursor: parts.procedural.list_findings(scope, cursor=cursor, limit=PAGE))
        sources.update([source async for one in findings if one.id in wanted for source in one.sources])
    for item_id in await parts.pins.pinned(scope, "catalog"):
        with suppress(NotFound):
            sources.update((await parts.catalog.get_item(scope, item_id)).sources)
        with suppress(NotFound):
            said = (await parts.catalog.get_resource(scope, item_id)).messages
            sources.update(one.interaction_id for one in said if one.interaction_id is not None)
    return frozenset(sources)


async def _let_go(parts: WorkerParts, scope: Scope, tier: RetainedTier, going: Sequence[Due]) -> None:
    await _let_go_of(_FORGETTING[tier](parts), parts, scope, tier, going)


async def _let_go_of(
    forget: Callable[[Scope, Sequence[str]], Awaitable[int]],
    parts: WorkerParts,
    scope: Scope,
    tier: RetainedTier,
    going: Sequence[Due],
) -> None:
    for start in range(0, len(going), FORGOTTEN_AT_ONCE):
        pinned = await parts.pins.pinned(scope, tier)  # since it was decided what goes
        ids = [found.item.id for found in going[start : start + FORGOTTEN_AT_ONCE]]
        retained(tier, "let_go", await forget(scope, [identifier for identifier in ids if identifier not in pinned]))
    await parts.erasures.drop_marked_ids(scope)


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
    async for said in pages(lambda cursor: parts.episodic.list_interactions(scope, None, cursor, PAGE)):
        last_at = last_of.setdefault(said.session_id, said.occurred_at)
        yield Kept(said.id, "interaction", said.occurred_at, last_at, _size(said.content))


async def _graph(parts: WorkerParts, scope: Scope) -> AsyncIterator[Kept]:
    graph = parts.semantic
    async for edge in pages(lambda cursor: graph.list_relationships(scope, cursor=cursor, limit=PAGE, state="all")):
        ends = (edge.source_id, edge.target_id)
        yield Kept(edge.id, "relationship", edge.first_mention, edge.last_mention, _size(edge.context), needs=ends)
    async for node in pages(lambda cursor: graph.list_entities(scope, cursor=cursor, limit=PAGE)):
        # forgetting it would take what was said of it lately as well: it is as old as its last mention
        yield Kept(node.id, "entity", node.last_mention, node.last_mention, _size(node.name))


async def _procedures(parts: WorkerParts, scope: Scope) -> AsyncIterator[Kept]:
    tier = parts.procedural
    async for held in pages(lambda cursor: tier.list_preferences(scope, cursor=cursor, limit=PAGE)):
        yield Kept(held.id, "preference", held.learned_at, held.occurred_at, _size(canonical(held.value)))
    async for rule in pages(lambda cursor: tier.list_rules(scope, cursor=cursor, limit=PAGE)):
        yield Kept(rule.id, "rule", rule.occurred_at, rule.occurred_at, _size(rule.text))
    async for finding in pages(lambda cursor: tier.list_findings(scope, cursor=cursor, limit=PAGE)):
        yield Kept(finding.id, "finding", finding.first_at, finding.last_at, _size(finding.text))


async def _resources(parts: WorkerParts, scope: Scope) -> AsyncIterator[Kept]:
    """The user's own resources, without those of which a stub is left. A list cuts their content, so each is read."""
    catalog = parts.catalog
    async for listed in pages(lambda cursor: catalog.list_resources(scope, None, None, cursor, PAGE)):
        if listed.is_stub or (listed.visibility == "global" and scope.user_id != EVERYBODY):
            continue
        with suppress(NotFound):
            content = (await catalog.get_resource(scope, listed.resource_id)).content
            yield Kept(listed.resource_id, "resource", listed.occurred_at, listed.occurred_at, _size(content))


_ITEMS: Final[Mapping[RetainedTier, Callable[[WorkerParts, Scope], AsyncIterator[Kept]]]] = {
    "episodic": _interactions,
    "semantic": _graph,
    "procedural": _procedures,
    "catalog": _resources,
}


_FORGETTING: Final[Mapping[RetainedTier, Callable[[WorkerParts], Callable[[Scope, Sequence[str]], Awaitable[int]]]]] = {
    "episodic": lambda parts: parts.episodic.forget,
    "semantic": lambda parts: parts.semantic.forget,
    "procedural": lambda parts: parts.procedural.expire,  # nobody said that it is wrong: resumed, it is learned again
    "catalog": lambda parts: parts.catalog.expire,
}


def _size(text: str) -> int:
    return len(text.encode())
