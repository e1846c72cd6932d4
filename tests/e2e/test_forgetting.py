"""Messages that are forgotten over HTTP are gone from every store, whatever rested on them."""

from typing import Final

import httpx
import pytest

from tests.support.everywhere import places_of
from tests.support.real_gateway import RealGateway
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

OF_A_MOTHER: Final = (
    "My mother lives in Paris.",
    "My mother Salma lives in Qzvrabatopia.",
    "My mother Fatima lives in Rome.",
    "My mother works at Globex.",
)


async def test_a_name_that_another_has_taken_keeps_no_sentence(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, stack: StoreStack
) -> None:
    for number, said in enumerate(OF_A_MOTHER):
        message = {"id": f"m{number}", "content": said}
        answer = await api.post("/v1/interactions", json={"user_id": "noor", "session_id": "s", "messages": [message]})
        assert answer.status_code == 201, answer.text
        await gateway.digest(tenant)  # each for itself, so that what is known by then decides who is meant
    assert await places_of(stack, ["Qzvrabatopia"], hint="qzv")

    answer = await api.delete("/v1/interactions/m1", params={"user_id": "noor"})

    assert answer.status_code == 200, answer.text
    assert set(answer.json()["tiers"].values()) == {"ok"}
    await gateway.digest(tenant)
    assert (await api.get("/v1/pending", params={"user_id": "noor"})).json()["pending"] == 0
    assert await places_of(stack, ["Qzvrabatopia"], hint="qzv") == {}
    found = (await api.get("/v1/relationships", params={"user_id": "noor", "limit": "50"})).json()["items"]
    assert {edge["target"] for edge in found if edge["type"] in {"LIVES_IN", "WORKS_AT"}} == {"Rome", "Globex"}


async def test_a_late_retry_of_what_was_forgotten_is_acknowledged_and_brings_nothing_back(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, stack: StoreStack
) -> None:
    gone = {"id": "gone", "content": "Qzwilma knows the combination."}
    batch = {"user_id": "noor", "session_id": "s", "messages": [gone]}
    assert (await api.post("/v1/interactions", json=batch)).status_code == 201
    await gateway.digest(tenant)
    assert (await api.delete("/v1/interactions/gone", params={"user_id": "noor"})).status_code == 200
    await gateway.digest(tenant)

    for said in (gone, {"id": "gone", "content": "Qzwilma has changed it."}):
        late = {**batch, "messages": [said, {"id": "kept", "content": "The garden is wet."}]}
        answer = await api.post("/v1/interactions", json=late)
        assert answer.status_code == 201, answer.text
        assert [one["forgotten"] for one in answer.json()["stored"]] == [True, False]
        await gateway.digest(tenant)
    only = (await api.post("/v1/interactions", json=batch)).json()
    assert [one["forgotten"] for one in only["stored"]] == [True]
    after = {"user_id": "noor", "query": "garden", "after": only["receipt"]}
    assert (await api.post("/v1/recall", json=after)).json()["status"] == "complete"

    session = (await api.get("/v1/sessions/s", params={"user_id": "noor"})).json()
    assert [message["id"] for message in session["messages"]] == ["kept"]
    listed = (await api.get("/v1/interactions", params={"user_id": "noor"})).json()["items"]
    assert [message["id"] for message in listed] == ["kept"]
    assert await places_of(stack, ["Qzwilma"], hint="qzw") == {}
