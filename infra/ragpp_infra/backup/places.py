"""The stores of one stack, as whoever may read and replace everything in them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import asyncpg
import neo4j
import redis.asyncio
from neo4j import exceptions as of_neo4j
from pydantic import SecretStr
from redis import exceptions as of_redis

from ragpp.errors import TierUnavailable
from ragpp_infra.backup.errors import BackupFailed, RestoreRefused
from ragpp_infra.provisioning.endpoints import APP, RELAY, Endpoints, in_role

if TYPE_CHECKING:
    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record]
    Client: TypeAlias = redis.asyncio.Redis
else:
    Connection = asyncpg.Connection
    Client = redis.asyncio.Redis

NAME: Final = "ragpp backup"
"""By which the connections to PostgreSQL are told from those of services."""
BEAT_S: Final = 5.0
IDLE_S: Final = 60
"""How long a backup that was stopped keeps learning waiting, and old rows from being cleaned up."""
_AWAY: Final = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InterfaceError,
    of_redis.ConnectionError,
    of_redis.TimeoutError,
    of_redis.BusyLoadingError,
    of_neo4j.ServiceUnavailable,
    of_neo4j.SessionExpired,
)
_REFUSED: Final = (asyncpg.PostgresError, of_neo4j.Neo4jError, of_neo4j.DriverError, of_redis.RedisError)


@dataclass(frozen=True)
class Place:
    """`postgres_dsn`: of a superuser, for row-level security holds for everybody else. `key_prefix`: of all keys in
    Redis. `forgetting_key`, `keep_days`: FORGETTING_KEY and FORGETTING_KEEP_DAYS of its services."""

    postgres_dsn: SecretStr
    endpoints: Endpoints
    forgetting_key: SecretStr
    key_prefix: str = "ragpp:"
    keep_days: int = 90

    def inside(self) -> dict[str, str]:
        """Settings with which the services' code has their rights in PostgreSQL, and no others, while their roles may
        not connect: the superuser connects and takes the role."""
        return {
            name: in_role(self.postgres_dsn, role).get_secret_value()
            for name, role in (("POSTGRES_DSN", APP), ("POSTGRES_RELAY_DSN", RELAY))
        }

    @asynccontextmanager
    async def postgres(self) -> AsyncIterator[Connection]:
        """A connection that no time limit ends but that of silence."""
        connection = await asyncpg.connect(
            self.postgres_dsn.get_secret_value(),
            timeout=10.0,
            server_settings={
                "application_name": NAME,
                "timezone": "UTC",
                "statement_timeout": "0",
                "transaction_timeout": "0",
                "lock_timeout": "0",
                "idle_session_timeout": f"{IDLE_S}s",
                "idle_in_transaction_session_timeout": f"{IDLE_S}s",
            },
        )
        try:
            yield connection
        finally:
            with suppress(*_AWAY):
                await connection.close(timeout=5.0)

    @asynccontextmanager
    async def redis(self) -> AsyncIterator[Client]:
        """A client whose replies are texts: the product writes nothing else."""
        client = redis.asyncio.Redis.from_url(
            self.endpoints.redis_url.get_secret_value(),
            socket_timeout=60.0,
            socket_connect_timeout=10.0,
            decode_responses=True,
        )
        try:
            yield client
        finally:
            await client.aclose()

    @asynccontextmanager
    async def neo4j(self) -> AsyncIterator[neo4j.AsyncDriver]:
        """A driver."""
        async with neo4j.AsyncGraphDatabase.driver(
            self.endpoints.neo4j_uri,
            auth=(self.endpoints.neo4j_user, self.endpoints.neo4j_password.get_secret_value()),
            connection_timeout=10.0,
            max_transaction_retry_time=30.0,
            telemetry_disabled=True,
            notifications_min_severity="OFF",
        ) as driver:
            yield driver


@asynccontextmanager
async def reached(otherwise: type[BackupFailed] | type[RestoreRefused]) -> AsyncIterator[None]:
    """Turn what a driver says into ours, the cause kept, by its name alone: its text may have what people said. Raises
    TierUnavailable of a store that is away, and `otherwise` for one that refuses."""
    try:
        yield
    except _AWAY as error:
        raise TierUnavailable(f"a store did not answer ({type(error).__name__})") from error
    except _REFUSED as error:
        raise otherwise(
            f"a store refused what was asked of it ({type(error).__name__})",
            suggestions=("Its log says why: it may have no room on its disk or in its memory. Repeat it then.",),
        ) from error


@asynccontextmanager
async def kept_alive(*connections: Connection) -> AsyncIterator[None]:
    """Let these connections, which nobody uses meanwhile, say something now and then; what a beat meets is raised at
    the end: with the connection its lock or its snapshot was lost."""

    ending = asyncio.Event()

    async def beat() -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), BEAT_S)
                return
            for connection in connections:
                await connection.execute("SELECT 1")

    beating = asyncio.create_task(beat())
    try:
        yield
        if beating.done():
            await beating
    finally:
        ending.set()  # a beat that is cancelled has the server cancel whatever that connection says next
        with suppress(*_AWAY):
            await beating
    for connection in connections:
        await connection.execute("SELECT 1")
