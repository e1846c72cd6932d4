"""A preference holds any JSON value: two that say the same are one, and each is shown in a line."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, TypeAdapter, ValidationError

from ragpp.models import PreferenceEntry
from ragpp.preference_values import MAX_VALUE_CHARS, PreferenceValue, canonical, same_text, shown
from ragpp.redacting import Redaction
from ragpp.redaction import SECRETS
from tests.support.each import each_case
from tests.support.procedural import NOON

GIVEN: TypeAdapter[Any] = TypeAdapter(PreferenceValue)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"))
JSON: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_a_value_says_the_same_as_itself_after_any_way_through_json(value: JsonValue) -> None:
    read = json.loads(json.dumps(value))
    assert same_text(read) == same_text(value)
    if not isinstance(value, str):
        assert json.loads(canonical(value)) == value


@each_case("blank", ["", " ", "\n\t", "\x01\x1f", "\u200b", "\u3000\ufeff\u2028"])
def test_a_text_in_which_nothing_shows_is_no_value(blank: str) -> None:
    with pytest.raises(ValidationError):
        GIVEN.validate_python(blank)
    assert GIVEN.validate_python([blank]) == [blank]


@given(st.dictionaries(TEXTS, JSON, max_size=5), st.randoms())
def test_the_order_of_keys_makes_no_difference(value: dict[str, JsonValue], chance: Any) -> None:
    items = list(value.items())
    chance.shuffle(items)
    assert same_text(dict(items)) == same_text(value)


@given(JSON, JSON)
def test_two_different_values_are_not_taken_for_one(one: JsonValue, other: JsonValue) -> None:
    if not (isinstance(one, str) and isinstance(other, str)):
        assert (same_text(one) == same_text(other)) == (_typed(one) == _typed(other))


def _typed(value: JsonValue) -> object:
    """`value` so that `True` is not 1, as it is in Python."""
    if isinstance(value, list):
        return [_typed(item) for item in value]
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    return (isinstance(value, bool), isinstance(value, str), value)


@each_case(
    ("value", "line"),
    [
        ("short and direct.", "short and direct."),
        ("true", "true"),
        (True, "true"),
        (None, "null"),
        (12, "12"),
        (0.5, "0.5"),
        ([], "[]"),
        (["chat", "files"], "chat, files"),
        (
            {"theme": "dark", "panels": ["chat", "the files"], "size": 12},
            "theme = dark, panels = [chat, the files], size = 12",
        ),
        ([["a", {}], {"b": None}], "[a, {}], {b = null}"),
        (["null", "1", "a, b", "", " x", 'say "hi"'], '"null", "1", "a, b", "", " x", "say \\"hi\\""'),
        ({"two\nlines": "a\nb"}, '"two\\nlines" = "a\\nb"'),
    ],
)
def test_a_value_is_shown_compactly_and_a_text_as_it_is(value: JsonValue, line: str) -> None:
    assert shown(value) == line


@given(JSON)
def test_what_is_no_text_is_shown_on_one_line(value: JsonValue) -> None:
    if not isinstance(value, str):
        assert len(shown(value).splitlines()) == 1


@each_case(
    "value",
    [
        "",
        "x" * (MAX_VALUE_CHARS + 1),
        ["x" * MAX_VALUE_CHARS],
        {"a": float("nan")},
        ["\x00"],
        {"\ud800": 1},
        json.loads("[" * 65 + "]" * 65),
    ],
)
def test_a_value_that_is_too_much_or_cannot_be_stored_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError):
        GIVEN.validate_python(value)


@given(JSON)
def test_what_is_accepted_can_be_stored(value: JsonValue) -> None:
    try:
        accepted = GIVEN.validate_python(value)
    except ValidationError:
        return
    entry = PreferenceEntry(id="e", category="c", key="k", value=accepted, occurred_at=NOON)
    assert canonical(PreferenceEntry.model_validate_json(entry.model_dump_json()).value) == canonical(value)


def test_a_secret_inside_a_value_is_removed_also_one_that_only_its_key_gives_away() -> None:
    redaction = Redaction(SECRETS)
    given_value: JsonValue = {"host": "db", "password": "hunter2", "notes": ["my password is hunter2", 5]}
    assert "hunter2" not in canonical(redaction.value("login", given_value))
    assert redaction.value("pin", 4711) == redaction.value("pin", "4711") != "4711"
    assert redaction.value("size", {"width": 4711}) == {"width": 4711}
