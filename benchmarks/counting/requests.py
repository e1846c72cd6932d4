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
from ragpp_services.workers.running.digest import LEASE_S, digest
from tests.support.real_gateway import RealGateway

NOW: Final = datetime(2025, 2, 1, 12, tzinfo=UTC)
"""The tiers' clock: after the last of 20,000 messages that are a minute apart from New Year on."""
BATCH: Final = 50
ITEMS: Final = 200
ASKED: Final = "Where does my sister live?"
SAID: Final = "My sister Elena lives in Porto."
DAY: Final = "2025-01-01"
FORMS: Final = 5
"""Every so many messages of a conversation have the same form."""


class NotAnsweredError(Exception):
    """A tier did not answer, as on a machine that stands still: what it cost is no measure."""


@dataclass(frozen=True)
class Request:
    """A request: `name` in the table, `prepare` what comes before it and is not counted, `ask` what is. `is_read`: it
    changes nothing, so it can be asked several times at once. Raises NotAnsweredError."""

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

    async def say(self, user: str, messages: int) -> None:
        """Fill a session of the user with so many messages, and have them digested."""
        said = conversation(7, messages, f"{user}-m")
        with self.profiles.paused():
            for start in range(0, messages, BATCH):
                await self.write(user, said[start : start + BATCH])
            await self.digest()

    async def curate(self, user: str, items: int) -> None:
        """Fill the user's catalog with so many items of one resource."""
        texts = statements(7, items)
        resource = {"user_id": user, "id": f"{user}-r", "resource_type": "document", "content": "\n".join(texts)}
        stated = [{"content": text, "source_resource_id": f"{user}-r"} for text in texts]
        with self.profiles.paused():
            await self._sent("POST", "/v1/resources", resource)
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
            raise NotAnsweredError(f"{user}: {tiers}")

    async def extract(self, user: str) -> None:
        window = {"start": f"{DAY}T00:00:00Z", "end": f"{DAY}T23:00:00Z"}
        await self._sent("POST", f"/v1/users/{user}/extract", window)
        await self.work("extract")

    async def forget(self, user: str, identifier: str) -> None:
        await self._sent("DELETE", f"/v1/interactions/{identifier}?user_id={user}")
        await self.work("forget")

    async def work(self, *stages: str) -> None:
        """Have a worker do what waits of each stage, once: when it looks again is a matter of time."""
        for stage in stages:
            works = await self.gateway.worker.ledger.lease(stage, limit=1_000, owner="counted", lease_s=LEASE_S)
            await digest(self.gateway.worker, works, "counted")

    async def digest(self) -> None:
        """Have workers do all that waits."""
        await self.gateway.digest(self.tenant)

    async def settle(self) -> None:
        """Have what is written down later written now: the audit entries of what was asked."""
        await self.gateway.parts.audit.flush()

    async def _sent(self, method: str, path: str, body: object = None) -> httpx.Response:
        answer = await self.api.request(method, path, json=body)
        if not answer.is_success:
            raise RuntimeError(f"{method} {path} answered {answer.status_code}: {answer.text[:500]}")
        return answer


async def requests(users: Users, sizes: tuple[int, ...]) -> AsyncIterator[Request]:
    """Each fixed request, when what it needs is there: recalls of users with so many messages, writes, digestion,
    extraction, forgetting. Each can be asked again and again; those that change something do so anew each time, with
    messages of one form."""
    for size in sizes:
        user = f"user-{size}"
        await users.say(user, size)
        yield Request(f"recall, {size:,} messages", partial(users.recall, user), is_read=True)
        await users.curate(user, ITEMS)
        yield Request(f"recall, {size:,} messages, catalog", partial(users.recall, user), is_read=True)
    user = "user-w"
    await users.say(user, sizes[0])
    fresh = (message.model_copy(update={"content": SAID}) for message in conversation(11, 10_000, "fresh-"))

    async def write_one() -> None:
        await users.write(user, [next(fresh)])

    async def write_many() -> None:
        await users.write(user, [next(fresh) for _ in range(BATCH)])

    yield Request("write, 1 message", write_one, users.digest)
    yield Request("digestion, 1 message", partial(users.work, "observe", "short_term"), write_one)
    yield Request(f"write, {BATCH} messages", write_many, users.digest)
    other = "user-f"
    await users.say(other, sizes[0])
    yield Request("extraction, a day", partial(users.extract, other), users.digest)
    third = "user-g"
    await users.say(third, sizes[0])
    forgotten = iter(range(0, sizes[0], FORMS))
    yield Request("forgetting, 1 message", lambda: users.forget(third, f"{third}-m{next(forgotten)}"), users.digest)
