"""The evaluations count what they say they count."""

import math
from types import ModuleType

from benchmarks.evaluation import BATCH, BATCH_CHARS, ROWS, TIERS, Asked, Conversation, Question, batches, score
from ragpp.api import MessageIn, RecallResponse
from tests.support.recalled import answer


def metrics() -> ModuleType:
    """As the data's own, as far as they are needed here."""
    module = ModuleType("metrics")

    def evidence_metrics(ranked: list[str], gold: tuple[str, ...]) -> dict[str, float]:
        return {"R@10": len(set(ranked[:10]) & set(gold)) / len(gold)}

    def budget_recall(context: str, lines: dict[str, str]) -> float:
        return sum(text in context for text in lines.values()) / len(lines)

    module.__dict__.update(evidence_metrics=evidence_metrics, budget_recall=budget_recall)
    return module


CHAT = Conversation("c", {}, {"1": "eight", "2": "ten"}, [])


def scored(response: RecallResponse, question: Question) -> dict[str, float]:
    return score(response, question, CHAT, metrics())


CHANGED = Question("q", "how many?", gold=("1", "2"), old=("1",), new=("2",))


def test_the_new_is_above_the_old_only_where_it_ranks_before() -> None:
    assert scored(answer(("2",), ("1",)), CHANGED)["new above old"] == 1
    assert scored(answer(("1",), ("2",)), CHANGED)["new above old"] == 0
    assert scored(answer(("2",)), CHANGED)["new above old"] == 1
    assert scored(answer(("1",)), CHANGED)["new above old"] == 0
    assert scored(answer(), CHANGED)["new above old"] == 0
    assert "new above old" not in scored(answer(), Question("q", "who?", gold=("1",)))


def test_a_part_counts_as_its_message_and_three_sources_as_evidence() -> None:
    assert scored(answer(("2#7",)), CHANGED)["R@10"] == 0.5
    assert scored(answer(("x", "y", "z", "2")), CHANGED)["R@10"] == 0


def test_the_context_is_judged_by_the_words_in_it() -> None:
    assert scored(answer(context="we said eight"), CHANGED)["B1000"] == 0.5


def test_batches_keep_the_order_and_their_size() -> None:
    messages = [
        MessageIn(id=str(number), content="x" * size) for number, size in enumerate([BATCH_CHARS + 1, *[9] * 250])
    ]
    parts = list(batches(messages))
    assert [message for part in parts for message in part] == messages
    assert len(parts[0]) == 1
    assert max(map(len, parts)) == BATCH
    assert list(batches([])) == []


def test_every_tier_has_a_row_without_it_and_one_alone() -> None:
    for tier in TIERS:
        assert set(ROWS[f"without {tier}"] or ()) == set(TIERS) - {tier}
        assert ROWS[f"{tier} alone"] == (tier,)
    assert ROWS["all"] is None


def test_means_are_over_the_questions_that_have_the_metric() -> None:
    asked = Asked(rows=[("a", {"R": 1.0, "new": 1.0}), ("a", {"R": 0.0}), ("b", {"R": 0.5})])
    means = asked.means("a".__eq__)
    assert means["n"] == 2
    assert math.isclose(means["R"], 0.5)
    assert means["new"] == 1.0
    assert asked.means("c".__eq__) == {}
