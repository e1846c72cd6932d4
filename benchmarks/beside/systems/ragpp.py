"""RAG++ itself: through its gateway, by its Python client."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from benchmarks.beside.system import Message, Place, System
from ragpp.api import MessageIn, RecallRequest, StoreRequest
from ragpp.client import AsyncMemoryClient

DEADLINE_MS: Final = 5_000
"""Longer than the default, so that a busy machine makes answers late and not partial."""
EVIDENCE: Final = 3
"""So many of a memory's sources count as what it found."""
POLL_S: Final = 0.2
PATIENCE_S: Final = 3_600.0


class RagPlusPlus:
    """One client of the gateway, for all tasks."""

    def __init__(self) -> None:
        self._open = contextlib.AsyncExitStack()
        self._users: set[str] = set()
        self._partial = 0

    async def open(self, place: Place) -> Mapping[str, str]:
        self._client = await self._open.enter_async_context(
            AsyncMemoryClient(place.gateway, place.key, timeout_s=PATIENCE_S)
        )
        return {"deadline_ms": str(DEADLINE_MS), "tiers": "all", "token_budget": "the default, 2,000"}

    async def write(self, user: str, messages: Sequence[Message]) -> None:
        self._users.add(user)
        sessions: dict[str, list[MessageIn]] = {}
        for message in messages:
            at = datetime.fromisoformat(message.at)
            said = MessageIn(id=message.id, name=message.speaker or None, content=message.content, occurred_at=at)
            sessions.setdefault(message.session, []).append(said)
        for session, part in sessions.items():
            await self._client.remember(StoreRequest(user_id=user, session_id=session, messages=tuple(part)))

    async def settle(self) -> None:
        for user in sorted(self._users):
            while await self._client.pending(user):
                await asyncio.sleep(POLL_S)

    async def search(self, user: str, query: str, limit: int) -> list[str]:
        answer = await self._client.recall(
            RecallRequest(user_id=user, query=query, limit=limit, deadline_ms=DEADLINE_MS)
        )
        if answer.status != "complete":
            raise RuntimeError(f"a recall is {answer.status}: {answer.tiers}")
        sources = (source for memory in answer.memories for source in memory.sources[:EVIDENCE])
        return list(dict.fromkeys(sources))[:limit]

    async def close(self) -> None:
        await self._open.aclose()


def make() -> System:
    """The system that `benchmarks.beside.load` drives."""
    return RagPlusPlus()
