"""Segments choose what an exact ranking would look at, and nothing that is not to be seen."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragpp.ranking.choosing import Asked, candidates_for, choose, positions
from ragpp.ranking.coverage import inverse_document_frequencies
from ragpp.ranking.segments import ENTRY, Segment, bits_of, postings_of
from ragpp.stores.segments import Gap, gaps_of

DIMENSION = 70  # more than one word of bits, and not a whole number of bytes
TERMS = (3, 7, 11)


class Row:
    """One row, as a test describes it."""

    def __init__(self, ordinal: int, draw: np.random.Generator) -> None:
        self.ordinal = ordinal
        self.moment = int(draw.integers(0, 50))
        self.session = int(draw.integers(0, 3))
        self.agent = str(draw.choice(["", "a", "b"])) or None
        self.vectors = draw.normal(size=(int(draw.integers(1, 4)), DIMENSION)).astype(np.float32)
        self.weights = {term: float(draw.choice([-0.5, 0.25, 1.0])) for term in TERMS if draw.random() < 0.4}


def segment_of(rows: Sequence[Row]) -> Segment:
    counts = [len(row.vectors) for row in rows]
    entries = [(place, term, weight) for place, row in enumerate(rows) for term, weight in row.weights.items()]
    columns = tuple(map(np.asarray, zip(*entries, strict=True))) or (np.zeros(0, np.int64),) * 3
    packed = {term: np.frombuffer(held, ENTRY) for term, held in postings_of(columns).items()}  # type: ignore[arg-type]
    return Segment(
        ordinals=np.asarray([row.ordinal for row in rows]),
        moments=np.asarray([row.moment for row in rows]),
        sessions=np.arange(4)[::-1],
        session_of=np.asarray([3 - row.session for row in rows]),
        viewers=np.asarray([-1 if row.agent is None else "ab".index(row.agent) for row in rows]),
        agents=["a", "b"],
        firsts=np.cumsum([0, *counts[:-1]]),
        bits=bits_of(np.concatenate([row.vectors for row in rows])),
        postings={
            term: (held["row"].astype(np.int64), held["weight"].astype(np.float64)) for term, held in packed.items()
        },
    )


def rows_of(seed: int, count: int) -> list[Row]:
    draw = np.random.default_rng(seed)
    return [Row(ordinal, draw) for ordinal in np.cumsum(draw.integers(1, 3, count)).tolist()]


def cut(rows: Sequence[Row], size: int) -> list[Segment]:
    return [segment_of(rows[start : start + size]) for start in range(0, len(rows), size)]


def signs(vectors: np.ndarray, asked: np.ndarray) -> int:
    return int(((vectors > 0) != (asked > 0)).sum(axis=1).min())


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 10), st.sampled_from([None, "a", "c"]))
def test_nothing_is_chosen_that_is_not_in_the_view_or_was_later_and_all_that_is_where_there_is_room(
    seed: int, count: int, size: int, view: str | None
) -> None:
    rows, asked = rows_of(seed, count), np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    chosen = choose(cut(rows, size), Asked(asked, TERMS, view=view, as_of=30, limit=count))
    there = [row for row in rows if row.moment <= 30 and (view is None or row.agent in {None, view})]
    assert chosen.ordinals.tolist() == [row.ordinal for row in there]
    assert chosen.documents == len(there)
    assert chosen.holding.tolist() == [sum(term in row.weights for row in there) for term in TERMS]


@given(st.integers(0, 10_000), st.integers(5, 40), st.integers(1, 10))
def test_the_nearest_by_signs_and_those_with_most_information_are_chosen(seed: int, count: int, size: int) -> None:
    rows, asked = rows_of(seed, count), np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    near = choose(cut(rows, size), Asked(asked, (), limit=3))
    worst = max(signs(row.vectors, asked) for row in rows if row.ordinal in near.ordinals)
    assert len(near.ordinals) == 3
    assert all(signs(row.vectors, asked) >= worst for row in rows if row.ordinal not in near.ordinals)

    said = choose(cut(rows, size), Asked(None, TERMS, limit=3))
    rarity = inverse_document_frequencies(count, said.holding)
    tells = {
        row.ordinal: sum(abs(row.weights.get(t, 0)) * r for t, r in zip(TERMS, rarity, strict=True)) for row in rows
    }
    least = min((tells[ordinal] for ordinal in said.ordinals.tolist()), default=0.0)
    left = [tells[row.ordinal] for row in rows if row.ordinal not in said.ordinals]
    assert len(said.ordinals) == min(3, sum(one > 0 for one in tells.values()))
    assert all(one <= least + 1e-9 for one in left) or len(said.ordinals) < 3


@given(st.integers(0, 10_000), st.integers(5, 40), st.integers(1, 10), st.integers(1, 3))
def test_what_stands_beside_it_in_its_session_comes_along(seed: int, count: int, size: int, steps: int) -> None:
    rows, asked = rows_of(seed, count), np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    chosen = choose(cut(rows, size), Asked(asked, (), limit=2), steps)
    (one,) = [row for row in rows if row.ordinal in chosen.better]
    session = sorted((row.moment, row.ordinal) for row in rows if row.session == one.session)
    place = session.index((one.moment, one.ordinal))
    beside = {ordinal for _, ordinal in session[max(0, place - steps) : place + steps + 1]}
    found = set(chosen.ordinals.tolist())
    assert beside <= found
    assert len(found - beside) <= 2  # the other of the two nearest, and the best of the session where two are as near


@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 10))
def test_what_a_session_tells_is_known_of_all_its_rows(seed: int, count: int, size: int) -> None:
    rows = rows_of(seed, count)
    chosen = choose(cut(rows, size), Asked(None, TERMS, as_of=30, limit=1))
    there = [row for row in rows if row.moment <= 30]
    told = [
        [max((row.weights.get(term, 0.0) for row in there if row.session == session), default=0.0) for term in TERMS]
        for session in range(4)
    ]
    assert chosen.of_sessions(np.arange(4)).tolist() == np.maximum(told, 0.0).tolist()


@given(st.integers(0, 10_000), st.integers(2, 40))
def test_places_differ_by_one_exactly_where_nothing_of_the_session_lies_between(seed: int, count: int) -> None:
    rows = rows_of(seed, count)
    there = choose([segment_of(rows)], Asked(None, TERMS, limit=1)).rows
    some = rows[::2]
    places = positions(
        there,
        np.asarray([row.ordinal for row in some]),
        np.asarray([row.moment for row in some]),
        np.asarray([row.session for row in some]),
    ).tolist()
    for one, at in zip(some, places, strict=True):
        for other, there_at in zip(some, places, strict=True):
            if one.session == other.session and (one.moment, one.ordinal) < (other.moment, other.ordinal):
                between = sum(
                    row.session == one.session
                    and (one.moment, one.ordinal) < (row.moment, row.ordinal) < (other.moment, other.ordinal)
                    for row in rows
                )
                assert (there_at - at == 1) == (between == 0)


def test_more_are_chosen_where_more_are_wanted_or_may_be_excluded() -> None:
    assert candidates_for(10) == candidates_for(20)
    assert candidates_for(200) > candidates_for(20)
    assert candidates_for(10, 500) == candidates_for(10) + 500


@given(st.lists(st.integers(0, 40), unique=True, max_size=8))
def test_every_ordinal_is_in_one_segment_or_in_one_gap(bounds: list[int]) -> None:
    edges = sorted(bounds)
    ranges = [(first, last) for first, last in zip(edges[::2], edges[1::2], strict=False)]
    gaps = gaps_of("u", ranges)
    assert [gap.is_last for gap in gaps] == [False] * (len(gaps) - 1) + [True]
    for ordinal in range(45):
        homes = [first <= ordinal <= last for first, last in ranges] + [
            gap.after < ordinal <= gap.until for gap in gaps
        ]
        assert sum(homes) == 1
    assert all(isinstance(gap, Gap) for gap in gaps)
