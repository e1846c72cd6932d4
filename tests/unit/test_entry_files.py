"""Files of memories: what is read of one that is whole or broken, and that what is written is read back."""

import json
from collections.abc import Mapping
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from ragpp.entries.files import GLOBAL, read_file, written
from tests.support.each import each_case

HEADER: Final[dict[str, JsonValue]] = {"version": "1.0.0", "ci_name": "ergon-ci"}
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
memories = st.lists(
    st.fixed_dictionaries(
        {"id": st.text("abcdef0123456789_", min_size=1, max_size=8), "content": texts},
        optional={"relevance_tags": st.lists(texts, max_size=3), "priority": st.integers(0, 10), "more": texts},
    ),
    max_size=6,
)


def file_of(*contents: str, header: Mapping[str, JsonValue] | None = None) -> bytes:
    """A file as it is written, of memories with these contents under the ids mem_0, mem_1, …"""
    kept: list[dict[str, JsonValue]] = [{"id": f"mem_{place}", "content": text} for place, text in enumerate(contents)]
    statistics: dict[str, JsonValue] = {"total_memories": len(kept)}
    return "".join(written({**HEADER, "statistics": statistics, **(header or {})}, iter(kept))).encode()


def ids(data: bytes) -> list[str | None]:
    return [one.memory_id for one in read_file(data).memories]


@given(memories)
def test_what_is_written_is_read_back_with_the_line_that_each_begins_at(kept: list[dict[str, JsonValue]]) -> None:
    data = "".join(written({**HEADER, "statistics": {"total_memories": len(kept)}}, iter(kept))).encode()
    read = read_file(data)
    assert [dict(one.fields) for one in read.memories] == kept
    assert (read.problems, read.missing, read.ci_name) == ([], 0, "ergon-ci")
    lines = data.decode().split("\n")
    assert all(lines[one.line - 1].strip() == "{" for one in read.memories)
    assert json.loads(data)["memories"] == kept


BROKEN: Final = (
    ('"content": "two"', '"content": "two', "a quotation mark is lost"),
    ('"content": "two"', '"content": two', "a text is none"),
    ('"id": "mem_1",', '"id": "mem_1"', "a comma is lost"),
    ('"id": "mem_1",', '"id" "mem_1",', "a colon is lost"),
    ('"content": "two"\n    }', '"content": "two"\n', "a brace is lost"),
    ('"content": "two"', '"content": "two\n"', "a line end is in a text"),
    ('"content": "two"', '"content": "two", "x": ' + "[" * 100_000, "it is nested without an end"),
    ('"content": "two"', '"content": "t\udcffwo"', "a byte is no UTF-8"),
    ('{\n      "id": "mem_1"', '"id": "mem_1"', "its beginning is lost"),
    ('"content": "two"', '"content": "two", "tokens": ' + "9" * 5_000, "a number has no end"),
)


@each_case(("was", "is_now"), [row[:2] for row in BROKEN])
def test_a_broken_memory_takes_no_other_with_it_and_its_line_is_named(was: str, is_now: str) -> None:
    text = file_of("one", "two", "three").decode()
    assert was in text
    data = text.replace(was, is_now, 1).encode(errors="surrogateescape")
    read = read_file(data)
    assert [one.memory_id for one in read.memories] == ["mem_0", "mem_2"]
    (problem,) = read.problems
    begins = next(number for number, line in enumerate(text.split("\n"), 1) if '"mem_1"' in line) - 1
    assert problem.line == begins
    assert read.missing == 1


def test_a_file_that_ends_too_early_keeps_what_came_before_its_end() -> None:
    data = file_of("one", "two", "three")
    for end in range(data.index(b'"mem_2"'), len(data) - 1):
        read = read_file(data[:end])
        assert [one.memory_id for one in read.memories][:2] == ["mem_0", "mem_1"]
        assert len(read.problems) >= (1 if end < len(data.rstrip()) else 0)


@each_case(
    ("was", "is_now"),
    [
        ('"version": "1.0.0",', '"version": 1.0.0,'),
        ('"ci_name": "ergon-ci",', '"ci_name": "ergon-ci"'),
        (
            "{\n",
            "",
        ),
        ('"memories": [', '"memories: ['),
    ],
)
def test_a_broken_field_before_the_memories_loses_none(was: str, is_now: str) -> None:
    text = file_of("one", "two").decode()
    read = read_file(text.replace(was, is_now, 1).encode())
    assert [one.memory_id for one in read.memories] == ["mem_0", "mem_1"]
    assert read.problems


def test_something_that_is_no_memory_is_named_and_no_file_at_all_as_well() -> None:
    read = read_file(b'{"memories": [1,\n {"id": "a", "content": "x"},\n null]}')
    assert [one.memory_id for one in read.memories] == ["a"]
    assert [(one.line, one.reason) for one in read.problems] == [
        (1, "is no memory, which is an object"),
        (3, "is no memory, which is an object"),
    ]
    for nothing in (b"", b"\xff\xfe", b"[]", b"\xef\xbb\xbf  ", b'"memories"'):
        read = read_file(nothing)
        assert (read.memories, len(read.problems)) == ([], 1), nothing


def test_a_file_of_what_all_see_names_nobody() -> None:
    assert read_file(file_of("one", header={"ci_name": GLOBAL})).ci_name == GLOBAL
    assert read_file(file_of("one", header={"ci_name": None})).ci_name == GLOBAL


def test_memories_that_the_statistics_tell_of_and_that_are_not_there_are_counted() -> None:
    assert read_file(file_of("one", header={"statistics": {"total_memories": 42}})).missing == 41


@given(st.binary(max_size=60), st.data())
def test_whatever_is_damaged_reading_ends_and_every_whole_memory_before_the_damage_is_there(
    noise: bytes, data: st.DataObject
) -> None:
    whole = file_of("one", "two", "three", "four")
    place = data.draw(st.integers(0, len(whole)))
    damaged = whole[:place] + noise + whole[place:]
    before = [f"mem_{number}" for number in range(4) if whole[:place].count(f'"mem_{number + 1}"'.encode())]
    assert ids(damaged)[: len(before)] == before


@each_case(
    ("was", "is_now"),
    [
        ('"version": "1.0.0",', '"version": 1.0.0,'),
        ('"content": "two"', '"content": "two'),
        ('"version": "1.0.0",', '"version": "1.0.0"'),
    ],
)
@each_case("behind", [False, True])
def test_whose_a_file_is_is_read_whatever_is_broken_beside_it(was: str, is_now: str, behind: bool) -> None:
    text = file_of("one", "two").decode()
    if behind:  # the name stands behind the memories
        text = text.replace('  "ci_name": "ergon-ci",\n', "").replace(
            '  "statistics"', '  "ci_name": "ergon-ci",\n  "statistics"'
        )
    assert '"ci_name": "ergon-ci"' in text
    read = read_file(text.replace(was, is_now, 1).encode())
    assert (read.ci_name, bool(read.problems)) == ("ergon-ci", True)


@each_case("name", ["sales-ci,", '"sales,', "5,", "true,", '"",', '"a\nb",'])
def test_a_name_that_cannot_be_read_is_nobodys_and_not_everybodys(name: str) -> None:
    text = file_of("one").decode().replace('"ergon-ci",', name)
    assert read_file(text.encode()).ci_name is None
    assert read_file(file_of("one").replace(b'"ci_name"', b'"ciname"')).ci_name is None


def test_a_part_of_a_broken_memory_is_no_memory() -> None:
    text = file_of("one", "two", "three").decode()
    for part in (
        '"metadata": {"content": "inner"}',
        '"refs": [{"id": "x", "content": "inner"}]',
        '"more": {"id": "y"}',
    ):
        read = read_file(text.replace('"content": "two"', f'"content": "two" {part}', 1).encode())
        assert [one.memory_id for one in read.memories] == ["mem_0", "mem_2"], part
        assert len(read.problems) == 1


def test_a_file_without_memories_is_told_to_be_none() -> None:
    for nothing in (b"{}", b'{"a": 1}', b'{"memories": null}', b'{"memories": {"id": "a"}}'):
        read = read_file(nothing)
        assert (read.memories, len(read.problems)) == ([], 1), nothing
        assert "memories" in read.problems[0].reason
