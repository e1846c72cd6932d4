"""Memories put before a message unasked, by their likeness to it; and what an answer has of a memory."""

from datetime import UTC, datetime

import pytest

from benchmarks.agents import Asked, Chosen, Judged, Use, shares_of, uses_of
from ragpp.entries.fitting import Fit, FittingRule, fitting_of, likeness_in_words
from ragpp.entries.usefulness import MOST_SHARED, shared_terms, usefulness
from ragpp.entries.values import CatalogEntry, FoundEntry

RULE = FittingRule(words=0.5, least=0.4, near=0.1)


def found(name: str, similarity: float | None, content: str = "", replaced_by: str | None = None) -> FoundEntry:
    entry = CatalogEntry(memory_id=name, timestamp=datetime(2026, 1, 1, tzinfo=UTC), summary="", abstract="")
    return FoundEntry(
        entry=entry.model_copy(update={"content": content}), similarity=similarity, replaced_by=replaced_by
    )


def test_what_fits_is_like_the_message_and_nothing_else_is_much_liker() -> None:
    assert list(fitting_of([found("a", 0.45), found("b", 0.39)], "x", RULE)) == ["a"]
    assert list(fitting_of([found("a", 0.6), found("b", 0.51), found("c", 0.45)], "x", RULE)) == ["a", "b"]
    assert fitting_of([], "x") == fitting_of([found("a", 0.1)], "x") == {}


def test_what_was_replaced_or_has_no_vector_fits_nothing_and_hides_nothing() -> None:
    entries = [found("old", 0.9, replaced_by="new"), found("new", 0.5), found("unknown", None, "x")]
    assert list(fitting_of(entries, "x", RULE)) == ["new"]


def test_rare_words_help_and_are_explained() -> None:
    entries = [
        found("a", 0.3, "The Grohe cartridge drips."),
        found("b", 0.3, "The tap drips."),
        found("c", 0.3, "Tap."),
    ]
    fits = fitting_of(entries, "Which Grohe cartridge?", RULE)
    assert list(fits) == ["a"]
    assert fits["a"].terms == {"fit.meaning": 0.3, "fit.words": pytest.approx(fits["a"].likeness - 0.3)}
    assert fits["a"].words <= RULE.words
    assert fitting_of(entries, "Who is it that has been there?", RULE) == {}


def test_likeness_in_words_is_a_cosine() -> None:
    same, rare, common, none = likeness_in_words({1, 2}, [{1, 2}, {2, 3}, {1, 3}, set()])
    assert same == pytest.approx(1)
    assert 0 < common <= rare < 1
    assert none == 0
    assert likeness_in_words(set(), [{1}]) == [0]
    assert Fit(0.3, 0.2).likeness == pytest.approx(0.5)


def test_an_answer_has_a_number_of_a_memory_in_words_or_digits() -> None:
    assert shared_terms("It costs fifteen pounds.", "£15 per dog and night") == 1
    assert shared_terms("Room 5 for 15 pounds.", "Fifteen, in room five") == 3
    assert shared_terms("It is so.", "That is it.") == 0


def test_use_is_told_by_closeness_and_shared_words_within_bounds() -> None:
    assert usefulness(1.0, 0) == 0
    assert usefulness(0.2, 1) < 0.2 < usefulness(0.6, 3) < usefulness(0.8, 4) < 1
    assert usefulness(0.5, MOST_SHARED) == usefulness(0.5, 100)


def test_what_is_counted_of_what_was_chosen_and_used() -> None:
    asked = [Asked(id=str(n), world="w", message="?", fitting=ids) for n, ids in enumerate([("a", "b"), ("c",), ()])]
    chosen = [Chosen(one, frozenset(ids)) for one, ids in zip(asked, ({"a", "x"}, (), ()), strict=True)]
    assert shares_of(chosen) == {"n": 3, "chosen": 2, "precision": 0.5, "recall": 1 / 3, "hit": 0.5, "quiet": 1}
    pairs = [(0.9, True), (0.4, True), (0.4, False), (0.1, False)]
    judged = [Judged(Use(memory="m", response="r", used=used), useful) for useful, used in pairs]
    assert uses_of(judged) == {"n": 4, "AUC": 0.875, "accuracy": 0.75, "used": 0.65, "not used": 0.25}
