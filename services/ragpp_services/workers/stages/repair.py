"""The stages that keep the other tiers true to the episodic one."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final

import structlog

from ragpp.errors import Outdated, TierUnavailable
from ragpp.errors.summaries import safe_summary
from ragpp.ledger import Work
from ragpp.ledger.forgotten import teach_less
from ragpp.models import DEFAULT_SESSION, InteractionEntry, Scope
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.clean import want_clean
from ragpp_services.workers.stages.observe import observe_again
from ragpp_services.workers.stages.sentences import index_sentences
from ragpp_services.workers.stages.stage import everywhere
from ragpp_services.workers.stages.summaries import improve_summary, mend_summary

_log = structlog.stdlib.get_logger(__name__)
REBUILD_DAYS: Final = 7
"""As far back as short-term memory reaches by default."""
REBUILD_MESSAGES: Final = 200
"""The latest messages of each session: more than a window of 2,000 tokens shows."""


async def short_term(parts: WorkerParts, batch: Sequence[Work]) -> None:
    """See that each interaction is in its session, which the acknowledged write may have missed, and compact the
    sessions that are over their window, in a model's words where there is one. Raises TierUnavailable, Outdated."""
    scope = batch[0].scope
    epoch = await parts.short_term.epoch(scope)
    sessions: dict[str, list[InteractionEntry]] = defaultdict(list)
    for interaction in await parts.episodic.get(scope, [work.subject_id for work in batch]):
        sessions[interaction.session_id].append(InteractionEntry(interaction=interaction))
    compacted = []
    for session_id, entries in sessions.items():
        await parts.short_term.store(scope.in_session(session_id), entries, epoch)
        if await parts.short_term.compact(scope.in_session(session_id), epoch):
            compacted.append(session_id)
    for session_id in compacted:  # after all of them have their window
        await improve_summary(parts, scope.in_session(session_id), epoch)
    for session_id in sessions:  # what changed while a forgetting mended it
        await mend_summary(parts, scope.in_session(session_id))


async def rebuild_short_term(parts: WorkerParts) -> int:
    """Bring back the sessions of the last REBUILD_DAYS when short-term memory has lost everything, from what the
    episodic tier holds of them; returns how many, 0 when nothing was lost.

    Interrupted, it begins again: messages that are there stay as they are. A session that cannot be brought back is
    logged and keeps none of the others. Raises TierUnavailable.
    """
    if not await parts.short_term.is_blank():
        return 0
    sessions = await parts.ledger.sessions_since(parts.clock() - timedelta(days=REBUILD_DAYS))
    rebuilt = 0
    for scope in sessions:
        try:
            for seen in await everywhere(parts, scope):
                await rebuild_session(parts, seen)
        except TierUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - one session that nothing can be made of must not cost all others
            _log.warning("short_term.session_lost", session_id=scope.session_id, error=safe_summary(error))
        else:
            rebuilt += 1
    await parts.short_term.mark()
    if rebuilt:
        _log.info("short_term.rebuilt", sessions=rebuilt)
    return rebuilt


async def rebuild_session(parts: WorkerParts, scope: Scope) -> None:
    """Bring the scope's session back, again when something of the user was forgotten meanwhile."""
    while True:
        epoch = await parts.short_term.epoch(scope)
        tail = await parts.episodic.session_tail(scope, REBUILD_MESSAGES)
        with suppress(Outdated):
            if tail:
                await parts.short_term.rebuild(scope, [InteractionEntry(interaction=item) for item in tail], epoch)
                await parts.short_term.compact(scope, epoch)
            return


async def forget(parts: WorkerParts, batch: Sequence[Work]) -> None:
    """Take forgotten interactions out of everything that was derived from them, observe again what repeats them, and
    ask for the windows to be looked at again that any of these were part of; the sessions' summaries are written again
    at once. Raises TierUnavailable, Outdated.

    It runs after the user's earlier events of this kind only. An interaction that is observed while it is being
    forgotten is taken out here, or is refused by the tier, in which it begins an epoch before anything is taken out.
    """
    scope, gone = batch[0].scope, [work.subject_id for work in batch]
    await withdraw(parts, scope, gone)
    repeating = {identifier: event_id for work in batch for identifier, event_id in teach_less(work).items()}
    views = await everywhere(parts, scope)
    replies = [reply for view in views for reply in await observe_again(parts, view, repeating)]
    moments = [work.occurred_at for work in batch] + [reply.occurred_at for reply in replies]
    await parts.ledger.look_again(scope, moments)
    for session_id in sorted({str(work.payload.get("session_id") or DEFAULT_SESSION) for work in batch}):
        for view in views:
            await mend_summary(parts, view.in_session(session_id))
    await want_clean(parts, scope)
    await index_sentences(parts, scope)


async def withdraw(parts: WorkerParts, scope: Scope, gone: Sequence[str]) -> None:
    """Take interactions out of everything but the episodic tier; harmless to repeat. Raises TierUnavailable."""
    for view in await everywhere(parts, scope):
        await parts.short_term.forget(view, gone)
        await parts.semantic.forget_sources(view, gone)
        await parts.procedural.forget_sources(view, gone)
    await parts.catalog.forget_sources(scope, gone)
    await parts.pins.unpin(scope, "episodic", gone)
