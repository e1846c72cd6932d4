"""A stored text is found, listed without the value, and replaced so that nothing is left of it anywhere."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Final, cast

import httpx
import pytest

from ragpp_services.gateway.identity import SCOPES
from ragpp_services.gateway.parts import Parts
from tests.support.each import each_case
from tests.support.everywhere import places_of
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
USER: Final = "u1"
WHOSE: Final = {"user_id": USER}
WORD: Final = "qzheron77"
MARK: Final = "[REDACTED:text]"
DESCRIBED: Final = "Notes on birds and where they nest"


async def post(api: httpx.AsyncClient, url: str, **body: object) -> dict[str, object]:
    answer = await api.post(url, json={**WHOSE, **body})
    assert answer.is_success, answer.text
    return cast("dict[str, object]", answer.json())


async def tell(api: httpx.AsyncClient, *messages: Mapping[str, object], **more: object) -> None:
    await post(api, "/v1/interactions", session_id="s", messages=messages, **more)


async def redacted(api: httpx.AsyncClient, **body: object) -> list[dict[str, object]]:
    """Everything that is found, on all pages."""
    found: list[dict[str, object]] = []
    cursor: object = None
    while True:
        page = await post(api, "/v1/redact", **({"text": WORD} | body), cursor=cursor)
        found += cast("list[dict[str, object]]", page["found"])
        cursor = page["next_cursor"]
        if cursor is None:
            return found


async def listed(api: httpx.AsyncClient, url: str, **params: str) -> list[dict[str, object]]:
    answer = await api.get(url, params={**WHOSE, **params})
    assert answer.is_success, answer.text
    return cast("list[dict[str, object]]", answer.json()["items"])


@pytest.fixture
async def admin(gateway: RealGateway, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    async with gateway.client(await gateway.key(tenant, *SCOPES)) as client:
        yield client


async def test_a_dry_run_lists_what_has_it_without_the_value_and_changes_nothing(api: httpx.AsyncClient) -> None:
    await tell(
        api,
        {"id": "a", "content": f"The code is {WORD.upper()}, and {WORD} it stays.", "metadata": {"tags": [WORD]}},
        {"id": "b", "content": "It rains."},
    )

    page = await post(api, "/v1/redact", text=WORD)

    (one,) = cast("list[dict[str, object]]", page["found"])
    assert one == {
        "what": "message",
        "id": "a",
        "new_id": None,
        "kinds": {"text": 3},
        "preview": f"The code is {MARK}, and {MARK} it stays.",
    }
    assert page["dry_run"] is True
    assert WORD not in str(page).casefold()
    assert WORD in str(await listed(api, "/v1/interactions"))


async def test_what_is_applied_leaves_nothing_anywhere(
    admin: httpx.AsyncClient, gateway: RealGateway, tenant: str, stack: StoreStack
) -> None:
    """Said, told of in metadata and names, kept by hand and by agents, stated, and learned from all of these."""
    agent = gateway.client(await gateway.key(tenant, agent_id="a1", user_id=USER))
    async with agent:
        await everything(admin, agent)
        await gateway.digest(tenant)
        planted = await places_of(stack, [WORD], hint=WORD, tenant_id=tenant)
        assert {"episodic.interactions", "catalog.items", "procedural.preferences"} <= planted[WORD]

        found = await redacted(admin, dry_run=False)
        await gateway.digest(tenant)
        again = await redacted(admin, dry_run=False)
        await gateway.digest(tenant)

    await gateway.parts.audit.flush()
    assert await places_of(stack, [WORD], hint=WORD, tenant_id=tenant) == {}
    assert again == []
    assert WORD not in str(found).casefold()
    said = str(await listed(admin, "/v1/interactions"))
    assert said.count(MARK) >= 5


async def everything(api: httpx.AsyncClient, agent: httpx.AsyncClient) -> None:
    """The word in whatever has words."""
    await tell(
        api,
        {"id": "a", "name": "Noor", "content": f"My sister {WORD.title()} moved to Porto in May 2024."},
        {"id": "b", "role": "assistant", "content": f"{WORD.title()} moved to Porto, how nice."},
        {"id": "c", "name": f"Dr. {WORD}", "content": "I prefer tea.", "metadata": {WORD: ["x", {"deep": WORD}]}},
        {"id": "d", "content": f"I always want answers about {WORD} in English. I decided to use {WORD}."},
        {"id": "e", "content": "labels", "channel": WORD, "domain": WORD, "task_type": WORD, "message_type": WORD},
    )
    await tell(agent, {"id": "p", "content": f"My {WORD} is private."}, agent_id="a1", visibility="agent")
    talk = [{"id": "t1", "role": "user", "name": "Noor", "content": f"The {WORD} of Porto is blue."}]
    await post(
        api, "/v1/resources", id="r-talk", resource_type="conversation", messages=talk, remember=True, extract=True
    )
    paper = {"id": "r-doc", "resource_type": "document", "content": f"The {WORD} costs 3 euros.\n" * 40}
    await post(api, "/v1/resources", **paper, extract=True, metadata={"title": f"On {WORD}", WORD: 1})
    await post(api, "/v1/categories", name="birds", description=f"{DESCRIBED}, and the {WORD}")
    item = {"source_resource_id": "r-doc", "category": "birds", "metadata": {"see": WORD}, "domain": WORD}
    await post(api, "/v1/items", items=[{"id": "i1", "content": f"A {WORD} nests in March.", **item}])
    await post(api, "/v1/categories/birds/consolidate", force=True)
    await post(api, "/v1/categories", name="notes", description=DESCRIBED)
    await api.put("/v1/categories/notes", json={**WHOSE, "content": f"# Notes\n\nThe {WORD} again."})
    entry = {"id": f"mine-{WORD}", "content": f"Remember the {WORD}.", "tags": [WORD], "summary": f"On {WORD}"}
    kept = await post(agent, "/api/memory/catalog", ci="a1", **entry)
    await post(api, "/v1/preferences", category="bird", key="best", value=WORD)
    await post(api, "/v1/preferences", category="bird", key="best", value={"name": "owl", "not": [WORD]})
    await post(api, "/v1/preferences", category="bird", key="best", value="owl")
    await post(api, "/v1/preferences", category=WORD, key=WORD, value="yes")
    await post(agent, "/v1/preferences", category="bird", key="worst", value=WORD)
    rule = await post(api, "/v1/rules", text=f"Never name the {WORD}.", triggers=[WORD, "bird"])
    await api.patch(f"/v1/rules/{rule['id']}", json={**WHOSE, "aside": f"{WORD} is over"})
    await post(api, "/v1/relationships", source="Noor", type="KNOWS", target=WORD.title(), context=f"met {WORD}")
    episode = await post(api, "/v1/learning/episodes", goal=WORD, domain=WORD)
    used = f"/v1/learning/episodes/{episode['episode_id']}"
    await post(api, f"{used}/access", memory_id="i1")
    del kept


@each_case(
    ("body", "status"),
    [
        ({}, 422),
        ({"text": WORD, "pattern": WORD}, 422),
        ({"policy": True}, 409),
        ({"policy": True, "kind": "x"}, 422),
        ({"pattern": "(?=x)x"}, 422),
        ({"pattern": "x*"}, 422),
        ({"text": "redacted"}, 422),
        ({"text": "x"}, 422),
        ({"text": WORD, "kind": "Bad Kind"}, 422),
        ({"text": WORD, "cursor": "nonsense"}, 422),
    ],
)
async def test_what_cannot_be_sought_is_refused(api: httpx.AsyncClient, body: dict[str, object], status: int) -> None:
    answer = await api.post("/v1/redact", json={**WHOSE, **body})
    checked_problem(answer, status)
    assert WORD not in answer.text


@each_case(
    ("scopes", "bound"),
    [
        (("read", "write"), {}),
        (("read", "forget"), {}),
        (("write", "forget"), {}),
        (("read", "write", "forget"), {"agent_id": "a1"}),
    ],
)
async def test_it_needs_a_key_that_may_read_write_and_forget_and_is_no_agents(
    gateway: RealGateway, tenant: str, scopes: tuple[str, ...], bound: dict[str, str]
) -> None:
    async with gateway.client(await gateway.key(tenant, *scopes, **bound)) as client:
        checked_problem(await client.post("/v1/redact", json={**WHOSE, "text": WORD}), 403)


async def test_what_is_ours_in_an_entry_is_no_word_of_anybodys(api: httpx.AsyncClient) -> None:
    given = {"ci": "bot", "content": "Tea is at five.", "summary": f"about {WORD}", "tags": ["tea", WORD]}
    await post(api, "/api/memory/catalog", **given, priority=9, expires="2126-12-05T00:00:00Z", type="decision")
    for sought in ("entry", "expires", "2126", "stored_by"):
        assert await redacted(api, text=sought, dry_run=False) == []
    assert {one["what"] for one in await redacted(api, dry_run=False)} == {"item"}
    (kept,) = (await api.get("/api/memory/catalog", params={**WHOSE, "ci": "bot"})).json()["memories"]
    assert (kept["priority"], kept["expires"][:10], set(kept["tags"])) == (9, "2126-12-05", {"tea", MARK})
    assert kept["summary"] == f"about {MARK}"


async def test_the_audit_tells_which_memories_were_replaced(admin: httpx.AsyncClient, gateway: RealGateway) -> None:
    await tell(admin, {"id": "m1", "content": f"the {WORD}"})
    (found,) = [one for one in await redacted(admin, dry_run=False) if one["what"] == "message"]
    assert await gateway.parts.audit.flush()
    seen = {}
    for identifier in ("m1", str(found["new_id"])):
        answer = await admin.get("/v1/audit", params={**WHOSE, "memory_id": identifier, "route": "/v1/redact"})
        seen[identifier] = [one["details"]["redacted"] for one in answer.json()["items"]]
    assert seen == {"m1": ["text"], str(found["new_id"]): ["text"]}


async def test_nobody_else_is_touched(api: httpx.AsyncClient, gateway: RealGateway, tenant: str) -> None:
    async with gateway.newcomer() as stranger, gateway.client(await gateway.key(tenant, user_id="u2")) as other:
        said = [{"id": "m1", "content": f"the {WORD}"}]
        for client, user in ((api, USER), (stranger, USER), (other, "u2")):
            await post(client, "/v1/interactions", messages=said, user_id=user)
        checked_problem(await other.post("/v1/redact", json={**WHOSE, "text": WORD, "dry_run": False}), 403)
        await redacted(api, dry_run=False)
        for client, user in ((stranger, USER), (other, "u2")):
            assert WORD in str(await listed(client, "/v1/interactions", user_id=user))
    assert WORD not in str(await listed(api, "/v1/interactions"))


async def test_a_message_keeps_all_but_its_words_and_its_old_id_stays_forgotten(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    message = {
        "id": "m1",
        "role": "tool",
        "name": "Noor",
        "content": f"the {WORD}",
        "occurred_at": "2024-05-08T13:56:00+02:00",
        "metadata": {"n": 1},
        "learn": False,
    }
    await tell(api, message, agent_id="a1", visibility="agent")
    await api.put(f"/v1/users/{USER}/pins/episodic/m1")
    (before,) = await listed(api, "/v1/interactions")

    (one,) = await redacted(api, dry_run=False)

    (after,) = await listed(api, "/v1/interactions")
    assert after == {**before, "id": one["new_id"], "content": f"the {MARK}"}
    pins = (await api.get(f"/v1/users/{USER}/pins")).json()
    assert (str(one["new_id"]) in str(pins), "'m1'" in str(pins)) == (True, False)
    told = await post(api, "/v1/interactions", session_id="s", messages=[message], agent_id="a1", visibility="agent")
    assert cast("list[dict[str, object]]", told["stored"])[0]["forgotten"] is True
    await gateway.digest(tenant)
    assert WORD not in (await api.get("/v1/sessions/s", params=WHOSE)).text


async def test_a_resource_rests_on_what_took_its_messages_place(api: httpx.AsyncClient) -> None:
    talk = [
        {"id": "t1", "role": "user", "name": "Noor", "content": f"The {WORD} is blue."},
        {"id": "t2", "role": "assistant", "content": "Is it?"},
    ]
    await post(api, "/v1/resources", id="r", resource_type="conversation", messages=talk, remember=True, extract=False)
    await post(api, "/v1/items", items=[{"id": "i", "content": "Blue is a colour.", "source_resource_id": "r"}])

    (one,) = await redacted(api, dry_run=False)

    resource = (await api.get("/v1/resources/r", params=WHOSE)).json()
    assert resource["content"] == f"Noor: The {MARK} is blue.\nAssistant: Is it?"
    assert [said["interaction_id"] for said in resource["messages"]] == [one["new_id"], "t2"]
    (start, end) = (resource["messages"][1][name] for name in ("start", "end"))
    assert resource["content"][start:end] == "Is it?"
    assert (await api.get("/v1/items/i", params=WHOSE)).is_success
    forgotten = await api.delete(f"/v1/interactions/{one['new_id']}", params=WHOSE)
    assert forgotten.is_success
    assert (await api.get("/v1/resources/r", params=WHOSE)).json()["content"] == "Assistant: Is it?"


async def test_what_a_policy_finds_is_masked_as_what_comes_in(admin: httpx.AsyncClient) -> None:
    await tell(admin, {"id": "a", "content": "Write to ana@example.org", "metadata": {"cc": "Ana@Example.org"}})
    await admin.put(f"/v1/users/{USER}/personal-data", json={"mode": "mask", "kinds": ["email"]})
    await tell(admin, {"id": "b", "content": "Write to ana@example.org"})

    (one,) = await redacted(admin, text=None, policy=True, dry_run=False)

    new, held = sorted(await listed(admin, "/v1/interactions"), key=lambda said: str(said["id"]) == "b")
    assert one["kinds"] == {"email": 2}
    assert new["content"] == held["content"]
    assert str(new["metadata"]) == str({"cc": str(held["content"]).removeprefix("Write to ")})
    assert await redacted(admin, text=None, policy=True) == []


async def test_under_a_policy_that_refuses_placeholders_are_put(admin: httpx.AsyncClient) -> None:
    await tell(admin, {"id": "a", "content": "Write to ana@example.org"})
    await admin.put(f"/v1/users/{USER}/personal-data", json={"mode": "refuse"})
    await redacted(admin, text=None, policy=True, dry_run=False)
    assert [one["content"] for one in await listed(admin, "/v1/interactions")] == ["Write to [REDACTED:email]"]
    await redacted(admin, text="ana@example.org", dry_run=False)  # which nobody may store may be sought


async def test_a_pattern_is_replaced_by_the_kind_that_is_named(api: httpx.AsyncClient) -> None:
    await tell(api, {"id": "a", "content": "Über CASE-12 and CASE-99, not CASE-x"})
    await redacted(api, text=None, pattern=r"CASE-\d+", kind="case_number", dry_run=False)
    (said,) = await listed(api, "/v1/interactions")
    assert said["content"] == "Über [REDACTED:case_number] and [REDACTED:case_number], not CASE-x"


async def test_who_is_interrupted_loses_nothing_and_a_repeat_completes(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the resources that rest on a message and the message, and between that and the tiers."""
    talk = [{"id": "t1", "role": "user", "content": f"The {WORD} is blue."}]
    await post(api, "/v1/resources", id="r", resource_type="conversation", messages=talk, remember=True, extract=False)
    for verb in ("episodic.replace", "procedural.forget_sources"):
        with monkeypatch.context() as patched:
            killed(patched, gateway.parts, verb)
            await api.post("/v1/redact", json={**WHOSE, "text": WORD, "dry_run": False})
        (said,) = await listed(api, "/v1/interactions")
        resource = (await api.get("/v1/resources/r", params=WHOSE)).json()
        assert resource["content"] == f"User: The {MARK} is blue."
    assert said["content"] == f"The {MARK} is blue."
    assert resource["messages"][0]["interaction_id"] == said["id"]
    await gateway.digest(tenant)
    assert (await api.get("/v1/resources/r", params=WHOSE)).json()["content"] == f"User: The {MARK} is blue."
    assert await redacted(api, dry_run=False) == []


def killed(patched: pytest.MonkeyPatch, parts: Parts, verb: str) -> None:
    """Let whoever calls that verb of a tier be cut off there."""
    tier, name = verb.split(".")

    async def cut_off(*_: object, **__: object) -> None:
        raise RuntimeError("cut off")

    patched.setattr(getattr(parts, tier), name, cut_off, raising=True)


async def test_who_redacts_at_once_replaces_each_message_once(api: httpx.AsyncClient) -> None:
    await tell(api, *({"id": f"m{number}", "content": f"{number} {WORD}"} for number in range(8)))
    await asyncio.gather(*(redacted(api, dry_run=False) for _ in range(3)))
    said = sorted(str(one["content"]) for one in await listed(api, "/v1/interactions"))
    assert said == [f"{number} {MARK}" for number in range(8)]


async def test_what_comes_in_behind_the_cursor_is_found_by_another_round(api: httpx.AsyncClient) -> None:
    await tell(api, {"id": "a", "content": f"the {WORD}", "occurred_at": "2024-05-08T13:56:00Z"})
    page = await post(api, "/v1/redact", text=WORD, dry_run=False, limit=1)
    await tell(api, {"id": "b", "content": f"the {WORD}", "occurred_at": "2024-05-07T13:56:00Z"})
    while page["next_cursor"] is not None:
        page = await post(api, "/v1/redact", text=WORD, dry_run=False, cursor=page["next_cursor"])
        assert page["found"] == []
    (late,) = await redacted(api, dry_run=False)
    assert late["id"] == "b"
    assert await redacted(api) == []


async def test_what_one_agent_set_stays_that_agents(api: httpx.AsyncClient, gateway: RealGateway, tenant: str) -> None:
    async with (
        gateway.client(await gateway.key(tenant, agent_id="a1")) as agent,
        gateway.client(await gateway.key(tenant, agent_id="a2")) as other,
    ):
        await tell(agent, {"id": "p", "content": "This is private."}, agent_id="a1", visibility="agent")
        await post(agent, "/v1/preferences", category="bird", key="worst", value=f"a {WORD}")
        await post(agent, "/v1/relationships", source="Noor", type="KNOWS", target=WORD.title())
        await gateway.digest(tenant)
        await redacted(api, dry_run=False)
        await gateway.digest(tenant)
        assert [one["value"] for one in await listed(agent, "/v1/preferences")] == [f"a {MARK}"]
        assert [one["target"] for one in await listed(agent, "/v1/relationships")] == [MARK]
        assert await listed(other, "/v1/preferences") == []
        assert await listed(other, "/v1/relationships") == []


async def test_a_verdict_a_version_and_a_record_of_success_stay(api: httpx.AsyncClient) -> None:
    kept = await post(api, "/v1/preferences", category="bird", key="best", value=WORD)
    await post(api, "/v1/preferences", category="bird", key="best", value="owl")
    await post(api, f"/v1/preferences/{kept['id']}/reject", value=WORD)
    rule = await post(api, "/v1/rules", text=f"Never name the {WORD}.", triggers=[WORD])
    await post(api, f"/v1/rules/{rule['id']}/outcomes", success=True)

    await redacted(api, dry_run=False)

    versions = await listed(api, f"/v1/preferences/{kept['id']}/versions")
    assert [one["value"] for one in versions] == ["owl", MARK]
    again = await api.get(f"/v1/rules/{rule['id']}", params=WHOSE)
    changed = ("text", "triggers")
    assert {name: value for name, value in again.json().items() if name not in changed} == {
        name: value
        for name, value in (rule | {"outcomes": 1, "success_rate": again.json()["success_rate"]}).items()
        if name not in changed
    }
    assert (again.json()["text"], again.json()["triggers"]) == (f"Never name the {MARK}.", [MARK])
