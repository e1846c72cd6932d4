"""What was forgotten after a backup is forgotten in what was restored of it, by the ways in which it first was."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import Final, NamedTuple

import asyncpg

from ragpp.errors import LedgerError
from ragpp.ledger.erasing import Erasure, request_erasure
from ragpp.models import Scope
from ragpp.stores.postgres import Pool, tenant_tx
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.running.desk import Desk
from ragpp_services.workers.stages.clean import want_clean
from ragpp_services.workers.stages.repair import withdraw

AT_ONCE: Final = 200
POLL_S: Final = 0.2
PATIENCE_S: Final = 3_600.0
"""Longest that a restore waits for the stages that forget: they take some ms a message."""
_WANTED: Final = """
SELECT kind, tenant_id, user_id, view, agent_id, id FROM restoring.to_forget
 ORDER BY kind = $1 DESC, kind, tenant_id, user_id, view, agent_id, id"""
"""Users who are erased come first: nothing of theirs is left to be forgotten then."""
_USER: Final = "user"


class Group(NamedTuple):
    """Things of one kind, user and view. `agent_id`: of whose key alone a session was forgotten."""

    kind: str
    scope: Scope
    agent_id: str | None
    ids: Sequence[str]


async def wanted(owner: asyncpg.Connection) -> AsyncIterator[Group]:
    """What the restore has found to be forgotten, AT_ONCE things of a group at most."""
    async with owner.transaction():
        group: tuple[str, ...] = ()
        ids: list[str] = []
        async for row in owner.cursor(_WANTED, _USER):
            *head, identifier = row
            if tuple(head) != group or len(ids) == AT_ONCE:
                if ids:
                    yield _group(group, ids)
                group, ids = tuple(head), []
            ids.append(identifier)
        if ids:
            yield _group(group, ids)


def _group(head: Sequence[str], ids: Sequence[str]) -> Group:
    kind, tenant_id, user_id, view, agent_id = head
    scope = Scope(tenant_id=tenant_id, user_id=user_id, view=view.removeprefix("=") if view else None)
    return Group(kind, scope, agent_id or None, ids)


async def forget_again(parts: WorkerParts, pool: Pool, owner: asyncpg.Connection) -> Mapping[str, int]:
    """Forget all that is wanted, and wait until it is gone everywhere; how much of each kind. Harmless to repeat.
    `pool`: of the app's role; `owner`: a connection of the owner's. Raises TierUnavailable, LedgerError."""
    counts: dict[str, int] = {}
    async for group in wanted(owner):
        await _ways(parts, pool)[group.kind](group)
        counts[group.kind] = counts.get(group.kind, 0) + len(group.ids)
        await want_clean(parts, group.scope.seen_by(None))
    desk, deadline = Desk(parts, "restore"), time.monotonic() + PATIENCE_S
    while await _waiting(parts):
        for stage in ("erase", "forget"):
            await desk.work(stage)
        if time.monotonic() > deadline:
            raise LedgerError("what was forgotten since the backup is not gone everywhere yet")
        await asyncio.sleep(POLL_S)
    return counts


async def _waiting(parts: WorkerParts) -> int:
    counts = (await parts.ledger.lag()).counts
    return sum(count for (stage, state), count in counts.items() if stage in {"erase", "forget"} and state != "failed")


def _ways(parts: WorkerParts, pool: Pool) -> Mapping[str, Callable[[Group], Coroutine[object, object, None]]]:
    """How things of each kind are forgotten."""

    async def erase(group: Group, *erasures: Erasure) -> None:
        for erasure in erasures:
            async with tenant_tx(pool, group.scope) as connection:
                await request_erasure(connection, group.scope, erasure, now=parts.clock())

    async def users(group: Group) -> None:
        await erase(group, Erasure("user"))

    async def sessions(group: Group) -> None:
        await erase(group, *(Erasure("session", session_id=one, agent_id=group.agent_id) for one in group.ids))

    async def messages(group: Group) -> None:
        scope = group.scope.seen_by(None)
        await parts.episodic.forget(scope, group.ids)
        await withdraw(parts, scope, group.ids)

    async def ghosts(group: Group) -> None:
        await parts.semantic.forget_sources(group.scope, group.ids)

    async def of_graph(group: Group) -> None:
        await parts.semantic.forget(group.scope, group.ids)
        await parts.pins.unpin(group.scope, "semantic", group.ids)

    async def procedures(group: Group) -> None:
        await parts.procedural.forget(group.scope, group.ids)
        await parts.pins.unpin(group.scope, "procedural", group.ids)

    async def items(group: Group) -> None:
        await parts.catalog.forget(group.scope, group.ids)
        await parts.pins.unpin(group.scope, "catalog", group.ids)

    async def resources(group: Group) -> None:
        for one in group.ids:
            await parts.catalog.delete_resource(group.scope, one)
        await parts.pins.unpin(group.scope, "catalog", group.ids)

    async def stubs(group: Group) -> None:
        for one in group.ids:
            await parts.catalog.delete_resource(group.scope, one, cascade=False)

    async def categories(group: Group) -> None:
        for one in group.ids:
            await parts.catalog.delete_category(group.scope, one)

    async def conversations(group: Group) -> None:
        for one in group.ids:
            await parts.short_term.delete_session(group.scope.in_session(one))

    return {
        _USER: users,
        "session": sessions,
        "message": messages,
        "ghost": ghosts,
        "graph": of_graph,
        "procedural": procedures,
        "item": items,
        "resource": resources,
        "stub": stubs,
        "category": categories,
        "conversation": conversations,
    }
