"""The tail of a ranking is spread over sessions where a question asks for several things."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.episodic.ranking.spread import APART, KEPT, asks_for_several, spread
from tests.support.each import each_case


@each_case(
    "question",
    [
        "Which places have they been to?",
        "What kind of boats did she build?",
        "How many hens are there?",
        "Who are both?",
    ],
)
def test_a_question_for_several_things_is_known(question: str) -> None:
    assert asks_for_several(question)


@each_case("question", ["When did she leave?", "What is his name?", "What does Jess do?", "Where was it?"])
def test_a_question_for_one_thing_is_not_one_for_several(question: str) -> None:
    assert not asks_for_several(question)


def test_after_the_first_another_session_gets_its_turn() -> None:
    raw = [2.0] * KEPT + [1.0, 0.99, 0.98, 0.97]
    sessions = ["a"] * KEPT + ["a", "a", "b", "a"]
    assert spread(raw, sessions)[KEPT:] == [KEPT + 2, KEPT, KEPT + 1, KEPT + 3]


def test_what_is_far_better_stays_before() -> None:
    raw = [2.0] * KEPT + [1.9, 0.5]
    assert spread(raw, ["a"] * (KEPT + 1) + ["b"]) == list(range(KEPT + 2))


turns = st.lists(st.tuples(st.floats(-3, 3), st.sampled_from("abc")), max_size=60)


@given(turns)
def test_it_is_the_greedy_order_that_it_says(rows: list[tuple[float, str]]) -> None:
    rows = sorted(rows, key=lambda row: -row[0])
    raw, sessions = [row[0] for row in rows], [row[1] for row in rows]
    order = spread(raw, sessions)
    assert order[:KEPT] == list(range(min(KEPT, len(rows))))
    left = set(range(KEPT, len(rows)))
    for place, index in enumerate(order[KEPT:], start=KEPT):
        said = [sessions[earlier] for earlier in order[:place]]
        assert index == min(left, key=lambda one: (APART * said.count(sessions[one]) - raw[one], one))
        left.remove(index)
    assert not left
