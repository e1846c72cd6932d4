"""The fixed requests whose cost is counted, on the gateway in this process and with the hashing embedder."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Final

import httpx

from benchmarks.counting.profiled import Profiles
from benchmarks.proof import conversation, statements
from ragpp.api import MessageIn
from tests.support.real_gateway import RealGateway

NOW: Final = datetime(2025, 2, 1, 12, tzinfo=UTC)
"""The tiers' clock: after the last of 20,000 messages that are a minute apart from New Year on."""
BATCH: Final = 50
ITEMS: Final = 200
ASKED: Final = "Where does my sister live?"
DAY: Final = "2025-01-01"


@dataclass(frozen=True)
class Request:
    """A request: `name` in the table, `prepare` what comes before it and is not counted, `ask` what is. `is_read`: it
    changes nothing, so it can be asked several times at once."""

    name: str
    ask: Callable[[], Awaitable[None]]
    prepare: Callable[[], Awaitable[None]] | None = None
    is_read: bool = False


@dataclass
class Users:
    """One tenant's users, made by the API."""

    gateway: RealGateway
    api: httpx.AsyncClient
    tenant: str
    profiles: Profiles

    async def filled(self, user: str, messages: int, *, items: int = 0) -> None:
        """A user with so many digested messages in a session, and so many items in the catalog. Not counted."""
        with self.profiles.paused():
            await self._fill(user, messages, items)

    async def _fill(self, user: str, messages: int, items: int) -> None:
        said = conversation(7, messages, f"{user}-m")
        for start in range(0, messages, BATCH):
            await self.write(user, said[start : start + BATCH])
        if items:
            texts = statements(7, items)
            resource = {"user_id": user, "id": f"{user}-r", "resource_type": "document", "content": "\n".join(texts)}
            await self._sent("POST", "/v1/resources", resource)
            stated = [{"content": text, "source_resource_id": f"{user}-r"} for text in texts]
            for start in range(0, items, BATCH):
                await self._sent("POST", "/v1/items", {"user_id": user, "items": stated[start : start + BATCH]})
        await self.digest()

    async def write(self, user: str, said: list[MessageIn]) -> None:
        messages = [message.model_dump(mode="json", exclude_none=True) for message in said]
        await self._sent("POST", "/v1/interactions", {"user_id": user, "session_id": "s", "messages": messages})

    async def recall(self, user: str) -> None:
        answer = await self._sent("POST", "/v1/recall", {"user_id": user, "session_id": "s", "query": ASKED})
        tiers = answer.json()["tiers"]
        if any(tier["status"] != "ok" for tier in tiers.values()):
            raise RuntimeError(f"a tier did not answer for {user}, so the cost is no measure: {tiers}")

    async def extract(self, user: str) -> None:
        window = {"start": f"{DAY}T00:00:00Z", "end": f"{DAY}T23:00:00Z"}
        await self._sent("POST", f"/v1/users/{user}/extract", window)
        await self.digest()

    async def forget(self, user: str, identifier: str) -> None:
        await self._sent("DELETE", f"/v1/interactions/{identifier}?user_id={user}")
        await self.digest()

    async def digest(self) -> None:
        await self.gateway.digest(self.tenant)

    async def _sent(self, method: str, path: str, body: object = None) -> httpx.Response:
        answer = await self.api.request(method, path, json=body)
        if not answer.is_success:
            raise RuntimeError(f"{method} {path} answered {answer.status_code}: {answer.text[:500]}")
        return answer


async def requests(users: Users, sizes: tuple[int, ...]) -> AsyncIterator[Request]:
    """Each fixed request, when what it needs is there: recalls of users with so many messages, writes, digestion,
    extraction, forgetting. Each can be asked again and again; those that change something do so anew each time."""
    for size in sizes:
        for items in (0, ITEMS):
            user = f"user-{size}-{items}"
            await users.filled(user, size, items=items)
            name = f"recall, {size:,} messages{', catalog' if items else ''}"
            yield Request(name, partial(users.recall, user), is_read=True)
    user = "user-w"
    await users.filled(user, sizes[0])
    fresh = iter(conversation(11, 10_000, "fresh-"))

    async def write_one() -> None:
        await users.write(user, [next(fresh)])

    async def write_many() -> None:
        await users.write(user, [next(fresh) for _ in range(BATCH)])

    yield Request("write, 1 message", write_one, users.digest)
    yield Request("digestion, 1 message", users.digest, write_one)
    yield Request(f"write, {BATCH} messages", write_many, users.digest)
    yield Request("extraction, a day", partial(users.extract, user), users.digest)
    forgotten = iter(range(sizes[0]))
    other = "user-f"
    await users.filled(other, sizes[0])
    yield Request("forgetting, 1 message", lambda: users.forget(other, f"{other}-m{next(forgotten)}"), users.digest)
