"""An id that holds a secret is stored nowhere, by whatever operation of the API it comes and in whatever place."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast

import httpx
import pytest

from ragpp.errors import SecretInId
from tests.support.everywhere import places_of
from tests.support.hostile import Json
from tests.support.operations import OPERATIONS, Operation, Schema, checked_problem, resolved
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
HINT: Final = "sk-ant-api03-"
LONGEST_ID: Final = 256
"""The length by which the schema of an id is known."""
LISTS: Final = ("messages", "items", "memories")
"""Fields whose items have ids."""
ONLY_READ: Final = (
    *(f"POST /v1/recall body.{name}" for name in ("user_id", "session_id", "agent_id", "in_session", "exclude")),
    *("POST /v1/forget body.user_id", "POST /v1/retrieve body.user_id"),
    *("POST /v1/hooks/memory-request body.memory_ids", "POST /v1/hooks/post-response body.memories_used"),
    "POST /v1/categories/{category}/items body.item_ids",
    "POST /api/memory/import body.memories.source_resource_id",
)
"""Fields whose secrets are looked for, and found nowhere."""
OF_ALL: Final = (
    "POST /v1/resources/{resource_id}/extract body.user_id",
    *("PUT /v1/categories/{category} body.user_id", "POST /v1/categories/{category}/items body.user_id"),
    "POST /v1/categories/{category}/consolidate body.user_id",
    *("DELETE /v1/resources/{resource_id} query.user_id", "DELETE /v1/categories/{category} query.user_id"),
)
"""Fields of what is done to a thing that all users share, which is noted of nobody."""
REDACTED: Final = ("POST /api/memory/catalog body.references",)
"""Kept without the secret, as texts are."""
ERASED: Final = (
    *("DELETE /v1/sessions/{session_id} path.session_id", "DELETE /v1/sessions/{session_id} query.user_id"),
    "DELETE /v1/users/{user_id} path.user_id",
)
"""Fields that take what was stored before secrets were refused and has to go: the job that erases it names it."""


@dataclass(frozen=True)
class Request:
    """One request of an operation, with a secret in `place`."""

    operation: Operation
    place: str
    secret: str
    url: str
    body: Json

    @property
    def name(self) -> str:
        return f"{self.operation.name} {self.place}"


def kinds_of(schema: Schema) -> list[Schema]:
    return cast("list[Schema]", schema.get("anyOf", [schema]))


def is_id(schema: Schema) -> bool:
    return any(one.get("type") == "string" and one.get("maxLength") == LONGEST_ID for one in kinds_of(schema))


def ids_of(schema: Schema) -> list[str]:
    fields = cast("dict[str, Schema]", schema.get("properties", {}))
    return [name for name, field in fields.items() if is_id(field) or is_list_of_ids(field)]


def is_list_of_ids(schema: Schema) -> bool:
    return any(is_id(cast("Schema", one["items"])) for one in kinds_of(schema) if "items" in one)


def places(operation: Operation) -> Iterator[tuple[str, ...]]:
    """Where an operation takes an id: in the path, the query, the body, or the first of a list in the body."""
    for parameter in operation.parameters:
        if is_id(parameter.schema):
            yield (parameter.place, parameter.name)
    body = operation.body or {}
    for name in ids_of(body):
        yield ("body", name)
    for name, field in cast("dict[str, Schema]", body.get("properties", {})).items():
        if name in LISTS:
            for inner in ids_of(resolved(cast("Schema", field["items"]))):
                yield ("body", name, inner)


def requests(known: dict[str, str]) -> Iterator[Request]:
    """A request for each place of each operation. `known`: what there is, by the parameter that takes it; what deletes
    comes last."""
    number = 0
    for operation in sorted(OPERATIONS.values(), key=lambda one: one.method == "DELETE"):
        for where, *names in places(operation):
            number += 1
            secret = f"{HINT}{number:04}{'a1B2' * 6}"
            path = {one.name: known.get(one.name, "x") for one in operation.parameters if one.place == "path"}
            query: dict[str, object] = {
                one.name: "u1" for one in operation.parameters if one.place == "query" and one.required
            }
            example = cast("dict[str, Json]", (operation.body or {}).get("example", {}))
            body: dict[str, Json] = {**example, **known_fields(example, known)}
            if where == "path":
                path[names[0]] = secret
            elif where == "query":
                query[names[0]] = secret
            elif len(names) == 1:
                fields = cast("dict[str, Schema]", cast("Schema", operation.body)["properties"])
                body[names[0]] = [secret] if is_list_of_ids(fields[names[0]]) else secret
            else:
                (first, *_) = cast("list[dict[str, Json]]", body[names[0]])
                body[names[0]] = [{**first, names[1]: secret}]
            yield Request(
                operation, ".".join((where, *names)), secret, operation.url(path, query), body if example else None
            )


def known_fields(example: dict[str, Json], known: dict[str, str]) -> dict[str, Json]:
    """The items of a body, of a resource that there is."""
    items = cast("list[dict[str, Json]]", example.get("items", []))
    return {"items": [{**one, "source_resource_id": known["resource_id"]} for one in items]} if items else {}


async def what_all_share(api: httpx.AsyncClient) -> dict[str, str]:
    """Things of the catalog that every user sees, whatever their id: what is done to them is known by that."""
    category = {"name": "product_knowledge", "description": "Information about products and their prices"}
    assert (await api.post("/v1/categories", json=category)).status_code == 201
    document = {"resource_type": "document", "content": "Pro costs $299 a month.", "extract": False}
    resource = await api.post("/v1/resources", json=document)
    assert resource.status_code == 201, resource.text
    resource_id = resource.json()["resource"]["resource_id"]
    item = {"content": "Pro costs $299.", "source_resource_id": resource_id, "category": category["name"]}
    kept = await api.post("/v1/items", json={"items": [item]})
    assert kept.status_code == 201, kept.text
    item_id = kept.json()["items"][0]["item_id"]
    return {
        "category": category["name"],
        "resource_id": resource_id,
        "item_id": item_id,
        "memory_id": item_id,
        "tier": "episodic",
    }


async def test_an_id_that_holds_a_secret_is_stored_by_no_operation(gateway: RealGateway, stack: StoreStack) -> None:
    tenant = new_scope().tenant_id
    sent: dict[str, str] = {}
    taken: set[str] = set()
    async with gateway.client(await gateway.key(tenant, "read", "write", "forget", "global")) as api:
        for request in requests(await what_all_share(api)):
            answer = await api.request(request.operation.method, request.url, json=request.body)
            sent[request.secret] = request.name
            if not answer.is_success:
                problem = checked_problem(answer)
                assert problem.status < 500, request.name
                assert problem.code != SecretInId.code or HINT not in answer.text
            elif request.operation.method != "GET":
                taken.add(request.name)
    assert taken == {*ONLY_READ, *OF_ALL, *REDACTED, *ERASED}
    await gateway.parts.audit.flush()
    found = await places_of(stack, list(sent), hint=HINT, tenant_id=tenant)
    assert {sent[secret]: where for secret, where in found.items() if sent[secret] not in ERASED} == {}


@pytest.mark.parametrize("field", ["message_id", "response_id"])
async def test_an_id_of_an_exchange_that_is_too_long_is_refused(field: str, gateway: RealGateway) -> None:
    async with gateway.client(await gateway.key(new_scope().tenant_id)) as api:
        exchange = {
            "user_id": "u1",
            "ci": "ergon",
            "message": "Which queue?",
            "response": "Kafka.",
            field: "\U0001f701" * 200,
        }
        problem = checked_problem(await api.post("/v1/hooks/post-message", json=exchange), 422)
    assert [one.field for one in problem.errors] == [field]


async def test_a_type_of_a_relationship_that_holds_a_secret_is_refused(gateway: RealGateway) -> None:
    relationship = {"user_id": "u1", "source": "Elena", "type": "AKIA" + "IOSFODNN7EXAMPLE", "target": "Porto"}
    async with gateway.client(await gateway.key(new_scope().tenant_id)) as api:
        answer = await api.post("/v1/relationships", json=relationship)
        problem = checked_problem(answer, 422, SecretInId.code)
        assert [one.field for one in problem.errors] == ["type"]
        assert relationship["type"] not in answer.text
