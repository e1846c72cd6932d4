"""Everything about a person, a thing, or words: found among all messages, told why, and forgotten when confirmed."""

import re
from typing import Final

import httpx
import pytest

from ragpp.api import ForgetRequest
from ragpp.errors import Conflict
from ragpp_services.gateway.forgetting import AT_ONCE
from tests.support.everywhere import places_of
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

USER: Final = "noor"
WHOSE: Final = {"user_id": USER}
SOFIA: Final[tuple[dict[str, str], ...]] = (
    {"id": "a", "name": "Noor", "content": "My sister Qzsofia moved to Porto."},
    {"id": "b", "name": "Noor", "content": "qzsofia's flat is small, but QZSOFÍA likes it."},
    {"id": "c", "role": "assistant", "content": "Your sister Qzsofia moved to Porto, how nice."},
    {"id": "d", "role": "assistant", "content": "So she moved to Porto, how nice."},
    {"id": "e", "name": "Qzsofia", "content": "I am fine, thank you."},
)
OTHERS: Final[tuple[dict[str, str], ...]] = (
    {"id": "x", "name": "Noor", "content": "The Qzsofian Academy has a garden in Leeds."},
    {"id": "y", "name": "Noor", "content": "It rains, and I bought a green umbrella."},
)


async def tell(api: httpx.AsyncClient, *messages: dict[str, str], agent: str | None = None) -> None:
    body = {**WHOSE, "session_id": "s", "agent_id": agent, "messages": messages}
    answer = await api.post("/v1/interactions", json=body)
    assert answer.status_code == 201, answer.text


async def about(api: httpx.AsyncClient, **more: object) -> httpx.Response:
    return await api.post("/v1/forget", json={**WHOSE, "about": {"entity": "Qzsofia"}, **more})


async def test_what_is_about_a_person_is_listed_with_why_and_nothing_is_changed(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await tell(api, *SOFIA, *OTHERS)
    await gateway.digest(tenant)

    answer = (await about(api)).json()

    why = {one["id"]: set(one["why"]) for one in answer["found"]}
    assert set(why) == {"a", "b", "c", "d", "e"}
    assert {"mention", "name"} <= why["a"]
    assert "name" in why["b"]
    assert "name" in why["c"]
    assert why["d"] == {"repeats"}
    assert "name" in why["e"]
    assert (answer["total"], answer["forgotten"], answer["tiers"]) == (5, None, {})
    assert "Qzsofia" in answer["names"]
    assert answer["with_them"]["entities"] >= 1
    assert answer["found"][0]["excerpt"] == SOFIA[0]["content"]
    listed = (await api.get("/v1/interactions", params=WHOSE)).json()["items"]
    assert len(listed) == len(SOFIA) + len(OTHERS)


async def test_what_is_confirmed_is_forgotten_everywhere(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, stack: StoreStack
) -> None:
    veronika = {"entity": "Qzveronika"}  # a name that no other test has
    said = [one | {"content": re.sub("(?i)qzsof[ií]a\\b", "Qzveronika", one["content"])} for one in SOFIA[:4]]
    await tell(api, *said, {"id": "e", "name": "Qzveronika", "content": "I am fine, thank you."}, *OTHERS)
    await gateway.digest(tenant)
    token = (await about(api, about=veronika)).json()["token"]

    done = (await about(api, about=veronika, confirm={"token": token})).json()

    assert (done["forgotten"], done["total"], done["found"]) == (5, 0, [])
    assert set(done["tiers"].values()) == {"ok"}
    await gateway.digest(tenant)
    places = await places_of(stack, ["Qzveronika"], hint="qzveronika")
    assert places == {}
    left = (await api.get("/v1/interactions", params=WHOSE)).json()["items"]
    assert {one["id"] for one in left} == {"x", "y"}
    assert (await about(api, about=veronika)).json()["total"] == 0


async def test_single_ids_may_be_confirmed_and_no_others(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await tell(api, *SOFIA, *OTHERS)
    await gateway.digest(tenant)
    before = (await about(api)).json()

    refused = checked_problem(await about(api, confirm={"ids": ["a", "y"]}), 409)
    assert refused.details is not None
    assert refused.details["ids"] == ["y"]
    assert (await about(api)).json()["token"] == before["token"]

    done = (await about(api, confirm={"ids": ["a", "nobody"]})).json()
    assert (done["forgotten"], done["total"]) == (1, 4)
    again = (await about(api, confirm={"ids": ["a"]})).json()
    assert again["forgotten"] == 0


async def test_what_is_said_of_others_in_the_same_common_words_is_not_about_somebody(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    tom = {"entity": "Tom"}
    await tell(
        api,
        {"id": "tom", "name": "Noor", "content": "My brother Tom lives in Leeds."},
        {"id": "paul", "name": "Noor", "content": "My brother Paul is a pilot."},
        {"id": "print", "name": "Noor", "content": "Brother printers are the best printers."},
    )
    await gateway.digest(tenant)
    found = (await about(api, about=tom)).json()
    assert [one["id"] for one in found["found"]] == ["tom"]
    [known] = [one for one in (await api.get("/v1/entities", params=WHOSE)).json()["items"] if one["name"] == "Tom"]
    assert (await about(api, about={"entity": known["id"]})).json()["total"] == 1
    asked = (await about(api, about={"entity": "brother"})).json()
    assert {one["id"] for one in asked["found"]} == {"tom", "paul", "print"}


async def test_a_token_is_of_its_user_and_its_question(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await tell(api, SOFIA[0])
    await gateway.digest(tenant)
    token = (await about(api)).json()["token"]
    checked_problem(await about(api, about={"words": "Porto"}, confirm={"token": token}), 409)
    other = {"user_id": "karim", "session_id": "s", "messages": [SOFIA[0]]}
    assert (await api.post("/v1/interactions", json=other)).status_code == 201
    checked_problem(await about(api, user_id="karim", confirm={"token": token}), 409)


async def test_a_token_stands_for_what_was_listed_and_for_nothing_else(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await tell(api, SOFIA[0])
    await gateway.digest(tenant)
    token = (await about(api)).json()["token"]
    await tell(api, SOFIA[1])
    checked_problem(await about(api, confirm={"token": token}), 409)
    assert (await about(api)).json()["total"] == 2


async def test_words_are_found_in_whatever_form_and_all_of_them(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await tell(api, *OTHERS, {"id": "z", "content": "Green umbrellas, bought in the rain."})
    await tell(api, {"id": "w", "content": "Green tea."})
    await gateway.digest(tenant)
    asked = {**WHOSE, "about": {"words": "a green umbrella"}}
    answer = (await api.post("/v1/forget", json=asked)).json()
    assert {one["id"]: one["why"] for one in answer["found"]} == {"y": ["words"], "z": ["words"]}


async def test_all_of_many_are_found_page_by_page(api: httpx.AsyncClient) -> None:
    await tell(api, *({"id": f"m{n}", "content": f"Qzsofia said number {n}."} for n in range(30)))
    first = (await about(api, limit=20)).json()
    second = (await about(api, limit=20, cursor=first["next_cursor"])).json()
    assert first["total"] == second["total"] == 30
    ids = [one["id"] for page in (first, second) for one in page["found"]]
    assert sorted(ids) == sorted(f"m{n}" for n in range(30))
    assert second["next_cursor"] is None
    checked_problem(await about(api, cursor="nonsense"), 422)


async def test_more_than_a_request_waits_for_are_forgotten_by_a_job(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    many = [{"id": f"m{n}", "role": "tool", "content": f"Qzsofia, {n}."} for n in range(AT_ONCE + 1)]
    await tell(api, *many[:AT_ONCE])
    await tell(api, *many[AT_ONCE:], OTHERS[1])
    listed = (await about(api, replies=False)).json()
    assert listed["total"] == AT_ONCE + 1

    done = (await about(api, replies=False, confirm={"token": listed["token"]})).json()

    assert (done["forgotten"], done["tiers"]) == (0, {})
    await gateway.digest(tenant)
    report = (await api.get(f"/v1/jobs/{done['job']}")).json()
    assert report["state"] == "done", report
    assert report["result"]["stores"]["episodic"]["removed"] == {"interactions": AT_ONCE + 1}
    left = (await api.get("/v1/interactions", params=WHOSE)).json()["items"]
    assert [one["id"] for one in left] == ["y"]


async def test_a_key_of_an_agent_finds_and_forgets_that_agents_messages_alone(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await tell(api, SOFIA[0], agent="sales")
    await tell(api, SOFIA[1], SOFIA[3], agent="support")
    await gateway.digest(tenant)
    key = await gateway.key(tenant, "read", "forget", agent_id="sales")
    async with gateway.client(key) as bound:
        found = (await about(bound)).json()
        assert [one["id"] for one in found["found"]] == ["a"]
        missing = (await about(bound, confirm={"ids": ["b"]})).json()
        assert missing["forgotten"] == 0
        gone = await bound.delete("/v1/interactions/a", params={**WHOSE, "replies": "true"})
        assert (gone.json()["forgotten"], gone.json()["repeated_by"]) == (1, [])
    left = (await api.get("/v1/interactions", params=WHOSE)).json()["items"]
    assert {one["id"] for one in left} == {"b", "d"}


async def test_the_client_lists_and_confirms(api: httpx.AsyncClient, gateway: RealGateway, tenant: str) -> None:
    await tell(api, *SOFIA)
    await gateway.digest(tenant)
    async with gateway.memory(await gateway.key(tenant)) as memory:
        request = ForgetRequest.model_validate({**WHOSE, "about": {"entity": "Qzsofia"}, "limit": 1})
        found = await memory.forget_about(request)
        assert (len(found.found), found.total) == (1, 5)
        told = await memory.forget_interaction(USER, "a", dry_run=True)
        assert (told.dry_run, set(told.repeated_by)) == (True, {"c", "d"})
        assert (await memory.confirm_forget(request, found)).forgotten == 5
        with pytest.raises(Conflict):
            await memory.confirm_forget(request, found)


@pytest.mark.parametrize("about", [{}, {"entity": "a", "words": "b"}, {"words": ""}, {"entity": ""}])
async def test_what_it_is_about_must_be_said_in_one_way(api: httpx.AsyncClient, about: dict[str, str]) -> None:
    checked_problem(await api.post("/v1/forget", json={**WHOSE, "about": about}), 422)


async def test_what_a_person_stated_by_hand_is_listed_and_goes_with_a_confirmation_of_all(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    """No message holds it, so that it would stay when all messages are gone."""
    home = {"source": "Qzsofia", "type": "LIVES_IN", "target": "Lisbon", "target_label": "GPE"}
    bound = {"source": "Noor", "type": "LIVES_IN", "target": "Leeds", "target_label": "GPE"}
    for stated in (home, bound):
        answer = await api.post("/v1/relationships", json={**WHOSE, **stated})
        assert answer.status_code == 201, answer.text
    for text in ("Ask Qzsofia before you book.", "Ask the Qzsofian Academy first."):
        assert (await api.post("/v1/rules", json={**WHOSE, "text": text})).status_code == 201
    await tell(api, {"id": "nuts", "name": "Noor", "content": "My niece is allergic to walnuts."})
    await gateway.digest(tenant)
    (niece,) = (await api.get("/v1/findings", params=WHOSE)).json()["items"]
    corrected = {**WHOSE, "text": "Qzsofia is allergic to walnuts."}
    assert (await api.patch(f"/v1/findings/{niece['id']}", json=corrected)).status_code == 200
    found = (await about(api)).json()
    assert found["total"] == 0
    told = {(one["kind"], one["text"]) for one in found["stated"]}
    assert told == {
        ("relationship", "Qzsofia LIVES_IN Lisbon"),
        ("rule", "Ask Qzsofia before you book."),
        ("finding", corrected["text"]),
    }

    left = (await about(api, confirm={"token": found["token"]})).json()

    assert (left["total"], left["stated"]) == (0, [])
    relationships = (await api.get("/v1/relationships", params={**WHOSE, "state": "all"})).json()["items"]
    homes = [(one["source"], one["target"]) for one in relationships if one["type"] == "LIVES_IN"]
    assert homes == [("Noor", "Leeds")]
    rules = (await api.get("/v1/rules", params=WHOSE)).json()["items"]
    assert [one["text"] for one in rules] == ["Ask the Qzsofian Academy first."]
    entities = (await api.get("/v1/entities", params=WHOSE)).json()["items"]
    assert "Qzsofia" not in {one["name"] for one in entities}
    assert (await api.get("/v1/findings", params=WHOSE)).json()["items"] == []
    words = (await about(api, about={"words": "academy"})).json()
    assert [one["kind"] for one in words["stated"]] == ["rule"]
    for nothing in ("?", "👍"):
        none = (await about(api, about={"words": nothing})).json()
        assert (none["total"], none["stated"]) == (0, []), "no word is in no statement"


async def test_a_key_of_an_agent_takes_no_statement_away_that_others_see(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    assert (await api.post("/v1/rules", json={**WHOSE, "text": "Ask Qzsofia before you book."})).status_code == 201
    await tell(api, SOFIA[0], agent="sales")
    await gateway.digest(tenant)
    async with gateway.client(await gateway.key(tenant, "read", "forget", agent_id="sales")) as bound:
        found = (await about(bound)).json()
        assert (found["total"], found["stated"]) == (1, [])
        done = (await about(bound, confirm={"token": found["token"]})).json()
    assert done["forgotten"] == 1
    assert [one["text"] for one in (await api.get("/v1/rules", params=WHOSE)).json()["items"]] == [
        "Ask Qzsofia before you book."
    ]


async def test_a_common_word_that_is_a_name_is_looked_for_as_it_is_written(api: httpx.AsyncClient) -> None:
    for text in ("You may answer in English.", "Ask May about the garden.", "Ask Anne-Marie first."):
        assert (await api.post("/v1/rules", json={**WHOSE, "text": text})).status_code == 201
    for name, told in (("May", ["Ask May about the garden."]), ("Anne", []), ("anne-marie", ["Ask Anne-Marie first."])):
        found = (await about(api, about={"entity": name})).json()
        assert [one["text"] for one in found["stated"]] == told, name
