"""The size of a request is counted before its work begins, and what is too much is refused with how much it is."""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue

from ragpp.api import CategoryPageIn, ItemIn, ItemSearchIn, ItemsIn, MessageIn, RecallRequest, StoreRequest
from ragpp.errors import TooMuchAtOnce
from ragpp.fields import MAX_CONTENT_CHARS
from ragpp_services.gateway import limits
from ragpp_services.gateway.costs import PIECE, cost_of
from ragpp_services.gateway.limits import FIELDS, WITH_VECTORS, RequestLimits, Values, size_of, values_in
from ragpp_services.gateway.settings import GatewaySettings
from tests.support.each import each_case
from tests.support.operations import ROUTES

NONE = RequestLimits(1_000_000)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from([':"', "\\", '\\"', '": ']),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


def values_of(value: JsonValue) -> Values:
    """The number of values in a value, counted from the value itself."""
    if not isinstance(value, dict | list):
        return Values(0, 0)
    inner = list(value.values()) if isinstance(value, dict) else value
    counted = [values_of(one) for one in inner]
    numbers = sum(type(one) is int for one in inner[1:]) if isinstance(value, list) else 0
    others = max(1, len(inner)) - numbers
    return Values(others + sum(one.others for one in counted), numbers + sum(one.numbers for one in counted))


def written(*metadata: dict[str, JsonValue], content: str = "hello") -> StoreRequest:
    messages = [{"content": content, "metadata": one} for one in metadata]
    return StoreRequest.model_validate({"user_id": "u", "session_id": "s", "messages": messages})


@given(JSON_VALUES, st.sampled_from([None, 2]), st.booleans())
def test_the_values_of_a_text_are_counted_however_it_is_written(
    value: JsonValue, indent: int | None, ascii: bool
) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii).encode("utf-8", "surrogatepass")
    assert values_in(raw) == values_of(value)


@given(JSON_VALUES, st.integers(min_value=1, max_value=9))
def test_the_values_of_a_text_are_counted_wherever_it_is_cut(value: JsonValue, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "PIECE_BYTES", piece)
        assert values_in(json.dumps(value, indent=1).encode()) == values_of(value)


def test_quotation_marks_are_told_apart_however_many_there_are() -> None:
    value: JsonValue = [{"a": [","]}] * 20_000
    assert values_in(json.dumps(value).encode()) == values_of(value)


def test_no_more_is_counted_than_is_enough() -> None:
    raw = json.dumps({"a": [{str(number): 0} for number in range(200_000)]}).encode()
    assert 50_000 < values_in(raw, 50_000).others < 150_000
    numbers = json.dumps([7] * 1_000_000).encode()
    assert 50_000 < values_in(numbers, 10, 50_000).numbers < 150_000


@given(st.binary(max_size=200))
def test_what_is_no_json_is_counted_without_failing(raw: bytes) -> None:
    counted = values_in(raw)
    assert min(counted.others, counted.numbers) >= 0


def test_a_request_is_as_large_as_its_parts_its_texts_and_its_metadata() -> None:
    size = size_of(written({"a": 1, "b": "two"}, {}, {"c": ["x", "y", {"d": None}]}))
    assert size.parts == 3
    assert size.characters == len("us") + 3 * len("userhelloconversation") + len("abtwocxyd")
    assert size.metadata == 2 + 4


@each_case("unit", ["x", "é", "Straße 7\n", "中", "한", ":", "🙂", "ж", "ﷺ", '":', "a中"])
def test_one_message_of_any_characters_is_taken_and_two_are_not_where_each_may_be_a_word_piece(unit: str) -> None:
    usual = RequestLimits(1, characters=GatewaySettings.model_fields["max_characters"].default)
    metadata: dict[str, JsonValue] = {"k": "中" * 16_000}
    content = (unit * MAX_CONTENT_CHARS)[:MAX_CONTENT_CHARS]
    usual.check(written(metadata, content=content))
    if cost_of(unit) == PIECE * len(unit):
        with pytest.raises(TooMuchAtOnce, match=f"each counts {PIECE}"):
            usual.check(written({}, {}, content=content))


@given(st.text(), st.text())
def test_the_cost_of_a_text_is_that_of_its_characters(one: str, other: str) -> None:
    assert cost_of(one + other) == cost_of(one) + cost_of(other)
    assert len(one) <= cost_of(one) <= PIECE * len(one)


def test_what_may_be_a_word_piece_by_itself_costs_more_wherever_it_stands() -> None:
    assert cost_of("Zoë is 7\n") == 9
    assert cost_of("猫!") == 2 * PIECE
    plain = size_of(written({"k": "v"}, content="cat")).characters
    assert size_of(written({"鍵": "値"}, content="cat")).characters == plain + 2 * (PIECE - 1)
    assert size_of(written({"k": "v"}, content="c猫t")).characters == plain + PIECE - 1


def test_a_page_has_as_many_characters_as_pages_have_since_it_is_not_embedded() -> None:
    RequestLimits(1, characters=10).check(CategoryPageIn(user_id="u", content="# 猫\n" * 10))


def test_a_value_counts_for_every_key_above_it() -> None:
    metadata: dict[str, JsonValue] = {"k": ["x", "y", "z"]}
    for _ in range(4):
        metadata = {"k": metadata}
    assert size_of(written(metadata)).metadata == 3 * 5


def test_vectors_have_no_characters_and_are_no_parts() -> None:
    assert size_of(ItemSearchIn(user_id="u", embedding=(0.5,) * 384)).parts == 0
    item = {"content": "x", "source_resource_id": "r", "embedding": [1.0] * 384}
    items = ItemsIn.model_validate({"user_id": "u", "items": [item] * 3})
    assert size_of(items).parts == 3


@each_case(
    ("strict", "of", "most", "found"),
    [
        (RequestLimits(1, parts=1), "messages", 1, 2),
        (RequestLimits(1, characters=70), "characters", 70, 78),
        (RequestLimits(1, metadata=3), "values of metadata", 3, 4),
    ],
)
def test_what_is_too_much_is_named_with_how_much_may_be(strict: RequestLimits, of: str, most: int, found: int) -> None:
    body = written({"k1": 1, "k2": 2}, {"k3": 3, "k4": 4}, content="x" * 18)
    with pytest.raises(TooMuchAtOnce, match=f"{found} {of}, and {most} are taken") as caught:
        strict.check(body)
    assert caught.value.details == {"of": of, "most": most, "found": found}
    NONE.check(body)


LARGE: Final[dict[str, tuple[type[BaseModel], str, str]]] = {
    "messages that are nothing": (StoreRequest, '"messages": [', "{}"),
    "lists in metadata": (StoreRequest, '"messages": [{"content": "x", "metadata": {"a": [', "[]"),
    "numbers in metadata": (StoreRequest, '"messages": [{"content": "x", "metadata": {"a": [', "1"),
    "lists in the situation": (RecallRequest, '"query": "x", "situation": {"a": [', "[]"),
    "numbers for words": (RecallRequest, '"query": "x", "tools": [', "1"),
    "texts for a vector": (ItemSearchIn, '"embedding": [', '""'),
}


@each_case("name", list(LARGE))
def test_far_too_many_values_are_refused_before_anything_is_made_of_them(name: str) -> None:
    model, beginning, one = LARGE[name]
    strict = RequestLimits(8_000_000, metadata=100)
    few, many = (f'{{"user_id": "u", {beginning}{",".join([one] * count)}'.encode() for count in (50, FIELDS + 300))
    with pytest.raises(TooMuchAtOnce, match=f"at least .* values, lists and objects, and {FIELDS + 200:,} are"):
        strict.check_json(many, model)
    strict.check_json(few, model)
    NONE.check_json(many, model)


def test_a_text_full_of_signs_is_no_values() -> None:
    text = json.dumps({"content": '":[{,' * 20_000}).encode()
    RequestLimits(1, metadata=10).check_json(text, StoreRequest)


def test_vectors_are_taken_where_there_may_be_some_and_as_many_as_a_body_of_them_has() -> None:
    allowed = RequestLimits(8 * 1024 * 1024, 1_000, 400_000, 20_000)
    item = {"content": "x", "source_resource_id": "r", "embedding": [0.012345] * 384}
    vectors = json.dumps({"user_id": "u", "items": [item] * 1_000}).encode()
    allowed.check_json(vectors, ItemsIn)
    with pytest.raises(TooMuchAtOnce, match="values, lists and objects"):
        allowed.check_json(vectors, StoreRequest)
    short = json.dumps({"user_id": "u", "embedding": [1] * 2_000_000}).encode()
    with pytest.raises(TooMuchAtOnce, match="numbers, and 1,048,576 are taken"):
        allowed.check_json(short, ItemSearchIn)


def test_a_request_of_as_many_parts_as_may_be_with_all_their_fields_is_taken() -> None:
    item = dict.fromkeys(ItemIn.model_fields) | {"metadata": {}, "embedding": [0.5]}
    message = dict.fromkeys(MessageIn.model_fields) | {"metadata": {}}
    allowed = RequestLimits(8 * 1024 * 1024, 1_000, 400_000, 20)
    allowed.check_json(json.dumps({"user_id": "u", "items": [item] * 1_000}).encode(), ItemsIn)
    allowed.check_json(json.dumps({"user_id": "u", "messages": [message] * 1_000}).encode(), StoreRequest)


def test_the_requests_that_may_have_vectors_are_known() -> None:
    taking = {
        model
        for _, route in ROUTES
        if route.body_field is not None
        and (model := route.body_field.field_info.annotation) is not None
        and '"items": {"type": "number"}' in json.dumps(model.model_json_schema())
    }
    assert taking == set(WITH_VECTORS)
