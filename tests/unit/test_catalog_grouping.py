"""Statements that say the same are one item, and which are one depends on nothing that is gone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.catalog.items.grouping import Statement, are_one, regrouped
from ragpp_services.catalog.items.regrouping import nearest
from ragpp_services.catalog.items.rows import KeyVectors

Groups = Mapping[str, str | None]
ANGLES = st.integers(0, 40)
"""The angle of a statement's vector, in steps of 5 degrees: up to 23 degrees apart their cosine is .92 or more."""
WORDS = st.sampled_from("abc")


def statement(ordinal: int, angle: int, word: str) -> Statement:
    turned = np.radians(5 * angle)
    vector = np.asarray([np.cos(turned), np.sin(turned)], np.float32)
    return Statement(f"i{ordinal:02}", ordinal, None, word, vector)


def same(one: str, other: str) -> bool:
    """By their words, of which `a` and `b` say the same, and `b` and `c`, but not `a` and `c`."""
    return abs(ord(one) - ord(other)) <= 1


def stored_anew(statements: Sequence[Statement]) -> dict[str, str | None]:
    """The id of the statement that each is one with when they come one after another; None where it leads."""
    leaders: list[Statement] = []
    groups: dict[str, str | None] = {}
    for one in sorted(statements, key=lambda one: one.ordinal):
        leader = next((other for other in leaders if are_one(other, one, same)), None)
        groups[one.id] = None if leader is None else leader.id
        if leader is None:
            leaders.append(one)
    return groups


async def grouped_anew(there: dict[str, Statement], seeds: Sequence[str]) -> None:
    """Group `there`, in which these are to be looked at."""

    async def near(one: Statement) -> list[Statement]:
        return [other for other in there.values() if float(np.dot(other.vector, one.vector)) >= 0.915]

    for identifier, leader in (await regrouped([there[seed] for seed in seeds], near, same)).items():
        there[identifier] = replace(there[identifier], one_with=leader)


@given(st.lists(st.tuples(ANGLES, WORDS), max_size=20), st.data())
async def test_after_any_comings_and_goings_the_groups_are_those_of_what_is_there(
    made: list[tuple[int, str]], data: st.DataObject
) -> None:
    there: dict[str, Statement] = {}
    waiting = [statement(ordinal, *one) for ordinal, one in enumerate(made)]
    while waiting:
        count = data.draw(st.integers(1, len(waiting)), label="come")
        come, waiting = waiting[:count], waiting[count:]
        there |= {one.id: one for one in come}
        await grouped_anew(there, [one.id for one in come])
        gone = data.draw(st.sets(st.sampled_from(sorted(there))) if there else st.just(set()), label="go")
        for identifier in gone:
            del there[identifier]
        await grouped_anew(there, [one.id for one in there.values() if one.one_with in gone])
        assert {one.id: one.one_with for one in there.values()} == stored_anew(list(there.values()))


@given(st.lists(st.tuples(ANGLES, WORDS, st.booleans()), max_size=20))
async def test_what_is_moved_elsewhere_is_as_if_it_had_come_there(made: list[tuple[int, str, bool]]) -> None:
    statements = [statement(ordinal, angle, word) for ordinal, (angle, word, _) in enumerate(made)]
    here = {one.id: one for one, (*_, moves) in zip(statements, made, strict=True) if not moves}
    groups: Groups = stored_anew(list(here.values()))
    here = {one.id: replace(one, one_with=groups[one.id]) for one in here.values()}
    moved = [one for one, (*_, moves) in zip(statements, made, strict=True) if moves]
    elsewhere = stored_anew(moved)
    here |= {one.id: replace(one, one_with=elsewhere[one.id]) for one in moved}
    await grouped_anew(here, [one.id for one in moved])
    assert {one.id: one.one_with for one in here.values()} == stored_anew(statements)


@given(st.lists(ANGLES, min_size=1, max_size=30))
def test_what_is_near_in_halves_is_found_in_blocks(angles: list[int]) -> None:
    vectors = np.stack([statement(0, angle, "a").vector for angle in angles]).astype(np.float16)
    key = KeyVectors(np.arange(100, 100 + len(angles)), vectors)
    found = nearest(key, np.arange(len(angles)))
    for place, angle in enumerate(angles):
        close = {100 + other for other, there in enumerate(angles) if abs(there - angle) <= 4}
        assert set(found[place]) == close


def test_what_is_said_of_another_domain_or_kind_of_task_is_another_item() -> None:
    one = statement(1, 0, "a")
    other = replace(statement(2, 0, "a"), field="sql:date_filter")
    assert are_one(one, replace(one, id="i02"), same)
    assert are_one(other, replace(other, id="i03"), same)
    assert not are_one(one, other, same)
