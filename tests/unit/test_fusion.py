"""One ranking of all tiers: evidence first, nothing twice, nothing lost."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from ragpp.models import Memory, MemoryKind, TierName
from ragpp_services.gateway.assembly.fusion import (
    FIRST_PLACES,
    ITEMS_AMONG_FIRST,
    PROTECTED_INTERACTIONS,
    STRIDE,
    evidence,
    fuse,
)
from tests.support.each import each_case

KINDS: dict[TierName, MemoryKind] = {
    "short_term": "message",
    "episodic": "interaction",
    "semantic": "relationship",
    "procedural": "preference",
    "catalog": "item",
}
Answers = dict[TierName, list[Memory]]


def memory(tier: TierName, identifier: str, score: float = 0.5, sources: Sequence[str] = ()) -> Memory:
    return Memory(
        id=identifier, tier=tier, kind=KINDS[tier], text=identifier, score=score, sources=tuple(sources) or ()
    )


def turn(number: int, score: float = 0.5) -> Memory:
    return memory("episodic", f"t{number}", score, [f"t{number}"])


def turns(count: int) -> list[Memory]:
    return [turn(number, 1 - number / 100) for number in range(count)]


def named(ranking: Sequence[Memory]) -> list[str]:
    """The turns that a ranking names, in the order in which evidence counts."""
    return list(dict.fromkeys(source for one in ranking for source in evidence(one)))


@st.composite
def answers(draw: st.DrawFn) -> Answers:
    scores = st.floats(0, 1)
    found: Answers = {
        "episodic": sorted(
            (turn(n, draw(scores)) for n in draw(st.lists(st.integers(0, 40), unique=True, max_size=30))),
            key=lambda one: -one.score,
        )
    }
    for tier in ("semantic", "procedural", "catalog"):
        found[tier] = [
            memory(tier, f"{tier}{n}", draw(scores), [f"t{s}" for s in draw(st.lists(st.integers(0, 60), max_size=5))])
            for n in range(draw(st.integers(0, 8)))
        ]
    found["short_term"] = [
        memory("short_term", f"t{n}", draw(scores), [f"t{n}"])
        for n in draw(st.lists(st.integers(0, 60), unique=True, max_size=8))
    ]
    return {tier: found[tier] for tier in draw(st.permutations(list(found)))}


@given(answers())
def test_every_memory_comes_exactly_once(found: Answers) -> None:
    fused = [one.id for one in fuse(found)]
    assert len(fused) == len(set(fused))
    assert set(fused) == {one.id for memories in found.values() for one in memories}


@given(answers())
def test_the_order_in_which_tiers_answered_does_not_matter(found: Answers) -> None:
    assert fuse(found) == fuse({tier: found[tier] for tier in sorted(found)})


@given(answers())
def test_other_tiers_never_push_a_turn_out_of_the_first_ones(found: Answers) -> None:
    """Recall among the first turns of the fused ranking is that of the episodic tier alone."""
    alone = named(found["episodic"])[:PROTECTED_INTERACTIONS]
    if alone:
        assert named(fuse(found))[: len(alone)] == alone


@given(answers(), st.integers(0, 40))
def test_a_limit_keeps_the_first(found: Answers, limit: int) -> None:
    assert fuse(found, limit=limit) == fuse(found)[:limit]


@given(answers())
def test_scores_stay_in_their_range(found: Answers) -> None:
    assert all(0 <= one.score <= 1 for one in fuse(found))


def test_nothing_answered_is_an_empty_ranking() -> None:
    assert fuse({}) == []
    assert fuse({"episodic": [], "semantic": []}) == []


def test_without_turns_the_other_tiers_take_turns() -> None:
    found: Answers = {
        "semantic": [memory("semantic", "r1", 0.9, ["t7"]), memory("semantic", "r2", 0.8, ["t8"])],
        "procedural": [memory("procedural", "p1")],
    }
    assert [one.id for one in fuse(found)] == ["r1", "p1", "r2"]


def test_what_rests_on_no_turn_is_seen_among_the_first() -> None:
    fused = fuse({"episodic": turns(20), "procedural": [memory("procedural", "p1")]})
    assert [one.id for one in fused].index("p1") < STRIDE


def test_a_relationship_waits_for_its_evidence() -> None:
    found: Answers = {"episodic": turns(20), "semantic": [memory("semantic", "r1", 1.0, ["t4"])]}
    places = [one.id for one in fuse(found)]
    assert places.index("t4") < places.index("r1") <= places.index("t4") + STRIDE


def test_a_relationship_that_rests_on_unseen_turns_comes_behind_the_first_ones() -> None:
    found: Answers = {"episodic": turns(40), "semantic": [memory("semantic", "r1", 1.0, ["x1", "x2"])]}
    places = [one.id for one in fuse(found)]
    assert PROTECTED_INTERACTIONS <= places.index("r1") < PROTECTED_INTERACTIONS + STRIDE


def test_a_message_of_the_conversation_and_its_interaction_are_one_memory() -> None:
    found: Answers = {"episodic": turns(2), "short_term": [memory("short_term", "t1", 1.0, ["t1"])]}
    fused = fuse(found)
    assert [(one.id, one.tier) for one in fused] == [("t0", "episodic"), ("t1", "episodic")]


def test_the_conversation_alone_is_the_last_resort() -> None:
    found: Answers = {"short_term": [memory("short_term", "m1"), memory("short_term", "m2")]}
    assert [one.id for one in fuse(found)] == ["m1", "m2"]


def test_ids_that_two_tiers_spell_alike_are_two_memories() -> None:
    turn = Memory(id="1", tier="episodic", kind="interaction", text="said", score=0.9, sources=("1",))
    rule = Memory(id="1", tier="procedural", kind="rule", text="do", score=0.9)
    message = Memory(id="1", tier="short_term", kind="message", text="said", score=0.9, sources=("1",))
    fused = fuse({"episodic": [turn], "procedural": [rule], "short_term": [message]})
    assert [memory.kind for memory in fused] == ["interaction", "rule"]


def of_resource(identifier: str, finding: str | None = None) -> Memory:
    metadata: dict[str, JsonValue] = {"resource_id": "res_1"}
    if finding is not None:
        metadata["finding_id"] = finding
    return memory("catalog", identifier, sources=["res_1"]).model_copy(update={"metadata": metadata})


@given(answers())
def test_items_take_few_of_the_first_places_while_anything_else_wants_them(found: Answers) -> None:
    ranking = [one for one in fuse(found) if one.tier != "short_term"]
    items = [place for place, one in enumerate(ranking) if one.kind == "item"]
    for place in items[ITEMS_AMONG_FIRST:]:
        assert place >= FIRST_PLACES or all(one.kind == "item" for one in ranking[place:])


@each_case("sources", [("res_1",), ("res_1", "res_2")])
def test_an_item_that_rests_on_no_turn_waits_for_none(sources: tuple[str, ...]) -> None:
    item = of_resource("i1").model_copy(update={"sources": sources})
    fused = fuse({"episodic": turns(20), "catalog": [item]})
    assert [one.id for one in fused].index("i1") == STRIDE - 1


def test_an_item_waits_for_the_turns_that_it_rests_on() -> None:
    places = [one.id for one in fuse({"episodic": turns(20), "catalog": [memory("catalog", "i1", sources=["t6"])]})]
    assert places.index("t6") < places.index("i1")


@each_case("first", ["procedural", "catalog"])
def test_an_item_and_the_finding_of_the_same_words_are_one_and_the_first_is_shown(first: TierName) -> None:
    finding = Memory(id="f1", tier="procedural", kind="finding", text="decision: Porto", score=0.9)
    filler = memory("procedural", "p1")
    found: Answers = {
        "procedural": [finding] if first == "procedural" else [filler, finding],
        "catalog": [memory("catalog", "i0"), of_resource("i1", "f1")]
        if first == "procedural"
        else [of_resource("i1", "f1")],
    }
    kept, gone = ("f1", "i1") if first == "procedural" else ("i1", "f1")
    ids = [one.id for one in fuse(found)]
    assert kept in ids
    assert gone not in ids


def test_items_that_were_made_of_one_finding_are_all_shown() -> None:
    assert [one.id for one in fuse({"catalog": [of_resource("i1", "f1"), of_resource("i2", "f1")]})] == ["i1", "i2"]


@each_case(("sources", "support", "is_shown"), [(("t3",), 1, False), (("t15",), 1, True), (("t2", "t3"), 2, True)])
def test_a_finding_says_nothing_beside_the_message_that_it_was_found_in(
    sources: tuple[str, ...], support: int, *, is_shown: bool
) -> None:
    """One of a message that is far behind helps, and so does what several messages show together."""
    finding = Memory(id="f1", tier="procedural", kind="finding", text="kin: Ida", score=0.9, sources=sources)
    finding = finding.model_copy(update={"metadata": {"support": support}})
    assert ("f1" in [one.id for one in fuse({"episodic": turns(20), "procedural": [finding]})]) == is_shown
