"""Stopping a worker at any of its store calls and statements, with what it holds, as SIGSTOP stops a process.

What runs with a Stop comes by a point before each call of a tier and each statement to a driver inside it, commits
included. At one of them it is held: no other part of it goes on, its transactions stay open, and no timer of its own
ends them, for a stopped process has none that runs. The servers' timeouts do.
"""

import asyncio
import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, TypeVar, cast

import asyncpg.connection
import neo4j
import pytest
import redis.asyncio

from ragpp.ledger import WorkLedger
from ragpp.ledger.erasing import ErasureLedger
from ragpp.settings import PostgresSettings
from ragpp.stores import neo4j as graph
from ragpp.stores.postgres import create_pool, ensure_open
from ragpp.tierkit.deployment import Tools
from ragpp_services import all_in_one
from ragpp_services.workers.parts import WorkerParts
from tests.support.marks import MARKS
from tests.support.real_gateway import RealGateway, environment

T = TypeVar("T")
SERVER_S: Final = 0.3
"""After so long the servers end the transaction of a worker that is stopped."""


@dataclass
class Stop:
    """A stop: points that work comes by are counted; it is held at the one numbered `at`, from 0, until `go` is set."""

    at: int | None = None
    points: list[str] = field(default_factory=list)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def come_by(self, name: str) -> None:
        """Go on, or not."""
        if len(self.points) == self.at:
            self.reached.set()
        self.points.append(name)
        if self.reached.is_set():
            await self.go.wait()


_STOP: ContextVar[Stop | None] = ContextVar("stop", default=None)


async def run_with(stop: Stop, work: Awaitable[T]) -> T:
    """Do `work` with the points of `stop`; to be run as a task of its own."""
    _STOP.set(stop)
    return await work


async def _come_by(name: str) -> None:
    stop = _STOP.get()
    if stop is not None:
        await stop.come_by(name)


def _said(text: str) -> str:
    """The beginning of a statement, in one line, without comments and options."""
    return " ".join(re.sub(r"^(?:--|CYPHER).*$", "", text, flags=re.MULTILINE).split())[:60]


class Watched:
    """A tier with a point before each of its calls."""

    def __init__(self, tier: object, name: str) -> None:
        self._tier, self.name = tier, name

    def __getattr__(self, name: str) -> object:
        found = getattr(self._tier, name)
        if not inspect.iscoroutinefunction(found):
            return found

        async def call(*given: object, **named: object) -> object:
            await _come_by(f"{self.name}.{name}")
            return await found(*given, **named)

        return call


def watched(tier: T, name: str) -> T:
    """`tier` with a point before each of its calls."""
    return cast("T", Watched(tier, name))


def install_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a point before each statement of every driver. They hold nothing but what runs with a Stop."""

    def before(owner: object, attribute: str, name: Callable[..., str]) -> None:
        original = getattr(owner, attribute)

        async def call(*given: object, **named: object) -> object:
            await _come_by(name(*given))
            return await original(*given, **named)

        monkeypatch.setattr(owner, attribute, call)

    for attribute in ("execute", "executemany", "fetch", "fetchrow", "fetchval"):
        before(asyncpg.connection.Connection, attribute, lambda _, text, *__: f"postgres: {_said(text)}")
    before(redis.asyncio.Redis, "execute_command", lambda _, *command: f"redis: {command[0]}")
    before(graph, "_read", lambda _, text, *__: f"neo4j: {_said(text)}")
    before(graph.Transaction, "run", lambda _, text, *__: f"neo4j: {_said(text)}")
    before(neo4j.AsyncTransaction, "commit", lambda _: "neo4j: commit")
    begin = neo4j.AsyncSession.begin_transaction

    async def begin_short(session: neo4j.AsyncSession, **given: object) -> neo4j.AsyncTransaction:
        if _STOP.get() is not None:
            given["timeout"] = SERVER_S
        return await begin(session, **given)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(neo4j.AsyncSession, "begin_transaction", begin_short)


@asynccontextmanager
async def stoppable_worker(gateway: RealGateway, settings: dict[str, str]) -> AsyncIterator[WorkerParts]:
    """A worker of its own connections, whose tiers have points, and whose transactions the servers end soon."""
    short = {"POSTGRES_IDLE_TRANSACTION_S": str(SERVER_S), "NEO4J_QUERY_TIMEOUT_S": "60", **settings}
    worker = gateway.worker
    with environment(short):
        pool = create_pool(PostgresSettings(), dsn=gateway.settings["POSTGRES_RELAY_DSN"], vectors=False)
        await ensure_open(pool)
        async with all_in_one.open_tiers(Tools(lambda: worker.embedder, clock=worker.clock)) as tiers:
            yield WorkerParts(
                **{name: watched(tier, name) for name, tier in vars(tiers).items()},
                ledger=WorkLedger(pool, worker.clock),
                erasures=ErasureLedger(pool, MARKS),
                pins=worker.pins,
                views=worker.views,
                extractor=worker.extractor,
                embedder=worker.embedder,
                kinds=worker.kinds,
                clock=worker.clock,
            )
        await pool.close()
