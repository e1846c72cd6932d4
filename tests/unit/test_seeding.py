"""A cast for another user (`benchmarks.seeding`) has that user's names, and nothing else is changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.seeding.binary import Row, file_of, int8, number_of, row_of, rows_of
from benchmarks.seeding.casting import Mould
from benchmarks.seeding.comparing import differences
from benchmarks.seeding.naming import Renaming
from benchmarks.seeding.reading import Memory, Rows
from ragpp.models import Scope
from ragpp.stores.neo4j import scope_key
from ragpp_services.procedural.naming import preference_id
from ragpp_services.semantic.records import RelationshipKey

ANN, BO = (Scope(tenant_id="t", user_id=user) for user in ("ann", "bo"))
fields = st.lists(st.none() | st.binary(max_size=20), min_size=1, max_size=5)


def memory_of(scope: Scope, *, number: int, entities: tuple[str, str]) -> Memory:
    """A message at that number, from which a preference and a relationship of these entities were learned."""
    whose = [scope.tenant_id.encode(), scope.user_id.encode()]
    liked = preference_id(scope, "drink", "tea").encode()
    key = RelationshipKey(entities[0], "KNOWS", entities[1])
    tables = {
        "episodic.interactions": (
            ("tenant_id", "user_id", "id", "ordinal", "event_id", "content"),
            [[*whose, b"m1", int8(number), int8(number + 7), b"I like tea."]],
        ),
        "ledger.events": (
            ("tenant_id", "user_id", "event_id", "kind", "subject_id", "occurred_at"),
            [[*whose, int8(number + 7), b"interaction.stored", b"m1", int8(0)]],
        ),
        "procedural.preferences": (
            ("tenant_id", "user_id", "id", "category", "key"),
            [[*whose, liked, b"drink", b"tea"]],
        ),
        "procedural.applied": (
            ("tenant_id", "user_id", "entry_id", "subject_id", "event_id"),
            [[*whose, f"{number + 7}.p0".encode(), liked, int8(number + 7)]],
        ),
    }
    own = scope_key(scope)
    graph: list[object] = [
        *(
            ["n", "Entity", {"scope": own, "id": one, "label": "PERSON", "name_key": f"e{n}"}]
            for n, one in enumerate(entities)
        ),
        ["n", "Applied", {"scope": own, "event_id": f"o:{number + 7}", "sources": ["m1"], "embedding": [0.5, 1.0]}],
        ["r", own, "RELATES_TO", "Entity", entities[0], "Entity", entities[1], {"id": key.id, "type": "KNOWS"}],
    ]
    return Memory(
        scope,
        {name: Rows(columns, [list(row) for row in rows]) for name, (columns, rows) in tables.items()},
        graph,
        [(f"st:ids:{{t/{scope.user_id}}}:s", 9, {"m1": "hash"})],
    )


def cast_of(mould: Memory, scope: Scope) -> Memory:
    """The cast for `scope`, as it would be read from the stores."""
    cast = Mould(mould).cast(scope, 500, 900)
    tables = {name: Rows(mould.tables[name].columns, rows_of(file_of(rows))) for name, rows in cast.rows.items()}
    return Memory(scope, tables, cast.graph, cast.keys)


@given(st.lists(fields, max_size=4))
def test_rows_are_read_as_they_were_written(rows: list[Row]) -> None:
    assert rows_of(file_of(map(row_of, rows))) == rows


@given(st.integers(-(2**63), 2**63 - 1))
def test_numbers_are_read_as_they_were_written(number: int) -> None:
    assert number_of(int8(number)) == number


def test_what_is_no_copy_is_refused() -> None:
    with pytest.raises(ValueError, match="binary"):
        rows_of(b"1\tann\n")


def test_a_cast_is_as_if_it_had_been_written_for_the_other() -> None:
    mould = memory_of(ANN, number=3, entities=("a" * 32, "b" * 32))
    written = memory_of(BO, number=40, entities=("c" * 32, "d" * 32))
    cast = cast_of(mould, BO)
    assert differences(written, cast) == []
    assert cast.tables["procedural.applied"].rows == [
        [b"t", b"bo", b"900.p0", preference_id(BO, "drink", "tea").encode(), int8(900)]
    ]
    assert "ann" not in str(cast).replace("channel", "")
    assert differences(memory_of(ANN, number=3, entities=("a" * 32, "b" * 32)), cast) == []


def test_another_message_time_or_entity_is_a_difference() -> None:
    mould = memory_of(ANN, number=3, entities=("a" * 32, "b" * 32))
    cast = cast_of(mould, BO)
    cast.tables["episodic.interactions"].rows[0][5] = b"I like coffee."
    assert {place for place, _ in differences(mould, cast)} == {"episodic.interactions"}
    cast = cast_of(mould, BO)
    cast.tables["procedural.applied"].rows[0][4] = int8(10)  # the mould's own event, which is none of the other's
    assert {place for place, _ in differences(mould, cast)} == {"procedural.applied"}


def test_an_id_that_the_tiers_would_not_make_is_refused() -> None:
    mould = memory_of(ANN, number=3, entities=("a" * 32, "b" * 32))
    mould.tables["procedural.preferences"].rows[0][2] = preference_id(BO, "drink", "tea").encode()
    with pytest.raises(ValueError, match="is not that of"):
        Mould(mould)
    shared = memory_of(BO, number=40, entities=("a" * 32, "d" * 32))
    with pytest.raises(ValueError, match="of both users"):
        differences(memory_of(ANN, number=3, entities=("a" * 32, "b" * 32)), shared)


def test_an_events_id_is_told_from_other_numbers() -> None:
    other = Renaming(scope=BO, before=ANN, ordinals={}, events={12: 90}, ids={"a" * 32: "b" * 32})
    told = {"12.p0": "90.p0", "o:12": "o:90", "incremental:12": "incremental:90", "13.p0": "13.p0", "e:12": "e:12"}
    assert {text: other.led(text) for text in told} == told
    assert other.text(f"found-{'a' * 32} {'c' * 32}") == f"found-{'b' * 32} {'c' * 32}"
