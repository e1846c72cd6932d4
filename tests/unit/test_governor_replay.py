"""A turn that was recorded comes to the same result again, and a turn changes nothing but what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.errors import TierUnavailable
from ragpp_services.governor.errors import ReplayDiverged
from ragpp_services.governor.graph import Governor, replay
from ragpp_services.governor.orders import FIRST, ORDERS, after
from ragpp_services.governor.responders import Responder
from ragpp_services.governor.turn import Turn
from ragpp_services.governor.values import Invocation, Record
from tests.support.each import each_case
from tests.support.governor import NOON, PATIENT, KeepingMemory, heard, says
from tests.support.source import ROOT


def governor_of(memory: KeepingMemory, respond: Responder, **limits: int) -> Governor:
    return Governor(memory, respond, limits=PATIENT.model_copy(update=limits), clock=lambda: NOON)


async def _recorded(memory: KeepingMemory, invocation: Invocation, respond: Responder) -> Record:
    records: list[Record] = []
    governor = Governor(memory, respond, limits=PATIENT, on_record=records.append)
    await governor.turn(invocation)
    await governor.aclose(patience_s=0)
    return records[0]


@each_case("state", ["well", "down"])
async def test_a_recorded_turn_comes_to_the_same_result_again(state: str) -> None:
    memory = KeepingMemory()
    await governor_of(memory, says("ok")).turn(Invocation(event=heard("The key is under the pot.")))
    memory.fails = TierUnavailable("away") if state == "down" else None
    record = await _recorded(memory, Invocation(event=heard("Where is the key?")), says("under the pot"))
    calls = len(memory.calls)
    assert replay(Record.model_validate_json(record.model_dump_json())) == record.result
    assert len(memory.calls) == calls


@given(
    content=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip),
    answer=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
)
async def test_whatever_is_said_replays_to_the_same(content: str, answer: str) -> None:
    record = await _recorded(KeepingMemory(), Invocation(event=heard(content)), says(answer))
    assert replay(Record.model_validate_json(record.model_dump_json())) == record.result


def test_a_record_without_a_mode_is_a_recall_and_replays_to_the_same() -> None:
    lines = (ROOT / "tests" / "data" / "governor_turns.jsonl").read_text(encoding="utf-8").splitlines()
    records = [Record.model_validate_json(line) for line in lines]
    assert [replay(record) for record in records] == [record.result for record in records]
    assert {record.mode for record in records} == {"recall"}
    healths = [record.result.memory for record in records]
    assert healths == ["ok", "ok", "ok", "ok", "ok", "partial", "degraded"]


async def test_a_replay_that_takes_another_way_says_where() -> None:
    record = await _recorded(KeepingMemory(), Invocation(event=heard("hi")), says("hello"))
    event = record.invocation.event.model_copy(update={"content": "bye"})
    changed = record.model_copy(update={"invocation": record.invocation.model_copy(update={"event": event})})
    with pytest.raises(ReplayDiverged, match="receive"):
        replay(changed)
    assert replay(changed, strict=False).response.text == "hello"


async def test_a_record_that_cannot_be_written_costs_no_answer() -> None:
    def full(_record: Record) -> None:
        raise OSError("no space left")

    governor = Governor(KeepingMemory(), says("hello"), on_record=full)
    assert (await governor.turn(Invocation(event=heard("hi")))).response.text == "hello"


async def test_nodes_change_nothing_and_answer_the_same_each_time() -> None:
    governor = governor_of(KeepingMemory(), says("hello"))
    turn: Turn = governor.begin(Invocation(event=heard("hi")))
    name = FIRST
    following = after(name, turn)
    while following is not None:
        before = turn.model_dump_json()
        assert ORDERS[turn.mode][name].ask(turn) == ORDERS[turn.mode][name].ask(turn)
        turn = await governor.step(name, Turn.model_validate_json(before))
        following = after(name, turn)
        name = following or name
    assert governor.finish(turn).response.text == "hello"
