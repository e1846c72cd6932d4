"""The questions that `eval_relevance` asks, and what it counts."""

from collections import Counter

import pytest

from benchmarks.eval_relevance import figures
from benchmarks.relevance_data import BLIND, Case, Kind, of_blind
from benchmarks.sealed import sealed
from ragpp.api import Relevance


def judged(kind: Kind, *levels: Relevance | None) -> list[tuple[Case, Relevance | None]]:
    return [(Case("set", "held out", "u", kind, "?", "?"), level) for level in levels]


def test_none_is_right_of_a_foreign_question_and_wrong_of_an_answered_one() -> None:
    """As many of each are counted: a half of two foreign ones weighs as much as that of four answered ones."""
    told = figures(
        [
            *judged("answered", "clear", "clear", "some", "none"),
            *judged("near", "clear", "none"),
            *judged("foreign", "none", None),
        ]
    )
    assert told["none: precision"] == pytest.approx(0.5 / (0.5 + 0.25))
    assert (told["none: recall"], told["none: wrong"]) == (0.5, 0.25)
    assert (told["clear: precision"], told["clear: against near"], told["clear: recall"]) == (1.0, 0.5, 0.5)


def test_what_was_not_asked_has_no_figure() -> None:
    told = figures(judged("answered", "some", "some"))
    assert told["none: wrong"] == 0.0
    assert [name for name, value in told.items() if value is None] == [
        "none: precision",
        "none: recall",
        "clear: precision",
        "clear: against near",
    ]


def test_the_blind_questions_are_as_they_were_written_and_their_answers_are_there() -> None:
    memories = of_blind()
    said = {identifier for one in memories.conversations for identifier in one.texts}
    lines = sealed(BLIND / "questions_blind.jsonl").splitlines()
    assert Counter(case.kind for case in memories.cases) == {"answered": 30, "near": 15, "foreign": 27}
    assert len(lines) == len(memories.cases)
    assert all(
        message.id in said for one in memories.conversations for part in one.sessions.values() for message in part
    )
    assert {case.user for case in memories.cases} - {one.id for one in memories.conversations} == {"empty"}
