"""A move, through HTTP: the answer before it, after it, and as of before it; and what a person says of both homes."""

from collections.abc import AsyncIterator
from typing import Final, cast

import httpx
import pytest

from tests.support.hostile import Json
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
USER: Final = "elena"
SAID: Final = (
    ("m1", "2024-01-10T09:00:00Z", "I live in Porto."),
    ("m2", "2024-02-01T09:00:00Z", "My brother Rui sends his regards."),
    ("m3", "2024-03-01T09:00:00Z", "I moved to Lisbon last week."),
)
Object = dict[str, Json]


@pytest.fixture
async def api(gateway: RealGateway) -> AsyncIterator[httpx.AsyncClient]:
    tenant = new_scope().tenant_id
    async with gateway.client(await gateway.key(tenant)) as client:
        for identifier, moment, content in SAID:
            message = {"id": identifier, "name": "Elena", "content": content, "occurred_at": moment}
            answer = await client.post("/v1/interactions", json={"user_id": USER, "messages": [message]})
            assert answer.status_code == 201, answer.text
        await gateway.digest(tenant)
        yield client


async def listed(api: httpx.AsyncClient, **asked: str) -> dict[str, Object]:
    """Relationships by their targets."""
    answer = await api.get("/v1/relationships", params={"user_id": USER, **asked})
    assert answer.status_code == 200, answer.text
    return {str(item["target"]): item for item in cast("list[Object]", answer.json()["items"])}


async def recalled(api: httpx.AsyncClient, as_of: str) -> list[str]:
    """The texts of the graph's memories of where the user lives."""
    asked = {"user_id": USER, "query": "Where does Elena live?", "tiers": ["semantic"], "as_of": as_of}
    answer = await api.post("/v1/recall", json=asked)
    assert answer.json()["status"] == "complete", answer.text
    return [memory["text"] for memory in answer.json()["memories"] if "LIVES_IN" in memory["text"]]


async def test_a_move_is_seen_before_after_and_as_of_before(api: httpx.AsyncClient) -> None:
    assert await recalled(api, "2024-03-02T00:00:00Z") == ["Elena LIVES_IN Lisbon"]
    assert await recalled(api, "2024-02-15T00:00:00Z") == ["Elena LIVES_IN Porto"]
    current = await listed(api)
    assert "Porto" not in current
    assert current["Elena"]["source"] == "Rui"
    porto = (await listed(api, state="ended"))["Porto"]
    assert (porto["valid_to"], porto["ended_by"]) == ("2024-03-01T09:00:00Z", "m3")
    assert set(await listed(api, as_of="2024-01-15T00:00:00Z")) == {"Porto"}
    refused = await api.get("/v1/relationships", params={"user_id": USER, "state": "over"})
    assert refused.status_code == 422


async def test_a_person_has_the_last_word(api: httpx.AsyncClient) -> None:
    lisbon = f"/v1/relationships/{(await listed(api))['Lisbon']['id']}"
    rejected = await api.post(f"{lisbon}/reject", json={"user_id": USER})
    assert rejected.json()["verdict"] == "rejected"
    assert set(await listed(api)) == {"Porto", "Elena"}
    assert set(await listed(api, state="rejected")) == {"Lisbon"}
    assert await recalled(api, "2024-03-02T00:00:00Z") == ["Elena LIVES_IN Porto"]
    confirmed = await api.post(f"{lisbon}/confirm", json={"user_id": USER})
    assert confirmed.json()["verdict"] == "confirmed"
    assert confirmed.json()["confidence"] == pytest.approx(1.0, abs=0.01)
    assert set(await listed(api)) == {"Lisbon", "Elena"}
    restored = await api.post(f"{lisbon}/restore", json={"user_id": USER})
    assert (restored.status_code, restored.json()["code"]) == (409, "MEM-011")


async def test_what_a_person_rejected_sets_back_what_it_was_learned_from(gateway: RealGateway) -> None:
    """It stays findable, is marked, and stands behind what does answer; confirmed again, it is as before."""
    tenant = new_scope().tenant_id
    async with gateway.client(await gateway.key(tenant)) as client:
        for place, content in enumerate(("I work at Brightline.", "My work is dispatch planning at Halden Freight.")):
            message = {"id": f"w{place}", "content": content, "occurred_at": f"2024-03-0{place + 1}T09:00:00Z"}
            await client.post("/v1/interactions", json={"user_id": USER, "messages": [message]})
        await gateway.digest(tenant)
        wrong = (await listed(client))["Brightline"]

        async def asked() -> list[tuple[str, str | None]]:
            question = {"user_id": USER, "session_id": "later", "query": "Where do I work?"}
            answer = (await client.post("/v1/recall", json=question)).json()
            said = [one for one in answer["memories"] if one["kind"] == "interaction"]
            assert [one["id"] for one in answer["memories"] if one["metadata"].get("verdict") == "rejected"] == []
            return [(one["id"], one["corrected_by"]) for one in said]

        assert await asked() == [("w0", None), ("w1", None)]
        await client.post(f"/v1/relationships/{wrong['id']}/reject", json={"user_id": USER})
        assert await asked() == [("w1", None), ("w0", wrong["id"])]
        await client.post(f"/v1/relationships/{wrong['id']}/confirm", json={"user_id": USER})
        assert await asked() == [("w0", None), ("w1", None)]
