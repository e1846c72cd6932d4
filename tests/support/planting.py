"""Requests with a word in one place of them each, so that a test can look where the word has come to be stored."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

import httpx

from tests.support.hostile import Json
from tests.support.operations import OPERATIONS, Operation, Schema, resolved

LONGEST_ID: Final = 256
"""The length by which the schema of an id is known."""
LISTS: Final = ("messages", "items", "memories")
"""Fields whose items have ids and texts."""
Places: TypeAlias = Callable[[Operation], Iterator[tuple[str, ...]]]


@dataclass(frozen=True)
class Request:
    """One request of an operation, with what is `planted` in `place`."""

    operation: Operation
    place: str
    planted: str
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


def requests(of: Places, made: Callable[[int], str], known: dict[str, str]) -> Iterator[Request]:
    """A request for each place of each operation, with what is `made` of its number there. `known`: what there is, by
    the parameter that takes it; what deletes comes last."""
    number = 0
    for operation in sorted(OPERATIONS.values(), key=lambda one: one.method == "DELETE"):
        for where, *names in of(operation):
            number += 1
            planted = made(number)
            path = {one.name: known.get(one.name, "x") for one in operation.parameters if one.place == "path"}
            query: dict[str, object] = {
                one.name: "u1" for one in operation.parameters if one.place == "query" and one.required
            }
            example = cast("dict[str, Json]", (operation.body or {}).get("example", {}))
            body: dict[str, Json] = {**example, **known_fields(example, known)}
            if where == "path":
                path[names[0]] = planted
            elif where == "query":
                query[names[0]] = planted
            else:
                fields = cast("dict[str, Schema]", cast("Schema", operation.body)["properties"])
                if len(names) == 1:
                    body[names[0]] = _fitting(fields[names[0]], planted)
                else:
                    (first, *_) = cast("list[dict[str, Json]]", body[names[0]])
                    of_one = resolved(cast("Schema", fields[names[0]]["items"]))
                    inner = cast("dict[str, Schema]", of_one["properties"])
                    body[names[0]] = [{**first, names[1]: _fitting(inner[names[1]], planted)}]
            yield Request(
                operation, ".".join((where, *names)), planted, operation.url(path, query), body if example else None
            )


def _fitting(schema: Schema, planted: str) -> Json:
    """`planted` as a field of this schema takes it."""
    kinds = kinds_of(schema)
    if any(one.get("type") == "array" for one in kinds):
        return [planted]
    if any(one.get("type") == "object" for one in kinds):
        return {"note": planted, planted: ["kept", {"deep": planted}]}
    return planted


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


def is_text(schema: Schema) -> bool:
    """True for a field of free text, or of several."""
    kinds = kinds_of(schema)
    if any("enum" in one or "const" in one or "format" in one or "pattern" in one for one in kinds):
        return False
    if any(one.get("type") == "string" and one.get("maxLength") != LONGEST_ID for one in kinds):
        return True
    return any("items" in one and is_text(cast("Schema", one["items"])) for one in kinds)


def text_places(operation: Operation) -> Iterator[tuple[str, ...]]:
    """Where an operation takes a text: in the query, the body, or the first of a list in the body."""
    for parameter in operation.parameters:
        if parameter.place == "query" and is_text(parameter.schema):
            yield ("query", parameter.name)
    body = operation.body or {}
    for name, field in cast("dict[str, Schema]", body.get("properties", {})).items():
        if is_text(field) or name in {"metadata", "value"}:
            yield ("body", name)
        if name in LISTS:
            inner = cast("dict[str, Schema]", resolved(cast("Schema", field["items"])).get("properties", {}))
            yield from (("body", name, one) for one, schema in inner.items() if is_text(schema) or one == "metadata")
