"""A bad resource or item is refused with a code and what to do, and nothing of it is kept."""

import json
from typing import Final, cast

import pytest

from tests.support.each import each
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.refusing import INVALID, USER, nothing_is_stored, resource

pytestmark = pytest.mark.server


def said(content: str) -> Json:
    """One message of a conversation."""
    return {"content": content}


def talk(*messages: Json, **fields: Json) -> dict[str, Json]:
    """A conversation as a resource."""
    return {"user_id": USER, "resource_type": "conversation", "messages": list(messages), **fields}


REFUSED_RESOURCES: Final[dict[str, dict[str, Json]]] = {
    "no content": {"user_id": USER, "resource_type": "document"},
    "empty content": resource(content=""),
    "blank content": resource(content="\u200b\n"),
    "a blank message": talk({"content": "hello"}, {"content": " \u200b"}),
    "the year 1": resource(occurred_at="0001-01-01T00:00:00Z"),
    "a message of the year 1": talk({"content": "hello", "occurred_at": "0001-01-01T00:00:00Z"}),
    "a time that is a number": resource(occurred_at=1_700_000_000),
    "a control character in its id": resource(id="a\u2028b"),
    "over-long content": resource(content="x" * 1_000_001),
    "NUL in the content": resource(content="a\x00b"),
    "content and messages": talk({"content": "hello"}, content="hello"),
    "messages of a document": talk({"content": "hello"}) | {"resource_type": "document"},
    "nothing to remember": resource(remember=True),
    "an unknown type": resource(resource_type="diary"),
    "an unknown visibility": resource(visibility="everybody"),
    "one agent alone, and none named": resource(visibility="agent"),
    "no user of a visibility": resource(user_id=""),
    "a future moment": resource(occurred_at="9999-12-31T23:59:59Z"),
    "a future moment of a message": talk({"content": "hello", "occurred_at": "9999-12-31T23:59:59Z"}),
    "an over-long id": resource(id="x" * 257),
    "a record separator in its id": resource(id="a\x1eb"),
    "an unknown field": resource(tenant_id="other"),
    "a category that is no name": resource(category_hint="No Name"),
    "ids of no interactions": talk({"content": "hello", "id": "m1"}),
    "too many messages": talk(*[said("x")] * 1_001),
    "messages that are too long together": talk(*[said("x" * 100_000)] * 11),
    "metadata of 65 levels": resource(metadata={"k": cast("Json", json.loads("[" * 64 + "]" * 64))}),
}


async def test_a_bad_resource_is_refused_and_nothing_of_it_is_kept(gateway: RealGateway) -> None:
    async def refused(case: str) -> None:
        async with gateway.newcomer() as api:
            checked_problem(await api.post("/v1/resources", json=REFUSED_RESOURCES[case]), *INVALID)
            await nothing_is_stored(api)

    await each(REFUSED_RESOURCES, refused, at_once=8)


REFUSED_ITEMS: Final[dict[str, dict[str, Json]]] = {
    "empty content": {"content": ""},
    "blank content": {"content": "\u200b\u3000"},
    "the year 1": {"occurred_at": "0001-01-01T00:00:00Z"},
    "a control character in its id": {"id": "a\x1fb"},
    "over-long content": {"content": "x" * 16_001},
    "NUL in the content": {"content": "a\x00"},
    "no source": {"source_resource_id": ""},
    "a confidence over 1": {"confidence": 1.5},
    "an unknown importance": {"importance": "urgent"},
    "an unknown kind": {"kind": "rumour"},
    "a vector of another dimension": {"embedding": [1.0, 0.0]},
    "a vector of nothing": {"embedding": [0.0] * 384},
    "what a context of this memory said": {"content": "- Pro costs $299 a month. (relevance: 0.83)"},
    "a future moment": {"occurred_at": "9999-12-31T23:59:59Z"},
}


async def test_a_bad_item_refuses_all_and_is_named(gateway: RealGateway) -> None:
    good: dict[str, Json] = {"content": "hello", "source_resource_id": "r1"}

    async def refused(case: str) -> None:
        (name,) = REFUSED_ITEMS[case]
        async with gateway.newcomer() as api:
            assert (await api.post("/v1/resources", json=resource(id="r1"))).status_code == 201
            answer = await api.post("/v1/items", json={"user_id": USER, "items": [good, good | REFUSED_ITEMS[case]]})
            assert {error.field for error in checked_problem(answer, *INVALID).errors} == {f"items.1.{name}"}
            assert (await api.get("/v1/items", params={"user_id": USER})).json()["items"] == []

    await each(REFUSED_ITEMS, refused, at_once=8)
