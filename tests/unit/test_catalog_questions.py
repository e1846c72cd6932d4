"""The questions to the catalog: each can be answered, and the blind half is as it was written."""

from pathlib import Path

import pytest

from benchmarks.eval_catalog import FILES, Asked, Outcome, escalation_of, read_questions, read_resources, reasons_of
from benchmarks.sealed import sealed
from benchmarks.stand_in import by_answers
from ragpp.catalog import RetrievalResult
from ragpp.testing.choosing import by_words
from tests.support.each import each_case


@each_case("path", FILES)
def test_what_an_answer_must_say_stands_in_the_resource_that_answers(path: Path) -> None:
    contents = {one.id: one for one in read_resources()}
    unanswered = [one.id for one in read_questions(path) if not one.answered_by(contents[one.resource].content)]
    assert unanswered == []


def test_a_blind_half_that_was_changed_is_refused(tmp_path: Path) -> None:
    for suffix in (".jsonl", ".sha256"):
        (tmp_path / f"blind{suffix}").write_bytes(FILES[1].with_suffix(suffix).read_bytes())
    assert sealed(tmp_path / "blind.jsonl") == FILES[1].read_text("utf-8")
    with (tmp_path / "blind.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(ValueError, match="without sight"):
        sealed(tmp_path / "blind.jsonl")


def outcome(similarity: float, reason: str | None, *, right: bool) -> Outcome:
    answer = RetrievalResult(items=(), total_found=0, search_time_ms=1, confidence_scores=(), escalation_reason=reason)
    asked = Asked(id="q", question="?", resource="r", says=())
    return Outcome(asked, "document", True, None, (), answer, (similarity,), right)


def test_whether_a_model_is_asked_where_words_and_meaning_are_wrong_is_counted() -> None:
    outcomes = [
        outcome(0.9, None, right=True),
        outcome(0.5, "the confidence 0.50 is below 0.60", right=False),
        outcome(0.4, "the confidence 0.40 is below 0.60; answered by words and meaning: it failed", right=True),
        outcome(0.8, "the question asks why", right=False),
    ]
    assert escalation_of(outcomes) == {"escalated": 0.75, "precision": 2 / 3, "caught": 1.0, "AUC": 0.5}
    assert reasons_of(outcomes) == {"low confidence": 2, "the question asks why": 1}


def test_the_stand_ins_choose_by_the_answer_and_by_common_words() -> None:
    texts = ["Basic costs $99.", "The Studio plan is new.", "Studio costs $79."]
    oracle = by_answers({"What does Studio cost?": lambda text: "$79" in text})
    assert [place for place, _ in oracle("What does Studio cost?", texts, 2)] == [2, 0]
    assert [place for place, _ in by_words("What does Studio cost?", texts, 5)] == [1, 2]
