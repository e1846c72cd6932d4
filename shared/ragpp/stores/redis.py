"""Connections to Redis, the place where keys are built, and Lua scripts."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

import redis.asyncio
from redis import exceptions
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from ragpp.errors import StorageError, TierUnavailable
from ragpp.models import DEFAULT_SESSION, Scope
from ragpp.observability.metrics import Held, PoolState
from ragpp.observability.traces import step
from ragpp.settings import RedisSettings
from ragpp.stores.measuring import measured

if TYPE_CHECKING:
    Client: TypeAlias = redis.asyncio.Redis
else:
    Client = redis.asyncio.Redis

UNAVAILABLE = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.BusyLoadingError,
    exceptions.ReadOnlyError,
    TimeoutError,
    OSError,
)


def create_client(settings: RedisSettings) -> Client:
    """A client that connects when first used; replies are bytes.

    A command that meets a dead connection is sent once more, at once, on a new one: a server that came back is
    used without an error, and one that is gone fails in milliseconds (the driver's default waits for seconds). So
    every write must be harmless to repeat. While all `pool_max` connections are busy a command waits for one, at most
    `timeout_s`.
    """
    pool = redis.asyncio.BlockingConnectionPool.from_url(
        settings.url.get_secret_value(),
        max_connections=settings.pool_max,
        timeout=settings.timeout_s,
        socket_timeout=settings.timeout_s,
        socket_connect_timeout=settings.timeout_s,
        retry=Retry(NoBackoff(), 1, supported_errors=(exceptions.ConnectionError,)),
        decode_responses=False,
    )
    return redis.asyncio.Redis.from_pool(pool)


@asynccontextmanager
async def foreign_errors(what: str) -> AsyncIterator[None]:
    """Turn the driver's errors into ours, the cause kept."""
    try:
        with step(f"redis.{what}"):
            yield
    except UNAVAILABLE as error:
        raise TierUnavailable(f"{what}: Redis did not answer ({type(error).__name__})") from error
    except exceptions.RedisError as error:
        raise StorageError(f"{what}: Redis refused the command ({type(error).__name__})") from error


class Keys:
    """The one place where keys are built: `{prefix}{area}:{tag}:…`, ids percent-encoded.

    The hash tag holds tenant and user, so that one user's keys share a slot of Redis Cluster and a script may
    touch several of them. Percent-encoding keeps braces, colons and newlines of ids out of the key's syntax.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def shared(self, area: str) -> str:
        """Key of something that there is once for everyone."""
        return f"{self._prefix}{area}"

    def user(self, area: str, scope: Scope) -> str:
        """Key of something that a user, or a view of a user's memory, has once."""
        tenant_id, whose = scope.view_key
        return f"{self._prefix}{area}:{{{quote(tenant_id, safe='')}/{quote(whose, safe='')}}}"

    def session(self, area: str, scope: Scope) -> str:
        """Key of something that each session has."""
        return f"{self.user(area, scope)}:{quote(scope.session_id or DEFAULT_SESSION, safe='')}"


def load_script(package: str, name: str) -> str:
    """The Lua source `scripts/{name}.lua` of `package`."""
    return files(package).joinpath("scripts", f"{name}.lua").read_text("utf-8")


class AppendOnlyFile:
    """The file in which a server notes every command, which holds what was deleted until it is rewritten."""

    def __init__(self, url: str, *, timeout_s: float) -> None:
        """`url`: of an account that may have it rewritten, and need not be able to do anything else."""
        self._client: Client = redis.asyncio.Redis.from_url(
            url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s
        )

    async def rewrite(self) -> None:
        """Have it rewritten from what is there now; returns once that has begun. Raises TierUnavailable, StorageError:
        also where one is under way, which began too early."""
        async with foreign_errors("rewrite"):
            await self._client.bgrewriteaof()

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()


def measured_client(client: Client, part: str) -> AbstractAsyncContextManager[None]:
    """While inside, the metrics tell of the client's connections as those of `part`, and how much the server holds."""
    pool = client.connection_pool

    def state() -> PoolState:
        counts = [count for count, _ in pool.get_connection_count()]
        idle, used = counts
        return PoolState(used, idle, pool.max_connections)

    return measured({part: lambda: server_size(client)}, part, state)


async def server_size(client: Client) -> Held:
    """The keys and bytes of the server, whosever they are. Raises TierUnavailable, StorageError."""
    async with foreign_errors("server size"):
        keys, memory = await client.dbsize(), await client.info("memory")
    return Held({"keys": keys}, int(memory["used_memory"]), int(memory["maxmemory"]) or None)


async def ping(client: Client, *, timeout_s: float = 2.0) -> str:
    """The server's version. Raises TierUnavailable."""
    async with foreign_errors("ping"), asyncio.timeout(timeout_s):
        return version_of(await client.info("server"))


def version_of(information: Mapping[str, object]) -> str:
    """The server's own version: of Valkey not that of the Redis that it is compatible with."""
    return str(information.get("valkey_version") or information.get("redis_version"))
