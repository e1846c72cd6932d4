"""Writes that the memory has not acknowledged: sent again in the background until it does."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Protocol

import structlog

from ragpp.api import RecallRequest, RecallResponse, StoreRequest, StoreResponse
from ragpp.errors import MemorySystemError
from ragpp.errors.summaries import safe_summary
from ragpp_services.governor.foreign import cancelled_by_others_alone

CAPACITY: Final = 10_000
LONGEST_PAUSE_S: Final = 60.0
Pause = Callable[[float], Awaitable[None]]
_log = structlog.stdlib.get_logger(__name__)


class Memory(Protocol):
    """The part of the memory that the governor needs: two methods of `ragpp.client.AsyncMemoryClient`."""

    async def remember(self, request: StoreRequest) -> StoreResponse:
        """Store messages; a repeat with the same ids is harmless."""
        ...

    async def recall(self, request: RecallRequest) -> RecallResponse:
        """The memory's answer to a query."""
        ...


class Outbox:
    """Writes in the order they were put in, one task that sends them while there are any.

    Message ids come with the writes, so sending one twice is harmless. `retry_s`: the pause after the first failure,
    doubled up to a minute, back to the start after a success.
    """

    def __init__(self, memory: Memory, *, retry_s: float = 1.0, pause: Pause = asyncio.sleep) -> None:
        self._memory, self._retry_s, self._pause = memory, retry_s, pause
        self._waiting: dict[tuple[str, str], StoreRequest] = {}
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, requests: Iterable[StoreRequest]) -> bool:
        """Take writes on; those that are known already are not taken twice. False when there is no room for one."""
        taken = True
        for request in requests:
            key = _key(request)
            if key not in self._waiting and len(self._waiting) >= CAPACITY:
                taken = False
                continue
            self._waiting.setdefault(key, request)
        if self._waiting and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._send_all(), name="governor-outbox")
        return taken

    def waiting(self, user: str, session: str) -> tuple[StoreRequest, ...]:
        """The writes of one session that are not acknowledged, in order."""
        return tuple(
            request for request in self._waiting.values() if request.user_id == user and request.session_id == session
        )

    async def aclose(self, patience_s: float = 5.0) -> tuple[StoreRequest, ...]:
        """Stop; wait up to `patience_s` for what is being sent. Returns what could not be sent."""
        task, self._task = self._task, None
        if task is not None and not task.done():
            await asyncio.wait({task}, timeout=patience_s)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        return tuple(self._waiting.values())

    async def _send_all(self) -> None:
        pause_s = self._retry_s
        while self._waiting:
            key, request = next(iter(self._waiting.items()))
            try:
                with cancelled_by_others_alone():
                    await self._memory.remember(request)
            except Exception as error:  # noqa: BLE001 - whatever goes wrong, the writes behind it must get their turn
                if not isinstance(error, MemorySystemError) or error.retryable:
                    _log.info("outbox.waiting", writes=len(self._waiting), error=type(error).__name__)
                    await self._pause(pause_s)
                    pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
                    continue
                _log.warning("outbox.refused", message_id=key[1], error=safe_summary(error))
            self._waiting.pop(key, None)
            pause_s = self._retry_s


def _key(request: StoreRequest) -> tuple[str, str]:
    return request.user_id, request.messages[0].id or ""
