"""Two tenants, three users of one name: nobody ever finds, counts, changes or deletes what is another's."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from typing import Final, Literal, TypeAlias, cast
from uuid import uuid4

import asyncpg
import httpx
import pytest

from ragpp.api import Profile
from ragpp.api.files import SourceReport
from ragpp.api.hooks import AgentUse
from ragpp.catalog import ItemEntry, ItemQuery, MemoryStats, ResourceEntry
from ragpp.clock import system_clock
from ragpp.entries.comparing import Difference
from ragpp.entries.usage import AgentUsage, EntryStatistics, ShownLately, SourceComparison, TokenBudget
from ragpp.entries.values import EntryQuery
from ragpp.episodes import EpisodeEnd, Used, Valued
from ragpp.errors import NotFound
from ragpp.learned import Consolidated, Reflection
from ragpp.models import (
    EntityEntry,
    FindingEntry,
    Interaction,
    InteractionEntry,
    KnownAs,
    KnownUser,
    MemoryQuery,
    Observation,
    PreferenceEntry,
    RelationshipEntry,
    Repetition,
    RuleEntry,
    Scope,
    StatedRelationship,
)
from ragpp.receipts import Receipt
from ragpp.tierkit.remote import verbs_of
from ragpp.tiers import PROTOCOLS, MemoryTier
from ragpp_services.gateway import store
from ragpp_services.gateway.identity import SCOPES
from tests.support.belongings import CI, COMMON, RULE, SESSION, Owner, everything, settle
from tests.support.contract import OPEN, Way
from tests.support.hostile import Json
from tests.support.operations import OPERATIONS, Operation, checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stacks import StoreStack
from tests.support.stored import Stores, open_stores

pytestmark = pytest.mark.server

Answers: TypeAlias = Literal["missing", "own"]
"""What a stranger gets who asks for another's: a 404, or an answer about the stranger's own memory."""
Body: TypeAlias = Callable[[Owner], dict[str, Json]]


@dataclass(frozen=True)
class Case:
    """How a stranger tries a route: with every id of the owner's that it takes, and this body."""

    answers: Answers
    body: Body | None = None


def only(owner: Owner) -> str:
    return owner.things["interaction_id"]


CASES: Final[Mapping[str, Case]] = {
    "POST /v1/interactions": Case(
        "own",
        lambda owner: {
            "session_id": owner.things["session_id"],
            "messages": [{"id": only(owner), "content": "mine"}, {"id": COMMON, "content": "mine too"}],
        },
    ),
    "GET /v1/interactions": Case("own"),
    "GET /v1/interactions/{interaction_id}": Case("missing"),
    "DELETE /v1/interactions/{interaction_id}": Case("missing"),
    "POST /v1/forget": Case(
        "own",
        lambda owner: {"about": {"entity": owner.things["entity_id"]}, "confirm": {"ids": [only(owner), COMMON]}},
    ),
    "GET /v1/pending": Case("own"),
    "POST /v1/recall": Case(
        "own",
        lambda owner: {
            "query": "who lives where, and what do they drink?",
            "session_id": owner.things["session_id"],
            "after": owner.things["receipt"],
            "entities": list(owner.words),
            "limit": 200,
            "token_budget": 20_000,
            "explain": True,
        },
    ),
    "GET /v1/sessions": Case("own"),
    "GET /v1/sessions/{session_id}": Case("missing"),
    "DELETE /v1/sessions/{session_id}": Case("own"),
    "DELETE /v1/users/{user_id}": Case("own"),
    "GET /v1/entities": Case("own"),
    "GET /v1/entities/{entity_id}": Case("missing"),
    "DELETE /v1/entities/{item_id}": Case("missing"),
    "PATCH /v1/entities/{entity_id}": Case("missing", lambda _: {"name": "mine"}),
    "POST /v1/entities/{entity_id}/merge": Case("missing", lambda owner: {"absorb_id": owner.things["entities"]}),
    "POST /v1/entities/{entity_id}/split": Case("missing", lambda owner: {"absorbed_id": owner.things["entities"]}),
    "GET /v1/relationships": Case("own"),
    "GET /v1/relationships/{relationship_id}": Case("missing"),
    "DELETE /v1/relationships/{item_id}": Case("missing"),
    "POST /v1/relationships": Case(
        "own", lambda owner: {"id": owner.things["rules"], "source": "me", "type": "LIVES_IN", "target": "Atlantis"}
    ),
    "POST /v1/relationships/{relationship_id}/confirm": Case("missing", lambda _: {}),
    "POST /v1/relationships/{relationship_id}/reject": Case("missing", lambda _: {}),
    "POST /v1/relationships/{relationship_id}/restore": Case("missing", lambda _: {}),
    "GET /v1/preferences": Case("own"),
    "POST /v1/preferences": Case(
        "own", lambda owner: {"id": only(owner), "category": "drinks", "key": "evening", "value": "water"}
    ),
    "GET /v1/preferences/{item_id}": Case("missing"),
    "DELETE /v1/preferences/{item_id}": Case("missing"),
    "GET /v1/preferences/{item_id}/versions": Case("missing"),
    "POST /v1/preferences/{item_id}/restore": Case("missing", lambda _: {"version": 1}),
    "POST /v1/preferences/{item_id}/confirm": Case("missing", lambda _: {}),
    "POST /v1/preferences/{item_id}/reject": Case("missing", lambda _: {}),
    "GET /v1/findings": Case("own"),
    "DELETE /v1/findings/{item_id}": Case("missing"),
    "GET /v1/users": Case("own"),
    "GET /v1/users/{user_id}/profile": Case("own"),
    "GET /v1/users/{user_id}/review": Case("own"),
    "POST /v1/users/{user_id}/retention": Case("own", lambda _: {"dry_run": True}),
    "GET /v1/users/{user_id}/pins": Case("own"),
    "PUT /v1/users/{user_id}/pins/{tier}/{item_id}": Case("own"),
    "DELETE /v1/users/{user_id}/pins/{tier}/{item_id}": Case("missing"),
    "GET /v1/users/{user_id}/reflections": Case("own"),
    "GET /v1/users/{user_id}/reflections/{reflection_id}": Case("missing"),
    "GET /v1/jobs": Case("own"),
    "GET /v1/jobs/{job_id}": Case("missing"),
    "POST /v1/jobs/{job_id}/retry": Case("missing"),
    "POST /v1/jobs/{job_id}/cancel": Case("missing"),
    "GET /v1/lag": Case("own"),
    "POST /v1/users/{user_id}/extract": Case("own", lambda _: {}),
    "POST /v1/users/{user_id}/reflect": Case("own", lambda _: {"kind": "daily"}),
    "GET /v1/users/{user_id}/settings": Case("own"),
    "PUT /v1/users/{user_id}/settings": Case("own", lambda _: {"time_zone": "Asia/Tokyo"}),
    "GET /v1/rules": Case("own"),
    "POST /v1/rules": Case("own", lambda owner: {"id": owner.things["rules"], "text": "mine"}),
    "GET /v1/rules/{item_id}": Case("missing"),
    "PATCH /v1/rules/{item_id}": Case("missing", lambda _: {"active": False, "text": "mine"}),
    "DELETE /v1/rules/{item_id}": Case("missing"),
    "GET /v1/rules/{item_id}/versions": Case("missing"),
    "POST /v1/rules/{item_id}/restore": Case("missing", lambda _: {"version": 1}),
    "POST /v1/rules/{item_id}/confirm": Case("missing", lambda _: {}),
    "POST /v1/rules/{item_id}/reject": Case("missing", lambda _: {}),
    "POST /v1/rules/{item_id}/activations": Case("missing", lambda _: {"id": "a"}),
    "POST /v1/rules/{item_id}/outcomes": Case("missing", lambda _: {"success": False}),
    "POST /v1/resources": Case(
        "own",
        lambda owner: {
            "id": owner.things["resource_id"],
            "resource_type": "document",
            "content": "mine",
            "extract": True,
        },
    ),
    "GET /v1/resources": Case("own"),
    "GET /v1/resources/{resource_id}": Case("missing"),
    "DELETE /v1/resources/{resource_id}": Case("missing"),
    "POST /v1/resources/{resource_id}/extract": Case("missing", lambda _: {}),
    "POST /v1/items": Case(
        "missing",
        lambda owner: {
            "items": [
                {
                    "id": owner.things["items"],
                    "content": "mine",
                    "source_resource_id": owner.things["resource_id"],
                    "category": owner.things["category"],
                }
            ]
        },
    ),
    "GET /v1/items": Case("own"),
    "GET /v1/items/{item_id}": Case("missing"),
    "DELETE /v1/items/{item_id}": Case("missing"),
    "GET /api/memory/catalog": Case("own"),
    "POST /api/memory/catalog": Case("own", lambda owner: {"id": owner.things["items"], "content": "mine"}),
    "GET /api/memory/relevant": Case("own"),
    "GET /api/memory/catalog/statistics": Case("own"),
    "POST /api/memory/cleanup": Case("own", lambda _: {"dry_run": True}),
    "GET /api/memory/catalog/{memory_id}": Case("missing"),
    "DELETE /api/memory/catalog/{memory_id}": Case("missing"),
    "POST /v1/hooks/pre-prompt": Case("own", lambda owner: {"ci": CI, "prompt": " ".join(owner.words)}),
    "POST /v1/hooks/memory-request": Case("own", lambda owner: {"ci": CI, "memory_ids": [owner.things["items"]]}),
    "POST /v1/hooks/post-response": Case(
        "own",
        lambda owner: {"ci": CI, "response": owner.things["items"], "memories_used": [owner.things["items"]]},
    ),
    "POST /v1/hooks/pre-message": Case("own", lambda owner: {"ci": CI, "message": " ".join(owner.words)}),
    "POST /v1/hooks/post-message": Case("own", lambda _: {"ci": CI, "message": "mine", "response": "mine"}),
    "GET /v1/agents/{ci}/budget": Case("own"),
    "PUT /v1/agents/{ci}/budget": Case("own", lambda _: {"limit": 5}),
    "PUT /v1/agents/{ci}/source": Case("own", lambda _: {"source": "file"}),
    "GET /v1/agents/{ci}/comparison": Case("own"),
    "POST /api/memory/import": Case(
        "own", lambda owner: {"memories": [{"id": owner.things["items"], "content": "mine"}]}
    ),
    "GET /api/memory/export": Case("own"),
    "GET /v1/agents/{ci}/usage": Case("own"),
    "POST /v1/catalog/{memory_id}/feedback": Case("missing", lambda _: {"ci": CI, "value": -1}),
    "POST /v1/items/search": Case("own", lambda _: {"embedding": [1.0] * 384, "k": 100}),
    "POST /v1/categories": Case(
        "own", lambda _: {"name": f"c_{uuid4().hex}", "description": "What is mine and nobody else's"}
    ),
    "POST /v1/categories/defaults": Case("own", lambda _: {}),
    "GET /v1/categories": Case("own"),
    "GET /v1/categories/{category}": Case("missing"),
    "PUT /v1/categories/{category}": Case("missing", lambda _: {"content": "mine"}),
    "DELETE /v1/categories/{category}": Case("missing"),
    "POST /v1/categories/{category}/items": Case("missing", lambda owner: {"item_ids": [owner.things["items"]]}),
    "POST /v1/categories/{category}/consolidate": Case("missing", lambda _: {"force": True}),
    "POST /v1/retrieve": Case("own", lambda owner: {"query": " ".join(owner.words), "k": 100}),
    "GET /v1/memory/stats": Case("own"),
    "POST /v1/memory/rebuild": Case("own", lambda _: {}),
    "POST /v1/learning/episodes": Case("own", lambda _: {"goal": "mine"}),
    "POST /v1/learning/episodes/{episode_id}/access": Case(
        "missing", lambda owner: {"memory_id": owner.things["items"]}
    ),
    "POST /v1/learning/episodes/{episode_id}/end": Case("missing", lambda _: {"final_reward": 1.0}),
    "GET /v1/events": Case("own"),
}
MISSING: Final = {"/v1/resources": "MEM-001", "/v1/items": "MEM-001", "/v1/categories": "MEM-002"}


def missing_code(operation: Operation) -> str:
    """What is told of what is not there; of a new item's resource, that that is not there."""
    if operation.path in MISSING:
        return MISSING[operation.path]
    kind = f"/v1/{operation.path.split('/')[2]}"
    return "MEM-012" if kind == "/v1/items" else MISSING.get(kind, "MEM-012")


NOTHING: Final[tuple[dict[str, Json], ...]] = (
    {"memories": [], "formatted": "", "tokens": 0, "left_out": {}},
    AgentUse(ci=CI, token_budget=TokenBudget.of(2_000, 0)).model_dump(mode="json"),
    TokenBudget.of(2_000, 0).model_dump(mode="json"),
    SourceReport(ci=CI, source="catalog", compared=SourceComparison()).model_dump(mode="json"),
    EntryStatistics().model_dump(mode="json"),
    {"items": [], "next_cursor": None},
    {"pending": 0},
    {"relationships": [], "preferences": [], "rules": []},
    {"pins": []},
    {"pending": 0, "failed": 0, "oldest_pending_s": None, "stages": []},
    {"time_zone": "UTC", "reflect_at": 3, "plan": "default"},
    MemoryStats().to_dict(),
    {"memories": [], "next_offset": None, "complete": True},
)
"""What a route answers about a memory in which there is nothing."""
OFFERING: Final = ("POST /v1/hooks/pre-prompt", "POST /v1/hooks/memory-request", "POST /v1/hooks/pre-message")
"""What asks, and begins or goes on with an agent's turn."""
ASKING: Final = ("POST /v1/recall", "POST /v1/retrieve", "POST /v1/items/search")
OPEN_TO_ALL: Final = {"GET /health/live", "GET /health/ready"}
OF_NOBODY: Final = {"GET /v1/health/report", "POST /v1/health/report"}
"""An administrator's, and about nobody's memory: tests/e2e/test_health_report.py."""


def test_every_route_has_its_case() -> None:
    assert set(CASES) | OPEN_TO_ALL | OF_NOBODY == set(OPERATIONS)


@pytest.fixture(scope="module")
async def stores(stack: StoreStack) -> AsyncIterator[Stores]:
    async with open_stores(stack) as opened:
        yield opened


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


async def ask(
    api: httpx.AsyncClient,
    operation: Operation,
    owner: Owner,
    *,
    user_id: str,
    cursor: bool = False,
    more: Mapping[str, Json] | None = None,
) -> httpx.Response:
    """Ask `operation` on behalf of `user_id` with everything that `owner` has, and `more` in the body."""
    given = owner.values(operation)
    path = {item.name: given[item.name] for item in operation.parameters if item.place == "path"}
    if "user_id" in path:
        path["user_id"] = user_id
    query: dict[str, object] = {}
    for item in operation.parameters:
        if item.place == "query" and item.name in {"user_id", "receipt", "entity_id", "session_id"}:
            query[item.name] = given[item.name]
        elif item.name == "cursor" and cursor:
            query["cursor"] = given["cursor"]
    if "user_id" in query:
        query["user_id"] = user_id
    body = CASES[operation.name].body
    whose: dict[str, Json] = {} if "user_id" in path else {"user_id": user_id}
    content = None if body is None else {**whose, **body(owner), **(more or {})}
    return await api.request(operation.method, operation.url(path, query), json=content)


def tells_nothing_of(owner: Owner, text: str) -> None:
    """AssertionError when any of the owner's words is in `text`."""
    found = re.findall("|".join(map(re.escape, owner.words)), text, re.IGNORECASE)
    assert not found, text


@pytest.mark.parametrize("tier", [way for name, way in OPEN.items() if name != "in_memory"], ids=lambda way: way.name)
async def test_a_change_in_any_store_would_be_seen(gateway: RealGateway, stores: Stores, tier: Way) -> None:
    scope, held = new_scope(), tier.prepared(gateway.worker.by_name()[tier.name])
    await held.store(scope, [tier.entry("I prefer tea.")])
    with pytest.raises(AssertionError):
        async with stores.unchanged(scope):
            await held.store(scope, [tier.entry("I prefer coffee.")])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("stranger", ["of another tenant", "of the same tenant"])
async def test_a_stranger_gets_nothing_of_anothers_from_any_route(
    gateway: RealGateway, stores: Stores, owners: tuple[Owner, Owner, Owner], stranger: str, name: str
) -> None:
    owner, operation = owners[0], OPERATIONS[name]
    own = owner.scope.model_copy(
        update={"tenant_id": new_scope().tenant_id} if stranger == "of another tenant" else {"user_id": uuid4().hex}
    )
    key = await gateway.key(own.tenant_id)
    async with gateway.client(key) as api, stores.unchanged(owner.scope):
        for cursor in (False, True):
            answer = await ask(api, operation, owner, user_id=own.user_id, cursor=cursor)
            if CASES[name].answers == "missing":
                checked_problem(answer, 404, missing_code(operation))
            else:
                assert answer.is_success, answer.text
            tells_nothing_of(owner, answer.text)
            if name == "POST /v1/recall":
                assert (answer.json()["status"], answer.json()["memories"]) == ("complete", [])
            if name == "GET /v1/users" and own.tenant_id == owner.scope.tenant_id:
                known = {one["user_id"] for one in answer.json()["items"]}
                assert owner.scope.user_id in known
                assert own.user_id not in known
            elif operation.method == "GET" and answer.is_success:
                profile = Profile(user_id=own.user_id, text=f"Nothing is known of {own.user_id}.")
                assert answer.json() in (*NOTHING, profile.model_dump(mode="json"))


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("GET") or name in ASKING])
async def test_each_of_the_three_reads_the_own_memory_and_no_others(
    gateway: RealGateway, owners: tuple[Owner, Owner, Owner], name: str
) -> None:
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


@pytest.mark.parametrize("name", [name for name in CASES if name != "GET /v1/users"])  # which is told its own
async def test_a_key_that_is_bound_to_a_user_is_refused_for_any_other(
    gateway: RealGateway, stores: Stores, owners: tuple[Owner, Owner, Owner], name: str
) -> None:
    owner, neighbour, _ = owners
    key = await gateway.key(owner.scope.tenant_id, "read", "write", "forget", user_id=neighbour.scope.user_id)
    async with gateway.client(key) as api, stores.unchanged(owner.scope):
        answer = await ask(api, OPERATIONS[name], owner, user_id=owner.scope.user_id)
        checked_problem(answer, 403, "MEM-022")
        tells_nothing_of(owner, answer.text)


OTHER_AGENTS: Final[Mapping[str, int]] = {
    "GET /v1/users": 403,
    "DELETE /v1/users/{user_id}": 403,
    "POST /v1/users/{user_id}/retention": 403,
    "GET /v1/users/{user_id}/pins": 403,
    "PUT /v1/users/{user_id}/pins/{tier}/{item_id}": 403,
    "DELETE /v1/users/{user_id}/pins/{tier}/{item_id}": 403,
    "PUT /v1/users/{user_id}/settings": 403,
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
"""What is of the whole memory is refused to a key that is bound to an agent, and a category is of all agents, with what
they share in it; ids are a user's, and so is that one is taken. Of anything else there is nothing."""
OF_ALL_AGENTS: Final = frozenset({"GET /v1/categories", "GET /v1/memory/stats", "GET /v1/events"})
"""What an agent creates for all of them is read there."""


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


@pytest.mark.parametrize("name", CASES)
async def test_an_agents_key_gets_nothing_of_what_was_said_to_another_from_any_route(
    gateway: RealGateway, stores: Stores, agents: tuple[Owner, Owner], name: str
) -> None:
    owner, other = agents
    operation = OPERATIONS[name]
    refused = OTHER_AGENTS.get(name, 404 if CASES[name].answers == "missing" else 200) >= 400
    # what an agent adds or asks for is in the memory of both
    same = refused or operation.method == "GET"
    watched = stores.unchanged(owner.scope) if same else reads_the_same(gateway, owner)
    named = {"key": "morning"} if name == "POST /v1/preferences" else None  # two agents may set one of a name
    async with gateway.client(other.key) as api, watched:
        for cursor in (False, True):
            answer = await ask(api, operation, owner, user_id=owner.scope.user_id, cursor=cursor, more=named)
            tells_nothing_of(owner, answer.text)
            if name in OTHER_AGENTS:
                assert answer.status_code == OTHER_AGENTS[name], answer.text
            elif CASES[name].answers == "missing":
                checked_problem(answer, 404, missing_code(operation))
            else:
                assert answer.is_success, answer.text


@asynccontextmanager
async def reads_the_same(gateway: RealGateway, owner: Owner) -> AsyncIterator[None]:
    before = await everything_but_lag(gateway, owner)
    yield
    assert await everything_but_lag(gateway, owner) == before


async def everything_but_lag(gateway: RealGateway, owner: Owner) -> Json:
    """All that the owner can read but how much the workers have to do, which counts what others ask for, and what of
    the catalog others may add to."""
    seen = await everything(gateway, owner)
    assert isinstance(seen, dict)
    return {
        name: value for name, value in seen.items() if name not in {"GET /v1/lag", "GET /v1/pending"} | OF_ALL_AGENTS
    }


def needed_scope(operation: Operation) -> str:
    """What a key must have for it."""
    if operation.method == "GET" or operation.name in ASKING or operation.name in OFFERING:
        return "read"
    return "forget" if operation.method == "DELETE" or operation.path == "/v1/forget" else "write"


@pytest.mark.parametrize("name", CASES)
async def test_a_key_without_the_scope_is_refused_whatever_else_it_has(
    gateway: RealGateway, owners: tuple[Owner, Owner, Owner], name: str
) -> None:
    owner, operation = owners[0], OPERATIONS[name]
    needed = needed_scope(operation)
    key = await gateway.key(owner.scope.tenant_id, *(SCOPES - {needed}))
    async with gateway.client(key) as api:
        problem = checked_problem(await ask(api, operation, owner, user_id=owner.scope.user_id), 403, "MEM-022")
    assert needed in problem.detail


@pytest.mark.parametrize("name", CASES)
async def test_revoked_expired_and_altered_keys_open_nothing(
    gateway: RealGateway, owners: tuple[Owner, Owner, Owner], bad_keys: Sequence[str], name: str
) -> None:
    owner = owners[0]
    for key in bad_keys:
        async with gateway.client(key) as api:
            answer = await ask(api, OPERATIONS[name], owner, user_id=owner.scope.user_id)
        checked_problem(answer, 401, "MEM-021")
        tells_nothing_of(owner, answer.text)


@pytest.fixture(scope="module")
async def bad_keys(gateway: RealGateway, owners: tuple[Owner, Owner, Owner]) -> list[str]:
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
    return [revoked, expired, altered, swapped]


MAX_EVENT: Final = 2**62
Call: TypeAlias = Callable[[Scope, Owner], Awaitable[object]]


def said(owner: Owner) -> InteractionEntry:
    """Another message under an id of the owner's."""
    moment = system_clock()
    return InteractionEntry(
        interaction=Interaction(
            id=only(owner), session_id=owner.things["session_id"], content="mine", occurred_at=moment
        )
    )


def observed(owner: Owner) -> Observation:
    """An observation that names the owner's message and event."""
    moment = system_clock()
    someone = EntityEntry(id="e", name="Nobody", label="PERSON", occurred_at=moment, sources=(only(owner),))
    return Observation(
        event_id=str(Receipt.parse(owner.things["receipt"]).first_event),
        interaction_id=only(owner),
        occurred_at=moment,
        entities=(someone,),
    )


def preferred(owner: Owner) -> PreferenceEntry:
    """A preference of the owner's name, that says it rests on the owner's message."""
    moment = system_clock()
    return PreferenceEntry(
        id="p", category="drinks", key="evening", value="water", occurred_at=moment, sources=(only(owner),)
    )


def ruled(owner: Owner) -> RuleEntry:
    """A rule under an id of the owner's."""
    return RuleEntry(id=owner.things["rules"], text="mine", occurred_at=system_clock())


def found(owner: Owner) -> FindingEntry:
    """A finding under an id of the owner's."""
    return FindingEntry(id=owner.things["findings"], finding="plan", text="mine", occurred_at=system_clock())


def reported(owner: Owner) -> Reflection:
    """A report under an id of the owner's."""
    moment = system_clock()
    return Reflection(
        id=owner.things["reflection_id"], kind="daily", date=moment.date(), status="completed", created_at=moment
    )


def kept(owner: Owner) -> ResourceEntry:
    """A resource under an id of the owner's."""
    return ResourceEntry(
        id=owner.things["resource_id"], resource_type="document", content="mine", occurred_at=system_clock()
    )


def taken(owner: Owner) -> ItemEntry:
    """An item under an id of the owner's, of the owner's resource and category, on the owner's message."""
    return ItemEntry(
        id=owner.things["items"],
        content="mine",
        source_resource_id=owner.things["resource_id"],
        sources=(only(owner),),
        category=owner.things["category"],
        occurred_at=system_clock(),
    )


def related(owner: Owner) -> RelationshipEntry:
    """A relationship under the id of one of the owner's."""
    moment = system_clock()
    return RelationshipEntry(
        id=owner.things["relationship_id"],
        source="Nobody",
        type="KNOWS",
        target="Noone",
        target_label="PERSON",
        occurred_at=moment,
        sources=(only(owner),),
    )


def stated() -> StatedRelationship:
    """Of nobody that an owner knows."""
    entry = RelationshipEntry(
        id=uuid4().hex,
        source="me",
        type="LIVES_IN",
        target="Atlantis",
        target_label="GPE",
        occurred_at=datetime(2024, 5, 1, tzinfo=UTC),
    )
    return StatedRelationship(entry=entry)


def calls_of(gateway: RealGateway) -> dict[str, Call]:
    """Every verb of every tier, called with whatever the owner has."""
    tiers = gateway.parts
    short_term, episodic, semantic, procedural = tiers.short_term, tiers.episodic, tiers.semantic, tiers.procedural
    catalog = tiers.catalog

    def query(scope: Scope, owner: Owner) -> MemoryQuery:
        inside = scope.in_session(owner.things["session_id"])
        return MemoryQuery(scope=inside, text=" ".join(owner.words), entities=owner.words, limit=1_000)

    def inside(scope: Scope, owner: Owner) -> Scope:
        return scope.in_session(owner.things["session_id"])

    def ids(owner: Owner) -> list[str]:
        return [only(owner), COMMON, RULE, *owner.things.values()]

    def events(owner: Owner) -> tuple[int, int]:
        receipt = Receipt.parse(owner.things["receipt"])
        return receipt.first_event, receipt.last_event

    async def changed(consolidating: Awaitable[Consolidated]) -> int:
        done = await consolidating
        return done.updated + done.archived + len(done.merged)

    async def counted(counting: Awaitable[MemoryStats]) -> int:
        stats = await counting
        return stats.total_resources + stats.total_items + stats.total_categories + stats.storage_bytes

    async def known(knowing: Awaitable[KnownAs]) -> tuple[str, ...]:
        found = await knowing
        return (*found.names, *found.sources)

    def thing(owner: Owner, kind: str) -> str:
        return owner.things[kind]

    def common(name: str, tier: MemoryTier) -> dict[str, Call]:
        return {
            f"{name}.epoch": lambda s, _: tier.epoch(s),
            f"{name}.holdings": lambda s, o: tier.holdings(s, ids(o)),
            f"{name}.erase": lambda s, _: tier.erase(s, MAX_EVENT),
            f"{name}.retrieve": lambda s, o: tier.retrieve(query(s, o)),
            f"{name}.forget": lambda s, o: tier.forget(s, ids(o)),
        }

    every = [common(name, tier) for name, tier in tiers.by_name().items()]
    return {
        **dict(chain.from_iterable(calls.items() for calls in every)),
        "short_term.store": lambda s, o: short_term.store(s, [said(o)]),
        "short_term.forget": lambda s, o: short_term.forget(inside(s, o), ids(o)),
        "short_term.read": lambda s, o: short_term.read(inside(s, o), 100_000),
        "short_term.list_sessions": lambda s, o: short_term.list_sessions(s, thing(o, "sessions.cursor")),
        "short_term.delete_session": lambda s, o: short_term.delete_session(inside(s, o)),
        "short_term.compact": lambda s, o: short_term.compact(inside(s, o)),
        "short_term.draft_summary": lambda s, o: short_term.draft_summary(inside(s, o)),
        "short_term.write_summary": lambda s, o: short_term.write_summary(inside(s, o), "", "mine", [said(o)]),
        "short_term.torn_summary": lambda s, o: short_term.torn_summary(inside(s, o)),
        "short_term.mend_summary": lambda s, o: short_term.mend_summary(inside(s, o), [said(o)]),
        "short_term.rebuild": lambda s, o: short_term.rebuild(inside(s, o), [said(o)]),
        "episodic.store": lambda s, o: episodic.store(s, [said(o)]),
        "episodic.recorded_before": lambda s, _: episodic.recorded_before(s, MAX_EVENT, 1_000),
        "episodic.recorded": lambda s, _: episodic.recorded(s),
        "episodic.get": lambda s, o: episodic.get(s, ids(o)),
        "episodic.list_interactions": lambda s, o: episodic.list_interactions(
            s, None, thing(o, "interactions.cursor"), newest_first=True
        ),
        "episodic.session_tail": lambda s, o: episodic.session_tail(inside(s, o)),
        "episodic.note_repetitions": lambda s, o: episodic.note_repetitions(
            s, [Repetition(id=only(o), start=0, end=4, of=(COMMON,))]
        ),
        "episodic.repetitions": lambda s, o: episodic.repetitions(s, ids(o)),
        "episodic.repeated_by": lambda s, o: episodic.repeated_by(s, ids(o)),
        "episodic.naming": lambda s, o: episodic.naming(s, o.words),
        "episodic.containing": lambda s, o: episodic.containing(s, o.words[0]),
        "episodic.compress": lambda s, _: episodic.compress(s, datetime.now(UTC)),
        "episodic.index_sentences": lambda s, _: episodic.index_sentences(s),
        "episodic.pending": lambda s, o: episodic.pending(s, *events(o)),
        "semantic.store": lambda s, o: semantic.store(s, [related(o)]),
        "semantic.observe": lambda s, o: semantic.observe(s, [observed(o)]),
        "semantic.known_as": lambda s, o: known(semantic.known_as(s, thing(o, "entity_id"))),
        "semantic.named": lambda s, o: semantic.named(s, o.words),
        "semantic.list_entities": lambda s, o: semantic.list_entities(s, None, thing(o, "entities.cursor")),
        "semantic.get_entity": lambda s, o: semantic.get_entity(s, thing(o, "entity_id")),
        "semantic.list_relationships": lambda s, o: semantic.list_relationships(s, thing(o, "entity_id")),
        "semantic.get_relationship": lambda s, o: semantic.get_relationship(s, thing(o, "relationship_id")),
        "semantic.review_relationships": lambda s, _: semantic.review_relationships(s, 1.0),
        "semantic.judge_relationship": lambda s, o: semantic.judge_relationship(
            s, thing(o, "relationship_id"), "rejected"
        ),
        "episodic.users": lambda s, _: episodic.users(s),
        "procedural.users": lambda s, _: procedural.users(s),
        "catalog.users": lambda s, _: catalog.users(s),
        "semantic.state_relationship": lambda s, _: semantic.state_relationship(s, stated()),
        "semantic.stated_relationships": lambda s, _: semantic.stated_relationships(s),
        "semantic.relabelled": lambda s, _: semantic.relabelled(s),
        "semantic.relabel_entity": lambda s, o: semantic.relabel_entity(s, thing(o, "entities"), "mine"),
        "semantic.restore_relationship": lambda s, o: semantic.restore_relationship(s, thing(o, "relationship_id")),
        "semantic.consolidate": lambda s, _: changed(semantic.consolidate(s, system_clock(), 1.0)),
        "semantic.merge_entities": lambda s, o: semantic.merge_entities(s, thing(o, "entity_id"), thing(o, "entities")),
        "semantic.split_entity": lambda s, o: semantic.split_entity(s, thing(o, "entity_id"), thing(o, "entities")),
        "semantic.forget_sources": lambda s, o: semantic.forget_sources(s, ids(o)),
        "procedural.store": lambda s, o: procedural.store(s, [preferred(o), ruled(o), found(o)]),
        "procedural.expire": lambda s, o: procedural.expire(s, ids(o)),
        "procedural.set_preference": lambda s, o: procedural.set_preference(s, preferred(o)),
        "procedural.list_preferences": lambda s, o: procedural.list_preferences(
            s, None, thing(o, "preferences.cursor")
        ),
        "procedural.get_preference": lambda s, o: procedural.get_preference(s, thing(o, "preferences")),
        "procedural.preference_versions": lambda s, o: procedural.preference_versions(s, thing(o, "preferences")),
        "procedural.restore_preference": lambda s, o: procedural.restore_preference(s, thing(o, "preferences"), 1),
        "procedural.review_preferences": lambda s, _: procedural.review_preferences(s, 1.0),
        "procedural.judge_preference": lambda s, o: procedural.judge_preference(s, thing(o, "preferences"), "rejected"),
        "procedural.merge_preferences": lambda s, o: procedural.merge_preferences(s, thing(o, "preferences"), only(o)),
        "procedural.list_findings": lambda s, o: procedural.list_findings(s, None, None, thing(o, "findings.cursor")),
        "procedural.save_reflection": lambda s, o: procedural.save_reflection(s, reported(o)),
        "procedural.list_reflections": lambda s, o: procedural.list_reflections(
            s, None, thing(o, "reflections.cursor")
        ),
        "procedural.get_reflection": lambda s, o: procedural.get_reflection(s, thing(o, "reflection_id")),
        "procedural.create_rule": lambda s, o: procedural.create_rule(s, ruled(o)),
        "procedural.update_rule": lambda s, o: procedural.update_rule(s, thing(o, "rules"), text="mine"),
        "procedural.list_rules": lambda s, o: procedural.list_rules(s, None, thing(o, "rules.cursor")),
        "procedural.get_rule": lambda s, o: procedural.get_rule(s, thing(o, "rules")),
        "procedural.rule_versions": lambda s, o: procedural.rule_versions(s, thing(o, "rules")),
        "procedural.restore_rule": lambda s, o: procedural.restore_rule(s, thing(o, "rules"), 1),
        "procedural.review_rules": lambda s, _: procedural.review_rules(s),
        "procedural.judge_rule": lambda s, o: procedural.judge_rule(s, thing(o, "proposed"), "rejected"),
        "procedural.record_activation": lambda s, o: procedural.record_activation(s, thing(o, "rules"), "a"),
        "procedural.record_outcome": lambda s, o: procedural.record_outcome(s, thing(o, "rules"), success=False),
        "procedural.forget_sources": lambda s, o: procedural.forget_sources(s, ids(o)),
        "procedural.inherit": lambda s, o: procedural.inherit(s.seen_by(only(o)), None),
        "procedural.relearned": lambda s, _: procedural.relearned(s),
        "catalog.store": lambda s, o: catalog.store(s, [kept(o)]),
        "catalog.get_resource": lambda s, o: catalog.get_resource(s, thing(o, "resource_id")),
        "catalog.list_resources": lambda s, o: catalog.list_resources(s, cursor=thing(o, "resources.cursor")),
        "catalog.index_passages": lambda s, _: catalog.index_passages(s),
        "catalog.search_resources": lambda s, o: catalog.search_resources(s, " ".join(o.words)),
        "catalog.delete_resource": lambda s, o: catalog.delete_resource(s, thing(o, "resource_id")),
        "catalog.put_extracted": lambda s, o: catalog.put_extracted(s, thing(o, "resource_id"), [taken(o)]),
        "catalog.get_item": lambda s, o: catalog.get_item(s, thing(o, "items"), vector=True),
        "catalog.list_items": lambda s, o: catalog.list_items(s, None, thing(o, "resource_id"), vectors=True),
        "catalog.search_items": lambda s, o: catalog.search_items(s, ItemQuery(text=" ".join(o.words), k=100)),
        "catalog.items_named": lambda s, o: catalog.items_named(s, thing(o, "items")),
        "catalog.find_entries": lambda s, o: catalog.find_entries(s, EntryQuery(ids=tuple(ids(o)), contents=True)),
        "catalog.content_version": lambda s, _: catalog.content_version(s),
        "catalog.withdraw_item": lambda s, o: catalog.withdraw_item(s, thing(o, "items"), only(o)),
        "catalog.create_category": lambda s, o: catalog.create_category(s, thing(o, "category"), "What is mine alone"),
        "catalog.get_category": lambda s, o: catalog.get_category(s, thing(o, "category")),
        "catalog.list_categories": lambda s, o: catalog.list_categories(s, thing(o, "categories.cursor")),
        "catalog.edit_category": lambda s, o: catalog.edit_category(s, thing(o, "category"), "mine"),
        "catalog.put_in_category": lambda s, o: catalog.put_in_category(s, thing(o, "category"), ids(o)),
        "catalog.delete_category": lambda s, o: catalog.delete_category(s, thing(o, "category")),
        "catalog.consolidate": lambda s, o: catalog.consolidate(s, thing(o, "category"), force=True),
        "catalog.due_categories": lambda s, _: catalog.due_categories(s),
        "catalog.begin_episode": lambda s, _: catalog.begin_episode(s, "mine"),
        "catalog.get_episode": lambda s, o: catalog.get_episode(s, thing(o, "episode_id")),
        "catalog.record_access": lambda s, o: catalog.record_access(
            s, thing(o, "episode_id"), Used(memory_id=thing(o, "items"))
        ),
        "catalog.end_episode": lambda s, o: catalog.end_episode(s, thing(o, "episode_id"), EpisodeEnd(final_reward=1)),
        "catalog.valued_items": lambda s, _: catalog.valued_items(s, Valued(goal="mine", limit=200)),
        "catalog.kept_entries": lambda s, _: catalog.kept_entries(s),
        "catalog.expire_entries": lambda s, o: catalog.expire_entries(s, ids(o)),
        "catalog.entry_statistics": lambda s, _: totalled(catalog.entry_statistics(s)),
        "catalog.agent_usage": lambda s, _: used(catalog.agent_usage(s, CI)),
        "catalog.put_budget": lambda s, _: catalog.put_budget(s, CI, 5),
        "catalog.put_source": lambda s, _: catalog.put_source(s, CI, "file"),
        "catalog.note_comparison": lambda s, o: catalog.note_comparison(
            s, CI, Difference(file={thing(o, "items"): 5}, catalog={})
        ),
        "catalog.comparison": lambda s, _: compared(catalog.comparison(s, CI)),
        "catalog.shown_lately": lambda s, _: shown(catalog.shown_lately(s, CI)),
        "catalog.compared_uses": lambda s, _: catalog.compared_uses(s, CI),
        "catalog.begin_turn": lambda s, o: catalog.begin_turn(s, CI, TokenBudget.of(5, 0), [thing(o, "items")]),
        "catalog.take_tokens": lambda s, o: catalog.take_tokens(s, CI, 1, 5, {thing(o, "items"): 5}),
        "catalog.judge_uses": lambda s, o: catalog.judge_uses(s, CI, {thing(o, "items"): 1.0}),
        "catalog.put_feedback": lambda s, o: catalog.put_feedback(s, CI, thing(o, "items"), -1.0, "mine"),
        "catalog.memory_uses": lambda s, _: catalog.memory_uses(s, CI),
        "catalog.stats": lambda s, _: counted(catalog.stats(s)),
        "catalog.forget_sources": lambda s, o: catalog.forget_sources(s, ids(o)),
        "catalog.rebuild": lambda s, o: catalog.rebuild(s, thing(o, "resource_id")),
        "catalog.expire": lambda s, o: catalog.expire(s, ids(o)),
        "catalog.compress": lambda s, _: catalog.compress(s, datetime.now(UTC)),
        "procedural.unlearn": lambda s, _: procedural.unlearn(s, datetime(2000, 1, 1, tzinfo=UTC), "UTC"),
    }


async def totalled(asked: Awaitable[EntryStatistics]) -> int:
    statistics = await asked
    return statistics.total_memories + statistics.total_tokens


async def used(asked: Awaitable[AgentUsage]) -> AgentUsage | None:
    """What an agent was given; None for nothing."""
    usage = await asked
    return None if usage == AgentUsage() else usage


async def shown(asked: Awaitable[ShownLately]) -> ShownLately | None:
    """What an agent was shown; None for nothing."""
    lately = await asked
    return None if lately == ShownLately() else lately


async def compared(asked: Awaitable[SourceComparison]) -> SourceComparison | None:
    """What was compared; None for nothing."""
    comparison = await asked
    return None if comparison == SourceComparison() else comparison


WRITING: Final = frozenset(
    {
        *("epoch", "store", "rebuild", "observe", "set_preference", "create_rule", "save_reflection"),
        "state_relationship",
        "content_version",
        "begin_episode",
        "begin_turn",
        "put_budget",
        "put_source",
        "create_category",
    }
)
"""Verbs that give the stranger something of the stranger's own."""
UNSCOPED: Final = frozenset({"health_check", "state", "is_blank", "mark", "prune_forgotten"})
"""Verbs about a store as a whole; they take no scope and tell nothing of anybody's."""
OF_THE_SCRATCH_TENANT: Final = frozenset({"sweep"})
"""Verbs that refuse everybody but a tenant that is nobody's: tests/e2e/test_health_report.py."""
OF_A_TENANT: Final = frozenset({"users"})
"""Verbs that tell whoever is of the tenant who is known there, and nothing of them."""
VERBS: Final = [
    f"{tier}.{verb}"
    for tier, protocol in PROTOCOLS.items()
    for verb in verbs_of(protocol)
    if verb not in UNSCOPED | OF_THE_SCRATCH_TENANT
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("stranger", ["of another tenant", "of the same tenant"])
async def test_a_stranger_gets_nothing_of_anothers_from_any_tier(
    gateway: RealGateway, stores: Stores, owners: tuple[Owner, Owner, Owner], stranger: str, verb: str
) -> None:
    owner = owners[0]
    own = owner.scope.model_copy(
        update={"tenant_id": new_scope().tenant_id} if stranger == "of another tenant" else {"user_id": uuid4().hex}
    )
    async with stores.unchanged(owner.scope):
        try:
            result = await calls_of(gateway)[verb](own, owner)
        except NotFound as missing:
            result = None
            tells_nothing_of(owner, missing.message)
    tells_nothing_of(owner, repr(result))
    if verb.partition(".")[2] in OF_A_TENANT and stranger == "of the same tenant":
        assert owner.scope.user_id in {one.user_id for one in cast("list[KnownUser]", result)}
    elif verb.partition(".")[2] not in WRITING:
        shown = result if isinstance(result, dict) else getattr(result, "items", result)
        assert not getattr(shown, "messages", shown), result
