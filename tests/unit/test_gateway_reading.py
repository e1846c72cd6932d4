"""A body is made a value, or refused, in a time that its size bounds."""

import json
from collections.abc import Sequence
from typing import Final

import pytest
from fastapi.exceptions import RequestValidationError

from ragpp.api import ItemsIn, RecallRequest, StoreRequest
from ragpp.errors import InvalidInput, MalformedBody
from ragpp.fields import LONE_SURROGATE
from ragpp.models import Value
from ragpp_services.gateway.limits import RequestLimits
from ragpp_services.gateway.reading import MOST_TOLD, value_of
from tests.support.each import each_case

NONE: Final = RequestLimits(8_000_000)


def body_of(**fields: object) -> bytes:
    return json.dumps({"user_id": "u", **fields}).encode()


@each_case(
    ("model", "field", "items"),
    [
        (StoreRequest, "messages", [{}] * 1_001),
        (ItemsIn, "items", [1] * 1_001),
        (RecallRequest, "exclude", [1] * 1_001),
        (RecallRequest, "tools", [{}] * 101),
    ],
)
def test_a_list_that_is_too_long_is_refused_without_a_look_at_its_items(
    model: type[Value], field: str, items: Sequence[object]
) -> None:
    raw = body_of(**{"query": "x", field: items} if model is RecallRequest else {field: items})
    with pytest.raises(RequestValidationError) as caught:
        value_of(raw, model, NONE)
    (refused,) = caught.value.errors()
    assert (refused["type"], refused["loc"]) == ("too_long", ("body", field))
    assert f"has {len(items):,} items" in refused["msg"]


def test_of_more_refused_values_than_are_told_only_the_number_is() -> None:
    with pytest.raises(InvalidInput, match="1,001 values are refused") as caught:
        value_of(body_of(query="x", tiers=[1] * MOST_TOLD), RecallRequest, NONE)
    assert "errors" not in caught.value.details


def test_as_many_refused_values_as_are_told_are_each_named() -> None:
    with pytest.raises(RequestValidationError) as caught:
        value_of(body_of(query="x", tiers=[1] * (MOST_TOLD - 1)), RecallRequest, NONE)
    assert len(caught.value.errors()) == MOST_TOLD


@each_case("raw", [b"", b"{", b"[" * 100_000, b'{"user_id": "\\ud800"'])
def test_what_is_no_json_is_said_to_be_none(raw: bytes) -> None:
    with pytest.raises(MalformedBody):
        value_of(raw, StoreRequest, NONE)


def test_each_text_with_a_lone_surrogate_is_named_by_its_place() -> None:
    messages = [
        {"content": "hello"},
        {"content": "a\ud800"},
        {"content": "b", "metadata": {"k": ["\udfff"], "\udc00": 1}},
    ]
    with pytest.raises(RequestValidationError) as caught:
        value_of(body_of(messages=messages), StoreRequest, NONE)
    assert [error["loc"][1:] for error in caught.value.errors()] == [
        ("messages", 1, "content"),
        ("messages", 2, "metadata"),
        ("messages", 2, "metadata", "k", 0),
    ]
    assert {error["msg"] for error in caught.value.errors()} == {LONE_SURROGATE}


def test_what_is_no_object_is_refused_as_that() -> None:
    with pytest.raises(RequestValidationError):
        value_of(b"[1, 2]", StoreRequest, NONE)
