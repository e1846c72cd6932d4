"""Settings in JSON, with comments or without: an entry is put in and taken out, and all else stays to the letter."""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from ragpp.errors import ConfigurationError
from ragpp_infra.cli.connect.jsonc import read_object, with_member

PATH: Final = ("servers", "ragpp")
ENTRY: Final[JsonValue] = {"command": "/bin/ragpp", "args": ["mcp"]}
COMMENTED: Final = """// Mine
{
    "theme": "One", // not "Two", {really}
    /* where {they} are */
    "servers": {
        "a": {"command": "x"}, // keep
    },
    "far": 1e5,
}
"""
texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
scalars = st.none() | st.booleans() | st.integers(-9, 9) | texts
members = st.dictionaries(texts, st.recursive(scalars, lambda one: st.lists(one, max_size=3), max_leaves=4), max_size=4)


@st.composite
def settings(draw: st.DrawFn) -> str:
    """A file of settings as a program or a person may have written it."""
    others = draw(members.map(lambda one: {name: value for name, value in one.items() if name not in PATH}))
    named = members.filter(bool).map(lambda one: {f"of {name}": value for name, value in one.items()})
    servers = draw(st.none() | named)
    given = others if servers is None else {**others, "servers": servers}
    text = json.dumps(given, indent=draw(st.sampled_from([None, 2, 4, "\t"])), ensure_ascii=draw(st.booleans()))
    remark = draw(st.sampled_from(["", '  // a {remark}, "one"', " /* on, it */"]))
    text = text.replace("\n", f"{remark}\n") + draw(st.sampled_from(["", "\n"]))
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@given(settings())
def test_an_entry_is_put_in_and_taken_out_again_and_nothing_else_changes(text: str) -> None:
    before, written = read_object(text), with_member(text, PATH, ENTRY)
    servers = before.get("servers", {})
    assert isinstance(servers, dict)
    assert read_object(written) == {**before, "servers": {**servers, "ragpp": ENTRY}}
    if before:
        assert with_member(written, PATH, None) == text
    other = with_member(written, PATH, {"command": "y"})
    assert read_object(with_member(other, PATH, ENTRY)) == read_object(written)


def test_comments_and_idle_commas_stay_where_they_are() -> None:
    written = with_member(COMMENTED, PATH, ENTRY)
    assert '"a": {"command": "x"}, // keep\n        "ragpp": {' in written
    assert with_member(written, PATH, None) == COMMENTED
    emptied = with_member(COMMENTED, ("servers", "a"), None)
    assert read_object(emptied)["servers"] == {}
    assert "// keep" in emptied


def test_an_entry_between_others_is_taken_out_alone() -> None:
    text = '{"servers": {"a": 1, "ragpp": {"command": "x"}, "z": 2}}'
    assert with_member(text, PATH, None) == '{"servers": {"a": 1, "z": 2}}'


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ('{"servers": {\n "a": 1, // c\n "ragpp": {}}}', '{"servers": {\n "a": 1 // c\n}}'),
        ('{\n "x": 1, // keep\n "servers": {"ragpp": {}}}', '{\n "x": 1 // keep\n}'),
        ('{"servers": { // c\n "ragpp": {}, "b": 1\n}}', '{"servers": { // c\n "b": 1\n}}'),
        ('{"servers": {\n // "off": {}\n "ragpp": {}\n}}', '{"servers": {\n // "off": {}\n}}'),
    ],
)
def test_no_comment_goes_with_an_entry(text: str, without: str) -> None:
    assert with_member(text, PATH, None) == without


def test_comments_where_nothing_else_is_stay() -> None:
    for text in ("// my settings\n", '{"servers": { // none yet\n }}', "{\n  // mine\n}"):
        written = with_member(text, PATH, ENTRY)
        assert read_object(written)["servers"] == {"ragpp": ENTRY}
        assert all(remark in written for remark in ("// my settings", "// none yet", "// mine") if remark in text)


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"a": 1 /* open', '{"servers": [1]}', '{"servers": {}, "servers": {"b": 1}}']
)
def test_what_is_not_understood_is_left_alone(text: str) -> None:
    with pytest.raises(ConfigurationError):
        with_member(text, PATH, ENTRY)
