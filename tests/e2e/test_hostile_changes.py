"""A bad body is refused by every other route with a code and what to do, and changes nothing."""

from typing import Final, cast

import pytest

from tests.support.belongings import OF_USER
from tests.support.each import each
from tests.support.hostile import Json, as_json
from tests.support.operations import OPERATIONS, checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.refusing import INVALID, JSON, USER, nothing_is_stored

pytestmark = pytest.mark.server


BAD_NAMES: Final = ("", "Prices", "prices-2", "_prices", "prices_", "a__b", "x" * 65, "é", "prices\n")
"""Names that no category may have."""


POLICIES: Final[list[dict[str, Json]]] = [
    {},
    {"mode": "drop"},
    {"mode": None},
    {"mode": "mask", "kinds": []},
    {"mode": "mask", "kinds": ["name"]},
    {"mode": "keep", "keeps_passwords": "perhaps"},
    {"mode": "keep", "until": "tomorrow"},
]
REFUSED_ELSEWHERE: Final[dict[str, list[dict[str, Json]]]] = {
    "POST /v1/preferences": [
        {"category": "c", "key": "k", "value": ""},
        {"category": "c", "key": "k", "value": "x" * 4_001},
        {"category": "c", "key": "k", "value": ["x" * 4_000]},
        {"category": "c", "key": "k", "value": {"a\x00": 1}},
        {"category": "c", "key": "k", "value": [float("inf")]},
        {"category": "", "key": "k", "value": "v"},
        {"category": "\u200b", "key": "k", "value": "v"},
        {"category": "c", "key": " ", "value": "v"},
        {"category": "c", "key": "k\x00", "value": "v"},
        {"category": "c", "key": "k", "value": "v", "confidence": 1.1},
        {"category": "c", "key": "k", "value": "v", "confidence": float("nan")},
        {"category": "c", "key": "k", "value": "v", "version": 1},
    ],
    "POST /v1/rules": [
        {"text": ""},
        {"text": "\u200b"},
        {"id": "a\x1fb", "text": "t"},
        {"text": "x" * 4_001},
        {"text": "a\x00"},
        {"text": "t", "triggers": [""]},
        {"text": "t", "triggers": ["lamp", " "]},
        {"text": "t", "triggers": ["\u200b"]},
        {"text": "t", "priority": True},
        {"text": "t", "triggers": ["x"] * 51},
        {"text": "t", "priority": 11},
        {"text": "t", "priority": -1},
        {"text": "t", "active": "perhaps"},
        {"text": "t", "id": "\x00"},
    ],
    "PATCH /v1/rules/{item_id}": [
        {"text": " "},
        {"text": ""},
        {"priority": 10**30},
        {"triggers": "all"},
        {"id": "other"},
        {"aside": ""},
        {"triggers": ["\u200b"]},
    ],
    "POST /v1/rules/{item_id}/restore": [
        {},
        {"version": 0},
        {"version": 2**31},
        {"version": "last"},
        {"version": True},
    ],
    "POST /v1/rules/{item_id}/confirm": [{"user_id": ""}, {"user_id": 1}, {"verdict": "maybe"}, {"active": True}],
    "POST /v1/rules/{item_id}/reject": [{"user_id": "\x00"}, {"value": "x"}],
    "PATCH /v1/findings/{item_id}": [{}, {"text": ""}, {"text": 1}, {"text": "x" * 4_001}, {"text": "\u200b"}],
    "POST /v1/findings/{item_id}/confirm": [{"user_id": ""}, {"verdict": "maybe"}],
    "POST /v1/findings/{item_id}/reject": [{"user_id": "\x00"}, {"text": "x"}],
    "POST /v1/rules/{item_id}/activations": [{"id": ""}, {"id": "a\x00"}, {"id": 1}, {"success": True}],
    "POST /v1/rules/{item_id}/outcomes": [{}, {"success": "perhaps"}, {"success": None}],
    "POST /v1/preferences/{item_id}/restore": [{}, {"version": -1}, {"version": 1.5}],
    "POST /v1/preferences/{item_id}/confirm": [
        {"value": ""},
        {"value": "a\x00"},
        {"value": ["a\x00"]},
        {"verdict": "maybe"},
    ],
    "POST /v1/preferences/{item_id}/reject": [{"value": ""}, {"value": "x" * 4_001}, {"value": ["x" * 4_000]}],
    "PATCH /v1/entities/{entity_id}": [
        {},
        {"name": ""},
        {"name": " "},
        {"name": "\u200b"},
        {"name": "a\x00"},
        {"label": "THING"},
    ],
    "POST /v1/relationships": [
        {"source": "a", "type": "KNOWS", "target": ""},
        {"source": "a", "type": "knows", "target": "b"},
        {"source": "a", "type": "KNOWS", "target": "\u200b"},
        {"source": "a", "type": "KNOWS", "target": "b", "valid_from": "0001-01-01T00:00:00Z"},
        {"source": "a", "type": "KNOWS", "target": "b", "valid_to": "1.714e9"},
        {"source": "a", "type": "KNOWS", "target": "A"},
        {"source": "a\x00", "type": "KNOWS", "target": "b"},
        {"source": "a", "type": "KNOWS", "target": "b", "target_label": "THING"},
        {"source": "a", "type": "KNOWS", "target": "b", "valid_from": "2024-05-02T00:00:00Z", "valid_to": "2024-05-01"},
        {"source": "a", "type": "KNOWS", "target": "b", "confidence": 1},
    ],
    "POST /v1/relationships/{relationship_id}/confirm": [{"user_id": ""}, {"user_id": 1}, {"verdict": "maybe"}],
    "POST /v1/relationships/{relationship_id}/reject": [{"user_id": "\x00"}, {"value": "x"}],
    "POST /v1/relationships/{relationship_id}/restore": [{"user_id": None}, {"version": 1}],
    "POST /v1/forget": [
        {},
        {"about": {}},
        {"about": {"words": ""}},
        {"about": {"entity": "Elena", "words": "Porto"}},
        {"about": {"words": "a\x00"}},
        {"about": {"words": "Porto"}, "confirm": {}},
        {"about": {"words": "Porto"}, "limit": 0},
        {"about": {"words": "Porto"}, "everything": True},
    ],
    "POST /v1/redact": [
        {},
        {"text": "blue heron", "pattern": "blue"},
        {"text": ""},
        {"text": "a\x00b"},
        {"text": "x" * 1_001},
        {"pattern": "(a)\\1"},
        {"pattern": "(?=a)a"},
        {"pattern": "a*"},
        {"text": "blue heron", "kind": "Not A Kind"},
        {"text": "blue heron", "cursor": "none of ours"},
        {"text": "blue heron", "limit": 0},
    ],
    "POST /v1/users/{user_id}/extract": [
        {"start": "yesterday"},
        {"start": "2026-03-08T00:00:00Z", "end": "2026-03-08T00:00:00Z"},
        {"id": ""},
        {"window": 1},
    ],
    "POST /v1/users/{user_id}/reflect": [
        {"kind": "weekly"},
        {"date": "2026-02-30"},
        {"date": "0001-01-01"},
        {"date": "9999-12-31"},
        {"kind": "incremental", "date": "2026-03-08"},
        {"id": "\x00"},
    ],
    "POST /v1/users/{user_id}/retention": [{"dry_run": "perhaps"}, {"dry_run": None}, {"plan": "trial"}],
    "PUT /v1/users/{user_id}/settings": [
        {"time_zone": "Mars/Olympus_Mons"},
        {"time_zone": "../../etc/passwd"},
        {"time_zone": "/usr/share/zoneinfo/UTC"},
        {"time_zone": "UTC\x00"},
        {"time_zone": ""},
        {"reflect_at": 24},
        {"reflect_at": -1},
        {"plan": ""},
        {"plan": "\x00"},
        {"plan": None},
    ],
    "PUT /v1/personal-data": POLICIES,
    "PUT /v1/users/{user_id}/personal-data": POLICIES,
    "POST /v1/entities/{entity_id}/merge": [{}, {"absorb_id": ""}, {"absorb_id": "x"}, {"absorb_id": ["a"]}],
    "POST /v1/entities/{entity_id}/split": [{}, {"absorbed_id": "\x00"}],
    "POST /v1/resources/{resource_id}/extract": [{"user_id": ""}, {"category_hint": "No Name"}, {"force": True}],
    "POST /api/memory/cleanup": [{"dry_run": "perhaps"}, {"user_id": "\x00"}, {"everything": True}],
    "POST /v1/hooks/pre-prompt": [
        {"prompt": "x"},
        {"ci": "", "prompt": "x"},
        {"ci": "a\x00", "prompt": "x"},
        {"ci": "a", "prompt": "x" * 100_001},
        {"ci": "a", "prompt": "a\x00"},
        {"ci": "a", "prompt": "x", "context": []},
    ],
    "POST /v1/hooks/memory-request": [
        {"ci": "a"},
        {"ci": "a", "memory_ids": [""]},
        {"ci": "a", "memory_ids": ["x"] * 101},
        {"ci": "a", "memory_ids": ["\x00"]},
    ],
    "POST /v1/hooks/post-response": [
        {"ci": "a"},
        {"ci": "a", "response": "x" * 100_001},
        {"ci": "a", "response": "x", "memories_used": "m1"},
    ],
    "POST /v1/hooks/pre-message": [{"ci": "a"}, {"message": "x"}, {"ci": "a", "message": 5}],
    "POST /v1/hooks/post-message": [
        {"ci": "a", "message": "\u200b", "response": "x"},
        {"ci": "a\x1fb", "message": "x", "response": "x"},
        {"ci": "a", "message": "x"},
        {"ci": "a", "message": "", "response": "x"},
        {"ci": "a", "message": "x", "response": "a\x00"},
    ],
    "PUT /v1/agents/{ci}/budget": [{}, {"limit": -1}, {"limit": 200_001}, {"limit": "many"}],
    "PUT /v1/agents/{ci}/source": [{}, {"source": "memory"}, {"source": None}, {"source": "file", "user_id": "\x00"}],
    "POST /api/memory/import": [
        {"memories": [{"content": "x"}, {"content": "\u200b"}]},
        {},
        {"memories": []},
        {"memories": [{"content": "x"}] * 101},
        {"memories": [{"content": "x"}, {"content": "a\x00"}]},
        {"memories": [{"content": "x", "user_id": "somebody-else"}]},
        {"memories": [{"content": "x", "priority": 11}]},
        {"memories": {"content": "x"}},
        {"memories": [{"content": "x"}], "dry_run": "perhaps"},
    ],
    "POST /v1/catalog/{memory_id}/feedback": [
        {"ci": "a"},
        {"ci": "a", "value": 1.5},
        {"ci": "a", "value": "NaN"},
        {"ci": "a", "value": 1, "reason": "x" * 1_001},
    ],
    "POST /api/memory/catalog": [
        {"content": " \u200b"},
        {"content": "x", "timestamp": "0001-01-01T00:00:00Z"},
        {"content": "x", "memory_id": "a\x85b"},
        {},
        {"content": ""},
        {"content": "x" * 16_001},
        {"content": "a\x00"},
        {"content": "x", "type": "magic"},
        {"content": "x", "priority": 11},
        {"content": "x", "tags": ["t"] * 33},
        {"content": "x", "expires": "soon"},
        {"content": "x", "expires": "2020-01-01T00:00:00Z"},
        {"content": "x", "metadata": {"entry": {"priority": 9}}},
        {"content": "x", "size": -1},
        {"content": "x", "visibility": "agent"},
        {"content": "x", "memory_id": ""},
    ],
    "POST /v1/items/search": [
        {},
        {"embedding": []},
        {"embedding": [1.0, 0.0]},
        {"embedding": [0.0] * 384},
        {"embedding": ["x"] * 384},
        {"embedding": [1.0] * 384, "k": 101},
    ],
    "POST /v1/retrieve": [
        {},
        {"query": ""},
        {"query": " \n"},
        {"query": "x" * 10_001},
        {"query": "a\x00"},
        {"query": "x", "mode": "magic"},
        {"query": "x", "k": 0},
        {"query": "x", "k": 101},
        {"query": "x", "category_filter": "No Name"},
        {"query": "x", "similarity_threshold": 1.5},
        {"query": "x", "as_of": "yesterday"},
    ],
    "POST /v1/categories": [
        {"name": "prices"},
        {"name": "prices", "description": "too short"},
        {"name": "prices", "description": "x" * 501},
        {"name": "prices", "description": "What it costs\x00"},
        {"name": "prices", "description": "What it costs", "visibility": "agent"},
        *[cast("dict[str, Json]", {"name": name, "description": "What it costs"}) for name in BAD_NAMES],
    ],
    "POST /v1/keys": [
        {"scopes": []},
        {"scopes": ["root"]},
        {"scopes": "read"},
        {"agent_id": "a\x00"},
        {"days": 0},
        {"days": 36_501},
        {"visibility": "global"},
        {"tenant_id": "another"},
    ],
    "POST /v1/categories/defaults": [{"user_id": ""}, {"names": ["prices"]}],
    "PUT /v1/categories/{category}": [{}, {"content": ""}, {"content": "x" * 200_001}, {"content": "a\x00"}],
    "POST /v1/categories/{category}/items": [{}, {"item_ids": []}, {"item_ids": ["x"] * 1_001}, {"item_ids": [""]}],
    "POST /v1/categories/{category}/consolidate": [{"force": "perhaps"}, {"force": None}, {"sections": []}],
    "POST /v1/memory/rebuild": [{"user_id": "\x00"}, {"everything": True}],
    "POST /v1/learning/episodes": [
        {"goal": None},
        {"goal": ""},
        {"goal": "x" * 101},
        {"goal": "a\x00"},
        {"goal": "g", "domain": ""},
    ],
    "POST /v1/learning/episodes/{episode_id}/access": [
        {"content": "\u200b"},
        {},
        {"memory_id": "i1", "content": "both"},
        {"content": ""},
        {"content": "x" * 16_001},
        {"content": "x", "step_reward": 1.1},
        {"content": "x", "step_reward": "NaN"},
    ],
    "POST /v1/learning/episodes/{episode_id}/end": [
        {},
        {"final_reward": -1.1},
        {"final_reward": 1, "alpha": 0},
        {"final_reward": 1, "gamma": 1.5},
        {"final_reward": 1, "lambda_": -0.1},
    ],
}


async def test_a_bad_change_is_refused_and_changes_nothing(gateway: RealGateway) -> None:
    async def refused(name: str) -> None:
        operation = OPERATIONS[name]
        url = operation.url({parameter.name: "x" for parameter in operation.parameters}, {})

        async def sent(fields: dict[str, Json]) -> None:
            body = as_json(fields if OF_USER in operation.path else {"user_id": USER, **fields})
            checked_problem(await api.request(operation.method, url, content=body, headers=JSON), *INVALID)

        async with gateway.newcomer() as api:
            await each(REFUSED_ELSEWHERE[name], sent)
            await nothing_is_stored(api)

    await each(REFUSED_ELSEWHERE, refused, at_once=8)


def test_every_route_with_a_body_has_its_bad_bodies_here() -> None:
    with_body = {name for name, operation in OPERATIONS.items() if operation.body is not None}
    above = {"POST /v1/interactions", "POST /v1/recall", "POST /v1/resources", "POST /v1/items"}
    assert with_body == {*REFUSED_ELSEWHERE, *above}
