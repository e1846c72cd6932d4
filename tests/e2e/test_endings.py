"""A plan that a person calls off, through the API: it ends, is not recalled, and comes back when that is gone."""

from typing import Any

import httpx
import pytest

from tests.support.learning import USER, ask, remember
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server
BOOKED = "We booked the ferry to Aland for our holiday."
OFF = "The ferry to Aland for our holiday is cancelled, we are not going any more."


async def findings(api: httpx.AsyncClient, **query: str) -> dict[str, dict[str, Any]]:
    answer = await api.get("/v1/findings", params={"user_id": USER, **query})
    assert answer.status_code == 200, answer.text
    return {one["details"]["verbatim"]: one for one in answer.json()["items"]}


async def test_a_plan_that_is_called_off_ends_and_holds_again_when_that_is_forgotten(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await remember(api, "a", ask("2024-03-04", BOOKED))
    await remember(api, "b", ask("2024-03-11", OFF))
    await gateway.digest(tenant)

    found = await findings(api)
    assert found[BOOKED]["valid_to"] == found[OFF]["first_at"]
    assert found[BOOKED]["ended_by"] == found[OFF]["id"]
    assert found[OFF]["valid_to"] is None
    assert (await findings(api, as_of="2024-03-06T00:00:00Z"))[BOOKED]["valid_to"] is None
    asked = {"user_id": USER, "query": "holiday ferry to Aland", "tiers": ["procedural"]}
    recalled = (await api.post("/v1/recall", json=asked)).json()["memories"]
    assert [one["id"] for one in recalled] == [found[OFF]["id"]]
    profile = (await api.get(f"/v1/users/{USER}/profile")).json()
    assert [one["id"] for one in profile["findings"]] == [found[OFF]["id"]]

    gone = await api.delete(f"/v1/interactions/{found[OFF]['sources'][0]}", params={"user_id": USER})
    assert gone.status_code == 200, gone.text
    await gateway.digest(tenant)
    left = await findings(api)
    assert [(said, one["valid_to"], one["ended_by"]) for said, one in left.items()] == [(BOOKED, None, None)]
