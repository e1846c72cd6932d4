"""Contexts with fewer lines, and what one loses of another."""

import pytest

from benchmarks.curve import Seen, Wanted, row_of, rows_of, seen
from benchmarks.frontier import CUTS, Context, Line, best, frontier, near, point
from tests.support.recalled import answer


def line(score: float, *answers: str, about: bool = False, tokens: int = 10) -> Line:
    return Line(score, tokens, about or bool(answers), frozenset(answers))


WANTED = frozenset({"m1", "m2"})
FULL = Context([line(0.9, "m1"), line(0.5), line(0.2, "m2"), line(0.1)], tokens=60, wanted=WANTED)


def test_all_lines_are_the_context_as_it_is() -> None:
    found = point([FULL], CUTS["all"])
    assert (found.about, found.answer, found.everything, found.tokens, found.lines) == (0.5, 1, 1, 60, 4)


def test_a_cut_context_has_its_lines_share_of_the_tokens() -> None:
    found = point([FULL], best(1))
    assert (found.about, found.answer, found.everything, found.tokens) == (1, 1, 0, 15)


def test_odds_are_compared_with_those_of_the_first_one() -> None:
    """Those of .9 are 9, of .5 one; a line of another tier may have higher ones further down."""
    assert len(near(0.1)(FULL.lines)) == 2
    assert len(near(0.12)(FULL.lines)) == 1
    assert len(near(0.5)([line(1.0), line(1.0), line(0.0)])) == 2
    assert len(near(0.5)([line(0.5), line(0.9)])) == 2
    assert near(0.5)([]) == []


def test_the_frontier_is_a_mean_over_the_questions_and_an_empty_context_has_nothing() -> None:
    points = frontier([FULL, Context([], tokens=0, wanted=WANTED)])
    assert list(points) == list(CUTS)
    assert (points["all"].about, points["all"].answer, points["all"].tokens) == (0.25, 0.5, 30)
    assert frontier([]) == {}


def test_fewer_lines_never_have_more_answers_or_tokens() -> None:
    points = frontier([FULL])
    assert all(points["all"].answer >= one.answer for one in points.values())
    assert all(points["all"].tokens >= one.tokens for one in points.values())


def test_evidence_is_seen_by_its_words_and_by_what_lines_rest_on() -> None:
    told = answer(("m1#2",), ("x",), context="we said eight")
    shown = told.model_copy(
        update={"memories": tuple(m.model_copy(update={"in_context": True}) for m in told.memories)}
    )
    wanted = Wanted(("eight", "ten"), frozenset({"m1", "m2"}))
    assert seen(shown, wanted) == Seen(words=0.5, lines=0.5, tokens=0)
    assert seen(told, wanted) == Seen(words=0.5, lines=0.0, tokens=0)


def test_an_answer_is_lost_where_the_fuller_context_has_some_and_this_one_none() -> None:
    fuller = [Seen(1.0, 1.0, 200), Seen(0.5, 1.0, 200), Seen(1.0, 0.5, 200), Seen(0.0, 0.0, 200)]
    shorter = [Seen(0.5, 1.0, 80), Seen(0.0, 0.5, 80), Seen(1.0, 0.5, 80), Seen(0.0, 0.5, 80)]
    row = row_of(shorter, fuller)
    assert (row["n"], row["tokens"], row["words"], row["words: any"]) == (4, 80, 0.375, 0.5)
    assert (row["words: lost"], row["words: less"]) == (0.25, 0.5)
    assert (row["lines: lost"], row["lines: less"]) == (0, 0.25)
    with pytest.raises(ValueError, match="zip"):
        row_of(shorter, fuller[1:])


def test_losses_are_told_of_the_same_budget_and_only_beside_the_fuller_context() -> None:
    some, none = [Seen(1.0, 1.0, 90)], [Seen(0.0, 0.0, 10)]
    rows = rows_of({(100, "default"): none, (100, "fill"): some, (200, "default"): some}, "fill")
    assert rows[100, "default"]["words: lost"] == 1
    assert "words: lost" not in rows[100, "fill"]
    assert "words: lost" not in rows[200, "default"]
