"""Connections to Neo4j, and the guard that keeps every statement inside one scope.

Neo4j Community has one database and no row security, so isolation is this module's job: a statement that touches
a user's nodes is refused unless it says `$scope`.
"""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, TypeVar
from urllib.parse import quote

import neo4j
from neo4j import exceptions

from ragpp.errors import StorageError, TierUnavailable
from ragpp.models import Scope
from ragpp.observability.metrics import Held
from ragpp.observability.traces import stepped
from ragpp.settings import Neo4jSettings
from ragpp.stores.measuring import measured

UNAVAILABLE = (
    exceptions.ServiceUnavailable,
    exceptions.SessionExpired,
    exceptions.TransientError,
    exceptions.DriverError,
    TimeoutError,
    OSError,
)

_LOST: Final = (exceptions.ServiceUnavailable, exceptions.SessionExpired, OSError)

_ENDED: Final = re.compile(
    r"Neo\.(?:Client|Transient)Error\.Transaction\.(?:TransactionTimedOut\w*|Terminated|LockClientStopped|TransactionNotFound)"
)
"""The server's code for a transaction that it has ended: after its time, as when its client was stopped meanwhile."""

T = TypeVar("T")

_OWNED_NODE: Final = re.compile(r"\(\s*\w*\s*:\s*(?:User|Entity|Alias|Applied|Merge|Unrevised)\b[^()]*\)")
COUNTED: Final = """
MATCH (:User) WITH count(*) AS count RETURN 'users' AS kind, count
UNION ALL MATCH (:Entity) WITH count(*) AS count RETURN 'entities' AS kind, count
UNION ALL MATCH ()-[:RELATES_TO]->() WITH count(*) AS count RETURN 'relationships' AS kind, count
UNION ALL MATCH ()-[:MENTIONS]->() WITH count(*) AS count RETURN 'mentions' AS kind, count
"""
"""Neo4j keeps count of each, so nothing of anybody's is read. Of a scope it says nothing: it is no user's statement."""
_ATTEMPTS: Final = 5
_BACKOFF_S: Final = 0.02
_RUNNING: Final[set[asyncio.Task[list[neo4j.Record]]]] = set()
"""Reads under way: the event loop itself keeps no hold of its tasks."""


def create_driver(settings: Neo4jSettings) -> neo4j.AsyncDriver:
    """A driver that connects when first used."""
    return neo4j.AsyncGraphDatabase.driver(
        settings.uri,
        auth=(settings.user, settings.password.get_secret_value()),
        max_connection_pool_size=settings.pool_max,
        connection_timeout=settings.query_timeout_s,
        connection_acquisition_timeout=settings.query_timeout_s,
        notifications_min_severity="OFF",
        telemetry_disabled=True,
    )


def scope_key(scope: Scope) -> str:
    """The value of `scope` on every node of a user, or of a view of a user's memory: tenant and whose it is,
    percent-encoded, so that no two pairs meet.

    Neo4j plans a statement anew for a text parameter of another size class (up to 10 characters, up to 100 …), which
    takes over a second: the beginning keeps the shortest ids in the class that usual ones are in.
    """
    tenant_id, whose = scope.view_key
    return f"user-graph:{quote(tenant_id, safe='')}/{quote(whose, safe='')}"


def scoped(statement: str) -> str:
    """`statement` itself; ValueError when a node that belongs to a user is matched without `scope: $scope`.

    Every pattern `(x:User|Entity|Alias|Applied|Merge|Unrevised …)` must carry `scope: $scope` (or, for a
    batch over several users that `$rows` brings, `scope: row.scope`). A node without a label is reached through such
    a pattern or not at all. (:Forgotten {mark}) is no user's: its mark is a keyed hash of whose it is, too.
    """
    patterns = _OWNED_NODE.findall(statement)
    if not patterns or ("$scope" not in statement and "row.scope" not in statement):
        raise ValueError("a statement on a user's graph names a labelled node and $scope")
    for pattern in patterns:
        if "scope: $scope" not in pattern and "scope: row.scope" not in pattern:
            raise ValueError(f"{pattern} is not confined to a scope")
    return statement


def is_loss(error: TierUnavailable) -> bool:
    """True where the server was lost, so that it may be another, cold one when it is back. One that was late, ended a
    transaction after its time, or had no connection left is there."""
    cause = error.__cause__
    return isinstance(cause, _LOST) and not isinstance(cause, TimeoutError)


@asynccontextmanager
async def foreign_errors(what: str) -> AsyncIterator[None]:
    """Turn the driver's errors into ours, the cause kept."""
    try:
        yield
    except UNAVAILABLE as error:
        raise TierUnavailable(f"{what}: Neo4j did not answer ({type(error).__name__})") from error
    except exceptions.Neo4jError as error:
        if _ENDED.fullmatch(error.code or ""):
            raise TierUnavailable(f"{what}: Neo4j ended the transaction ({error.code})") from error
        raise StorageError(f"{what}: Neo4j refused the statement ({error.code})") from error


@stepped("neo4j.read")
async def read(
    driver: neo4j.AsyncDriver,
    statement: str,
    parameters: Mapping[str, object],
    *,
    timeout_s: float,
    replacing: bool = True,
) -> list[neo4j.Record]:
    """Run one auto-commit read: one round trip less than a managed transaction.

    A connection that turns out to be dead is replaced once, so that a restarted server is found at once; not
    `replacing`, that is a loss (`is_loss`). A caller that stops waiting leaves the read to its own end, because the
    driver throws a connection away whose use is cancelled.
    Raises TierUnavailable, StorageError; ValueError for a statement that is not scoped.
    """
    running = asyncio.create_task(_read(driver, scoped(statement), parameters, timeout_s, replacing))
    _RUNNING.add(running)
    running.add_done_callback(_ended)
    return await asyncio.shield(running)


def _ended(task: asyncio.Task[list[neo4j.Record]]) -> None:
    _RUNNING.discard(task)
    if not task.cancelled():
        task.exception()  # marks it as seen, for the case that nobody waits any more


async def _read(
    driver: neo4j.AsyncDriver, statement: str, parameters: Mapping[str, object], timeout_s: float, replacing: bool
) -> list[neo4j.Record]:
    query = neo4j.Query(statement, timeout=timeout_s)

    async def attempt() -> list[neo4j.Record]:
        async with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
            result = await session.run(query, dict(parameters))
            return [record async for record in result]

    async with foreign_errors("read"), asyncio.timeout(timeout_s):
        try:
            return await attempt()
        except (exceptions.ServiceUnavailable, exceptions.SessionExpired):
            if not replacing:
                raise
            return await attempt()


class Transaction:
    """A write transaction that takes scoped statements alone."""

    def __init__(self, transaction: neo4j.AsyncTransaction) -> None:
        self._transaction = transaction

    async def run(self, statement: str, parameters: Mapping[str, object]) -> list[neo4j.Record]:
        """Run one statement. Raises ValueError for one that is not scoped."""
        result = await self._transaction.run(scoped(statement), dict(parameters))
        return [record async for record in result]


@stepped("neo4j.write")
async def write(driver: neo4j.AsyncDriver, work: Callable[[Transaction], Awaitable[T]], *, timeout_s: float) -> T:
    """Run `work` in one transaction and commit it; an error rolls it back.

    What the server rolled back because of others (a deadlock), and what met a dead connection before its commit, is
    run again, at most five times in all and within `timeout_s`; `work` therefore changes nothing but the graph.
    Raises TierUnavailable: the commit may then have happened.
    """
    committing = False

    async def attempt() -> T:
        nonlocal committing
        committing = False
        async with (
            driver.session(default_access_mode=neo4j.WRITE_ACCESS) as session,
            await session.begin_transaction(timeout=timeout_s) as transaction,
        ):
            result = await work(Transaction(transaction))
            committing = True
            await transaction.commit()
            return result

    async with foreign_errors("write"), asyncio.timeout(timeout_s):
        for tried in range(1, _ATTEMPTS):
            try:
                return await attempt()
            except exceptions.TransientError:
                await asyncio.sleep(_BACKOFF_S * tried * (0.5 + random.random()))  # noqa: S311 - spreads retries
            except (exceptions.ServiceUnavailable, exceptions.SessionExpired):
                if committing or tried > 1:
                    raise
        return await attempt()


def measured_driver(driver: neo4j.AsyncDriver, part: str, *, timeout_s: float) -> AbstractAsyncContextManager[None]:
    """While inside, the metrics tell how much the graph holds as what `part` holds. Of its connections the driver does
    not tell."""
    return measured({part: lambda: graph_size(driver, timeout_s=timeout_s)}, part, None)


async def graph_size(driver: neo4j.AsyncDriver, *, timeout_s: float) -> Held:
    """How many entities and relationships there are, of all tenants. Raises TierUnavailable, StorageError."""
    async with (
        foreign_errors("graph size"),
        asyncio.timeout(timeout_s),
        driver.session(default_access_mode=neo4j.READ_ACCESS) as session,
    ):
        result = await session.run(neo4j.Query(COUNTED, timeout=timeout_s))
        return Held({record["kind"]: record["count"] async for record in result})


async def ping(driver: neo4j.AsyncDriver, *, timeout_s: float = 2.0) -> str:
    """The server's version. Raises TierUnavailable."""
    async with foreign_errors("ping"), asyncio.timeout(timeout_s):
        information = await driver.get_server_info()
    return information.agent.removeprefix("Neo4j/")
