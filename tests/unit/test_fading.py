"""How fast what is known fades: what passes by half in two weeks, what stays true in a year or more."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.fading import FADES, LASTING, PACES, RATES, holds, rate_of
from ragpp_services.semantic.evidence.folding import Belief
from ragpp_services.semantic.records import MICROSECONDS_PER_DAY, Applied, RelationshipKey, RelationshipState, Statement
from ragpp_services.semantic.rows import rate_table
from tests.support.each import each_case

BELIEF: Final = Belief()
HELD: Final = [
    "FRIEND_OF",
    "BOSS_OF",
    "COLLEAGUE_OF",
    "MOTHER_OF",
    "SPOUSE_OF",
    "LIKES",
    "DISLIKES",
    "PREFERS",
    "WORKS_AT",
    "WORKS_AS",
    "LIVES_IN",
    "SUFFERS_FROM",
    "PLAYS",
    "PRACTISES",
    "GROWS",
]
PASSING: Final = ["RELATED_TO", "WATCHED", "READ", "VISITED", "PLANS", "INTERESTED_IN", "FEELS"]


def once(kind: str, *days: float, lasting: bool = False) -> RelationshipState:
    """A relationship that was said on these days."""
    said = [
        Statement(
            Applied(f"e{number}", int(day * MICROSECONDS_PER_DAY), number, (f"m{number}",)),
            RelationshipKey("a", kind, "b"),
            "Priya",
            "Nora",
            lasting=lasting,
            context="",
        )
        for number, day in enumerate(days)
    ]
    state = BELIEF.fold(said)
    assert state is not None
    return state


def after(state: RelationshipState, days: float) -> float:
    return BELIEF.confidence(state, int(days * MICROSECONDS_PER_DAY))


@each_case("kind", HELD)
def test_a_tie_a_taste_work_a_home_and_an_illness_halve_in_a_year_or_more(kind: str) -> None:
    state = once(kind, 0)
    assert after(state, 30) > 0.55
    assert after(state, 365) >= 0.3 - 1e-9
    assert BELIEF.persisted(state, 20_000 * MICROSECONDS_PER_DAY, 0.5).archived_at is None


@each_case("kind", PASSING)
def test_what_passes_fades_by_the_rate_of_document_004(kind: str) -> None:
    assert after(once(kind, 0), 30) == pytest.approx(0.6 * 0.95**30)
    assert not holds(kind, lasting=False)
    assert BELIEF.persisted(once(kind, 0), 200 * MICROSECONDS_PER_DAY, 0.01).archived_at is not None


def test_a_friend_of_whom_nobody_spoke_for_a_year_is_no_stranger_when_they_do_again() -> None:
    assert once("FRIEND_OF", 0, 365).confidence == pytest.approx(0.4)
    assert once("WATCHED", 0, 365).confidence == pytest.approx(0.1)


def test_who_states_another_kind_may_call_it_lasting() -> None:
    assert after(once("VISITED", 0, lasting=True), 365) > 0.4
    assert BELIEF.persisted(once("VISITED", 0, lasting=True), 20_000 * MICROSECONDS_PER_DAY, 0.5).archived_at is None


def test_each_kind_has_one_row_and_each_row_its_reason() -> None:
    assert sum(len(pace.kinds) for pace in PACES) == len(RATES)
    assert all(pace.why and FADES < pace.per_day < 1 for pace in PACES)
    assert set(HELD) <= RATES.keys()
    assert {"MOTHER_OF", "SPOUSE_OF", "WORKS_AT", "LIVES_IN"} <= LASTING


@given(st.sampled_from([*HELD, *PASSING, "TEAMMATE_OF"]), st.booleans())
def test_statements_read_the_same_rates(kind: str, lasting: bool) -> None:
    table = rate_table(FADES)
    of = table["of"]
    assert isinstance(of, dict)
    other = table["ties"] if kind.endswith("_OF") else table["passing"]
    assert (table["lasting"] if lasting else of.get(kind, other)) == rate_of(kind, lasting=lasting)


@given(st.sampled_from([*HELD, *PASSING]), st.lists(st.integers(1, 400), min_size=1, max_size=5))
def test_writing_decay_down_never_decays_twice(kind: str, nights: list[int]) -> None:
    state = untouched = once(kind, 0)
    for night in sorted(nights):
        state = BELIEF.persisted(state, night * MICROSECONDS_PER_DAY, 0.0)
    for day in (500, 3_000):
        assert after(state, day) == pytest.approx(after(untouched, day))
