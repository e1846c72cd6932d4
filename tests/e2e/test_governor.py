"""The governor on the real gateway: sessions on different days, a store that is down, what it leaves in the memory."""

from datetime import UTC, datetime

import pytest

from ragpp.client import AsyncMemoryClient
from ragpp_services.governor.graph import Governor
from ragpp_services.governor.quoted_answer import quoted_answer
from ragpp_services.governor.values import AssistantState, Event, Invocation, Limits, TurnResult
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server

LIMITS = Limits(deadline_ms=30_000, store_ms=30_000)
USER = "mira"


def day(number: int) -> datetime:
    return datetime(2025, 3, number, 9, tzinfo=UTC)


async def say(
    governor: Governor, content: str, at: datetime, session: str, state: AssistantState | None = None
) -> TurnResult:
    event = Event(user_id=USER, session_id=session, content=content, name="Mira", at=at)
    result = await governor.turn(Invocation(state=state or AssistantState(), event=event))
    assert result.memory == "ok", result.problems
    return result


async def test_the_third_day_uses_what_was_said_on_the_first(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
) -> None:
    async with Governor(memory, quoted_answer, limits=LIMITS) as governor:
        told = await say(governor, "The spare key is in the blue pot.", day(1), "s1")
        await gateway.digest(tenant)
        await say(governor, "I baked bread and it did not rise.", day(2), "s2")
        await gateway.digest(tenant)
        result = await say(governor, "Where is the spare key?", day(3), "s3")
    assert result.response.text == "On 1 March 2025 you said: “The spare key is in the blue pot.”"
    assert [used.occurred_at for used in result.memories_used if used.cited] == [day(1)]
    assert told.memories_used == ()


async def test_a_message_is_not_its_own_memory_and_what_is_said_later_is_not_seen(memory: AsyncMemoryClient) -> None:
    async with Governor(memory, quoted_answer, limits=LIMITS) as governor:
        await say(governor, "The spare key is in the red box.", day(5), "s2")
        result = await say(governor, "Where is the spare key?", day(3), "s1")
    assert result.response.text == "I remember nothing about that."


async def test_question_and_answer_are_remembered_with_what_they_rest_on(memory: AsyncMemoryClient) -> None:
    async with Governor(memory, quoted_answer, limits=LIMITS) as governor:
        told = await say(governor, "The spare key is in the blue pot.", day(1), "s1")
        asked = await say(governor, "Where is the spare key?", day(2), "s2", told.state)
    page = await memory.interactions(USER, session_id="s2")
    answer, question = page.items
    assert (answer.role, answer.message_type, question.role) == ("assistant", "assistant_response", "user")
    assert answer.metadata["in_reply_to"] == question.id
    assert answer.metadata["memories_used"] == [used.id for used in asked.memories_used]
    assert answer.occurred_at > question.occurred_at


async def test_the_prompt_is_the_gateways_context_with_the_callers_frame(memory: AsyncMemoryClient) -> None:
    prompts: list[str] = []

    def respond(prompt: object) -> str:
        prompts.append(str(getattr(prompt, "system", "")))
        return "yes"

    state = AssistantState(persona="You are Ada, brief and kind.", situation={"room": "kitchen"})
    async with Governor(memory, respond, limits=LIMITS) as governor:
        first = await say(governor, "My sister Elena moved to Porto.", day(1), "s1", state)
        await say(governor, "What is new?", day(2), "s1", first.state)
    system = prompts[-1]
    titles = [line.removeprefix("## ") for line in system.splitlines() if line.startswith("## ")]
    assert titles[0] == "PERSONA"
    assert titles[-1] == "CURRENT SITUATION"
    assert system.count("You are Ada") == system.count('"room": "kitchen"') == 1
    assert "Mira: My sister Elena moved to Porto." in system
    assert "What is new?" not in system
