"""Which marks on a pair of messages count as false, and as missed."""

from benchmarks.evaluation import whole
from benchmarks.marks import (
    FILLERS,
    NAMES,
    Count,
    Marked,
    Pair,
    Told,
    counted,
    counts,
    fillers_for,
    length_of,
    marked,
    told,
)
from ragpp.api import RecalledMemory, RecallResponse
from tests.support.recalled import answer

FILLING = FILLERS.read_text("utf-8").splitlines()
PAIR = Pair(
    id="p1", question="what bike?", earlier="my bike is red", later="paul paints", replaces=False, name=None, kind="k"
)
REPLACED = PAIR.model_copy(update={"id": "p2", "replaces": True, "kind": "other"})
TOLD = told(PAIR, "none", FILLING)


def answered(*memories: tuple[str, bool], context: str = "") -> RecallResponse:
    """Memories by what they rest on, and whether they are marked."""
    made = tuple(
        RecalledMemory(
            id=source,
            tier="episodic",
            kind="interaction",
            text="t",
            score=0.5,
            sources=(source,),
            corrected_by="m" if is_marked else None,
        )
        for source, is_marked in memories
    )
    return answer(context=context).model_copy(update={"memories": made})


def identifiers(one: Told) -> list[str]:
    return [str(message.id) for day in one.sessions for message in day]


def test_a_pair_is_told_in_order_among_ten_unrelated_messages_of_one_speaker() -> None:
    for named, name in NAMES.items():
        one = told(PAIR, named, FILLING)
        messages = [message for day in one.sessions for message in day]
        contents = [message.content for message in messages]
        assert len(messages) == len(set(contents)) == len(set(identifiers(one))) == 12
        assert contents.index(PAIR.earlier) < contents.index(PAIR.later)
        assert {message.name for message in messages} == {name}
        times = [message.occurred_at for message in messages if message.occurred_at]
        assert times == sorted(times)
        assert times[-1] < one.end
    assert told(PAIR, "none", FILLING) == TOLD


def test_a_pair_keeps_its_own_name_where_that_is_as_long() -> None:
    assert [length_of(name) for name in (None, "Mo", "Ana Maria da Silva")] == ["none", "short", "long"]
    own = PAIR.model_copy(update={"name": "Mo"})
    assert {message.name for day in told(own, "short", FILLING).sessions for message in day} == {"Mo"}
    assert {message.name for day in told(own, "long", FILLING).sessions for message in day} == {NAMES["long"]}


def test_no_filler_shares_a_word_with_its_pair() -> None:
    piano = PAIR.model_copy(update={"earlier": "the PIANO stands in the hallway"})
    assert not [one for one in fillers_for(piano, FILLING, 30) if "piano" in one]


def test_a_mark_is_found_in_the_ranking_and_in_the_context() -> None:
    first, *others = sorted(identifiers(TOLD), key=lambda one: not one.startswith("earlier"))
    assert marked(TOLD, answered((first, True))) == Marked(PAIR, "none", earlier=True, others=0, found=True)
    assert marked(TOLD, answered((first, False), (f"{others[0]}#2", True))).others == 1
    line = f"- [2026-03-02 11:00] user [since corrected]: {PAIR.earlier} (relevance: 0.50)"
    assert marked(TOLD, answered((first, False), context=line)).earlier
    assert marked(TOLD, answered(context=line.replace(" [since corrected]", ""))) == Marked(
        PAIR, "none", earlier=False, others=0, found=False
    )
    assert whole(first) == first


def test_a_mark_is_false_where_nothing_is_replaced_and_missed_where_it_is() -> None:
    outcomes = [
        Marked(PAIR, "none", earlier=True, others=0, found=True),
        Marked(PAIR, "long", earlier=False, others=2, found=True),
        Marked(REPLACED, "none", earlier=True, others=1, found=True),
        Marked(REPLACED, "long", earlier=False, others=0, found=False),
    ]
    assert counted(outcomes) == Count(kept=2, false=1, replaced=2, missed=1, others=3, unfound=1)
    rows = {(kind, named): count for kind, named, count in counts(outcomes)}
    assert rows["all", "none"] == Count(kept=1, false=1, replaced=1, missed=0, others=1, unfound=0)
    assert rows["all", "short"] == Count(0, 0, 0, 0, 0, 0)
    assert rows["k", "all"].false == rows["other", "all"].missed == 1
    assert list(rows)[-1] == ("all", "all")
