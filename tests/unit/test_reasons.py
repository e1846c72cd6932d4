"""Each refusal is told once, in words that a person understands."""

from collections.abc import Mapping

import pytest
from pydantic import BaseModel, ValidationError

from ragpp.api import RecallRequest, StoreRequest
from ragpp_infra.cli.arguments import input_error
from tests.support.each import each_case

WHO: Mapping[str, object] = {"user_id": "u1"}


@each_case(
    ("kind", "given", "said"),
    [
        (StoreRequest, {"messages": [{"content": ""}]}, "messages.0.content: is empty"),
        (StoreRequest, {"messages": [{"content": "a"}, {"content": ""}]}, "messages.1.content: is empty"),
        (StoreRequest, {"messages": []}, "messages: is empty"),
        (
            StoreRequest,
            {"messages": [{"content": "a"}] * 1_001},
            "messages: has 1,001 items, and at most 1,000 are taken",
        ),
        (
            StoreRequest,
            {"messages": [{"content": "a", "role": "x"}]},
            "messages.0.role: Input should be 'user', 'assistant', 'system' or 'tool'",
        ),
        (
            StoreRequest,
            {"messages": [{"content": "a\x00"}]},
            "messages.0.content: contains a NUL character (U+0000), which cannot be stored",
        ),
        (RecallRequest, {"query": ""}, "query: is empty"),
        (RecallRequest, {"query": " "}, "query: is blank: nothing in it shows"),
        (RecallRequest, {"query": "x" * 20_001}, "query: String should have at most 20000 characters"),
        (RecallRequest, {"query": "a", "tiers": []}, "tiers: is empty"),
        (RecallRequest, {"query": "a", "situation": "x" * 20_001}, "situation"),
        (RecallRequest, {"query": "a", "situation": 5}, "situation: must be text or a mapping"),
        (
            RecallRequest,
            {"query": "a", "situation": {"a": {"b": {1}}}},
            "situation.a.b: input was not a valid JSON value",
        ),
        (RecallRequest, {"query": "a", "filter": {"exists": []}}, "filter.exists: is empty"),
        (RecallRequest, {"query": "a", "filter": {"exists": ["a", 5]}}, "filter.exists.1: must be text"),
        (
            RecallRequest,
            {"query": "a", "filter": {"or": [{"exists": 5}]}},
            "filter.or.0.exists: must be text or a list",
        ),
        (
            RecallRequest,
            {"query": "a", "filter": {"equal": {"key": "a", "value": {}}}},
            "filter.equal.value: must be true or false, a whole number, a number or text",
        ),
        (
            StoreRequest,
            {"messages": [{"content": "a", "metadata": {"dict": {"str": {1}}}}]},
            "messages.0.metadata.dict.str: input was not a valid JSON value",
        ),
    ],
)
def test_a_refusal_is_told_once_and_names_the_field(kind: type[BaseModel], given: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        kind.model_validate({**WHO, **given})
    told = input_error(caught.value)
    assert told.message.startswith(said)
    if ":" in said:
        assert told.message == said
        assert told.details["errors"] == [dict(zip(("field", "reason"), said.split(": ", 1), strict=True))]


def test_two_refusals_are_both_told() -> None:
    with pytest.raises(ValidationError) as caught:
        StoreRequest.model_validate({"user_id": "", "messages": [{"content": ""}, {"content": 3}]})
    told = input_error(caught.value)
    fields = "user_id: is empty; messages.0.content: is empty; messages.1.content: Input should be a valid string"
    assert told.message == fields
