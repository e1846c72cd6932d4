"""Personal data is held to the policy of its tenant or user before any store sees it."""

import re
from collections.abc import AsyncIterator
from typing import Final

import pytest

from ragpp import AsyncMemoryClient
from ragpp.api import CategoryIn, CategoryPageIn
from ragpp.errors import Forbidden, PersonalDataRefused
from ragpp_services.gateway.identity import SCOPES
from tests.support.each import each_case
from tests.support.everywhere import places_of
from tests.support.operations import checked_problem
from tests.support.planting import places, requests, text_places, what_all_share
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
USER: Final = "u1"
HINT: Final = ".q7z@"
NUMBER: Final = "+44 20 7946 0958"
ERASED: Final = (
    *("DELETE /v1/sessions/{session_id} path.session_id", "DELETE /v1/sessions/{session_id} query.user_id"),
    "DELETE /v1/users/{user_id} path.user_id",
)
"""Fields that take what was stored before there was a policy and has to go: the job that erases it names it."""


def address(number: int) -> str:
    return f"ana{number:04}{HINT}example.org"


@pytest.fixture
async def admin(gateway: RealGateway, tenant: str) -> AsyncIterator[AsyncMemoryClient]:
    async with gateway.memory(await gateway.key(tenant, *SCOPES)) as memory:
        yield memory


@pytest.fixture
async def stranger(gateway: RealGateway) -> AsyncIterator[AsyncMemoryClient]:
    async with gateway.memory(await gateway.key(new_scope().tenant_id)) as memory:
        yield memory


async def test_a_mask_is_stored_in_the_place_of_each_value_and_found_by_the_value(admin: AsyncMemoryClient) -> None:
    await admin.set_personal_policy(mode="mask")
    message = {
        "content": f"Call Ana on {NUMBER} or write to ana@example.org.",
        "name": "Bo bo@example.org",
        "metadata": {"cc": ["Ana@Example.org"]},
    }
    done = await admin.remember(user_id=USER, messages=[{**message, "id": "m1"}])
    assert (done.stored[0].redactions, set(done.stored[0].redacted)) == (4, {"email", "phone"})
    kept = await admin.interaction(USER, "m1")
    (mask,) = re.findall(r"\[EMAIL_\w+\]", kept.content)
    assert kept.metadata == {"cc": [mask]}
    assert "[PHONE_" in kept.content
    assert "example" not in f"{kept.content} {kept.name}"
    found = await admin.recall(user_id=USER, query="Who is ana@example.org?", deadline_ms=30_000)
    assert found.memories[0].id == "m1"
    assert mask in found.context
    assert "ana@" not in found.context
    condition = {"equal": {"key": "cc", "value": "ana@example.org"}}
    assert [one.id for one in (await admin.interactions(USER, filter=condition)).items] == ["m1"]
    asked = await admin.recall(user_id=USER, query="Ana", filter=condition, deadline_ms=30_000)
    assert [one.id for one in asked.memories] == ["m1"]
    other = {"not": condition}
    assert [one.id for one in (await admin.interactions(USER, filter=other)).items] == []


async def test_what_is_refused_names_kind_and_field_and_stores_nothing(admin: AsyncMemoryClient) -> None:
    await admin.set_personal_policy(mode="refuse", kinds=("email",))
    said = [{"content": f"Call {NUMBER}."}, {"content": "fine", "metadata": {"cc": "ana@example.org"}}]
    with pytest.raises(PersonalDataRefused) as refused:
        await admin.remember(user_id=USER, messages=said)
    assert refused.value.kinds == ("email",)
    assert "messages.1.metadata" in str(refused.value.details)
    assert "ana@" not in str(refused.value)
    assert not (await admin.interactions(USER)).items
    await admin.remember(user_id=USER, messages=said[:1])
    with pytest.raises(PersonalDataRefused):
        await admin.recall(user_id=USER, query="Who is ana@example.org?")
    condition = {"equal": {"key": "cc", "value": "ana@example.org"}}
    for asked in (admin.interactions(USER, filter=condition), admin.recall(user_id=USER, query="x", filter=condition)):
        with pytest.raises(PersonalDataRefused):
            await asked


async def test_a_users_policy_goes_before_the_tenants_and_nobody_elses(
    admin: AsyncMemoryClient, stranger: AsyncMemoryClient
) -> None:
    text = "Write to ana@example.org"
    assert (await admin.personal_policy()).set_by == "default"
    await admin.set_personal_policy(mode="mask")
    await admin.set_user_personal_policy("u2", mode="keep")
    assert [(await admin.user_personal_policy(user)).set_by for user in ("u1", "u2")] == ["tenant", "user"]
    for client, user in ((admin, "u1"), (admin, "u2"), (stranger, "u1")):
        await client.remember(user_id=user, messages=[{"id": "m1", "content": text}])
    assert "[EMAIL_" in (await admin.interaction("u1", "m1")).content
    assert (await admin.interaction("u2", "m1")).content == text
    assert (await stranger.interaction("u1", "m1")).content == text  # of another tenant
    assert (await admin.drop_user_personal_policy("u2")).mode == "mask"
    await admin.remember(user_id="u2", messages=[{"id": "m2", "content": text}])
    assert "[EMAIL_" in (await admin.interaction("u2", "m2")).content
    assert (await admin.drop_personal_policy()).set_by == "default"


async def test_what_is_imported_for_all_does_not_take_the_users_policy_from_the_rest(
    admin: AsyncMemoryClient, gateway: RealGateway, tenant: str
) -> None:
    await admin.set_user_personal_policy(USER, mode="mask")
    mine = {"content": "Her mail is ana@example.org", "ci": "bot"}
    everybodys = {"content": "Cats sleep at noon", "ci": "bot", "visibility": "global"}
    async with gateway.client(await gateway.key(tenant, "read", "write")) as api:
        done = await api.post("/api/memory/import", json={"user_id": USER, "memories": [mine, everybodys]})
        assert [one["outcome"] for one in done.json()["results"]] == ["kept", "refused"]
        (kept,) = (await api.get("/v1/items", params={"user_id": USER})).json()["items"]
    assert kept["content"].startswith("Her mail is [EMAIL_")


async def test_each_memory_of_an_import_has_the_policy_of_whom_it_is_for(
    admin: AsyncMemoryClient, gateway: RealGateway, tenant: str
) -> None:
    await admin.set_personal_policy(mode="mask")
    await admin.set_user_personal_policy(USER, mode="keep")
    mine = {"content": "Her mail is ana@example.org", "ci": "bot"}
    everybodys = {"content": "Whoever wants leave writes to ana@example.org", "visibility": "global"}
    async with gateway.client(await gateway.key(tenant, *SCOPES)) as api:
        for memories in ([mine, everybodys], [{**everybodys, "content": "Ask ana@example.org for a key"}]):
            done = await api.post("/api/memory/import", json={"user_id": USER, "memories": memories})
            assert {one["outcome"] for one in done.json()["results"]} == {"kept"}
        items = (await api.get("/v1/items", params={"user_id": USER})).json()["items"]
        refused = await api.post(
            "/api/memory/import", json={"user_id": USER, "memories": [mine, {**everybodys, "id": "ana@example.org"}]}
        )
        assert [one["outcome"] for one in refused.json()["results"]] == ["same", "refused"]
    said = {one["content"].split()[0]: one["content"] for one in items}
    assert said["Her"] == mine["content"]
    masks = {re.findall(r"\[EMAIL_\w+\]", said[word])[0] for word in ("Whoever", "Ask")}
    assert len(masks) == 1


async def test_a_page_of_all_is_held_to_the_tenants_policy_whoever_edits_it(admin: AsyncMemoryClient) -> None:
    await admin.set_personal_policy(mode="mask")
    await admin.set_user_personal_policy(USER, mode="keep")
    category = {"user_id": USER, "name": "contacts", "description": "who is who here", "visibility": "global"}
    await admin.create_category(CategoryIn.model_validate(category))
    edited = await admin.edit_category("contacts", CategoryPageIn(user_id=USER, content="Write to ana@example.org"))
    assert "[EMAIL_" in edited.markdown_content


async def test_passwords_stay_for_who_wants_them_and_keys_of_programs_never(admin: AsyncMemoryClient) -> None:
    await admin.set_user_personal_policy(USER, mode="keep", keeps_passwords=True)
    key = "sk-ant-api03-" + "a1B2" * 8
    await admin.remember(
        user_id=USER, messages=[{"id": "m1", "content": f"The Wi-Fi password is tulip-99-sky, and the key is {key}"}]
    )
    kept = (await admin.interaction(USER, "m1")).content
    assert "tulip-99-sky" in kept
    assert key not in kept


@each_case(
    ("scopes", "bound"),
    [
        (("read", "write", "forget"), {}),
        (tuple(SCOPES), {"user_id": USER}),
        (tuple(SCOPES), {"agent_id": "a1"}),
    ],
)
async def test_the_policy_of_all_is_set_by_an_administrator_of_all(
    gateway: RealGateway, scopes: tuple[str, ...], bound: dict[str, str]
) -> None:
    key = await gateway.key(new_scope().tenant_id, *scopes, **bound)
    async with gateway.memory(key) as client:
        with pytest.raises(Forbidden):
            await client.set_personal_policy(mode="keep")
        with pytest.raises(Forbidden):
            await client.drop_user_personal_policy("u2")


async def test_a_policy_goes_with_its_user(admin: AsyncMemoryClient, gateway: RealGateway, tenant: str) -> None:
    await admin.set_user_personal_policy(USER, mode="mask")
    await admin.remember(user_id=USER, messages=[{"id": "m1", "content": "hello"}])
    await admin.erase_user(USER)
    await gateway.digest(tenant)
    assert (await admin.user_personal_policy(USER)).set_by == "default"


async def test_no_route_stores_what_is_to_be_masked(gateway: RealGateway, stack: StoreStack) -> None:
    """In whatever text, label, key of metadata or id it comes."""
    tenant = new_scope().tenant_id
    sent: dict[str, str] = {}
    refused: set[str] = set()
    async with gateway.client(await gateway.key(tenant, "read", "write", "forget", "global", "admin")) as api:
        shared = await what_all_share(api)
        assert (await api.put("/v1/personal-data", json={"mode": "mask"})).is_success
        for where in (text_places, places):
            for request in requests(where, lambda number: address(len(sent) + number), shared):
                if "personal-data" in request.operation.path:
                    continue
                answer = await api.request(request.operation.method, request.url, json=request.body)
                sent[request.planted] = request.name
                if not answer.is_success:
                    problem = checked_problem(answer)
                    assert problem.status < 500, (request.name, problem)
                    refused |= {request.name} if problem.code == PersonalDataRefused.code else set()
    assert {"POST /v1/interactions body.session_id", "POST /v1/resources body.id"} <= refused
    await gateway.digest(tenant)
    await gateway.parts.audit.flush()
    found = await places_of(stack, list(sent), hint=HINT, tenant_id=tenant)
    assert {sent[planted]: where for planted, where in found.items() if sent[planted] not in ERASED} == {}


async def test_a_mask_is_nobodys_name_and_stands_in_what_is_learned(
    admin: AsyncMemoryClient, gateway: RealGateway, tenant: str
) -> None:
    await admin.set_personal_policy(mode="mask")
    said = [
        "My sister Ana lives at 12 Elm Street, Leeds LS6 2AB and her email is ana@example.org.",
        f"I emailed sam@example.net about the boiler. {NUMBER} is my dentist.",
    ]
    await admin.remember(user_id=USER, messages=[{"content": one} for one in said])
    await gateway.digest(tenant)
    entities = {one.name for one in (await admin.entities(USER)).items}
    assert "Ana" in entities
    assert not {name for name in entities if "_" in name}
    assert any("[EMAIL_" in one.text for one in (await admin.findings(USER)).items)
