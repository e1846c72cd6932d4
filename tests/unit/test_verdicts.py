"""A person's verdict tells against what something wrong was learned from, and against nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Memory
from ragpp_services.gateway.assembly.relevance import LEAST_RELEVANCE
from ragpp_services.gateway.assembly.verdicts import set_back, without_rejected


def said(identifier: str, score: float) -> Memory:
    return Memory(id=identifier, tier="episodic", kind="interaction", text=identifier, score=score)


def rejection(*sources: str, score: float = 0.5) -> Memory:
    return Memory(
        id="r",
        tier="semantic",
        kind="relationship",
        text="user WORKS_AT Brightline",
        score=score,
        confidence=0.0,
        sources=sources,
        metadata={"verdict": "rejected"},
    )


def test_what_it_was_learned_from_stands_behind_all_that_says_something() -> None:
    ranking = [said("office", 0.98), said("job", 0.9), said("payslip", 0.3), said("weather", 0.02)]
    found = set_back(ranking, [rejection("office", "job")])
    assert [(one.id, one.score, one.corrected_by) for one in found] == [
        ("payslip", 0.3, None),
        ("office", 0.3, "r"),
        ("job", 0.3, "r"),
        ("weather", 0.02, None),
    ]


def test_what_has_nothing_to_do_with_the_question_tells_against_nothing() -> None:
    ranking = [said("office", 0.98), said("payslip", 0.3)]
    assert set_back(ranking, [rejection("office", score=0.0)]) == ranking


def test_what_a_message_corrected_keeps_saying_by_which() -> None:
    ranking = [said("new", 0.9), said("old", 0.9).model_copy(update={"corrected_by": "new"})]
    assert set_back(ranking, [rejection("old")])[-1].corrected_by == "new"


def test_a_rejected_relationship_is_no_memory() -> None:
    held = rejection("a").model_copy(update={"metadata": {}, "id": "held"})
    assert without_rejected([held, rejection("b")]) == ([held], [rejection("b")])


@given(st.lists(st.floats(0, 1), max_size=8), st.sets(st.integers(0, 8)))
def test_nothing_is_lost_and_scores_stay_in_order(scores: list[float], wrong: set[int]) -> None:
    ranking = [said(str(place), score) for place, score in enumerate(sorted(scores, reverse=True))]
    found = set_back(ranking, [rejection(*map(str, wrong))])
    assert sorted(one.id for one in found) == sorted(one.id for one in ranking)
    assert [one.score for one in found if one.score >= LEAST_RELEVANCE] == sorted(
        (one.score for one in found if one.score >= LEAST_RELEVANCE), reverse=True
    )
