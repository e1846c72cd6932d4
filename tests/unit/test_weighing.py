"""How much a call's arguments are to write is known before they are written."""

from collections.abc import Iterator
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import EmbeddedChunk, Interaction, InteractionEntry, MemoryQuery
from ragpp.tierkit.remote import INLINE_BYTES
from ragpp.tierkit.weighing import json_bytes
from tests.support.scopes import new_scope

ALL = 1_000_000_000


def entry(characters: int, chunks: int, dimension: int = 384) -> InteractionEntry:
    said = Interaction(id="m", content="x" * max(1, characters), occurred_at=datetime(2024, 5, 1, tzinfo=UTC))
    vector = tuple(index / 1_000 + 0.012345678901 for index in range(dimension))
    made = [EmbeddedChunk(ordinal=n, start=0, end=1, tokens=1, embedding=vector) for n in range(chunks)]
    return InteractionEntry(interaction=said, chunks=tuple(made))


@given(st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 5), st.integers(10, 384)), min_size=1, max_size=8))
def test_what_is_weighed_is_about_as_long_as_what_is_written(sizes: list[tuple[int, int, int]]) -> None:
    entries = [entry(*size) for size in sizes]
    written = sum(len(one.model_dump_json()) for one in entries)
    assert written / 3 <= json_bytes(entries, ALL) <= written * 3


def test_a_few_messages_with_much_in_them_are_much_and_many_with_little_are_not() -> None:
    assert json_bytes({"entries": [entry(100_000, 0)]}, INLINE_BYTES) > INLINE_BYTES
    assert json_bytes({"entries": [entry(10, 20)]}, INLINE_BYTES) > INLINE_BYTES
    assert json_bytes({"entries": [entry(10, 0)] * 40}, INLINE_BYTES) <= INLINE_BYTES
    query = MemoryQuery(scope=new_scope(), text="x" * 10_000, embedding=(0.5,) * 384)
    assert json_bytes({"query": query}, INLINE_BYTES) <= INLINE_BYTES


def test_what_is_large_is_not_looked_at_whole() -> None:
    looked: list[int] = []

    class Counted(list[str]):
        def __iter__(self) -> Iterator[str]:
            looked.append(len(self))
            return super().__iter__()

    texts = [Counted(["x" * 1_000]) for _ in range(1_000)]
    assert json_bytes(texts, 10_000) > 10_000
    assert len(looked) < 50
