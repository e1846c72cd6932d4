"""The counts of a life: claims, contexts, first places and marks."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import JsonValue

from benchmarks.eval_lives import figures_table, missed
from benchmarks.figures import Figures, together
from benchmarks.lives import (
    Claim,
    Fact,
    Life,
    Question,
    Said,
    Trap,
    claim_of,
    knowledge,
    of_context,
    of_ranking,
    read_life,
    stands_alone,
)
from benchmarks.sealed import is_sealed
from ragpp.api import RecalledMemory, RecallResponse, Relevance
from tests.support.each import each_case
from tests.support.recalled import answer

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def said(number: int, content: str, *, session: str = "s1") -> Said:
    return Said(id=f"m{number}", session=session, role="user", name="Jo", content=content, occurred_at=NOON)


LIFE = Life(
    id="jo",
    end=NOON,
    messages=(said(1, "the boiler man is Osk"), said(2, "i moved to gate street"), said(3, "hm", session="s2")),
    facts=(
        Fact(text="Osk mends the boiler.", kind="people", sources=("m1",), state="current", match=("osk", "boiler")),
        Fact(text="Short answers.", kind="instruction", sources=("m3",), state="current", match=("short",)),
        Fact(text="Jo lives in Mill Lane.", kind="home", sources=("m0",), state="past", match=("mill lane",)),
    ),
    traps=(Trap(text="Jo is Osk.", match=("jo is osk",)),),
    questions=(),
)


def question(kind: str = "direct", **ids: frozenset[str]) -> Question:
    empty = frozenset[str]()
    given = {"answers": empty, "helps": empty, "contradicts": empty} | ids
    return Question(q="who?", name="Jo", kind=kind, **given)


def shown(*sources: tuple[str, ...], hidden: int = 0, relevance: Relevance = "some") -> RecallResponse:
    """An answer whose last `hidden` memories are not in its context."""
    told = answer(*sources)
    memories = [
        one.model_copy(update={"in_context": place < len(sources) - hidden}) for place, one in enumerate(told.memories)
    ]
    return told.model_copy(update={"memories": tuple(memories), "relevance": relevance, "tokens": 40})


def test_a_claim_counts_where_it_holds_and_can_be_read_alone() -> None:
    claims = [
        Claim("findings", "Osk mends the boiler", holds=True),
        Claim("rules", "short answers for me", holds=True),
        Claim("findings", "Jo lives in Mill Lane", holds=False),
        Claim("findings", "he said so", holds=True),
    ]
    figures, unknown = knowledge(LIFE, claims)
    assert (
        figures.sums.items()
        >= {
            "known": (2, 2),
            "known instruction": (1, 1),
            "outdated held as current": (0, 1),
            "traps asserted": (0, 1),
            "current claims for each listed fact": (3, 2),
            "claims not readable alone": (1, 2),
            "(every message kept as it is: known)": (1, 2),
        }.items()
    )
    assert unknown == []


def test_what_needs_its_conversation_is_known_loosely_alone() -> None:
    claims = [Claim("findings", "my boiler man is osk", holds=True), Claim("findings", "Jo is Osk", holds=True)]
    figures, unknown = knowledge(LIFE, claims)
    loosely = {"known": (0, 2), "known, also where not readable alone": (1, 2), "traps asserted": (1, 1)}
    assert figures.sums.items() >= loosely.items()
    assert unknown == ["people: Osk mends the boiler.", "instruction: Short answers."]


@each_case(
    ("text", "alone"),
    [
        ("Ida plays the harp", True),
        ("i'm off", False),
        ("Ida leaves next Monday", False),
        ("she plays the harp", False),
        ("Ida plays it, she says", True),
        ("Ida says “my harp”", True),
    ],
)
def test_nobody_and_no_day_is_left_to_guess(text: str, alone: bool) -> None:
    assert stands_alone(text) is alone


@each_case(
    ("row", "claim"),
    [
        ({"text": "a", "deleted": True}, None),
        ({"text": "a", "valid_to": "2026-01-01"}, Claim("rules", "a", holds=False)),
        ({"text": "a", "active": False}, Claim("rules", "a", holds=False)),
        ({"text": "a", "verdict": "rejected"}, Claim("rules", "a", holds=False)),
        ({"text": "a", "verdict": "confirmed", "active": True}, Claim("rules", "a", holds=True)),
    ],
)
def test_what_has_ended_was_rejected_or_waits_is_not_held(row: dict[str, JsonValue], claim: Claim | None) -> None:
    assert claim_of("rules", row) == claim


def test_a_triple_and_a_taste_are_read_as_one_text() -> None:
    assert claim_of("relationships", {"source": "Jo", "type": "KNOWS", "target": "Osk"}) == Claim(
        "relationships", "Jo KNOWS Osk", holds=True
    )
    assert claim_of("preferences", {"category": "food", "key": "tea", "value": "green"}) == Claim(
        "preferences", "food tea: green", holds=True
    )


def test_lines_are_about_the_question_where_they_rest_on_what_answers_or_helps() -> None:
    asked = question(answers=frozenset({"a", "b"}), helps=frozenset({"h"}))
    figures = of_context(asked, shown(("a#1",), ("h",), ("x",), ("b",), hidden=1), "200")
    assert figures.sums == {
        "200: lines about the question": (2, 3),
        "200: the same, mean of the questions": (2 / 3, 1),
        "200: tokens": (40, 1),
        "200: lines": (3, 1),
        "200: an answer in the context": (1, 1),
        "200: all answers in the context": (0, 1),
    }
    assert of_context(asked, shown(), "200").sums["200: the same, mean of the questions"] == (0, 1)


def test_where_nothing_is_known_lines_are_counted_and_none_is_right() -> None:
    told = shown(("x",), relevance="none")
    assert of_context(question("nothing"), told, "200").sums == {
        "200: lines where nothing is known": (1, 1),
        "200: tokens where nothing is known": (40, 1),
    }
    assert of_ranking(question("nothing"), told, ()).sums == {
        "'none' where nothing is known": (1, 1),
        "'clear' where nothing is known": (0, 1),
    }


def test_the_first_three_messages_count_and_what_is_outdated_stands_below() -> None:
    asked = question(answers=frozenset({"a"}), contradicts=frozenset({"o"}))
    figures = of_ranking(asked, shown(("x", "o"), ("a",)), ())
    first, direct, outdated = "answer among the first three", "first three, direct", "outdated above the answer"
    assert figures.sums.items() >= {first: (1, 1), direct: (1, 1), outdated: (1, 1)}.items()
    later = of_ranking(asked, shown(("x", "y", "z", "a"), ("a",), ("o",)), ())
    assert later.sums.items() >= {first: (0, 1), outdated: (0, 1)}.items()
    assert of_ranking(asked, shown(("o",)), ()).sums[outdated] == (1, 1)


def test_a_mark_is_false_unless_its_message_is_outdated() -> None:
    def marked(source: str) -> RecallResponse:
        memory = RecalledMemory(
            id="1", tier="episodic", kind="interaction", text="t", score=0.5, sources=(source,), corrected_by="m9"
        )
        return shown().model_copy(update={"memories": (memory.model_copy(update={"in_context": True}),)})

    asked, name = question(answers=frozenset({"a"})), "false 'since corrected' of all marks"
    assert of_ranking(asked, marked("o"), {"o"}).sums[name] == (0, 1)
    assert of_ranking(asked, marked("a"), {"o"}).sums[name] == (1, 1)
    assert name not in of_ranking(asked, shown(("a",)), {"o"}).sums


def test_figures_add_up_and_a_mean_is_no_share() -> None:
    one, other = Figures(), Figures()
    one.add("known", 1, 3)
    other.add("known", 1)
    other.add("200: tokens", 90)
    total = together([one, other])
    assert total.sums == {"known": (2, 4), "200: tokens": (90, 1)}
    assert (total.cell("known"), total.cell("200: tokens"), total.cell("no")) == ("50.0 (2/4)", "90.0", "")
    assert figures_table("t", {"all": total, "a": one}).row_count == 2


def test_a_miss_is_told_where_an_answer_is_lacking_or_none_is_said_wrongly() -> None:
    asked = question(answers=frozenset({"a"}))
    assert list(missed(asked, shown(("a",)))) == []
    assert len(list(missed(asked, shown(("x",))))) == 1
    assert len(list(missed(asked, shown(("a",), relevance="none")))) == 1
    assert len(list(missed(question("nothing"), shown(relevance="none")))) == 0
    assert len(list(missed(question("nothing"), shown(relevance="some")))) == 1


def test_a_life_keeps_its_sessions_and_a_sealed_one_its_text(tmp_path: Path) -> None:
    assert {name: len(part) for name, part in LIFE.sessions().items()} == {"s1": 2, "s2": 1}
    path = tmp_path / "jo.json"
    path.write_text(json.dumps(json.loads(LIFE.model_dump_json())), "utf-8")
    assert read_life(path) == LIFE
    assert not is_sealed(path)
    seal = tmp_path / "jo.sha256"
    seal.write_text(hashlib.sha256(path.read_bytes()).hexdigest(), "ascii")
    assert is_sealed(path)
    path.write_text(path.read_text("utf-8") + " ", "utf-8")
    with pytest.raises(ValueError, match="without sight"):
        read_life(path)
    assert is_sealed(tmp_path / "jo_blind.json")
