"""One agent's memory is its own: a bound key sees what was shared and what was said to its agent, and nothing else."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import uuid4

import httpx
import pytest

from tests.support.hostile import Json
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server

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


@pytest.fixture
async def team(gateway: RealGateway) -> AsyncIterator[Team]:
    tenant = f"t-{uuid4().hex[:8]}"
    keys = [await gateway.key(tenant, agent_id=agent) for agent in (None, "sales", "care")]
    clients = [gateway.client(key) for key in keys]
    everyone, sales, care = clients
    yield Team(f"u-{uuid4().hex[:8]}", everyone, sales, care, gateway, tenant)
    for client in clients:
        await client.aclose()


async def talk(team: Team) -> None:
    for number, (agent, content) in enumerate(SAID):
        await team.say(number, agent, content)
    await team.digest()


async def read(client: httpx.AsyncClient, path: str, team: Team, **params: str) -> list[dict[str, Json]]:
    answered = await client.get(path, params={"user_id": team.user_id, "limit": "200", **params})
    assert answered.status_code == 200, answered.text
    items: list[dict[str, Json]] = answered.json()["items"]
    return items


async def known(client: httpx.AsyncClient, team: Team) -> set[tuple[Json, Json, Json]]:
    return {(one["source"], one["type"], one["target"]) for one in await read(client, "/v1/relationships", team)}


async def test_an_agent_sees_what_was_shared_and_what_was_said_to_it(team: Team) -> None:
    await talk(team)
    for agent, hidden in (("sales", "care"), ("care", "sales")):
        said = [content for of, content in SAID if of in {None, agent}]
        assert [one["content"] for one in await read(team.of(agent), "/v1/interactions", team)] == said[::-1]
        unseen = [content for of, content in SAID if of == hidden]
        session = await team.of(agent).get("/v1/sessions/s", params={"user_id": team.user_id})
        assert [one["content"] for one in session.json()["messages"]] == said
        recalled = await team.of(agent).post(
            "/v1/recall", json={"user_id": team.user_id, "session_id": "s", "query": "Who lives and works where?"}
        )
        assert recalled.json()["status"] == "complete", recalled.text
        assert not [content for content in unseen if content in recalled.text]
    everything = await read(team.everyone, "/v1/interactions", team)
    assert [one["content"] for one in everything] == [content for _, content in SAID][::-1]


async def test_what_is_learned_is_seen_by_who_may_see_what_it_rests_on(team: Team) -> None:
    await talk(team)
    everyone, sales, care = [await known(client, team) for client in (team.everyone, team.sales, team.care)]
    names = {name for one in sales for name in one}
    assert {"Otto", "Globex", "Elena"} <= names
    assert not {"Miriam", "Qzville", "Qzhospital"} & {name for one in sales for name in one}
    assert "Globex" not in {name for one in care for name in one}
    assert {"Miriam", "Qzville"} <= {name for one in care for name in one}
    assert sales < everyone
    assert care < everyone
    for path in ("/v1/preferences", "/v1/rules", "/v1/findings", "/v1/entities"):
        for agent, hidden in (("sales", "care"), ("care", "sales")):
            shown = {
                str(one.get("value") or one.get("text") or one.get("name"))
                for one in await read(team.of(agent), path, team)
            }
            only = {
                str(one.get("value") or one.get("text") or one.get("name"))
                for one in await read(team.of(hidden), path, team)
            } - {
                str(one.get("value") or one.get("text") or one.get("name"))
                for one in await read(team.everyone, path, team)
            }
            assert not only
            assert not [
                text for text in shown for of, content in SAID if of == hidden and text in content and len(text) > 8
            ]
