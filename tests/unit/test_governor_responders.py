"""The responders that may answer for the governor, and the answers they may give."""

import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import pytest

from ragpp.llm.port import ChatDelta, ChatMessage, Completion, ReplyT
from ragpp.llm.port import Prompt as ModelPrompt
from ragpp_services.governor.quoted_answer import quoted_answer
from ragpp_services.governor.responders import Message, ask_responder, chat_messages, language_model, reply_of
from ragpp_services.governor.tool_values import Tool, ToolCall
from ragpp_services.governor.values import MemoryUsed, Prompt, PromptMessage, Reply
from tests.support.each import each_case

TOOL = Tool(name="weather", description="Tells the weather.")
ASKED = PromptMessage(id="m-1", role="user", content="Where is the spare key?")


def prompt_of(*memories: MemoryUsed, asked: PromptMessage = ASKED, tools: tuple[Tool, ...] = ()) -> Prompt:
    return Prompt(system="what is known", messages=(asked,), tools=tools, memories=memories)


def remembered(text: str, **fields: object) -> MemoryUsed:
    given = {"id": text, "tier": "episodic", "kind": "interaction", "score": 0.5, "said_by": "user"} | fields
    return MemoryUsed.model_validate({"text": text, "occurred_at": datetime(2026, 3, 8, tzinfo=UTC)} | given)


async def test_a_plain_function_runs_in_a_thread_of_its_own() -> None:
    threads: list[str] = []

    def respond(_prompt: Prompt) -> str:
        threads.append(threading.current_thread().name)
        return "hello"

    assert await ask_responder(respond, prompt_of()) == Reply(text="hello")
    assert threads != [threading.current_thread().name]


async def test_an_object_with_an_async_call_is_awaited_here() -> None:
    class Respond:
        async def __call__(self, _prompt: Prompt) -> Reply:
            return Reply(text=threading.current_thread().name)

    assert (await ask_responder(Respond(), prompt_of())).text == threading.current_thread().name


async def test_a_lambda_around_a_coroutine_is_awaited_too() -> None:
    async def respond(_prompt: Prompt) -> str:
        return "hello"

    assert (await ask_responder(lambda prompt: respond(prompt.model_copy()), prompt_of())).text == "hello"


async def test_pieces_are_passed_on_as_they_come() -> None:
    pieces: list[str] = []

    async def respond(_prompt: Prompt) -> AsyncIterator[str]:
        for piece in ("under ", "the ", "pot"):
            yield piece

    assert (await ask_responder(respond, prompt_of(), pieces.append)).text == "under the pot"
    assert pieces == ["under ", "the ", "pot"]


@dataclass
class Answered:
    """A message as chat models answer it."""

    content: str | list[object]
    tool_calls: Sequence[object] = ()


class Model:
    """A chat model of LangChain's shape."""

    def __init__(self, answer: Answered) -> None:
        self.answer, self.seen, self.tools = answer, [], []  # type: tuple[Answered, list[Message], list[Message]]

    def bind_tools(self, tools: Sequence[Message], /) -> "Model":
        self.tools = list(tools)
        return self

    async def ainvoke(self, messages: Sequence[Message], /) -> object:
        self.seen = list(messages)
        return self.answer


async def test_a_chat_model_is_given_messages_and_tools_and_may_call_them() -> None:
    call = {"name": "weather", "args": {"town": "Bergen"}, "id": "c1", "type": "tool_call"}
    model = Model(Answered([{"type": "text", "text": "let me see"}], [call]))
    reply = await ask_responder(model, prompt_of(tools=(TOOL,)))
    assert reply == Reply(
        text="let me see", tool_calls=(ToolCall(id="c1", name="weather", arguments={"town": "Bergen"}),)
    )
    assert [message["role"] for message in model.seen] == ["system", "user"]
    assert model.tools[0]["function"]["name"] == "weather"  # type: ignore[call-overload,index]  # JSON


def test_an_exchange_with_tools_is_told_in_the_function_form() -> None:
    call = ToolCall(id="c1", name="weather", arguments={"town": "Bergen"})
    said = PromptMessage(role="assistant", content="", tool_calls=(call,))
    result = PromptMessage(role="tool", content="rain", name="weather", tool_call_id="c1")
    messages = chat_messages(Prompt(system="x", messages=(ASKED, said, result)))
    assert messages[2]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"town": "Bergen"}'}}
    ]
    assert messages[3] == {"role": "tool", "content": "rain", "tool_call_id": "c1"}


@each_case(
    ("given", "text"),
    [
        ("hello", "hello"),
        ({"text": "hello"}, "hello"),
        (Answered("hello"), "hello"),
        (Answered(["hel", {"text": "lo"}, {"type": "image"}]), "hello"),
        ("a\x00b \ud800", "ab ?"),
    ],
)
def test_answers_of_many_shapes_are_replies(given: object, text: str) -> None:
    assert reply_of(given).text == text


@each_case("given", [None, 7, Answered("x", ["not a call"])])
def test_what_is_no_reply_is_refused(given: object) -> None:
    with pytest.raises(TypeError, match="responder"):
        reply_of(given)


class Speaking:
    """A LanguageModel that says the same pieces to everything."""

    name = "fake:model"

    def __init__(self) -> None:
        self.seen: list[ChatMessage] = []
        self.max_tokens = 0

    async def complete(self, prompt: ModelPrompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        raise NotImplementedError

    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int = 1_000) -> AsyncIterator[ChatDelta]:
        self.seen, self.max_tokens = list(messages), max_tokens
        for piece in ("under ", "the pot"):
            yield ChatDelta(piece)
        yield ChatDelta()

    async def close(self) -> None:
        return


async def test_a_language_model_of_the_port_answers_as_it_writes() -> None:
    model, pieces = Speaking(), []  # type: tuple[Speaking, list[str]]
    result = PromptMessage(role="tool", content="rain", name="weather", tool_call_id="c1")
    prompt = Prompt(system="what is known", messages=(ASKED, result))
    reply = await ask_responder(language_model(model), prompt, pieces.append)
    assert (reply.text, pieces) == ("under the pot", ["under ", "the pot"])
    roles: list[Literal["system", "user", "assistant"]] = [message.role for message in model.seen]
    assert roles == ["system", "user", "user"]
    assert "rain" in model.seen[-1].content


def test_the_echo_quotes_what_is_remembered_and_cites_it() -> None:
    reply = quoted_answer(prompt_of(remembered("I had soup."), remembered("The spare key is under the blue pot.")))
    assert reply.text == "On 8 March 2026 you said: “The spare key is under the blue pot.”"
    assert reply.cited == ("The spare key is under the blue pot.",)


def test_the_echo_says_so_when_it_remembers_nothing() -> None:
    assert quoted_answer(prompt_of(remembered("I had soup."))).text == "I remember nothing about that."


def test_the_quoting_answer_quotes_nothing_that_is_not_about_the_question() -> None:
    prompt = prompt_of(remembered("The spare tyre is in the shed."))
    assert "tyre" in quoted_answer(prompt).text
    nothing = quoted_answer(prompt.model_copy(update={"relevance": "none"}))
    assert (nothing.text, nothing.cited) == ("I remember nothing about that.", ())


def test_the_echo_takes_no_question_and_no_words_of_its_own_for_an_answer() -> None:
    memories = (remembered("Where is my spare key?"), remembered("The spare key is gone.", said_by="assistant"))
    assert quoted_answer(prompt_of(*memories)).text == "I remember nothing about that."


def test_the_echo_takes_nothing_that_was_corrected_since_for_an_answer() -> None:
    old = remembered("The spare key is under the blue pot.", corrected_by="m-9")
    reply = quoted_answer(prompt_of(old, remembered("The spare key is with Mrs. Petrov.")))
    assert "Petrov" in reply.text
    assert "blue pot" not in reply.text


def test_the_echo_names_another_speaker() -> None:
    assert quoted_answer(prompt_of(remembered("I have the spare key.", said_by="Elena"))).text.startswith(
        "On 8 March 2026 Elena said:"
    )


def test_the_echo_takes_what_is_close_in_meaning_where_no_word_is_shared() -> None:
    near = remembered("It hangs on the nail in the shed.", similarity=0.61)
    assert "nail in the shed" in quoted_answer(prompt_of(near)).text
    assert quoted_answer(prompt_of(remembered("I had soup.", similarity=0.2))).text == "I remember nothing about that."


def test_the_echo_notes_what_is_told_to_it() -> None:
    told = PromptMessage(role="user", content="The spare key is on the nail now.")
    reply = quoted_answer(prompt_of(remembered("The spare key is under the pot."), asked=told))
    assert reply.text == "Noted. On 8 March 2026 you said: “The spare key is under the pot.”"
    assert quoted_answer(prompt_of(asked=told)).text == "Noted."
