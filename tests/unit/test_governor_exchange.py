"""The memories that an exchange is handed over for: they rest on what is stored, and on nothing else."""

from collections.abc import Callable

from ragpp.api import StoreRequest, StoreResponse
from ragpp.api.hooks import PostMessageIn, PostResponseIn
from ragpp.errors import Forbidden, TierUnavailable
from ragpp_services.governor.graph import Governor, replay
from ragpp_services.governor.responders import Responder
from ragpp_services.governor.tool_values import ToolCall
from ragpp_services.governor.values import (
    AssistantState,
    Event,
    Invocation,
    Record,
    Reply,
    TurnResult,
)
from tests.support.choosing import CatalogMemory, id_of
from tests.support.each import each_case
from tests.support.governor import NOON, PATIENT, WEATHER, Asked, heard, says

KEY = "The spare key is under the blue pot."
ASKED = "Where is the spare key?"
CALLS = (ToolCall(id="c1", name="weather"), ToolCall(id="c2", name="weather"))
NOT_TAKEN = "post-message: not asked, no memories are taken from an exchange that is not stored"


class Forgetful(CatalogMemory):
    """Stores what it is not `refusing`: by role, with what it raises."""

    def __init__(self, *texts: str) -> None:
        super().__init__(*texts)
        self.refusing: dict[str, Exception] = {}

    async def remember(self, request: StoreRequest) -> StoreResponse:
        if error := self.refusing.get(request.messages[0].role):
            raise error
        return await super().remember(request)


def governor_of(
    memory: CatalogMemory, respond: Responder, on_record: Callable[[Record], None] = lambda _record: None
) -> Governor:
    return Governor(memory, respond, mode="catalog", limits=PATIENT, clock=lambda: NOON, on_record=on_record)


def came(identifier: str) -> Event:
    return heard("rain", id=f"t-{identifier}", message_type="tool_result", metadata={"tool_call_id": identifier})


def handed_over(memory: CatalogMemory) -> list[tuple[str | None, str | None]]:
    calls = [call for call in memory.hooked if isinstance(call, PostMessageIn)]
    return [(call.message_id, call.response_id) for call in calls]


def judged(memory: CatalogMemory) -> int:
    return len(memory.asked(PostResponseIn))


async def test_an_exchange_is_handed_over_with_the_ids_under_which_it_is_stored() -> None:
    memory = CatalogMemory(KEY)
    result = await governor_of(memory, says("Under the pot.")).turn(Invocation(event=heard(ASKED, id="m-1")))
    assert handed_over(memory) == [("m-1", result.response.id)]
    assert {identifier for _, identifier in memory.kept} == {"m-1", result.response.id}


async def test_an_event_without_an_id_is_handed_over_with_the_one_that_it_was_given() -> None:
    memory = CatalogMemory()
    await governor_of(memory, says("Noted.")).turn(Invocation(event=heard(KEY)))
    ((message_id, _),) = handed_over(memory)
    assert ("u1", message_id) in memory.kept


@each_case("role", ["user", "assistant"])
@each_case("error", [TierUnavailable("away"), Forbidden("another's")])
async def test_of_an_exchange_that_is_not_stored_no_memories_are_taken_and_it_is_told(
    role: str, error: Exception
) -> None:
    memory, records = Forgetful(KEY), []  # type: tuple[Forgetful, list[Record]]
    memory.refusing[role] = error
    governor = governor_of(memory, says("Under the pot."), records.append)
    result = await governor.turn(Invocation(event=heard(ASKED)))
    await governor.aclose(patience_s=0)
    assert handed_over(memory) == []
    assert judged(memory) == 1
    assert result.problems[-1] == f"judge: partial, {NOT_TAKEN}"
    step = next(step for step in result.transitions if step.node == "judge")
    assert (step.outcome, step.detail) == ("partial", NOT_TAKEN)
    assert result.memory == "degraded"
    assert result.catalog is not None
    assert result.catalog.job is None
    assert result.catalog.useful == {id_of(KEY): 1.0}
    assert replay(Record.model_validate_json(records[0].model_dump_json())) == result


async def test_where_the_answer_cannot_be_judged_either_both_are_told() -> None:
    memory = Forgetful(KEY)
    memory.refusing["assistant"] = Forbidden("another's")
    memory.troubles["post_response"] = TierUnavailable("away")
    result = await governor_of(memory, says("Under the pot.")).turn(Invocation(event=heard(ASKED)))
    assert result.problems[-1] == f"judge: unavailable, post-response: unavailable, MEM-010 away; {NOT_TAKEN}"


async def test_where_nothing_was_given_and_nothing_is_stored_no_hook_is_asked_behind_the_answer() -> None:
    memory = Forgetful()
    memory.refusing["user"] = Forbidden("another's")
    result = await governor_of(memory, says("Noted.")).turn(Invocation(event=heard(KEY)))
    assert handed_over(memory) == []
    assert judged(memory) == 0
    assert NOT_TAKEN in result.problems[-1]


async def with_tools(memory: Forgetful, mends: Callable[[], None] = lambda: None) -> TurnResult:
    """An exchange in which two tools are called, each turn's state through JSON; `mends` behind its first turn."""
    governor = governor_of(memory, Asked(Reply(tool_calls=CALLS), Reply(text="Rain, and under the pot.")))
    result = await governor.turn(Invocation(event=heard(ASKED, id="m-1"), available_tools=(WEATHER,)))
    mends()
    for identifier in ("c1", "c2"):
        state = AssistantState.model_validate_json(result.state.model_dump_json())
        result = await governor.turn(Invocation(state=state, event=came(identifier)))
    await governor.aclose(patience_s=20)
    return result


async def test_an_exchange_with_tools_is_handed_over_with_the_users_message_of_an_earlier_turn() -> None:
    memory = Forgetful(KEY)
    result = await with_tools(memory)
    assert handed_over(memory) == [("m-1", result.response.id)]
    assert not result.state.asked_stored


@each_case("error", [TierUnavailable("away"), Forbidden("another's")])
async def test_where_the_users_message_was_not_stored_then_the_exchange_is_not_handed_over_behind_its_tools(
    error: Exception,
) -> None:
    memory = Forgetful(KEY)
    memory.refusing["user"] = error
    result = await with_tools(memory, memory.refusing.clear)
    assert handed_over(memory) == []
    assert result.problems == (f"judge: partial, {NOT_TAKEN}",)
    assert result.memory == "partial"


async def test_what_a_tool_said_need_not_be_stored_for_what_the_user_said() -> None:
    memory = Forgetful(KEY)
    memory.refusing["tool"] = Forbidden("another's")
    result = await with_tools(memory)
    assert handed_over(memory) == [("m-1", result.response.id)]


async def test_a_new_message_behind_tools_that_are_out_is_looked_at_for_itself() -> None:
    memory = Forgetful(KEY)
    governor = governor_of(memory, Asked(Reply(tool_calls=CALLS), Reply(text="Under the pot.")))
    called = await governor.turn(Invocation(event=heard("Rain?", id="m-1"), available_tools=(WEATHER,)))
    assert called.state.asked_stored
    memory.refusing["user"] = Forbidden("another's")
    await governor.turn(Invocation(state=called.state, event=heard(ASKED, id="m-2")))
    assert handed_over(memory) == []


async def test_an_event_that_comes_again_is_handed_over_once_it_is_stored() -> None:
    memory = Forgetful(KEY)
    memory.refusing["user"] = TimeoutError()
    governor = governor_of(memory, says("Under the pot."))
    await governor.turn(Invocation(event=heard(ASKED, id="m-1")))
    memory.refusing.clear()
    result = await governor.turn(Invocation(event=heard(ASKED, id="m-1")))
    await governor.aclose(patience_s=20)
    assert handed_over(memory) == [("m-1", result.response.id)]
