"""Erase: forget a session, a user, or interactions that were chosen, in every store, and report what became of it.

Never given up: whoever goes on after a worker was killed begins where it told that it was. What the user stores after
the erasure was asked for stays; its other stages wait for this one.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, cast

from pydantic import JsonValue

from ragpp.catalog import EVERYBODY, MemoryItem, Resource
from ragpp.errors import NotFound
from ragpp.ledger import Work, WorkKey
from ragpp.ledger.erasing import RESOURCES_TO_DO, TO_DO, Erasure, erasure_of
from ragpp.ledger.views import view_of
from ragpp.models import MemoryQuery, Page, Scope
from ragpp.paging import PAGE, pages
from ragpp.tiers import ERASED_AT_ONCE, MemoryTier
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.clean import want_clean
from ragpp_services.workers.stages.repair import withdraw
from ragpp_services.workers.stages.stage import everywhere, views_of

Holdings = dict[str, dict[str, int]]
"""How much there is, by store and kind."""
AT_ONCE: Final = 200
"""Interactions that are taken out of all stores before the next are."""
ASKED_AT_ONCE: Final = 1_000
"""Ids that one question to a tier names: the graph looks for each of them in each of its observations."""
MOST: Final = 1_000_000
"""Interactions of one session."""
SAMPLES: Final = 3
SAMPLE_CHARS: Final = 500
FOUND: Final = 50


@dataclass
class ErasureState:
    """An erasure under way, as its job and its report tell of it. `found`: before anything was removed; None until it
    was looked for. `to_do`, `resources`: the interactions and the resources of the catalog that it is about, none where
    it is about a user. `samples`: what some of the messages said, to be searched for afterwards; never told."""

    erasure: Erasure
    found: Holdings | None = None
    to_do: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    done: int = 0
    samples: dict[str, str] = field(default_factory=dict)

    def so_far(self) -> dict[str, JsonValue]:
        """As the next attempt reads it."""
        return {**self.report(), TO_DO: list(self.to_do), RESOURCES_TO_DO: list(self.resources)}

    def report(self, left: Holdings | None = None, searches: Mapping[str, int] | None = None) -> dict[str, JsonValue]:
        """For each store what was found, what of it was removed, and what was found again; of a dry run what was found
        alone."""
        stores: dict[str, dict[str, dict[str, int]]] = {}
        for store, kinds in (self.found or {}).items():
            stores[store] = {"found": kinds}
            if left is not None:
                again = left.get(store, {})
                stores[store]["removed"] = {kind: count - again.get(kind, 0) for kind, count in kinds.items()}
                stores[store]["found_again"] = again
        document: dict[str, JsonValue] = {"what": self.erasure.what, "dry_run": self.erasure.dry_run}
        document["stores"] = cast("JsonValue", stores)
        if searches is not None:
            document["searches"] = cast("JsonValue", dict(searches))
        return document


async def erase(parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Mapping[str, JsonValue]]:
    """Do what `batch` asks for. Raises TierUnavailable; LedgerError when another has it by now."""
    results: dict[WorkKey, Mapping[str, JsonValue]] = {}
    for work in batch:
        state = _resumed(work)
        look, remove = (_look_at_user, _user) if state.erasure.what == "user" else (_look, _interactions)
        if state.found is None:
            state.found = await look(parts, work, state)
            if not state.erasure.dry_run:
                await parts.erasures.tell(work, state.so_far())
        results[work.key] = state.report() if state.erasure.dry_run else await remove(parts, work, state)
    return results


def _resumed(work: Work) -> ErasureState:
    """The state that an earlier attempt has kept, or a new one."""
    state = ErasureState(erasure_of(work))
    before = work.told or {}
    stores = before.get("stores")
    if isinstance(stores, dict):
        state.found = {store: cast("dict[str, dict[str, int]]", kinds)["found"] for store, kinds in stores.items()}
        state.to_do = tuple(cast("list[str]", before.get(TO_DO, [])))
        state.resources = tuple(cast("list[str]", before.get(RESOURCES_TO_DO, [])))
        state.done = work.progress
    return state


async def _look(parts: WorkerParts, work: Work, state: ErasureState) -> Holdings:
    """The holdings of chosen interactions, or of those of a session, which become what is to be done."""
    erasure = state.erasure
    state.to_do = erasure.ids
    if erasure.what == "session":
        session = work.scope.model_copy(update={"session_id": erasure.session_id, "agent_id": erasure.agent_id})
        state.to_do = tuple(await parts.episodic.recorded_before(session, work.key.event_id, MOST))
        state.resources = await _resources_of(parts, work, erasure)
    return await _resting_on(parts, work, state)


async def _resources_of(parts: WorkerParts, work: Work, erasure: Erasure) -> tuple[str, ...]:
    """The resources of the session, without those that were stored since its erasure was asked for; for an agent those
    that are its own."""

    async def of_session(cursor: str | None) -> Page[Resource]:
        return await parts.catalog.list_resources(work.scope, None, erasure.session_id, cursor, PAGE)

    listed = [resource async for resource in pages(of_session, most=MOST)]
    since = await parts.erasures.stored_since(work)
    own = [one for one in listed if erasure.agent_id in {None, one.agent_id} and one.visibility != "global"]
    return tuple(one.resource_id for one in own if one.resource_id not in since)


async def _interactions(parts: WorkerParts, work: Work, state: ErasureState) -> dict[str, JsonValue]:
    """Forget what was found to do. The events that the episodic tier records let the stage `forget` do it, too,
    whatever becomes of this one."""
    scope, erasure = work.scope, state.erasure
    await _sample(parts, work, state, state.to_do[:SAMPLES])
    for resource_id in state.resources:  # first, so that none is extracted anew for what it loses on the way
        await parts.catalog.delete_resource(scope, resource_id)
    at_once = max(1, AT_ONCE >> (work.attempts - 1))  # what was too much at once is not tried so again
    while state.done < len(state.to_do):
        some = state.to_do[state.done : state.done + at_once]
        await parts.episodic.forget(scope, some)
        await withdraw(parts, scope, some)
        state.done += len(some)
        await parts.erasures.progress(work, state.done)
    if erasure.what == "session" and erasure.agent_id is None:
        await _end_session(parts, work, erasure)
    await want_clean(parts, scope)
    left = await _resting_on(parts, work, state)
    return state.report(left, await _searched(parts, work, state))


async def _end_session(parts: WorkerParts, work: Work, erasure: Erasure) -> None:
    """An empty running conversation does not stay in the list; one that goes on does."""
    for view in await everywhere(parts, work.scope):
        await parts.short_term.delete_session(view.in_session(erasure.session_id), only_if_empty=True)


async def _look_at_user(parts: WorkerParts, work: Work, state: ErasureState) -> Holdings:
    """The holdings of the user."""
    found = await parts.erasures.known(work, parts.clock())
    for tier in _tiers(parts):
        found[tier.name] = await _held(parts, work, tier)
    found["ledger"] |= state.erasure.held
    return found


async def _user(parts: WorkerParts, work: Work, state: ErasureState) -> dict[str, JsonValue]:
    """Erase everything of the user. The interactions go first: whoever reads them later learns nothing from them, and
    what was read of them before is refused, for each tier then begins an epoch before it deletes."""
    scope, before = work.scope, work.key.event_id
    await parts.short_term.erase(scope, before)
    while ids := await parts.episodic.recorded_before(scope, before, ERASED_AT_ONCE):
        await _sample(parts, work, state, ids[: SAMPLES - len(state.samples)])
        for seen in await everywhere(parts, scope):
            await parts.short_term.forget(seen, ids)  # keeps them from coming late
        await parts.episodic.erase(scope, before)
        state.done += len(ids)
        await parts.erasures.progress(work, state.done)
    for tier in (parts.episodic, parts.semantic, parts.procedural, parts.catalog):
        while await tier.erase(scope, before):
            await parts.erasures.progress(work, state.done)
    await _views(parts, work, state)
    everybody = scope.model_copy(update={"user_id": EVERYBODY})
    await parts.erasures.drop_results(everybody)  # of what the user gave to all
    until = parts.clock()
    await parts.erasures.erase_events(work)
    await parts.erasures.erase_elsewhere(scope, until)
    await want_clean(parts, scope, everybody)
    left = await parts.erasures.known(work, until)
    for lasting in _tiers(parts)[1:]:
        left[lasting.name] = await _held(parts, work, lasting)
    left["short_term"] = await parts.short_term.holdings(scope, list(state.samples))  # it has what was said since
    report = state.report(left, await _searched(parts, work, state))
    await parts.erasures.conclude(work, report)
    return report


async def _views(parts: WorkerParts, work: Work, state: ErasureState) -> None:
    """Erase what is in views, and let those be built again in which there is something by then."""
    before = work.key.event_id
    for view in await views_of(parts, work.scope):
        await parts.short_term.erase(view, before)
        for tier in (parts.semantic, parts.procedural):
            while await tier.erase(view, before):
                await parts.erasures.progress(work, state.done)
    await parts.views.unbuild(work.scope)


async def _held(parts: WorkerParts, work: Work, tier: MemoryTier) -> dict[str, int]:
    """The holdings of the user in the tier, in all views that it keeps by themselves."""
    kinds: dict[str, int] = {}
    keeps_views = tier is not parts.episodic and tier is not parts.catalog
    for seen in [work.scope, *(await views_of(parts, work.scope) if keeps_views else ())]:
        for kind, count in (await tier.holdings(seen, None, work.key.event_id)).items():
            kinds[kind] = kinds.get(kind, 0) + count
    return kinds


def _tiers(parts: WorkerParts) -> Sequence[MemoryTier]:
    """Short-term memory first."""
    return tuple(parts.by_name().values())


async def _resting_on(parts: WorkerParts, work: Work, state: ErasureState) -> Holdings:
    """Holdings of what is to be done and of what rests on it; of very many, what rests on two parts counts twice."""
    found: Holdings = {}
    agent_id = erasure_of(work).agent_id
    seen = work.scope
    if agent_id is not None:  # whose key asks: of what rests on it elsewhere it is not told
        seen = view_of(work.scope.seen_by(agent_id), await parts.views.of(work.scope))
    for tier in _tiers(parts):
        kinds = found.setdefault(tier.name, {})
        for start in range(0, len(state.to_do), ASKED_AT_ONCE):
            some = await tier.holdings(seen, list(state.to_do[start : start + ASKED_AT_ONCE]))
            for kind, count in some.items():
                kinds[kind] = kinds.get(kind, 0) + count
    of_catalog = found[parts.catalog.name]
    for kind, count in (await _counted(parts, work, state)).items():
        of_catalog[kind] = of_catalog.get(kind, 0) + count
    return found


async def _counted(parts: WorkerParts, work: Work, state: ErasureState) -> dict[str, int]:
    """The resources that hold none of the interactions that are to be forgotten, and their items."""
    kinds = {"resources": 0, "items": 0}
    gone = set(state.to_do)
    for resource_id in state.resources:
        with suppress(NotFound):
            resource = await parts.catalog.get_resource(work.scope, resource_id)
            if gone.isdisjoint(one.interaction_id for one in resource.messages):
                listed = pages(partial(_items_of, parts, work.scope, resource_id))
                kinds["resources"] += 1
                kinds["items"] += len([item async for item in listed])
    return {kind: count for kind, count in kinds.items() if count}


async def _items_of(parts: WorkerParts, scope: Scope, resource_id: str, cursor: str | None) -> Page[MemoryItem]:
    return await parts.catalog.list_items(scope, None, resource_id, False, cursor, PAGE)


async def _sample(parts: WorkerParts, work: Work, state: ErasureState, ids: Sequence[str]) -> None:
    """Remember what some of the messages say while they are there."""
    for said in await parts.episodic.get(work.scope, ids) if ids else ():
        state.samples[said.id] = said.content[:SAMPLE_CHARS]


async def _searched(parts: WorkerParts, work: Work, state: ErasureState) -> dict[str, int]:
    """Search the tiers for what the sampled messages said: how often was asked, and how much that is of them or rests
    on them was found."""
    asked = found = 0
    for text in state.samples.values():
        query = MemoryQuery(scope=work.scope, text=text, mode="lexical", limit=FOUND)
        for tier in _tiers(parts)[1:]:
            hits = await tier.retrieve(query)
            asked += 1
            found += sum(hit.id in state.samples or not state.samples.keys().isdisjoint(hit.sources) for hit in hits)
    return {"asked": asked, "found": found}
