"""Views: what each of a user's agents may see is learned by itself, as by a memory that has heard nothing else.

A view begins with the first message that not all agents may see; what was said before, and what people set and judged,
is brought there before anything else is learned in it. From then on every stage does in each view what it does in the
whole memory, with the messages that are in the view; a language model alone is not asked again.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, cast

import structlog

from ragpp.counterparts import known_of, same_relationships
from ragpp.errors import Conflict, InvalidInput, MemorySystemError, NotFound, Outdated, TierUnavailable
from ragpp.errors.summaries import safe_summary
from ragpp.learned import OWN_ENTRY
from ragpp.ledger import Result, Work, WorkKey
from ragpp.ledger.views import view_of
from ragpp.models import LISTED_SOURCES, SHARED, Entity, Page, Relationship, Scope
from ragpp.paging import PAGE, pages
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.again import look_in_turn
from ragpp_services.workers.stages.observe import observe_events
from ragpp_services.workers.stages.repair import rebuild_session
from ragpp_services.workers.stages.stage import views_of

_log = structlog.stdlib.get_logger(__name__)
AT_ONCE: Final = 100
"""Messages that are observed together in a view that is being built."""
StageWork = Callable[[WorkerParts, Sequence[Work]], Awaitable[Mapping[WorkKey, Result] | None]]


def in_each_view(work: StageWork) -> StageWork:
    """Do `work` in the whole memory and in each view; what an agent's key asked for has the result of its view."""

    async def done(parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Result] | None:
        whole = await work(parts, batch)
        return await _in_views(parts, work, batch, whole)

    return done


def in_built_views(work: StageWork) -> StageWork:
    """As `in_each_view`, of which none is left to be built."""

    async def done(parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Result] | None:
        whole = await work(parts, batch)
        await build_views(parts, batch[0].scope)
        return await _in_views(parts, work, batch, whole)

    return done


async def _in_views(
    parts: WorkerParts, work: StageWork, batch: Sequence[Work], whole: Mapping[WorkKey, Result] | None
) -> Mapping[WorkKey, Result] | None:
    results = dict(whole or {})
    views = await views_of(parts, batch[0].scope)
    for view in views:
        seen = await work(parts, [replace(one, scope=view) for one in batch]) or {}
        for one in batch:
            asked = view.seen_by(cast("str | None", one.payload.get("agent_id")))
            if one.key in seen and view_of(asked, [other.view or SHARED for other in views]) == view:
                results[one.key] = seen[one.key]
    return results if whole is not None else None


async def build_views(parts: WorkerParts, scope: Scope) -> int:
    """Let each view that was begun and is not built learn what was said before; returns how many there were.

    Interrupted, it begins again, and finds done what was. The shared view is built first: what people set, which is of
    no message, is in the others if it is in that one. Raises TierUnavailable, EmbeddingError, Outdated.
    """
    views = await parts.views.of(scope)
    unbuilt = [view for view in sorted(views) if not views[view]]  # SHARED, which is empty, before all
    for view in unbuilt:
        await _build(parts, scope.seen_by(view), [other for other in views if other != SHARED])
        await parts.views.built(scope.seen_by(view))
    return len(unbuilt)


async def _build(parts: WorkerParts, view: Scope, agents: Sequence[str]) -> None:
    if view.view == SHARED:
        await parts.procedural.inherit(view, None, list(agents))
    else:
        await parts.procedural.inherit(view, SHARED)
    after = 0
    while recorded := await parts.episodic.recorded(view, after, AT_ONCE):
        await _observe_all(parts, view, recorded)
        after = max(recorded.values())
    parent = view.seen_by(None if view.view == SHARED else SHARED)
    await _correct_what_was_corrected(parts, parent, view)
    await _state_what_was_stated(parts, parent, view)
    await _correct_what_was_corrected(parts, parent, view)  # also of what nothing but that names
    if view.view != SHARED:
        await _take_out(parts, view, view.seen_by(SHARED), judged=True)
    await _take_out(parts, view, view.seen_by(None), judged=view.view == SHARED)
    await look_in_turn(parts, view)
    async for session in pages(lambda cursor: parts.short_term.list_sessions(view.seen_by(None), cursor, PAGE)):
        await rebuild_session(parts, view.in_session(session.session_id))


async def _correct_what_was_corrected(parts: WorkerParts, parent: Scope, view: Scope) -> None:
    """Let things be called, and be, what people said in the `parent`. Two that were one there become one: the old name
    and the new were both said since."""
    for one in await parts.semantic.relabelled(parent):
        names = {name.casefold() for name in (one.name, *one.former_names)}
        for thing in await parts.semantic.named(view, [one.name, *one.former_names]):
            if thing.name.casefold() not in names or thing.label not in {one.label, *one.former_labels}:
                continue
            with suppress(NotFound):
                try:
                    await parts.semantic.relabel_entity(view, thing.id, one.name, one.label)
                except Conflict as error:
                    await parts.semantic.merge_entities(view, thing.id, str(error.details["entity_id"]))
                    for name in (thing.name, one.name):  # whichever it has now: that it was corrected is known by both
                        await parts.semantic.relabel_entity(view, thing.id, name, one.label)


async def _state_what_was_stated(parts: WorkerParts, parent: Scope, view: Scope) -> None:
    """Relationships that people stated, which are of no message: all agents' in the shared view, that one's in others;
    what an agent stated for itself it has."""
    for one in await parts.semantic.stated_relationships(parent):
        if one.entry.id.startswith(OWN_ENTRY):
            continue
        try:
            await parts.semantic.state_relationship(view, one)
        except (Conflict, InvalidInput) as error:  # in this view both names mean one, or the id was forgotten
            _log.warning("view.statement_left_out", error=safe_summary(error))


async def _observe_all(parts: WorkerParts, view: Scope, recorded: Mapping[str, int]) -> None:
    """Observe messages, one by one where they cannot be together: one that nothing can be made of teaches nothing, as
    in the whole memory, and keeps none of the others."""
    try:
        await observe_events(parts, view, recorded)
    except (TierUnavailable, Outdated):
        raise
    except MemorySystemError as error:
        await parts.embedder.health_check()
        if len(recorded) == 1:
            _log.warning("view.message_left_out", error=safe_summary(error))
            return
        for identifier, event_id in recorded.items():
            await _observe_all(parts, view, {identifier: event_id})


async def _take_out(parts: WorkerParts, view: Scope, other: Scope, *, judged: bool) -> None:
    """Do in the view what people did in the `other`: what is not there any more, though it was said, they have
    forgotten, and where it is told who `judged`, what they judged is judged. In the shared view that are people; in the
    whole memory it may have been another agent, of what it heard as well."""

    async def relationships(cursor: str | None) -> Page[Relationship]:
        return await parts.semantic.list_relationships(view, None, None, cursor, PAGE, "all")

    async def entities(cursor: str | None) -> Page[Entity]:
        return await parts.semantic.list_entities(view, None, cursor, PAGE)

    there = await known_of(parts.semantic, other)
    for one in [one async for one in pages(relationships)]:
        with suppress(NotFound):
            if identifier := there.relationship(one):
                verdict = there.verdicts.get(identifier)
                if verdict is None or verdict == one.verdict:
                    continue
                if judged or await _is_this_agents(parts, view, one, identifier):
                    await parts.semantic.judge_relationship(view, one.id, verdict)
            elif await _were_observed(parts, other, one.sources) and not await same_relationships(
                parts.semantic, other, one
            ):  # asked again: it may have been learned meanwhile
                await parts.semantic.forget(view, [one.id])
    for thing in [thing async for thing in pages(entities)]:
        if there.entities(thing.name):
            continue
        if await _were_observed(parts, other, thing.sources) and not await parts.semantic.named(other, [thing.name]):
            await parts.semantic.forget(view, [thing.id])


async def _is_this_agents(parts: WorkerParts, view: Scope, one: Relationship, identifier: str) -> bool:
    """True where the whole memory has a relationship from what this agent heard and no other did, so that none has
    judged it."""
    rests = (await parts.semantic.get_relationship(view.seen_by(None), identifier)).sources
    return (
        len(rests) < LISTED_SOURCES
        and set(rests) <= set(one.sources)
        and not await _were_observed(parts, view.seen_by(SHARED), rests)
    )


async def _were_observed(parts: WorkerParts, whole: Scope, sources: Sequence[str]) -> bool:
    """True where there are messages and all of them were observed, so that what is not there was taken out: what rests
    on none was stated, perhaps in this view alone."""
    for source in sources:
        if not (await parts.semantic.holdings(whole, [source])).get("observations"):
            return False
    return bool(sources)
