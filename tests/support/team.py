"""A user whose assistants are two agents with keys of their own, beside somebody who sees everything."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import uuid4

import httpx

from ragpp.models import Scope
from tests.support.hostile import Json
from tests.support.real_gateway import RealGateway

START: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)
SAID: Final[tuple[tuple[str | None, str], ...]] = (
    (None, "My sister Elena lives in Porto."),
    (None, "I prefer tea in the morning."),
    ("sales", "My brother Otto works at Globex."),
    ("sales", "I prefer invoices by e-mail."),
    ("care", "My sister Elena works at the Qzhospital."),
    ("care", "My friend Miriam lives in Qzville."),
    (None, "My brother Otto lives in Faro."),
    ("care", "From now on, always speak slowly."),
    ("sales", "Always answer in one sentence."),
)
"""Each with the agent that alone may see it; None for what is shared."""


@dataclass(frozen=True)
class Team:
    """A user's memory: the clients of whoever runs it, and of two agents' keys."""

    user_id: str
    everyone: httpx.AsyncClient
    sales: httpx.AsyncClient
    care: httpx.AsyncClient
    gateway: RealGateway
    tenant_id: str

    @property
    def scope(self) -> Scope:
        """The whole memory."""
        return Scope(tenant_id=self.tenant_id, user_id=self.user_id)

    def of(self, agent: str | None) -> httpx.AsyncClient:
        return {None: self.everyone, "sales": self.sales, "care": self.care}[agent]

    async def say(self, number: int, agent: str | None, content: str, session_id: str = "s") -> str:
        """One message, by the key of the agent that it is said to; answers its id."""
        message: Json = {
            "id": f"m{number}",
            "content": content,
            "occurred_at": (START + timedelta(hours=number)).isoformat(),
        }
        body: Json = {"user_id": self.user_id, "session_id": session_id, "messages": [message]}
        answered = await self.of(agent).post("/v1/interactions", json=body)
        assert answered.status_code == 201, answered.text
        return f"m{number}"

    async def digest(self) -> None:
        await self.gateway.digest(self.tenant_id)


@asynccontextmanager
async def two_agents(gateway: RealGateway) -> AsyncIterator[Team]:
    """The team, in a tenant of its own."""
    tenant = f"t-{uuid4().hex[:8]}"
    keys = [await gateway.key(tenant, agent_id=agent) for agent in (None, "sales", "care")]
    clients = [gateway.client(key) for key in keys]
    everyone, sales, care = clients
    try:
        yield Team(f"u-{uuid4().hex[:8]}", everyone, sales, care, gateway, tenant)
    finally:
        for client in clients:
            await client.aclose()


async def talk(team: Team) -> None:
    """All of SAID."""
    for number, (agent, content) in enumerate(SAID):
        await team.say(number, agent, content)
    await team.digest()


async def read(client: httpx.AsyncClient, path: str, team: Team, **params: str) -> list[dict[str, Json]]:
    """The items of a list of the user."""
    answered = await client.get(path, params={"user_id": team.user_id, "limit": "200", **params})
    assert answered.status_code == 200, answered.text
    items: list[dict[str, Json]] = answered.json()["items"]
    return items


async def known(client: httpx.AsyncClient, team: Team) -> set[tuple[Json, Json, Json]]:
    """The relationships of the graph: source, type and target."""
    return {(one["source"], one["type"], one["target"]) for one in await read(client, "/v1/relationships", team)}
