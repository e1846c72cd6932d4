"""A person's verdict tells against what something wrong was learned from, and against nothing else; what ended goes
behind what says so."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Memory
from ragpp_services.gateway.assembly.verdicts import parted, set_back, set_first


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


def test_what_was_said_twice_is_rejected_with_either() -> None:
    """The memory is the later of the two, and the relationship may name the earlier alone."""
    twice = said("later", 0.98).model_copy(update={"sources": ("later", "earlier")})
    found = set_back([twice, said("payslip", 0.3)], [rejection("earlier")])
    assert [(one.id, one.corrected_by) for one in found] == [("payslip", None), ("later", "r")]


def test_what_a_rejected_message_had_corrected_holds_again() -> None:
    """Or else the right answer stands there as corrected by the wrong one."""
    ranking = [said("joke", 0.9), said("job", 0.9).model_copy(update={"corrected_by": "joke"})]
    found = set_back(ranking, [rejection("joke")])
    assert [(one.id, one.corrected_by) for one in found] == [("job", None), ("joke", "r")]
    both = set_back(ranking, [rejection("joke", "job")])
    assert [(one.id, one.corrected_by) for one in both] == [("joke", "r"), ("job", "r")]


def test_a_rejected_relationship_is_no_memory() -> None:
    held = rejection("a").model_copy(update={"metadata": {}, "id": "held"})
    assert parted([held, rejection("b")]) == ([held], [rejection("b")])


@given(st.lists(st.floats(0, 1), max_size=8), st.sets(st.integers(0, 8)))
def test_nothing_is_lost_and_scores_stay_in_order(scores: list[float], wrong: set[int]) -> None:
    ranking = [said(str(place), score) for place, score in enumerate(sorted(scores, reverse=True))]
    found = set_back(ranking, [rejection(*map(str, wrong))])
    assert sorted(one.id for one in found) == sorted(one.id for one in ranking)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def ending(told: str, *later: str) -> Memory:
    ended = Memory(id="f", tier="procedural", kind="finding", text="plan: fly to Aland", score=0.4, sources=(told,))
    return ended.model_copy(update={"metadata": {"verdict": "ended", "ended_in": list(later)}})


def test_what_says_that_it_ended_goes_right_before_what_told_it() -> None:
    ranking = [said("weather", 0.9), said("booked", 0.8), said("hotel", 0.5), said("cancelled", 0.3)]
    found = set_first(ranking, [ending("booked", "cancelled")])
    assert [(one.id, one.score) for one in found] == [
        ("weather", 0.9),
        ("cancelled", 0.8),
        ("booked", 0.8),
        ("hotel", 0.5),
    ]


def test_what_ended_moves_nothing_where_the_order_is_right_or_either_is_not_there() -> None:
    ranking = [said("cancelled", 0.9), said("booked", 0.8), said("hotel", 0.5)]
    for one in (ending("booked", "cancelled"), ending("booked", "elsewhere"), ending("elsewhere", "hotel")):
        assert set_first(ranking, [one]) == ranking


def test_among_people_who_tell_each_other_stories_nothing_moves() -> None:
    by = {"booked": "Ada", "cancelled": "Bo"}
    ranking = [said(name, 0.5).model_copy(update={"said_by": speaker}) for name, speaker in by.items()]
    assert set_first(ranking, [ending("booked", "cancelled")]) == ranking
    answered = [*ranking, said("reply", 0.1).model_copy(update={"said_by": "Cleo", "speaker_role": "assistant"})]
    assert set_first(answered, [ending("booked", "cancelled")])[0].id == "cancelled"


def test_what_is_ended_twice_in_turn_stands_behind_both() -> None:
    first = ending("june", "july").model_copy(update={"occurred_at": datetime(2026, 1, 1, tzinfo=UTC)})
    second = ending("july", "august").model_copy(update={"occurred_at": datetime(2026, 2, 1, tzinfo=UTC)})
    ranking = [said("june", 0.9), said("july", 0.8), said("august", 0.7)]
    for ended in ([first, second], [second, first]):
        assert [one.id for one in set_first(ranking, ended)] == ["august", "july", "june"]


def test_what_ended_is_no_memory_to_show() -> None:
    held, gone = parted([said("booked", 0.8), ending("booked", "cancelled"), rejection("booked")])
    assert ([one.id for one in held], [one.id for one in gone]) == (["booked"], ["f", "r"])
