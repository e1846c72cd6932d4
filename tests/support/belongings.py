"""Users whose memories are full in every tier, alike in everything but what they hold."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast
from uuid import uuid4

import httpx

from ragpp.models import Scope
from tests.support.hostile import Json
from tests.support.operations import OPERATIONS, Operation
from tests.support.real_gateway import RealGateway

SESSION: Final = "s1"
RULE: Final = "r1"
COMMON: Final = "m1"
"""Ids that all of them use."""
_VOLATILE: Final = frozenset({"expires_in_s", "confidence", "elapsed_ms", "retrieved_at", "ms", "score", "similarity"})
Object = dict[str, Json]


@dataclass(frozen=True)
class Owner:
    """A user with a memory. `words`: what nobody else may ever read. `things`: ids, a receipt and cursors, by the
    name of the parameter that takes them, or of their kind."""

    scope: Scope
    key: str
    words: tuple[str, ...]
    things: Mapping[str, str]

    def values(self, operation: Operation) -> dict[str, str]:
        """The owner's value for each parameter of a route that takes one."""
        kind = operation.path.split("/")[2]
        known = {**self.things, "item_id": self.things.get(kind, ""), "cursor": self.things.get(f"{kind}.cursor", "")}
        return {item.name: known[item.name] for item in operation.parameters if known.get(item.name)}


async def settle(gateway: RealGateway, scope: Scope, name: str, place: str, drink: str) -> Owner:
    """Fill the memory of `scope` through the API: messages, a second session, preferences, a rule, and the graph."""
    key = await gateway.key(scope.tenant_id)
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
            "receipt": str(stored["receipt"]),
            **{f"{kind}.cursor": cursor for kind, cursor in cursors.items()},
        }
    return Owner(scope, key, (name, place, drink), things)


LISTED: Final = ("interactions", "sessions", "entities", "relationships", "preferences", "rules")


async def _sent(api: httpx.AsyncClient, path: str, body: object) -> Object:
    answer = await api.post(path, json=body)
    assert answer.status_code == 201, answer.text
    return cast("Object", answer.json())


async def _items(api: httpx.AsyncClient, kind: str, user_id: str) -> list[Object]:
    answer = await api.get(f"/v1/{kind}", params={"user_id": user_id, "limit": "200"})
    return cast("list[Object]", answer.json()["items"])


async def _cursor(api: httpx.AsyncClient, kind: str, user_id: str) -> str:
    page = (await api.get(f"/v1/{kind}", params={"user_id": user_id, "limit": "1"})).json()
    assert page["next_cursor"], f"{user_id} has too few {kind}"
    return str(page["next_cursor"])


async def everything(gateway: RealGateway, owner: Owner) -> Json:
    """All that the owner can read of the own memory, without what changes by itself."""
    seen: dict[str, Json] = {}
    async with gateway.client(owner.key) as api:
        for name, operation in OPERATIONS.items():
            if operation.method == "GET" and operation.needs_key:
                given = owner.values(operation)
                path = {p.name: given[p.name] for p in operation.parameters if p.place == "path"}
                paged = {"limit": 200} if "limit" in {p.name for p in operation.parameters} else {}
                answer = await api.get(operation.url(path, {"user_id": owner.scope.user_id, **paged}))
                assert answer.status_code == 200, (name, answer.text)
                value = _stable(answer.json())
                if name == "GET /v1/sessions":  # reading one moves it to the front
                    value = cast("Json", sorted(map(json.dumps, cast("list[Json]", cast("Object", value)["items"]))))
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
