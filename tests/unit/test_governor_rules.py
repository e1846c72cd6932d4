"""The rules that an answer was given under: told once to the memory, and judged when somebody says how that worked."""

import json

import pytest

from ragpp.api import ActivationIn, Outcome, RecalledMemory, RecallRequest, RecallResponse
from ragpp.errors import InvalidInput, MemorySystemError, NotFound, TierUnavailable
from ragpp.models import Rule
from ragpp_services.governor.graph import Governor, replay
from ragpp_services.governor.responders import Responder
from ragpp_services.governor.tool_values import ToolCall
from ragpp_services.governor.values import AssistantState, Invocation, Record, Reply
from tests.support.each import each_case
from tests.support.governor import NOON, PATIENT, Asked, KeepingMemory, heard, says

SHORT = "Always answer in one sentence."


class RuledMemory(KeepingMemory):
    """With rules, each of which every recall finds, and their records. `broken`: raised where one is told of."""

    def __init__(self, **texts: str) -> None:
        super().__init__()
        self.broken: MemorySystemError | None = None
        self.counted: dict[str, set[str | None]] = {name: set() for name in texts}
        self.worked: dict[str, list[bool]] = {name: [] for name in texts}
        self.judged: set[tuple[str, str | None]] = set()
        self.texts = texts

    async def recall(self, request: RecallRequest) -> RecallResponse:
        answer = await super().recall(request)
        rules = tuple(
            RecalledMemory(
                id=name, tier="procedural", kind="rule", text=text, score=0.7, confidence=1.0, tokens=5, in_context=True
            )
            for name, text in self.texts.items()
        )
        return answer.model_copy(update={"memories": (*answer.memories, *rules)})

    async def record_activation(self, rule_id: str, activation: ActivationIn) -> Rule:
        self._told(rule_id).counted[rule_id].add(activation.id)
        return self._rule(rule_id)

    async def record_outcome(self, rule_id: str, outcome: Outcome) -> Rule:
        worked = self._told(rule_id).worked[rule_id]
        if outcome.id is None or (rule_id, outcome.id) not in self.judged:
            worked.append(outcome.success)
        self.judged.add((rule_id, outcome.id))
        return self._rule(rule_id)

    def _told(self, rule_id: str) -> "RuledMemory":
        if self.broken is not None:
            raise self.broken
        if rule_id not in self.texts:
            raise NotFound("there is no such rule")
        return self

    def _rule(self, rule_id: str) -> Rule:
        worked = self.worked[rule_id]
        return Rule(
            id=rule_id,
            text=self.texts[rule_id],
            priority=0,
            active=True,
            activation_count=len(self.counted[rule_id]),
            outcomes=len(worked),
            success_rate=sum(worked) / len(worked) if worked else None,
            version=1,
            updated_at=NOON,
            occurred_at=NOON,
        )


def governor_of(memory: KeepingMemory, respond: Responder) -> Governor:
    return Governor(memory, respond, limits=PATIENT, clock=lambda: NOON)


async def test_which_rules_fired_is_told_to_the_memory_once_and_with_what_the_responder_followed() -> None:
    memory = RuledMemory(short=SHORT, kind="Be kind.")
    governor = governor_of(memory, Asked(*[Reply(text="Yes.", cited=("short",))] * 2))
    event = heard("Is it open?", id="m-1")
    for _ in range(2):  # the same event again
        result = await governor.turn(Invocation(event=event))
    fired = {rule.id: (rule.text, rule.followed, rule.success, rule.activation_count) for rule in result.rules_fired}
    assert fired == {"short": (SHORT, True, None, 1), "kind": ("Be kind.", False, None, 1)}
    assert memory.counted == {"short": {"m-1"}, "kind": {"m-1"}}
    assert (result.memory, result.rules_judged) == ("ok", ())


@each_case("feedback", [True, False])
async def test_what_came_of_them_is_what_the_next_event_says_of_the_answer(feedback: bool) -> None:
    memory = RuledMemory(short=SHORT)
    governor = governor_of(memory, says("Yes."))
    first = await governor.turn(Invocation(event=heard("Is it open?", id="m-1")))
    assert memory.worked == {"short": []}
    for _ in range(2):  # the same event again
        second = await governor.turn(Invocation(state=first.state, event=heard("Fine.", id="m-2", feedback=feedback)))
    (judged,) = second.rules_judged
    assert (judged.id, judged.success, judged.outcomes, judged.success_rate) == ("short", feedback, 1, float(feedback))
    (fired,) = second.rules_fired
    assert (fired.success, fired.activation_count, fired.outcomes) == (None, 2, 1)
    third = await governor.turn(Invocation(state=second.state, event=heard("Bye.", id="m-3")))
    assert (third.rules_judged, memory.worked["short"]) == ((), [feedback])


async def test_an_answer_that_took_tools_fires_its_rules_once_and_feedback_waits_for_it() -> None:
    memory = RuledMemory(short=SHORT)
    call = ToolCall(id="c1", name="search")
    governor = governor_of(
        memory, Asked(Reply(text="Yes."), Reply(text="A moment.", tool_calls=(call,)), Reply(text="No."))
    )
    first = await governor.turn(Invocation(event=heard("Is it open?", id="m-1")))
    asked = heard("And tomorrow?", id="m-2", feedback=True)
    waits = await governor.turn(Invocation(state=first.state, event=asked))
    assert (waits.rules_fired, waits.rules_judged, memory.worked["short"]) == ((), (), [])
    result = heard("closed", id="t-1", message_type="tool_result", metadata={"tool_call_id": "c1"})
    done = await governor.turn(Invocation(state=waits.state, event=result))
    assert [rule.success for rule in done.rules_judged] == [True]
    assert memory.counted["short"] == {"m-1", "m-2"}
    assert memory.worked["short"] == [True]


async def test_a_memory_that_does_not_take_it_costs_no_answer_and_is_said() -> None:
    memory = RuledMemory(short=SHORT)
    for broken, outcome in ((TierUnavailable("down"), "unavailable"), (NotFound("gone"), "refused")):
        memory.broken = broken
        result = await governor_of(memory, says("Yes.")).turn(Invocation(event=heard("Is it open?")))
        assert result.response.content == "Yes."
        assert (result.memory, [rule.activation_count for rule in result.rules_fired]) == ("partial", [None])
        assert any(problem.startswith(f"judge: {outcome}, rule short") for problem in result.problems)


async def test_without_rules_nothing_is_told_and_feedback_is_of_nothing() -> None:
    memory = RuledMemory()
    result = await governor_of(memory, says("Yes.")).turn(Invocation(event=heard("Is it open?", feedback=True)))
    assert (result.rules_fired, result.rules_judged, result.memory) == ((), (), "ok")


async def test_a_turn_with_rules_is_run_again_from_its_record_to_the_same_result() -> None:
    records: list[Record] = []
    memory = RuledMemory(short=SHORT)
    governor = Governor(memory, says("Yes."), limits=PATIENT, clock=lambda: NOON, on_record=records.append)
    first = await governor.turn(Invocation(event=heard("Is it open?")))
    await governor.turn(Invocation(state=first.state, event=heard("Fine.", feedback=True)))
    for record in records:
        read = Record.model_validate_json(record.model_dump_json())
        assert replay(read) == read.result == record.result


async def test_a_tool_may_be_its_name_alone_and_the_answer_is_the_content() -> None:
    asked = Asked(Reply(text="It is open."))
    governor = governor_of(KeepingMemory(), asked)
    event = {"user_id": "u1", "content": "Is it open?"}
    answer = await governor.invoke({"state": {}, "event": event, "available_tools": ["search", {"name": "open"}]})
    assert [tool.name for tool in asked.prompts[0].tools] == ["search", "open"]
    assert "- search" in asked.prompts[0].system
    response = answer["response"]
    assert isinstance(response, dict)
    assert (response["content"], response["text"], response["message_type"]) == ("It is open.",) * 2 + (
        "assistant_response",
    )
    assert json.loads(json.dumps(answer)) == answer


@each_case("tools", [["x" * 101], [""], [7], ["a"] * 101])
async def test_what_is_no_tool_is_refused_by_its_place(tools: list[object]) -> None:
    with pytest.raises(InvalidInput, match="available_tools"):
        await governor_of(KeepingMemory(), says("x")).invoke(
            {"event": {"user_id": "u1", "content": "hi"}, "available_tools": tools}
        )


async def test_a_state_of_rules_is_json_that_goes_in_again() -> None:
    result = await governor_of(RuledMemory(short=SHORT), says("Yes.")).turn(Invocation(event=heard("Is it open?")))
    assert AssistantState.model_validate_json(result.state.model_dump_json()).rules == result.rules_fired
