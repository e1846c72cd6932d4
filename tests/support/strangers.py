"""How a stranger tries each route of the public API with all that an owner has, and what may be answered."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from uuid import uuid4

import httpx

from ragpp.api.files import SourceReport
from ragpp.api.hooks import AgentUse
from ragpp.catalog import MemoryStats
from ragpp.entries.usage import EntryStatistics, SourceComparison, TokenBudget
from tests.support.belongings import CI, COMMON, Owner
from tests.support.hostile import Json
from tests.support.operations import Operation

Answers: TypeAlias = Literal["missing", "own"]
"""The answer to a stranger who asks for another's: a 404, or an answer about the stranger's own memory."""
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
    "POST /v1/redact": Case("own", lambda owner: {"text": owner.words[0], "dry_run": False}),
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
    "PATCH /v1/findings/{item_id}": Case("missing", lambda _: {"text": "mine"}),
    "POST /v1/findings/{item_id}/confirm": Case("missing", lambda _: {}),
    "POST /v1/findings/{item_id}/reject": Case("missing", lambda _: {}),
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
    """The error code of what is not there; of a new item, that of its missing resource."""
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
"""The answers of routes about a memory in which there is nothing."""
OFFERING: Final = ("POST /v1/hooks/pre-prompt", "POST /v1/hooks/memory-request", "POST /v1/hooks/pre-message")
"""Routes that ask, and begin or go on with an agent's turn."""
ASKING: Final = ("POST /v1/recall", "POST /v1/retrieve", "POST /v1/items/search")
OPEN_TO_ALL: Final = {"GET /health/live", "GET /health/ready"}
OF_NOBODY: Final = {
    *("GET /v1/health/report", "POST /v1/health/report"),
    *("POST /v1/keys", "GET /v1/keys", "DELETE /v1/keys/{key_id}", "GET /v1/audit"),
    *(
        f"{method} /v1{whose}/personal-data"
        for method in ("GET", "PUT", "DELETE")
        for whose in ("", "/users/{user_id}")
    ),
}
"""An administrator's, and about nobody's memory: tests/e2e/test_health_report.py, tests/e2e/test_keys.py,
tests/e2e/test_audit_read.py, tests/e2e/test_personal_data.py."""


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
