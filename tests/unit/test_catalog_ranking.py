"""How items are ranked and which of them replaced which: of what was scanned together, and of nothing else."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.catalog.items.currency import Dated, current_first
from ragpp_services.catalog.items.ranking import Table, rank

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
NUMBERS = st.floats(-1, 1, allow_nan=False)
ROW = st.tuples(st.integers(0, 3), NUMBERS, st.sampled_from([2.0, 5.0, 7.0]), st.booleans(), st.booleans())


def table(rows: Sequence[tuple[int, float, float, bool, bool]]) -> Table:
    """Rows of (group, cosine, priority, has the question's word, eligible), in the order in which they came."""
    return Table(
        ordinal=np.arange(1, len(rows) + 1),
        group=np.asarray([row[0] for row in rows], np.int64),
        moment=np.zeros(len(rows), np.int64),
        priority=np.asarray([row[2] for row in rows], np.float64),
        cosine=np.asarray([row[1] for row in rows], np.float64),
        weights=np.asarray([[0.5 * row[3]] for row in rows], np.float64).reshape(-1, 1),
        around=np.zeros((len(rows), 1)),
        eligible=np.asarray([row[4] for row in rows], np.bool_),
    )


@given(st.lists(ROW, max_size=20), st.integers(1, 30))
def test_each_item_is_answered_once_by_its_first_eligible_statement(
    rows: list[tuple[int, float, float, bool, bool]], limit: int
) -> None:
    answer = rank(table(rows), limit=limit)
    firsts: dict[int, int] = {}
    for place, row in enumerate(rows):
        if row[4]:
            firsts.setdefault(row[0], place + 1)
    assert len(answer.ranked) == min(limit, len(firsts))
    assert {one.ordinal for one in answer.ranked} <= set(firsts.values())
    scores = [one.score for one in answer.ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert answer.total_found == sum(rows[ordinal - 1][1] >= 0.5 for ordinal in firsts.values())


@given(st.lists(ROW, max_size=20), NUMBERS)
def test_what_is_less_similar_is_left_out_and_still_counted(
    rows: list[tuple[int, float, float, bool, bool]], least: float
) -> None:
    whole, narrowed = rank(table(rows), limit=99), rank(table(rows), limit=99, least=least)
    assert narrowed.total_found == whole.total_found
    kept = {one.ordinal for one in whole.ranked if one.similarity is not None and one.similarity >= least}
    assert {one.ordinal for one in narrowed.ranked} == kept


def test_words_alone_find_what_has_one_and_meaning_counts_for_nothing() -> None:
    rows = [(0, 0.9, 5.0, False, True), (1, 0.1, 5.0, True, True), (2, 0.8, 5.0, True, True)]
    answer = rank(table(rows), limit=9, by_words_alone=True, explain=True)
    assert [one.ordinal for one in answer.ranked] == [3, 2]  # of equals the later one first
    assert answer.ranked[0].score == answer.ranked[1].score
    assert all(one.explain is not None and "meaning" not in one.explain for one in answer.ranked)


def test_importance_decides_between_equals_and_lifts_nothing_above_an_answer() -> None:
    equals = rank(table([(0, 0.5, 2.0, False, True), (1, 0.5, 7.0, False, True)]), limit=9)
    assert [one.ordinal for one in equals.ranked] == [2, 1]
    other = rank(table([(0, 0.7, 2.0, False, True), (1, 0.5, 7.0, False, True)]), limit=9)
    assert [one.ordinal for one in other.ranked] == [1, 2]


def dated(said: str, hours: int, angle: float = 0, *resources: str) -> Dated:
    """A statement that these resources made so many hours after noon."""
    vector, moment = np.asarray([np.cos(angle), np.sin(angle)], np.float32), NOON + timedelta(hours=hours)
    return Dated(said, (moment, hours), vector, frozenset((resource, moment) for resource in resources))


def another(earlier: str, later: str) -> bool:
    """About the same thing, by the first letter, and otherwise."""
    return earlier[0] == later[0] and earlier != later


def test_the_latest_of_what_says_otherwise_stands_first_and_replaces_the_others() -> None:
    read = [dated("a2", 2), dated("a1", 1), dated("b1", 1), dated("a3", 3), dated("b2", 2)]
    current = current_first(read, another)
    assert [read[place].content for place in current.order] == ["a3", "a2", "a1", "b2", "b1"]
    assert {read[old].content: read[new].content for old, new in current.replaced.items()} == {
        "a1": "a3",
        "a2": "a3",
        "b1": "b2",
    }


def test_what_one_resource_says_at_one_time_never_replaces_itself() -> None:
    month, year = dated("a price", 1, 0, "list"), dated("another price", 1, 0, "list")
    assert current_first([month, replace(year, moment=(NOON + timedelta(hours=1), 2))], another).replaced == {}
    again = replace(year, moment=(NOON + timedelta(hours=9), 9), said=year.said | {("mail", NOON)})
    assert current_first([month, again], another).replaced == {}  # said again elsewhere, it stands beside the other yet
    assert current_first([month, dated("a new price", 2, 0, "list")], another).replaced == {0: 1}
    assert current_first([month, dated("a new price", 2, 0, "new list")], another).replaced == {0: 1}


def test_what_is_about_other_things_replaces_nothing() -> None:
    read = [dated("a1", 1), dated("a2", 2, angle=1.2)]
    assert current_first(read, another).replaced == {}
    assert current_first([], another).order == []


@given(st.lists(st.tuples(st.sampled_from(["a1", "a2", "b1", "b2"]), st.integers(0, 99)), unique_by=lambda one: one[1]))
def test_all_that_was_read_is_shown_once_and_what_replaces_stands_before(said: list[tuple[str, int]]) -> None:
    read = [dated(*one) for one in said]
    current = current_first(read, another)
    assert sorted(current.order) == list(range(len(read)))
    for old, new in current.replaced.items():
        assert current.order.index(new) < current.order.index(old)
        assert read[new].moment > read[old].moment
