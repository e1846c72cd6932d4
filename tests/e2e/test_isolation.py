"""Two tenants, three users of one name: nobody ever finds, counts, changes or deletes what is another's."""

from collections.abc import AsyncIterator, Mapping
from itertools import product
from typing import Final
from uuid import uuid4

import asyncpg
import httpx
import pytest

from ragpp.api import Profile
from ragpp.models import (
    Scope,
)
from ragpp_services.gateway import store
from ragpp_services.gateway.identity import SCOPES
from tests.support.belongings import COMMON, RULE, SESSION, Owner, everything, settle
from tests.support.contract import OPEN, Way
from tests.support.each import each
from tests.support.operations import OPERATIONS, Operation, checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stored import Stores
from tests.support.strangers import (
    ASKING,
    CASES,
    NOTHING,
    OF_NOBODY,
    OFFERING,
    OPEN_TO_ALL,
    ask,
    missing_code,
    tells_nothing_of,
)

pytestmark = pytest.mark.server


def test_every_route_has_its_case() -> None:
    assert set(CASES) | OPEN_TO_ALL | OF_NOBODY == set(OPERATIONS)


@pytest.fixture(scope="module")
async def owners(gateway: RealGateway) -> AsyncIterator[tuple[Owner, Owner, Owner]]:
    """Maria and Maria of one tenant, and Maria of another, who has the user id of the first. Behind all that is tried
    here each of them reads what she read before."""
    first = new_scope()
    neighbour = first.model_copy(update={"user_id": f"{first.user_id}-2"})
    elsewhere = first.model_copy(update={"tenant_id": new_scope().tenant_id})
    settled = (
        await settle(gateway, first, "Elena", "Porto", "cocoa"),
        await settle(gateway, neighbour, "Greta", "Leeds", "lemonade"),
        await settle(gateway, elsewhere, "Sofia", "Turin", "espresso"),
    )
    before = [await everything(gateway, owner) for owner in settled]
    yield settled
    assert [await everything(gateway, owner) for owner in settled] == before


@pytest.mark.parametrize("tier", [way for name, way in OPEN.items() if name != "in_memory"], ids=lambda way: way.name)
async def test_a_change_in_any_store_would_be_seen(gateway: RealGateway, stores: Stores, tier: Way) -> None:
    scope, held = new_scope(), tier.prepared(gateway.worker.by_name()[tier.name])
    await held.store(scope, [tier.entry("I prefer tea.")])
    with pytest.raises(AssertionError):
        async with stores.unchanged(scope):
            await held.store(scope, [tier.entry("I prefer coffee.")])


@pytest.mark.parametrize("stranger", ["of another tenant", "of the same tenant"])
async def test_a_stranger_gets_nothing_of_anothers_from_any_route(
    gateway: RealGateway, stores: Stores, owners: tuple[Owner, Owner, Owner], stranger: str
) -> None:
    owner = owners[0]
    held = await stores.watched(owner.scope)

    async def tried(name: str) -> None:
        operation = OPERATIONS[name]
        own = owner.scope.model_copy(
            update={"tenant_id": new_scope().tenant_id} if stranger == "of another tenant" else {"user_id": uuid4().hex}
        )
        key = await gateway.key(own.tenant_id)
        async with gateway.client(key) as api, held.unchanged():
            for cursor in (False, True):
                answer = await ask(api, operation, owner, user_id=own.user_id, cursor=cursor)
                told_a_stranger(answer, operation, owner, own)

    await each(CASES, tried)


def told_a_stranger(answer: httpx.Response, operation: Operation, owner: Owner, own: Scope) -> None:
    """AssertionError when the answer says more than the stranger's own memory, `own`, has, which is nothing."""
    if CASES[operation.name].answers == "missing":
        checked_problem(answer, 404, missing_code(operation))
    else:
        assert answer.is_success, answer.text
    tells_nothing_of(owner, answer.text)
    if operation.name == "POST /v1/recall":
        assert (answer.json()["status"], answer.json()["memories"]) == ("complete", [])
    if operation.name == "GET /v1/users" and own.tenant_id == owner.scope.tenant_id:
        known = {one["user_id"] for one in answer.json()["items"]}
        assert owner.scope.user_id in known
        assert own.user_id not in known
    elif operation.method == "GET" and answer.is_success:
        profile = Profile(user_id=own.user_id, text=f"Nothing is known of {own.user_id}.")
        assert answer.json() in (*NOTHING, profile.model_dump(mode="json"))


async def test_each_of_the_three_reads_the_own_memory_and_no_others(
    gateway: RealGateway, owners: tuple[Owner, Owner, Owner]
) -> None:
    async def read(name: str) -> None:
        operation = OPERATIONS[name]
        for reader in owners:
            async with gateway.client(reader.key) as api:
                mine = await ask(api, operation, reader, user_id=reader.scope.user_id)
                assert mine.is_success, mine.text
                for other in owners:
                    if other is reader:
                        continue
                    tells_nothing_of(other, mine.text)
                    answer = await ask(api, operation, other, user_id=reader.scope.user_id)
                    if CASES[name].answers == "missing":
                        checked_problem(answer, 404, missing_code(operation))
                    tells_nothing_of(other, answer.text)

    await each([name for name in CASES if name.startswith("GET") or name in ASKING], read, at_once=8)


async def test_the_same_ids_hold_to_each_their_own(gateway: RealGateway, owners: tuple[Owner, Owner, Owner]) -> None:
    routes = {
        "GET /v1/interactions/{interaction_id}": {"interaction_id": COMMON},
        "GET /v1/sessions/{session_id}": {"session_id": SESSION},
        "GET /v1/rules/{item_id}": {"item_id": RULE},
    }
    for name, path in routes.items():
        for owner in owners:
            async with gateway.client(owner.key) as api:
                answer = await api.get(OPERATIONS[name].url(path, {"user_id": owner.scope.user_id}))
            assert owner.words[0] in answer.text
            for other in owners:
                if other is not owner:
                    tells_nothing_of(other, answer.text)


async def test_forgetting_ones_own_of_the_same_ids_leaves_the_others(
    gateway: RealGateway, owners: tuple[Owner, Owner, Owner]
) -> None:
    before = [await everything(gateway, owner) for owner in owners]
    for scope in (owners[0].scope, owners[2].scope):
        leaver = scope.model_copy(update={"user_id": uuid4().hex})
        passing = await settle(gateway, leaver, "Elena", "Porto", "cocoa")
        async with gateway.client(passing.key) as api:
            whose = {"user_id": leaver.user_id}
            for path in (f"interactions/{COMMON}", f"sessions/{SESSION}", f"rules/{RULE}"):
                assert (await api.delete(f"/v1/{path}", params=whose)).is_success
            assert (await api.delete(f"/v1/users/{leaver.user_id}")).status_code == 202
        await gateway.digest(scope.tenant_id)
    assert [await everything(gateway, owner) for owner in owners] == before


async def test_a_key_that_is_bound_to_a_user_is_refused_for_any_other(
    gateway: RealGateway, stores: Stores, owners: tuple[Owner, Owner, Owner]
) -> None:
    owner, neighbour, _ = owners
    key = await gateway.key(owner.scope.tenant_id, "read", "write", "forget", user_id=neighbour.scope.user_id)
    held = await stores.watched(owner.scope)
    async with gateway.client(key) as api:

        async def refused(name: str) -> None:
            async with held.unchanged():
                answer = await ask(api, OPERATIONS[name], owner, user_id=owner.scope.user_id)
                checked_problem(answer, 403, "MEM-022")
                tells_nothing_of(owner, answer.text)

        await each([name for name in CASES if name != "GET /v1/users"], refused)  # which is told its own


NEEDED: Final = ("read", "write", "forget")


def needed_scope(operation: Operation) -> str:
    """The scope that a key must have for the route."""
    if operation.method == "GET" or operation.name in ASKING or operation.name in OFFERING:
        return "read"
    forgets = operation.method == "DELETE" or operation.path in {"/v1/forget", "/v1/redact"}
    return "forget" if forgets else "write"


async def test_a_key_without_the_scope_is_refused_whatever_else_it_has(
    gateway: RealGateway, owners: tuple[Owner, Owner, Owner]
) -> None:
    owner = owners[0]
    keys = {needed: await gateway.key(owner.scope.tenant_id, *(SCOPES - {needed})) for needed in NEEDED}

    async def refused(name: str) -> None:
        needed = needed_scope(OPERATIONS[name])
        async with gateway.client(keys[needed]) as api:
            answer = await ask(api, OPERATIONS[name], owner, user_id=owner.scope.user_id)
        assert needed in checked_problem(answer, 403, "MEM-022").detail

    await each(CASES, refused, at_once=8)


async def test_revoked_expired_and_altered_keys_open_nothing(
    gateway: RealGateway, owners: tuple[Owner, Owner, Owner], bad_keys: Mapping[str, str]
) -> None:
    owner = owners[0]

    async def shut(case: tuple[str, str]) -> None:
        name, what = case
        async with gateway.client(bad_keys[what]) as api:
            answer = await ask(api, OPERATIONS[name], owner, user_id=owner.scope.user_id)
        checked_problem(answer, 401, "MEM-021")
        tells_nothing_of(owner, answer.text)

    await each(product(CASES, bad_keys), shut, at_once=8)


@pytest.fixture(scope="module")
async def bad_keys(gateway: RealGateway, owners: tuple[Owner, Owner, Owner]) -> dict[str, str]:
    """A revoked key, an expired one, a good one with another secret, and one with another's prefix."""
    tenant = owners[0].scope.tenant_id
    revoked, expired = [await gateway.key(tenant) for _ in range(2)]
    connection = await asyncpg.connect(gateway.settings["POSTGRES_OWNER_DSN"])
    try:
        assert await store.revoke_key(connection, f"key_{revoked.split('_')[1]}")
        past = "UPDATE identity.keys SET expires_at = now() - interval '1 second' WHERE prefix = $1"
        assert await connection.execute(past, expired.split("_")[1]) == "UPDATE 1"
    finally:
        await connection.close()
    good, other = owners[0].key, owners[2].key
    altered = good[:-2] + ("AA" if not good.endswith("AA") else "BB")
    swapped = f"rp_{good.split('_')[1]}_{other.split('_', 2)[2]}"
    return {"revoked": revoked, "expired": expired, "altered": altered, "swapped": swapped}
