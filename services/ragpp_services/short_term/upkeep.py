"""The server that the sessions are in: whether it is there, whether it lost everything, how it is."""

import asyncio
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from time import perf_counter
from typing import Final

from ragpp.clock import Clock
from ragpp.health import StoreState
from ragpp.models import Scope
from ragpp.stores.forgetting import refuse_all_but_scratch
from ragpp.stores.redis import Client, Keys, foreign_errors, ping, server_size

MARK: Final = "st:mark"
EPOCH: Final = "st:epoch"
FORGOTTEN: Final = "st:marks"
INDEX: Final = "st:sessions"
STATE_S: Final = 5.0


class Upkeep:
    """What is asked of the server beside sessions. Raises TierUnavailable, StorageError."""

    def __init__(self, client: Client, keys: Keys) -> None:
        self._client, self._keys = client, keys

    async def ping(self) -> str:
        """The server's version."""
        return await ping(self._client)

    async def is_blank(self) -> bool:
        """Whether `mark` was not called since the store last was empty."""
        async with foreign_errors("mark"):
            return not await self._client.exists(self._keys.shared(MARK))

    async def mark(self) -> None:
        """Leave a key that is gone when everything is."""
        async with foreign_errors("mark"):
            await self._client.set(self._keys.shared(MARK), 1)

    async def sweep(self, scope: Scope, sources: Collection[str]) -> None:
        """See the contract. The marks of all that the user's forgot are under one key."""
        del sources
        refuse_all_but_scratch(scope)
        async with foreign_errors("sweep"):
            await self._client.delete(*(self._keys.user(area, scope) for area in (EPOCH, FORGOTTEN, INDEX)))

    async def state(self, clock: Clock) -> StoreState:
        """The server's. Its keys are of all that is in it, the broker's included."""
        async with foreign_errors("state"), asyncio.timeout(STATE_S):
            began, before = perf_counter(), clock()
            seconds, microseconds = await self._client.time()
            took = perf_counter() - began
            told, held = await self._client.info("server"), await server_size(self._client)
        return StoreState(
            product="Valkey" if "valkey_version" in told else "Redis",
            version=str(told.get("valkey_version") or told["redis_version"]),
            service_version=version("ragpp"),
            store_time=datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=microseconds),
            service_time=before + timedelta(seconds=took / 2),
            asked_ms=took * 1_000,
            holds={kind: count for kind, count in held.counts.items() if count},
            bytes=held.size,
            limit_bytes=held.limit,
        )
