"""The second forgetting, in what was restored of a backup, of all that was forgotten after it, in the same ways."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import asyncpg

from ragpp.errors import LedgerError, Outdated, TierUnavailable
from ragpp.ledger.erasing import Erasure, request_erasure
from ragpp.ledger.leasing import FORGETTING
from ragpp.models import Scope
from ragpp.stores.postgres import Pool, tenant_tx
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.running.desk import Desk
from ragpp_services.workers.stages.clean import want_clean
from ragpp_services.workers.stages.repair import withdraw

AT_ONCE: Final = 200
ATTEMPTS: Final = 20
PAUSE_S: Final = 2.0
POLL_S: Final = 0.2
PATIENCE_S: Final = 3_600.0
"""Longest that a restore waits for the stages that forget: they take some ms a message."""
EVERY_EVENT: Final = 2**62
"""Greater than the number of any event."""
_WANTED: Final = """
SELECT kind, tenant_id, user_id, view, agent_id, id FROM restoring.to_forget
 WHERE (kind = $1) = $2 ORDER BY kind, tenant_id, user_id, view, agent_id, id"""
_USER: Final = "user"


class Group(NamedTuple):
    """Things of one kind, user and view. `agent_id`: of whose key alone a session was forgotten."""

    kind: str
    scope: Scope
    agent_id: str | None
    ids: Sequence[str]


async def wanted(owner: asyncpg.Connection, *, users: bool) -> AsyncIterator[Group]:
    """The things that the restore has found to be forgotten, users or anything else, AT_ONCE in a group at most."""
    async with owner.transaction():
        group: tuple[str, ...] = ()
        ids: list[str] = []
        async for row in owner.cursor(_WANTED, _USER, users):
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
    ways, counts = Ways(parts, pool), dict[str, int]()
    for users in (True, False):  # of whoever is erased nothing else is to be recorded: it would stay
        async for group in wanted(owner, users=users):
            await _patiently(ways, group)
            counts[group.kind] = counts.get(group.kind, 0) + len(group.ids)
            await want_clean(parts, group.scope.seen_by(None))
        await _done(parts)
    return counts


async def _done(parts: WorkerParts) -> None:
    """Do what stages have to do about it, as a worker would. Raises LedgerError where that takes too long."""
    desk, deadline = Desk(parts, "restore"), time.monotonic() + PATIENCE_S
    while await _waiting(parts):
        for stage in FORGETTING:
            await desk.work(stage)
        if time.monotonic() > deadline:
            raise LedgerError("what was forgotten since the backup is not gone everywhere yet")
        await asyncio.sleep(POLL_S)


async def _patiently(ways: "Ways", group: Group) -> None:
    """Forget these, again where a store that was just filled does not answer in time."""
    for _ in range(ATTEMPTS - 1):
        with suppress(TierUnavailable, Outdated):
            return await ways.forget(group)
        await asyncio.sleep(PAUSE_S)
    return await ways.forget(group)


async def _waiting(parts: WorkerParts) -> int:
    counts = (await parts.ledger.lag()).counts
    return sum(count for (stage, state), count in counts.items() if stage in FORGETTING and state != "failed")


class Ways:
    """How things of each kind are forgotten: each as by the route or the worker that first did it."""

    def __init__(self, parts: WorkerParts, pool: Pool) -> None:
        self._parts, self._pool = parts, pool
        self._of: Mapping[str, Callable[[Group], Coroutine[object, object, None]]] = {
            _USER: self._users,
            "view": self._views,
            "session": self._sessions,
            "message": self._messages,
            "ghost": self._ghosts,
            "graph": self._graph,
            "procedural": self._procedures,
            "item": self._items,
            "resource": self._resources,
            "stub": self._stubs,
            "category": self._categories,
            "conversation": self._conversations,
        }

    async def forget(self, group: Group) -> None:
        """Forget these, or ask for it. Harmless to repeat, and for what is not there. Raises TierUnavailable."""
        await self._of[group.kind](group)

    async def _erase(self, group: Group, *erasures: Erasure) -> None:
        for erasure in erasures:
            async with tenant_tx(self._pool, group.scope) as connection:
                await request_erasure(connection, group.scope, erasure, now=self._parts.clock())

    async def _users(self, group: Group) -> None:
        await self._erase(group, Erasure("user"))

    async def _views(self, group: Group) -> None:
        for tier in (self._parts.short_term, self._parts.semantic, self._parts.procedural):
            while await tier.erase(group.scope, EVERY_EVENT):
                pass

    async def _sessions(self, group: Group) -> None:
        await self._erase(group, *(Erasure("session", session_id=one, agent_id=group.agent_id) for one in group.ids))

    async def _messages(self, group: Group) -> None:
        scope = group.scope.seen_by(None)
        await self._parts.episodic.forget(scope, group.ids)
        await withdraw(self._parts, scope, group.ids)

    async def _ghosts(self, group: Group) -> None:
        await self._parts.semantic.forget_sources(group.scope, group.ids)

    async def _graph(self, group: Group) -> None:
        await self._parts.semantic.forget(group.scope, group.ids)
        await self._parts.pins.unpin(group.scope, "semantic", group.ids)

    async def _procedures(self, group: Group) -> None:
        await self._parts.procedural.forget(group.scope, group.ids)
        await self._parts.pins.unpin(group.scope, "procedural", group.ids)

    async def _items(self, group: Group) -> None:
        await self._parts.catalog.forget(group.scope, group.ids)
        await self._parts.pins.unpin(group.scope, "catalog", group.ids)

    async def _resources(self, group: Group) -> None:
        for one in group.ids:
            await self._parts.catalog.delete_resource(group.scope, one)
        await self._parts.pins.unpin(group.scope, "catalog", group.ids)

    async def _stubs(self, group: Group) -> None:
        for one in group.ids:
            await self._parts.catalog.delete_resource(group.scope, one, cascade=False)

    async def _categories(self, group: Group) -> None:
        for one in group.ids:
            await self._parts.catalog.delete_category(group.scope, one)

    async def _conversations(self, group: Group) -> None:
        for one in group.ids:
            await self._parts.short_term.delete_session(group.scope.in_session(one))
