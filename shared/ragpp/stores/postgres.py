"""Connections to PostgreSQL, and the transaction that a tenant's statements run in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

import asyncpg
from pgvector.asyncpg import register_vector

from ragpp.errors import StorageError, TierUnavailable
from ragpp.models import Scope
from ragpp.observability.metrics import Held, PoolState
from ragpp.observability.traces import step
from ragpp.settings import PostgresSettings
from ragpp.stores.measuring import Look, measured
from ragpp.stores.packed_columns import EPOCH
from ragpp.stores.queries import load_queries

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    Pool: TypeAlias = asyncpg.Pool[asyncpg.Record]
    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]
else:
    Pool = asyncpg.Pool
    Connection = asyncpg.Connection

UNAVAILABLE = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.QueryCanceledError,
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.TransactionTimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what a connection says whose server was killed in the middle of an operation
)


_SIZES: Final = load_queries("ragpp.stores", "sizes.sql")
_ASKING: Final[set[asyncio.Task[str]]] = set()
"""Pings under way: the event loop itself keeps no hold of its tasks."""
_MICROSECOND: Final = timedelta(microseconds=1)
PATIENCE_S: Final = 2.0
"""So long a connection is waited for: a pool that has none by then has none in time for anybody."""
_PLANNED_ONCE: Final = (
    ", set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)"
)


def _to_microseconds(moment: datetime) -> tuple[int]:
    return ((moment - EPOCH) // _MICROSECOND,)


def _from_microseconds(value: tuple[int]) -> datetime:
    return EPOCH + timedelta(microseconds=value[0])


async def _prepare(connection: asyncpg.Connection) -> None:
    # the driver's own codec takes the first and the last moment of the calendar for infinities without a time zone
    await connection.set_type_codec(
        "timestamptz", schema="pg_catalog", format="tuple", encoder=_to_microseconds, decoder=_from_microseconds
    )


async def _prepare_with_vectors(connection: asyncpg.Connection) -> None:
    await _prepare(connection)
    await register_vector(connection)


async def _leave_as_it_is(_connection: asyncpg.Connection) -> None:
    """Nothing is set beyond a transaction, so a round trip that resets a session would be for nothing; the pool
    itself rolls back what was left open."""


def create_pool(settings: PostgresSettings, *, dsn: str | None = None, vectors: bool = True) -> Pool:
    """A pool that connects when first used (`await ensure_open(pool)`); `dsn` replaces the app's.

    `vectors` registers pgvector's types on each connection, so the extension must exist.
    """
    pool: Pool = asyncpg.create_pool(
        dsn or settings.dsn.get_secret_value(),
        min_size=0,  # a pool that must connect while it is made cannot outlive a server that is down
        max_size=settings.pool_max,
        command_timeout=settings.query_timeout_s,
        init=_prepare_with_vectors if vectors else _prepare,
        reset=_leave_as_it_is,
        server_settings={
            "application_name": "ragpp",
            "timezone": "UTC",
            "plan_cache_mode": "auto",
            # a process that was stopped keeps its transaction open, and with it the user's lock; between the halves of
            # a statement, its text and its values, it does not count as idle, so whoever is given a lock sets its
            # transaction_timeout to the second
            "idle_in_transaction_session_timeout": f"{settings.idle_transaction_s * 1_000:.0f}ms",
            "ragpp.longest_hold": f"{settings.longest_hold_s * 1_000:.0f}ms",
        },
    )
    return pool


async def ensure_open(pool: Pool) -> None:
    """Make `pool` usable; no connection is made, so it returns also while the server is down. Harmless to repeat."""
    await pool  # without a first connection it never suspends, so two tasks cannot be inside it at once


async def warm(pool: Pool, settings: PostgresSettings) -> None:
    """Connect the first `pool_min` connections. Raises TierUnavailable."""
    await ensure_open(pool)
    async with foreign_errors("warm"), AsyncExitStack() as held:
        for _ in range(min(settings.pool_min, settings.pool_max)):
            await held.enter_async_context(acquired(pool))


@asynccontextmanager
async def foreign_errors(what: str) -> AsyncIterator[None]:
    """Turn the driver's errors into ours, the cause kept: TierUnavailable when repeating may help.

    A value that the driver itself refuses, which is an InterfaceError and a ValueError, is a StorageError.
    """
    try:
        yield
    except UNAVAILABLE as error:
        if isinstance(error, asyncpg.InterfaceError) and isinstance(error, ValueError):
            raise StorageError(f"{what}: the driver refused a value ({type(error).__name__})") from error
        raise _outage(what, error) from error
    except asyncpg.PostgresError as error:
        raise StorageError(f"{what}: PostgreSQL refused the statement ({type(error).__name__})") from error


def _outage(what: str, error: BaseException) -> TierUnavailable:
    """It names what kept PostgreSQL from answering. Where the server ended a connection, as it does when a transaction
    is silent or holds a lock for too long, leaving the transaction raises an InterfaceError over the error that says
    so."""
    while isinstance(error, asyncpg.InterfaceError | asyncpg.ConnectionDoesNotExistError):
        beneath = error.__cause__ or error.__context__
        if not isinstance(beneath, UNAVAILABLE):
            break
        error = beneath
    return TierUnavailable(f"{what}: PostgreSQL did not answer ({type(error).__name__})")


def tenant_tx(pool: Pool, scope: Scope, *, planned_once: bool = False) -> AbstractAsyncContextManager[Connection]:
    """A transaction that sees the rows of `scope`'s tenant alone: row-level security holds inside it. `planned_once`:
    as in `as_tenant`.

    Raises TierUnavailable or StorageError for whatever the driver raises inside.
    """
    return tenant_transaction(pool, scope.tenant_id, planned_once=planned_once)


@asynccontextmanager
async def tenant_transaction(pool: Pool, tenant_id: str, *, planned_once: bool = False) -> AsyncIterator[Connection]:
    """`tenant_tx` for callers that know the tenant and no user."""
    await ensure_open(pool)
    with step("postgres.transaction"):
        async with (
            foreign_errors("transaction"),
            acquired(pool) as connection,
            as_tenant(connection, tenant_id, planned_once=planned_once),
        ):
            yield connection


@asynccontextmanager
async def acquired(pool: Pool, *, timeout_s: float = PATIENCE_S) -> AsyncIterator[Connection]:
    """A connection of `pool`, waited for so long. Raises TimeoutError, and what the driver raises."""
    async with asyncio.timeout(timeout_s):  # the pool's own time limit makes a task of each wait
        connection = await pool.acquire()
    try:
        yield connection
    finally:
        await pool.release(connection, timeout=timeout_s)


@asynccontextmanager
async def as_tenant(connection: Connection, tenant_id: str, *, planned_once: bool = False) -> AsyncIterator[None]:
    """A transaction on `connection` that sees the rows of that tenant alone. It begins in the round trip that names the
    tenant, which the driver's own does not allow, so none of the driver's may be begun inside.

    `planned_once`: a connection plans each statement once, for all that it may be asked, and by indexes, so that a plan
    that was made of an empty table holds of a full one. For statements without a choice of joins: such a plan takes
    each user for a small one. Else PostgreSQL plans one on a partitioned table anew each time, because that is the
    cheaper plan: it leaves out that planning takes longer than running it.
    """
    # bytes in hexadecimal digits: no id can end the literal, whatever it holds
    tenant = f"convert_from('\\x{tenant_id.encode().hex()}', 'UTF8')"
    settings = f"set_config('ragpp.tenant_id', {tenant}, true){_PLANNED_ONCE if planned_once else ''}"
    try:
        await connection.execute(f"BEGIN; SELECT {settings}")
        yield
    except BaseException:  # whatever it was goes on, and what was written does not
        await connection.execute("ROLLBACK")
        raise
    await connection.execute("COMMIT")


def measured_pool(pool: Pool, part: str, *schemas: str) -> AbstractAsyncContextManager[None]:
    """While inside, the metrics tell of the connections of `pool` as those of `part`, and how much each of `schemas`
    holds, the part's own without any."""

    def state() -> PoolState:
        size, idle = pool.get_size(), pool.get_idle_size()
        return PoolState(size - idle, idle, pool.get_max_size())

    def look(schema: str) -> Look:
        return lambda: schema_size(pool, schema)

    return measured({schema: look(schema) for schema in schemas or (part,)}, part, state)


async def schema_size(pool: Pool, schema: str) -> Held:
    """About how much the tables of a schema hold, of all tenants. Raises TierUnavailable, StorageError."""
    await ensure_open(pool)
    async with foreign_errors("schema size"), acquired(pool) as connection:
        rows = await connection.fetch(_SIZES["schema_size"], schema)
    return Held({row["kind"]: row["rows"] for row in rows}, sum(row["bytes"] for row in rows))


async def ping(pool: Pool, *, timeout_s: float = 2.0) -> str:
    """The server's version. Raises TierUnavailable.

    A server that hangs is given up on in time; the question is left to its own end, because a connection is handed
    back only after the server has answered that a query was cancelled.
    """
    await ensure_open(pool)
    asking = asyncio.create_task(_version(pool, timeout_s))
    _ASKING.add(asking)
    asking.add_done_callback(_asked)
    async with foreign_errors("ping"), asyncio.timeout(timeout_s):
        return await asyncio.shield(asking)


async def _version(pool: Pool, timeout_s: float) -> str:
    async with acquired(pool, timeout_s=timeout_s) as connection:
        version: str = await connection.fetchval("SHOW server_version", timeout=timeout_s)
    return version


def _asked(task: asyncio.Task[str]) -> None:
    _ASKING.discard(task)
    if not task.cancelled():
        task.exception()  # marks it as seen, for the case that nobody waits any more
