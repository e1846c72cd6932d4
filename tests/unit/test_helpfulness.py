"""A context shows what earns its tokens: as much as the ranking is unsure of, and what rests on that."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import STANDING, Memory, MemoryKind, TierName
from ragpp_services.gateway.assembly.helpfulness import AT_MOST, LEAST, OF_TOKENS, SURE, USUAL, why_not_shown
from ragpp_services.gateway.assembly.memory_key import memory_key
from ragpp_services.gateway.assembly.relevance import why_far_behind


def said(identifier: str, score: float) -> Memory:
    return Memory(
        id=identifier, tier="episodic", kind="interaction", text="x", score=score, tokens=1, sources=(identifier,)
    )


def known(identifier: str, *sources: str, kind: MemoryKind = "preference", tier: TierName = "procedural") -> Memory:
    return Memory(id=identifier, tier=tier, kind=kind, text="x", score=0.5, tokens=1, sources=sources)


def shown(
    ranking: list[Memory], about: tuple[Memory, ...] = (), level: str | None = "some", budget: int = 500
) -> list[str]:
    cut = why_not_shown(ranking, {memory_key(one) for one in about}, level, budget)  # type: ignore[arg-type] # a word of ours
    return [memory.id for memory in ranking if memory_key(memory) not in cut]


scores = st.lists(st.floats(0.001, 0.999), min_size=1, max_size=40).map(lambda found: sorted(found, reverse=True))


@given(scores)
def test_the_first_is_always_shown_and_what_is_shown_comes_before_what_is_not(found: list[float]) -> None:
    ranking = [said(str(place), score) for place, score in enumerate(found)]
    assert shown(ranking) == [str(place) for place in range(len(shown(ranking)))] != []


def test_where_the_ranking_is_sure_little_is_shown_and_where_many_are_as_likely_all_are() -> None:
    sure = [said("a", 0.99), *(said(str(n), 0.3) for n in range(9))]
    unsure = [said(str(n), 0.4) for n in range(10)]
    assert shown(sure) == ["a"]
    assert len(shown(unsure)) == 10


def test_what_is_far_less_likely_than_the_best_is_left_out_however_many_there_are_of_it() -> None:
    best = 0.9
    odds = LEAST * best / (1 - best)
    hardly, likelier = (share * odds / (1 + share * odds) for share in (0.99, 1.01))
    assert shown([said("a", best), *(said(str(n), hardly) for n in range(60))], budget=OF_TOKENS * 10) == ["a"]
    assert len(shown([said("a", best), *(said(str(n), likelier) for n in range(60))], budget=OF_TOKENS * 10)) == 61


def test_a_ranking_is_not_believed_to_be_surer_than_it_can_be() -> None:
    likely = said("likely", 0.5)
    assert shown([said("a", 0.9999), likely]) == shown([said("a", SURE), likely]) == ["a", "likely"]


def test_a_larger_budget_shows_what_is_less_likely() -> None:
    ranking = [said("a", 0.9), said("b", 0.5), said("c", 0.3), said("d", 0.1)]
    assert [len(shown(ranking, budget=budget)) for budget in (100, 500, 1_500)] == [2, 3, 3]


def test_a_long_one_has_to_be_as_much_likelier_as_it_is_longer() -> None:
    line, paste = said("line", 0.35), said("paste", 0.35).model_copy(update={"tokens": 5 * USUAL})
    assert shown([said("a", 0.9), line, paste], budget=5_000) == ["a", "line", "paste"]
    assert shown([said("a", 0.9), line, paste], budget=500) == ["a", "line"]


def test_items_far_behind_are_left_out_as_interactions_are() -> None:
    items = [
        known(str(n), kind="item", tier="catalog").model_copy(update={"score": score})
        for n, score in enumerate((0.9, 0.5, 0.1))
    ]
    assert shown(items, tuple(items)) == ["0", "1"]


def test_what_may_say_how_the_best_has_changed_is_shown_with_it() -> None:
    later = said("later", 0.3).model_copy(update={"may_correct": "a"})
    assert shown([said("a", 0.99), said("b", 0.3), later]) == ["a", "later"]


def test_where_nothing_seems_to_be_known_two_lines_are_shown_and_what_applies() -> None:
    always = known("sam").model_copy(update={"metadata": {STANDING: True}})
    ranking = [*(said(str(n), 0.4) for n in range(10)), known("tea", "0"), always]
    assert shown(ranking, level="none") == ["0", "1", "sam"]
    called_up = known("rule", kind="rule")
    assert shown([said("0", 0.4), called_up], (called_up,), level="none") == ["0", "rule"]
    manual = [known(str(n), kind="passage", tier="catalog") for n in range(3)]
    assert shown([*manual, said("a", 0.2)], level="none") == ["0", "1"]
    assert AT_MOST == 2


def test_beside_an_item_that_answers_for_sure_chatter_is_left_out() -> None:
    item = known("item", kind="item", tier="catalog").model_copy(update={"score": 0.99})
    assert shown([item, *(said(str(n), 0.3) for n in range(9))], (item,)) == ["item"]
    unsure = item.model_copy(update={"score": 0.4})
    assert len(shown([unsure, *(said(str(n), 0.4) for n in range(9))], (unsure,))) == 10


def test_what_was_learned_is_shown_where_it_is_about_the_question_by_itself() -> None:
    first, restated, by_itself = said("a", 0.99), known("1", "a"), known("2", "z")
    assert shown([first, restated, by_itself], (by_itself,)) == ["a", "2"]


def test_filled_contexts_leave_out_what_is_hardly_about_the_question_or_far_behind_the_best() -> None:
    """Odds of 3 in 10 are less than a fiftieth of what 98 in 100 has, and not of what 9 in 10 has."""
    for best, score, kept in ((0.98, 0.3, 3), (0.9, 0.3, 10), (0.5, 0.05, 3)):
        ranking = [said("a", best), *(said(str(n), score) for n in range(9))]
        assert len(ranking) - len(why_far_behind(ranking)) == kept
    beside = known("i", "r", kind="item", tier="catalog").model_copy(update={"score": 0.05})
    assert why_far_behind([said("a", 0.9), beside]).keys() == {memory_key(beside)}
