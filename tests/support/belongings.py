"""Users whose memories are full in every tier, alike in everything but what they hold."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, cast
from uuid import uuid4

import httpx

from ragpp.learned import Reflection, Theme
from ragpp.models import FindingEntry, RuleEntry, Scope
from ragpp.stores.cursors import encode_cursor
from tests.support.hostile import Json
from tests.support.operations import OPERATIONS, Operation
from tests.support.real_gateway import RealGateway

SESSION: Final = "s1"
RULE: Final = "r1"
COMMON: Final = "m1"
"""Ids that all of them use."""
OF_USER: Final = "/v1/users/{user_id}/"
MADE: Final = datetime(2024, 5, 1, tzinfo=UTC)
"""When the first of the findings and reports was made."""
OF_NO_OWNER: Final = frozenset({"GET /v1/health/report", "GET /v1/keys", "GET /v1/audit"})
"""Routes that an administrator's key alone may read."""
_VOLATILE: Final = frozenset(
    {
        *("expires_in_s", "confidence", "elapsed_ms", "retrieved_at", "ms", "score", "similarity", "oldest_pending_s"),
        *("relevance", "explain"),
    }
)
Object = dict[str, Json]
CI: Final = "helper"
"""The agent whose turns they are of an owner whose memory is no agent's."""


@dataclass(frozen=True)
class Owner:
    """A user with a memory. `words`: what nobody else may ever read. `things`: ids, a receipt and cursors, by the
    name of the parameter that takes them, or of their kind. `agent`: that the key is bound to."""

    scope: Scope
    key: str
    words: tuple[str, ...]
    things: Mapping[str, str]
    agent: str | None = None

    def values(self, operation: Operation) -> dict[str, str]:
        """The owner's value for each parameter of a route that takes one."""
        kind = kind_of(operation)
        known = {
            **self.things,
            "item_id": self.things.get(kind, ""),
            "memory_id": self.things.get("items", ""),
            "cursor": self.things.get(f"{kind}.cursor", ""),
        }
        return {item.name: known[item.name] for item in operation.parameters if known.get(item.name)}


def kind_of(operation: Operation) -> str:
    """The subject of a route: `rules` of /v1/rules/{item_id}, `reflections` of /v1/users/{user_id}/reflections."""
    parts = operation.path.split("/")
    return parts[4] if parts[2] == "users" and len(parts) > 4 else parts[2]


async def settle(
    gateway: RealGateway, scope: Scope, name: str, place: str, drink: str, *, agent: str | None = None
) -> Owner:
    """Fill the memory of `scope` through the API: messages, a second session, preferences, a rule, the graph, and
    the catalog.
    `agent`: to which all of it is said, by a key that is bound to it."""
    key = await gateway.key(scope.tenant_id, agent_id=agent)
    user_id = scope.user_id
    only, session = f"m-{uuid4().hex}", f"s-{uuid4().hex}"
    async with gateway.client(key) as api:
        messages = [
            {"id": COMMON, "name": "Maria", "content": f"My sister {name} moved to {place}."},
            {
                "id": only,
                "name": "Maria",
                "content": f"I prefer {drink} to milk. My brother {name}son works at {place}.",
            },
        ]
        stored = await _sent(api, "/v1/interactions", {"user_id": user_id, "session_id": SESSION, "messages": messages})
        other = [{"content": f"{name} says hello."}, {"content": f"{drink} it is."}]
        await _sent(api, "/v1/interactions", {"user_id": user_id, "session_id": session, "messages": other})
        await gateway.digest(scope.tenant_id)
        habit = {"user_id": user_id, "category": "drinks", "key": "evening", "value": f"{drink} at nine"}
        preference = await _sent(api, "/v1/preferences", habit)
        await _sent(api, "/v1/rules", {"user_id": user_id, "id": RULE, "text": f"Ask about {name}."})
        rule = await _sent(api, "/v1/rules", {"user_id": user_id, "text": f"Offer {drink}.", "triggers": [place]})
        finding = await _find(gateway, scope, place, only, agent=agent)
        proposed = RuleEntry(
            id="learned-p", text=f"Mention {place}.", active=False, proposed=True, occurred_at=MADE, sources=(only,)
        )
        for seen in {None, agent}:
            await gateway.worker.procedural.store(scope.seen_by(seen), [proposed])
        of_all = key if agent is None else await gateway.key(scope.tenant_id)
        async with gateway.client(of_all) as whole:
            pinned = await whole.put(f"/v1/users/{user_id}/pins/episodic/{only}")
            assert pinned.is_success, pinned.text
        curated = await _curate(api, user_id, name, place, drink, agent or CI)
        asked = await api.post(f"/v1/users/{user_id}/extract", json={})
        assert asked.status_code == 202, asked.text
        await gateway.digest(scope.tenant_id)
        found = {kind: await _items(api, kind, user_id) for kind in ("entities", "relationships")}
        cursors = {kind: await _cursor(api, kind, user_id) for kind in LISTED}
        things = {
            "user_id": user_id,
            "interaction_id": only,
            "session_id": session,
            "entity_id": next(str(item["id"]) for item in found["entities"] if item["name"] == name),
            "relationship_id": str(found["relationships"][0]["id"]),
            "entities": next(str(item["id"]) for item in found["entities"] if item["name"] == place),
            "relationships": str(found["relationships"][0]["id"]),
            "preferences": str(preference["id"]),
            "rules": str(rule["id"]),
            "proposed": proposed.id,
            "pins": only,
            "tier": "episodic",
            "ci": agent or CI,
            "findings": finding,
            "reflection_id": finding,
            "job_id": str(asked.json()["id"]),
            "receipt": str(stored["receipt"]),
            **curated,
            **{f"{kind}.cursor": cursor for kind, cursor in cursors.items()},
            "users.cursor": encode_cursor(user_id[:-1]),
            "memory.cursor": await _cursor_of_export(api, user_id, agent),
        }
    return Owner(scope, key, (name, place, drink), things, agent)


LISTED: Final = (
    "interactions",
    "sessions",
    "entities",
    "relationships",
    "preferences",
    "rules",
    "findings",
    "reflections",
    "jobs",
    "resources",
    "items",
    "categories",
    "events",
)


async def _curate(api: httpx.AsyncClient, user_id: str, name: str, place: str, drink: str, ci: str) -> dict[str, str]:
    """Two of each kind of thing in the catalog; the ids of the first. What all agents see names nothing."""
    categories, resources, items = [], [], []
    for content in (f"{name} has a shop in {place}.", f"The shop of {name} sells {drink}."):
        described = {"user_id": user_id, "name": f"c_{uuid4().hex}", "description": "What is told of shops"}
        category = await _sent(api, "/v1/categories", described)
        document = {"user_id": user_id, "resource_type": "document", "content": content, "session_id": SESSION}
        resource = cast("Object", (await _sent(api, "/v1/resources", document))["resource"])
        item = {"content": content, "source_resource_id": resource["resource_id"], "category": category["name"]}
        kept = await _sent(api, "/v1/items", {"user_id": user_id, "items": [item]})
        categories.append(str(category["name"]))
        resources.append(str(resource["resource_id"]))
        items.append(str(cast("list[Object]", kept["items"])[0]["item_id"]))
    await _offered(api, user_id, ci, f"Where does {name} have a shop?")
    episode = await _sent(api, "/v1/learning/episodes", {"user_id": user_id, "goal": f"sell {drink}"})
    of_episode = f"/v1/learning/episodes/{episode['episode_id']}/access"
    await _sent(api, of_episode, {"user_id": user_id, "memory_id": items[0]})
    return {
        "category": categories[0],
        "resource_id": resources[0],
        "items": items[0],
        "episode_id": str(episode["episode_id"]),
    }


async def _find(gateway: RealGateway, scope: Scope, place: str, interaction_id: str, *, agent: str | None) -> str:
    """Two findings and the reports of two days, which workers make and no route does; the id of the first of each.
    In the agent's view as in the whole memory."""
    procedural = gateway.worker.procedural
    ids = [f"f-{uuid4().hex}" for _ in range(2)]
    for number, identifier in enumerate(ids):
        text = f"moved to {place}" if number else f"visits {place}"
        moment = MADE + timedelta(days=number)
        found = FindingEntry(id=identifier, finding="event", text=text, occurred_at=moment, sources=(interaction_id,))
        theme = Theme(text=place, share=1.0, interactions=1, sources=(interaction_id,))
        report = Reflection(
            id=identifier,
            kind="daily",
            date=moment.date(),
            status="completed",
            created_at=moment,
            themes=(theme,),
        )
        for seen in {None, agent}:
            await procedural.store(scope.seen_by(seen), [found])
            await procedural.save_reflection(scope.seen_by(seen), report)
    return ids[0]


async def _offered(api: httpx.AsyncClient, user_id: str, ci: str, prompt: str) -> None:
    """A turn of an agent with a budget of its own."""
    budget = await api.put(f"/v1/agents/{ci}/budget", json={"user_id": user_id, "limit": 777})
    assert budget.is_success, budget.text
    offered = await api.post("/v1/hooks/pre-prompt", json={"user_id": user_id, "ci": ci, "prompt": prompt})
    assert offered.is_success, offered.text


async def _sent(api: httpx.AsyncClient, path: str, body: object) -> Object:
    answer = await api.post(path, json=body)
    assert answer.status_code == 201, answer.text
    return cast("Object", answer.json())


async def _items(api: httpx.AsyncClient, kind: str, user_id: str) -> list[Object]:
    answer = await api.get(OPERATIONS[f"GET /v1/{kind}"].url({}, {"user_id": user_id, "limit": 200}))
    return cast("list[Object]", answer.json()["items"])


async def _cursor_of_export(api: httpx.AsyncClient, user_id: str, agent: str | None) -> str:
    query = {"user_id": user_id, "limit": 1, **({} if agent is None else {"ci": agent})}
    page = (await api.get(OPERATIONS["GET /api/memory/export"].url({}, query))).json()
    assert page["next_cursor"], f"{user_id} has too few memories"
    return str(page["next_cursor"])


async def _cursor(api: httpx.AsyncClient, kind: str, user_id: str) -> str:
    operation = next(OPERATIONS[name] for name in (f"GET /v1/{kind}", f"GET {OF_USER}{kind}") if name in OPERATIONS)
    page = (await api.get(url_for(operation, user_id, limit=1))).json()
    assert page["next_cursor"], f"{user_id} has too few {kind}"
    return str(page["next_cursor"])


def url_for(operation: Operation, user_id: str, path: Mapping[str, str] | None = None, **query: object) -> str:
    """The address for `user_id`, in the path or in the query as the route wants it; of `query` what the route takes."""
    places = {parameter.name: parameter.place for parameter in operation.parameters}
    wanted = {name: value for name, value in {"user_id": user_id, **query}.items() if places.get(name) == "query"}
    own = {"user_id": user_id} if places.get("user_id") == "path" else {}
    return operation.url({**(path or {}), **own}, wanted)


async def everything(gateway: RealGateway, owner: Owner) -> Json:
    """All that the owner can read of the own memory, without what changes by itself."""
    seen: dict[str, Json] = {}
    async with gateway.client(owner.key) as api:
        for name, operation in OPERATIONS.items():
            if operation.method == "GET" and operation.needs_key and name not in OF_NO_OWNER:
                given = owner.values(operation)
                path = {p.name: given[p.name] for p in operation.parameters if p.place == "path"}
                answer = await api.get(url_for(operation, owner.scope.user_id, path, limit=200))
                if owner.agent is not None and answer.status_code == 403:
                    continue
                assert answer.status_code == 200, (name, answer.text)
                value = _stable(answer.json())
                if name == "GET /v1/sessions":  # reading one moves it to the front
                    value = cast("Json", sorted(map(json.dumps, cast("list[Json]", cast("Object", value)["items"]))))
                if name == "GET /v1/users":  # others of the tenant come and go
                    listed = cast("list[Object]", cast("Object", value)["items"])
                    value = cast("Json", [one for one in listed if one["user_id"] == owner.scope.user_id])
                seen[name] = value
        asked = {"user_id": owner.scope.user_id, "session_id": SESSION, "query": " ".join(owner.words), "limit": 200}
        recalled = await api.post("/v1/recall", json=asked)
        assert recalled.json()["status"] == "complete", recalled.text
        seen["recall"] = cast("Json", sorted(str(memory["text"]) for memory in recalled.json()["memories"]))
    return seen


def _stable(value: Json) -> Json:
    if isinstance(value, list):
        return [_stable(item) for item in value]
    if isinstance(value, dict):
        return {key: _stable(item) for key, item in value.items() if key not in _VOLATILE}
    return value
