"""Where two people talk, "you" is the other one; and is nobody any more when what told so is forgotten."""

from typing import Final

import httpx
import pytest

from tests.support.real_gateway import RealGateway

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
USER: Final = "u1"


async def tell(api: httpx.AsyncClient, identifier: str, name: str, text: str, role: str = "user") -> None:
    message = {"id": identifier, "name": name, "content": text, "role": role}
    answer = await api.post("/v1/interactions", json={"user_id": USER, "session_id": "s", "messages": [message]})
    assert answer.status_code == 201, answer.text


async def known(api: httpx.AsyncClient) -> set[str]:
    found = (await api.get("/v1/relationships", params={"user_id": USER})).json()["items"]
    return {f"{one['source']} {one['type']} {one['target']}" for one in found}


async def test_what_is_said_of_the_listener_is_the_listeners(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await tell(api, "a1", "Ana", "It rained all day.")
    await tell(api, "b1", "Ben", "You moved to Porto last spring, and your brother Karim lives in Oslo.")
    await gateway.digest(tenant)
    assert {"Ana LIVES_IN Porto", "Karim BROTHER_OF Ana", "Karim LIVES_IN Oslo"} <= await known(api)


async def test_an_assistant_says_nothing_of_whoever_it_answers_and_is_nobodys_you(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await tell(api, "a1", "Ana", "It rained all day.")
    await tell(api, "r1", "Robo", "You moved to Porto last spring.", "assistant")
    await tell(api, "a2", "Ana", "You moved to Oslo last spring.")
    await gateway.digest(tenant)
    assert not {one for one in await known(api) if "LIVES_IN" in one}


async def test_where_the_message_that_told_who_listens_is_forgotten_nobody_does(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await tell(api, "a1", "Ana", "It rained all day.")
    await tell(api, "b1", "Ben", "You moved to Porto last spring.")
    await tell(api, "a2", "Ana", "So I did.")
    await tell(api, "b2", "Ben", "You work at Globex.")
    await gateway.digest(tenant)
    assert {"Ana LIVES_IN Porto", "Ana WORKS_AT Globex"} <= await known(api)
    assert (await api.delete("/v1/interactions/a1", params={"user_id": USER})).status_code == 200
    await gateway.digest(tenant)
    left = await known(api)
    assert "Ana LIVES_IN Porto" not in left
    assert "Ana WORKS_AT Globex" in left
    assert (await api.get("/v1/interactions/b1", params={"user_id": USER})).status_code == 200
