"""The server that the sessions are in: whether it is there, whether it lost everything, how it is."""

import asyncio
from collections.abc import Collection
from datetime import datetime
from typing import Final

from ragpp.clock import Clock, from_moment
from ragpp.health import StoreState
from ragpp.models import Scope
from ragpp.stores.forgetting import refuse_all_but_scratch
from ragpp.stores.redis import Client, Keys, foreign_errors, ping, server_size, version_of
from ragpp.stores.state import STATE_S, read_clock, store_state

MARK: Final = "st:mark"
EPOCH: Final = "st:epoch"
FORGOTTEN: Final = "st:marks"
INDEX: Final = "st:sessions"


class Upkeep:
    """The requests to the server that are about no session. Raises TierUnavailable, StorageError."""

    def __init__(self, client: Client, keys: Keys) -> None:
        self._client, self._keys = client, keys

    async def ping(self) -> str:
        """The server's version."""
        return await ping(self._client)

    async def is_blank(self) -> bool:
        """True where `mark` was not called since the store last was empty."""
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

            async def now() -> datetime:
                seconds, microseconds = await self._client.time()
                return from_moment(seconds * 1_000_000 + microseconds)

            reading = await read_clock(clock, now)
            told, held = await self._client.info("server"), await server_size(self._client)
        product = "Valkey" if "valkey_version" in told else "Redis"
        return store_state(product, version_of(told), reading, held)
