"""A conversation: what both sides say is remembered in one session, and what matters is recalled for it."""

import pytest

from ragpp import AsyncMemoryClient, MemoryClient
from ragpp.errors import InvalidInput
from tests.support.each import each_case
from tests.support.scripted import RECALLED, STORED, ScriptedGateway, answer


def said_in(gateway: ScriptedGateway) -> list[object]:
    """The bodies of the requests, without the ids that the client made."""
    bodies = gateway.bodies()
    for body in bodies:
        for message in body.get("messages", ()):  # type: ignore[attr-defined]  # JSON
            message.pop("id")
    return list(bodies)


def a_turn() -> ScriptedGateway:
    return ScriptedGateway(answer(STORED, 201), answer(RECALLED | {"context": "known"}), answer(STORED, 201))


WHOSE = {"user_id": "ana", "session_id": "s1", "agent_id": "chef"}
HEARD = [
    WHOSE | {"messages": [{"role": "user", "name": "Ana", "content": "What can I cook?", "learn": True}]},
    WHOSE | {"name": "Ana", "query": "What can I cook?", "token_budget": 300},
    WHOSE | {"messages": [{"role": "assistant", "content": "A risotto.", "learn": True}]},
]


async def test_a_turn_is_remembered_and_its_context_is_about_what_was_asked() -> None:
    gateway = a_turn()
    client = MemoryClient("http://gateway", "key", transport=gateway)
    with client.conversation(user="ana", session="s1", agent="chef", name="Ana") as talk:
        talk.user("What can I cook?")
        assert talk.context(token_budget=300) == "known"
        talk.assistant("A risotto.")
    assert said_in(gateway) == HEARD


async def test_it_is_the_same_for_an_event_loop() -> None:
    gateway = a_turn()
    client = AsyncMemoryClient("http://gateway", "key", transport=gateway)
    async with client.conversation(user="ana", session="s1", agent="chef", name="Ana") as talk:
        await talk.user("What can I cook?")
        assert await talk.context(token_budget=300) == "known"
        await talk.assistant("A risotto.")
    assert said_in(gateway) == HEARD


def test_conversations_are_sessions_of_their_own_and_one_goes_on_where_it_is_named() -> None:
    client = MemoryClient("http://gateway", "key", transport=ScriptedGateway())
    first, second = client.conversation(user="ana"), client.conversation(user="ana")
    assert first.session_id != second.session_id
    assert client.conversation(user="ana", session=first.session_id).session_id == first.session_id


def test_a_context_before_anything_was_said_is_refused_and_asks_nothing() -> None:
    gateway = ScriptedGateway(answer(RECALLED))
    talk = MemoryClient("http://gateway", "key", transport=gateway).conversation(user="ana", session="s1")
    with pytest.raises(InvalidInput, match="said nothing yet"):
        talk.context()
    talk.context("Who am I?")
    assert gateway.bodies() == [{"user_id": "ana", "session_id": "s1", "query": "Who am I?"}]


@each_case("kind", [MemoryClient, AsyncMemoryClient])
def test_a_conversation_of_nobody_is_refused_before_anything_is_said(
    kind: type[MemoryClient] | type[AsyncMemoryClient],
) -> None:
    client = kind("http://gateway", "key")
    with pytest.raises(InvalidInput, match=r"^user: is empty\n  Correct"):
        client.conversation(user="")
    with pytest.raises(TypeError, match=r"^conversation\(\) takes no 'user_id'; did you mean 'user'\?"):
        client.conversation(user_id="ana")  # type: ignore[call-arg]
