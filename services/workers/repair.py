"""The stages that keep the other tiers true to the episodic one."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from ragpp.ledger import Work
from ragpp.models import InteractionEntry
from services.workers.parts import WorkerParts

REBUILD_DAYS: Final = 7
"""As far back as short-term memory reaches by default."""
REBUILD_MESSAGES: Final = 200
"""Of each session its latest: more than a window of 2,000 tokens shows."""


async def short_term(parts: WorkerParts, batch: Sequence[Work]) -> None:
    """See that each interaction is in its session, which the acknowledged write may have missed, and compact the
    sessions that are over their window. Raises TierUnavailable."""
    scope = batch[0].scope
    sessions: dict[str, list[InteractionEntry]] = defaultdict(list)
    for interaction in await parts.episodic.get(scope, [work.subject_id for work in batch]):
        sessions[interaction.session_id].append(InteractionEntry(interaction=interaction))
    for session_id, entries in sessions.items():
        await parts.short_term.store(scope.in_session(session_id), entries)
        await parts.short_term.compact(scope.in_session(session_id))


async def rebuild_short_term(parts: WorkerParts) -> int:
    """Bring back the sessions of the last REBUILD_DAYS when short-term memory has lost everything, from what the
    episodic tier holds of them; returns how many, 0 when nothing was lost.

    Interrupted, it begins again: messages that are there stay as they are. Raises TierUnavailable.
    """
    if not await parts.short_term.is_blank():
        return 0
    sessions = await parts.ledger.sessions_since(parts.clock() - timedelta(days=REBUILD_DAYS))
    for scope in sessions:
        tail = await parts.episodic.session_tail(scope, REBUILD_MESSAGES)
        if tail:
            await parts.short_term.rebuild(scope, [InteractionEntry(interaction=item) for item in tail])
            await parts.short_term.compact(scope)
    await parts.short_term.mark()
    return len(sessions)


async def forget(parts: WorkerParts, batch: Sequence[Work]) -> None:
    """Take forgotten interactions out of everything that was derived from them. Raises TierUnavailable.

    It runs after the user's earlier events of this kind only; an interaction that is observed while it is being
    forgotten is taken out here, because its event is older and was digested, or finds nothing to digest.
    """
    scope = batch[0].scope
    ids = [work.subject_id for work in batch]
    still_there = {item.id for item in await parts.episodic.get(scope, ids)}
    gone = [identifier for identifier in ids if identifier not in still_there]
    if gone:
        await parts.short_term.forget(scope, gone)
        await parts.semantic.forget_sources(scope, gone)
        await parts.procedural.forget_sources(scope, gone)
