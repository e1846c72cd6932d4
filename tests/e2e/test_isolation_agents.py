"""Messages to one agent of a user, which a key of another's never reads, counts, changes or deletes."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Final

import httpx
import pytest

from tests.support.belongings import Owner, everything, settle
from tests.support.each import each
from tests.support.hostile import Json
from tests.support.operations import OPERATIONS, checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stored import Stores
from tests.support.strangers import CASES, ask, missing_code, tells_nothing_of

pytestmark = pytest.mark.server


OTHER_AGENTS: Final[Mapping[str, int]] = {
    "GET /v1/users": 403,
    "DELETE /v1/users/{user_id}": 403,
    "POST /v1/users/{user_id}/retention": 403,
    "GET /v1/users/{user_id}/pins": 403,
    "PUT /v1/users/{user_id}/pins/{tier}/{item_id}": 403,
    "DELETE /v1/users/{user_id}/pins/{tier}/{item_id}": 403,
    "PUT /v1/users/{user_id}/settings": 403,
    "POST /v1/redact": 403,
    "POST /v1/interactions": 409,
    "POST /v1/rules": 409,
    "POST /v1/resources": 409,
    "POST /api/memory/catalog": 409,
    "POST /api/memory/cleanup": 403,
    **{name: 403 for name in CASES if "/v1/hooks/" in name or "/v1/agents/" in name or name.endswith("/feedback")},
    "GET /v1/categories/{category}": 200,
    "PUT /v1/categories/{category}": 403,
    "DELETE /v1/categories/{category}": 403,
    "POST /v1/categories/{category}/items": 200,
    "POST /v1/categories/{category}/consolidate": 202,
}
"""Things of the whole memory are refused to a key that is bound to an agent, and a category is of all agents, with what
they share in it; ids are a user's, and so is that one is taken. Of anything else there is nothing."""
OF_ALL_AGENTS: Final = frozenset({"GET /v1/categories", "GET /v1/memory/stats", "GET /v1/events"})
"""Routes that read what an agent creates for all of them."""


@pytest.fixture(scope="module")
async def agents(gateway: RealGateway) -> AsyncIterator[tuple[Owner, Owner]]:
    """One user's memory: what was said to the agent `a`, and what to the agent `b`. Behind all that `b` tries here, `a`
    reads what was read before."""
    scope = new_scope()
    first = await settle(gateway, scope, "Elena", "Porto", "cocoa", agent="a")
    key = await gateway.key(scope.tenant_id, agent_id="b")
    async with gateway.client(key) as api:
        said = [{"id": "b1", "content": "My aunt Greta lives in Leeds."}]
        body = {"user_id": scope.user_id, "session_id": "s-b", "messages": said}
        assert (await api.post("/v1/interactions", json=body)).is_success
    await gateway.digest(scope.tenant_id)
    before = await everything_but_lag(gateway, first)
    yield first, replace(first, key=key, words=("Greta", "Leeds"), agent="b")
    assert await everything_but_lag(gateway, first) == before


async def test_an_agents_key_gets_nothing_of_what_was_said_to_another_from_any_route(
    gateway: RealGateway, stores: Stores, agents: tuple[Owner, Owner]
) -> None:
    owner, other = agents
    seen = await everything_but_lag(gateway, owner)
    async with gateway.client(other.key) as api:

        async def asked(name: str) -> None:
            named = {"key": "morning"} if name == "POST /v1/preferences" else None  # two agents may set one of a name
            whose = owner.scope.user_id
            for cursor in (False, True):
                answer = await ask(api, OPERATIONS[name], owner, user_id=whose, cursor=cursor, more=named)
                answered(answer, owner, name)

        async def tried(name: str) -> None:
            nonlocal seen
            if not adds(name):
                async with stores.unchanged(owner.scope):
                    await asked(name)
                return
            before = seen
            try:
                await asked(name)
            finally:
                seen = await everything_but_lag(gateway, owner)
            assert seen == before

        await each(CASES, tried)


def adds(name: str) -> bool:
    """True where a route may add to the memory of both: what another agent asks for, or says, is there."""
    refused = OTHER_AGENTS.get(name, 404 if CASES[name].answers == "missing" else 200) >= 400
    return not refused and OPERATIONS[name].method != "GET"


def answered(answer: httpx.Response, owner: Owner, name: str) -> None:
    """AssertionError when another agent is told what was said to the owner, or answered otherwise than it is to be."""
    tells_nothing_of(owner, answer.text)
    if name in OTHER_AGENTS:
        assert answer.status_code == OTHER_AGENTS[name], answer.text
    elif CASES[name].answers == "missing":
        checked_problem(answer, 404, missing_code(OPERATIONS[name]))
    else:
        assert answer.is_success, answer.text


async def everything_but_lag(gateway: RealGateway, owner: Owner) -> Json:
    """All that the owner can read but how much the workers have to do, which counts what others ask for, and what of
    the catalog others may add to."""
    seen = await everything(gateway, owner)
    assert isinstance(seen, dict)
    return {
        name: value for name, value in seen.items() if name not in {"GET /v1/lag", "GET /v1/pending"} | OF_ALL_AGENTS
    }
