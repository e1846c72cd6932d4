"""A memory that is looked for when it is needed: its stack may start after the program, and come back elsewhere."""

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from ragpp.api import RecallRequest, RecallResponse, StoreRequest
from ragpp.client.errors import GatewayUnreachable
from ragpp.client.outbox import Outbox
from ragpp.environment import gateway_of, is_elsewhere, outbox_folder
from ragpp.errors import ConfigurationError

OpenedT = TypeVar("OpenedT")
_log = logging.getLogger(__name__)


class Memory(Protocol):
    """A MemoryClient, as far as `remembering` asks it."""

    def recall(self, request: RecallRequest, /) -> RecallResponse: ...
    def remember(self, request: StoreRequest, /) -> object: ...


class AsyncMemory(Protocol):
    """An AsyncMemoryClient, as far as `remembering` asks it."""

    async def recall(self, request: RecallRequest, /) -> RecallResponse: ...
    async def remember(self, request: StoreRequest, /) -> object: ...


class Client(Memory, Protocol):
    """One that is closed."""

    def close(self) -> None: ...


class AsyncClient(AsyncMemory, Protocol):
    """One that is closed."""

    async def aclose(self) -> None: ...


class _Later(Generic[OpenedT]):
    """The client of the gateway that `gateway_of` names, once there is one. What is said before waits in an outbox: for
    the folder's own stack in one folder whatever its key, which is always of one tenant; for any other gateway in one
    of its key, which another tenant's never delivers."""

    def __init__(self, open_client: Callable[[str, str, Path], OpenedT]) -> None:
        self._open = open_client
        self._opened: OpenedT | None = None
        self._lock = threading.Lock()
        with suppress(ConfigurationError):
            self._client()

    def _client(self) -> OpenedT:
        """Raises ConfigurationError where no gateway is given, set or running."""
        with self._lock:
            if self._opened is None:
                url, key = gateway_of(None, None)
                box = outbox_folder(key if is_elsewhere() else None)
                for other in Outbox(box).others():
                    _log.warning("what was said with another key waits in %s and is not delivered with this one", other)
                self._opened = self._open(url, key, box)
            return self._opened

    def _taken(self) -> OpenedT | None:
        """The client, which is not used any more."""
        with self._lock:
            opened, self._opened = self._opened, None
        return opened

    def _lost(self) -> OpenedT | None:
        """The same where it may come back elsewhere: what the environment names stays where it is."""
        return None if is_elsewhere() else self._taken()


class Later(_Later[Client]):
    """A MemoryClient that is looked for when it is needed, as far as `remembering` asks it."""

    def recall(self, request: RecallRequest) -> RecallResponse:
        """As MemoryClient; ConfigurationError, too, where there is no gateway."""
        try:
            return self._client().recall(request)
        except GatewayUnreachable:
            if lost := self._lost():
                lost.close()
            raise

    def remember(self, request: StoreRequest) -> object:
        """The same; what is said while the folder's stack does not run waits in its outbox."""
        try:
            memory = self._client()
        except ConfigurationError:
            if is_elsewhere():  # whose outbox is by its key, which is not known
                raise
            return Outbox(outbox_folder()).put(request)
        return memory.remember(request)

    def close(self) -> None:
        """Close the connections."""
        if opened := self._taken():
            opened.close()


class AsyncLater(_Later[AsyncClient]):
    """An AsyncMemoryClient that is looked for when it is needed, as far as `remembering` asks it."""

    async def recall(self, request: RecallRequest) -> RecallResponse:
        """As AsyncMemoryClient; ConfigurationError, too, where there is no gateway."""
        try:
            return await self._client().recall(request)
        except GatewayUnreachable:
            if lost := self._lost():
                await lost.aclose()
            raise

    async def remember(self, request: StoreRequest) -> object:
        """The same; what is said while the folder's stack does not run waits in its outbox."""
        try:
            memory = self._client()
        except ConfigurationError:
            if is_elsewhere():
                raise
            return await asyncio.to_thread(Outbox(outbox_folder()).put, request)
        return await memory.remember(request)

    async def aclose(self) -> None:
        """Close the connections."""
        if opened := self._taken():
            await opened.aclose()
