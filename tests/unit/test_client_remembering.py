"""Clients of OpenAI and Anthropic that remember, against a server that speaks their protocols."""

import asyncio
import gc
import logging
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, assert_type, cast

import anthropic
import httpx
import openai
import pytest

from ragpp import AsyncMemoryClient, MemoryClient, client, remembering
from ragpp.client.errors import GatewayUnreachable
from ragpp.client.later import Later
from ragpp.client.outbox import Outbox
from ragpp.client.plain import message, question
from ragpp.environment import outbox_folder
from ragpp.errors import ConfigurationError, InvalidInput
from ragpp.fields import MAX_CONTENT_CHARS
from ragpp.testing.llm import Answered, Failed, LlmServer
from ragpp_infra.embedded.home import Home
from tests.support.each import each_case
from tests.support.scripted import RECALLED, STORED, ScriptedGateway, answer

KNOWN: Final = RECALLED | {"context": "- Elena lives in Porto", "relevance": "clear"}
ASKED: Final = "Where does my sister live?"
MESSAGES: Final = [{"role": "user", "content": ASKED}]
Call = Callable[[LlmServer, MemoryClient | AsyncMemoryClient, bool, Any], Coroutine[object, None, str]]


async def by_openai(server: LlmServer, memory: MemoryClient | AsyncMemoryClient, stream: bool, messages: Any) -> str:
    """The answer, as the caller reads it."""
    async with openai.AsyncOpenAI(api_key="k", base_url=server.openai_url, max_retries=0) as client:
        llm = remembering(client, user="ana", session="s1", agent="chef", memory=memory)
        assert_type(llm, openai.AsyncOpenAI)
        if not stream:
            whole = await llm.chat.completions.create(model="m", messages=messages)
            return whole.choices[0].message.content or ""
        parts = await llm.chat.completions.create(model="m", messages=messages, stream=True)
        return "".join([part.choices[0].delta.content or "" async for part in parts if part.choices])


async def by_anthropic(server: LlmServer, memory: MemoryClient | AsyncMemoryClient, stream: bool, messages: Any) -> str:
    async with anthropic.AsyncAnthropic(api_key="k", base_url=server.url, max_retries=0) as client:
        llm = remembering(client, user="ana", session="s1", agent="chef", memory=memory)
        given = {"model": "m", "max_tokens": 9, "messages": messages}
        if not stream:
            whole = await llm.messages.create(**given)
            return str(whole.content[0].text)
        async with await llm.messages.create(**given, stream=True) as events:
            return "".join([one.delta.text async for one in events if one.type == "content_block_delta"])


async def by_openai_in_a_thread(
    server: LlmServer, memory: MemoryClient | AsyncMemoryClient, stream: bool, messages: Any
) -> str:
    def called() -> str:
        with openai.OpenAI(api_key="k", base_url=server.openai_url, max_retries=0) as client:
            llm = remembering(client, user="ana", session="s1", agent="chef", memory=memory)
            if not stream:
                whole = llm.chat.completions.create(model="m", messages=messages)
                return whole.choices[0].message.content or ""
            with llm.chat.completions.create(model="m", messages=messages, stream=True) as parts:
                return "".join(part.choices[0].delta.content or "" for part in parts if part.choices)

    return await asyncio.to_thread(called)


async def by_anthropic_in_a_thread(
    server: LlmServer, memory: MemoryClient | AsyncMemoryClient, stream: bool, messages: Any
) -> str:
    def called() -> str:
        with anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0) as client:
            llm = remembering(client, user="ana", session="s1", agent="chef", memory=memory)
            given = {"model": "m", "max_tokens": 9, "messages": messages}
            if not stream:
                return str(llm.messages.create(**given).content[0].text)
            events = llm.messages.create(**given, stream=True)
            return "".join(one.delta.text for one in events if one.type == "content_block_delta")

    return await asyncio.to_thread(called)


@pytest.fixture(autouse=True)
def _answers(server: LlmServer) -> None:
    server.replies(Answered(text="In Porto, I believe."))


def memory_of(call: Call, gateway: ScriptedGateway, outbox: Path | None = None) -> MemoryClient | AsyncMemoryClient:
    kind = MemoryClient if call in {by_openai_in_a_thread, by_anthropic_in_a_thread} else AsyncMemoryClient
    return kind("http://gateway", "key", retries=0, transport=gateway, outbox=outbox)


def shown_to_the_model(server: LlmServer) -> str:
    """Its instructions, wherever they stand, then who said what."""
    body = server.requests[-1].body
    system = body.get("system", "")
    instructions = system if isinstance(system, str) else "\n\n".join(str(block["text"]) for block in system)  # type: ignore[attr-defined]
    said = [f"{one['role']}: {one['content']}" for one in body["messages"]]  # type: ignore[attr-defined]
    return "\n".join([*([f"system: {instructions}"] if instructions else []), *said])


CALLS: Final = [by_openai, by_anthropic, by_openai_in_a_thread, by_anthropic_in_a_thread]


@each_case(("call", "stream"), [(call, stream) for call in CALLS for stream in (False, True)])
async def test_the_model_is_told_what_is_known_and_both_sides_are_remembered(
    server: LlmServer, call: Call, stream: bool
) -> None:
    gateway = ScriptedGateway(answer(KNOWN), answer(STORED, 201))
    said = await call(server, memory_of(call, gateway), stream, MESSAGES)
    assert said == "In Porto, I believe."
    shown = shown_to_the_model(server)
    assert shown.startswith("system: What you remember of earlier conversations")
    assert shown.endswith(f"- Elena lives in Porto\nuser: {ASKED}")
    asked, stored = gateway.bodies()
    assert asked == {"user_id": "ana", "agent_id": "chef", "query": ASKED}
    messages = cast("list[dict[str, str]]", stored.pop("messages"))
    assert stored == {"user_id": "ana", "session_id": "s1", "agent_id": "chef"}
    assert [(one["role"], one["content"]) for one in messages] == [("user", ASKED), ("assistant", said)]
    assert messages[0]["occurred_at"] < messages[1]["occurred_at"]


@each_case(("call", "stream"), [(call, stream) for call in CALLS for stream in (False, True)])
async def test_a_memory_that_fails_changes_nothing_for_the_caller_and_what_was_said_waits(
    server: LlmServer, caplog: pytest.LogCaptureFixture, tmp_path: Path, call: Call, stream: bool
) -> None:
    box = tmp_path / f"{call.__name__}-{stream}"
    gateway = ScriptedGateway(httpx.ConnectError("refused"), httpx.ReadTimeout("slow"))
    with caplog.at_level(logging.WARNING, logger="ragpp.client.wrapper"):
        assert await call(server, memory_of(call, gateway, outbox=box), stream, MESSAGES) == "In Porto, I believe."
    assert shown_to_the_model(server) == f"user: {ASKED}"
    assert "not recalled, and the model is called all the same: MEM-031 The gateway cannot be reached" in caplog.text
    (kept,) = box.iterdir()
    assert ASKED in kept.read_text(encoding="utf-8")
    assert "In Porto" in kept.read_text(encoding="utf-8")


@each_case("call", CALLS)
async def test_a_call_that_fails_fails_as_before_and_is_not_remembered(server: LlmServer, call: Call) -> None:
    server.replies(Failed(status=400, message="no such model"))
    gateway = ScriptedGateway(answer(KNOWN))
    with pytest.raises((openai.BadRequestError, anthropic.BadRequestError), match="no such model"):
        await call(server, memory_of(call, gateway), False, MESSAGES)
    assert [request.url.path for request in gateway.seen] == ["/v1/recall"]


@each_case("call", CALLS)
async def test_a_stream_that_breaks_off_is_remembered_as_far_as_it_was_heard(server: LlmServer, call: Call) -> None:
    server.replies(Answered(text="In Porto, I bel", dropped=True))
    gateway = ScriptedGateway(answer(KNOWN), answer(STORED, 201))
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the library makes of it
        await call(server, memory_of(call, gateway), True, MESSAGES)
    asked, heard = cast("list[dict[str, str]]", gateway.bodies()[1]["messages"])
    assert asked["content"] == ASKED
    assert "In Porto, I bel".startswith(heard["content"])


@each_case("call", CALLS)
async def test_what_is_about_nothing_known_adds_nothing(server: LlmServer, call: Call) -> None:
    gateway = ScriptedGateway(answer(RECALLED | {"context": "- noise", "relevance": "none"}), answer(STORED, 201))
    await call(server, memory_of(call, gateway), False, MESSAGES)
    assert shown_to_the_model(server) == f"user: {ASKED}"


@each_case("call", [by_openai, by_anthropic])
async def test_parts_of_a_message_are_read_and_the_callers_list_stays_as_it_was(server: LlmServer, call: Call) -> None:
    gateway = ScriptedGateway(answer(KNOWN), answer(STORED, 201))
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    messages = [{"role": "user", "content": [{"type": "text", "text": ASKED}, picture]}]
    await call(server, memory_of(call, gateway), False, messages)
    assert len(messages) == 1
    asked, stored = gateway.bodies()
    assert asked["query"] == ASKED
    assert cast("list[dict[str, str]]", stored["messages"])[0]["content"] == ASKED


async def test_after_a_tool_what_the_user_said_is_asked_about_and_not_remembered_twice(server: LlmServer) -> None:
    gateway = ScriptedGateway(answer(KNOWN), answer(STORED, 201))
    called = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    instructions = {"role": "system", "content": "Be brief."}
    tool = {"role": "tool", "tool_call_id": "c1", "content": "Porto"}
    messages = [instructions, *MESSAGES, {"role": "assistant", "content": None, "tool_calls": [called]}, tool]
    await by_openai(server, memory_of(by_openai, gateway), False, messages)
    shown = cast("list[dict[str, str]]", server.requests[-1].body["messages"])
    assert [one["role"] for one in shown] == ["system", "system", "user", "assistant", "tool"]
    assert shown[0] == instructions
    asked, stored = gateway.bodies()
    assert asked["query"] == ASKED
    assert [one["role"] for one in cast("list[dict[str, str]]", stored["messages"])] == ["assistant"]


async def test_what_the_caller_shows_the_model_is_not_recalled_as_well(server: LlmServer) -> None:
    gateway = ScriptedGateway(*[answer(KNOWN), answer(STORED, 201)] * 2)
    async with openai.AsyncOpenAI(api_key="k", base_url=server.openai_url) as client:
        llm = remembering(client, user="ana", memory=memory_of(by_openai, gateway))
        said: list[Any] = [{"role": "user", "content": ASKED}]
        await llm.chat.completions.create(model="m", messages=said)
        said += [{"role": "assistant", "content": "In Porto, I believe."}, {"role": "user", "content": "Since when?"}]
        await llm.chat.completions.create(model="m", messages=said)
    first, stored, second, _ = gateway.bodies()
    assert "exclude" not in first
    ids = [one["id"] for one in cast("list[dict[str, str]]", stored["messages"])]
    assert sorted(cast("list[str]", second["exclude"])) == sorted(ids)
    assert second["query"] == "Since when?"


async def test_the_client_that_was_given_stays_without_a_memory(server: LlmServer) -> None:
    async with openai.AsyncOpenAI(api_key="k", base_url=server.openai_url) as client:
        remembering(client, user="ana", memory=memory_of(by_openai, ScriptedGateway()))
        await client.chat.completions.create(model="m", messages=[{"role": "user", "content": ASKED}])
    assert shown_to_the_model(server) == f"user: {ASKED}"


async def test_anything_else_and_the_wrong_kind_of_memory_are_refused() -> None:
    memory = MemoryClient("http://gateway", "key", transport=ScriptedGateway())
    with pytest.raises(ConfigurationError, match="no client of OpenAI's or Anthropic's"):
        remembering(object(), user="ana", memory=memory)
    async with openai.AsyncOpenAI(api_key="k") as client:
        with pytest.raises(ConfigurationError, match="not of one kind"):
            remembering(client, user="ana", memory=memory)


@each_case(
    ("given", "told"),
    [
        ({"user": ""}, "^user: is empty"),
        ({"user": 5}, "^user: must be text"),
        ({"user": "ana", "session": 5}, "^session: must be text"),
        ({"user": "ana", "token_budget": -1}, "^token_budget: "),
        ({"user": "ana", "token_budget": "5"}, "^token_budget: "),
        ({"user": "ana", "memory": "x"}, r"^memory: is no client of the memory\n  Give a MemoryClient\(\)"),
        ({"user": "ana", "memory": MemoryClient}, "^memory: is no client of the memory"),
        ({"client": openai.OpenAI, "user": "ana"}, r"^client: is a class\n  .*remembering\(OpenAI\(\), user="),
    ],
)
def test_an_argument_that_is_none_is_refused_before_any_call_of_the_model(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        remembering(**{"client": openai.OpenAI(api_key="k"), **given})


@each_case("name", ["user_id", "usr"])
def test_an_argument_that_there_is_not_is_told_with_the_one_that_is_meant(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^remembering\(\) takes no '{name}'; did you mean 'user'\?"):
        cast("Callable[..., object]", remembering)(openai.OpenAI(api_key="k"), **{name: "ana"})


@each_case("reply", ["x" * (MAX_CONTENT_CHARS + 1), "In \0 Porto"])
async def test_a_reply_that_is_too_long_or_cannot_be_kept_loses_nothing_of_what_the_user_said(
    server: LlmServer, reply: str
) -> None:
    server.replies(Answered(text=reply))
    gateway = ScriptedGateway(answer(KNOWN), answer(STORED, 201), answer(STORED, 201))
    assert await by_openai(server, memory_of(by_openai, gateway), False, MESSAGES) == reply
    said = [one for body in gateway.bodies()[1:] for one in cast("list[dict[str, str]]", body["messages"])]
    kept = [] if "\0" in reply else ["x" * MAX_CONTENT_CHARS]
    assert [one["content"] for one in said] == [ASKED, *kept]


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[MemoryClient | AsyncMemoryClient]:
    """The memories that are made for clients that are given none, in a folder where no stack ever was."""
    found: list[MemoryClient | AsyncMemoryClient] = []

    class Kept(MemoryClient):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            found.append(self)

    class AsyncKept(AsyncMemoryClient):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            found.append(self)

    monkeypatch.setattr("ragpp.client.MemoryClient", Kept)
    monkeypatch.setattr("ragpp.client.AsyncMemoryClient", AsyncKept)
    for name in ("RAGPP_URL", "RAGPP_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RAGPP_HOME", str(tmp_path))
    return found


async def test_a_memory_of_its_own_is_closed_with_the_client_or_when_nobody_has_that_any_more(
    own: list[MemoryClient | AsyncMemoryClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGPP_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("RAGPP_API_KEY", "rp_1")
    with remembering(openai.OpenAI(api_key="k"), user="ana"):
        assert not own[0]._http.is_closed
    remembering(anthropic.Anthropic(api_key="k"), user="ana").close()
    async with remembering(openai.AsyncOpenAI(api_key="k"), user="ana"):
        assert not own[2]._http.is_closed
    await remembering(anthropic.AsyncAnthropic(api_key="k"), user="ana").close()
    remembering(openai.OpenAI(api_key="k"), user="ana")
    gc.collect()
    assert [one._http.is_closed for one in own] == [True] * 5


def test_what_waits_for_the_stack_is_delivered_with_its_next_key_and_what_waits_for_another_key_is_told_of(
    own: list[MemoryClient | AsyncMemoryClient],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Catches what is never delivered after a rotation, and what another tenant's key delivers to that tenant."""
    home = Home(tmp_path)
    home.create()
    home.remember("gateway_port", "9")
    for key in ("rp_1", "rp_2"):
        home.write_key(key)
        home.write_client(os.getpid())
        remembering(openai.OpenAI(api_key="k"), user="ana")
    monkeypatch.setenv("RAGPP_URL", "http://127.0.0.1:9")
    for key in ("rp_3", "rp_4"):
        monkeypatch.setenv("RAGPP_API_KEY", key)
        assert "waits in" not in caplog.text
        remembering(openai.OpenAI(api_key="k"), user="ana")
        Outbox(outbox_folder("rp_3")).put(message("one", user="ana", id="m-1"))
    folders = [one._caller._outbox and one._caller._outbox.folder for one in own]
    assert folders == [*[tmp_path / "outbox" / "stack"] * 2, outbox_folder("rp_3"), outbox_folder("rp_4")]
    assert f"waits in {outbox_folder('rp_3')}" in caplog.text


def test_a_program_starts_before_its_stack_and_uses_it_once_it_is_there(
    own: list[MemoryClient | AsyncMemoryClient], tmp_path: Path
) -> None:
    """Catches an assistant that cannot start while its memory is stopped, and one that never looks for it again."""
    home = Home(tmp_path)
    home.create()
    memory = Later(lambda url, key, box: client.MemoryClient(url, key, retries=0, outbox=box))
    with pytest.raises(ConfigurationError):
        memory.recall(question("Where does she live?", user="ana"))
    memory.remember(message("She moved to Porto.", user="ana", id="m-1"))
    assert [request.messages[0].content for _, request in Outbox(outbox_folder()).waiting()] == ["She moved to Porto."]
    with pytest.MonkeyPatch.context() as patch:  # another's gateway is half named: what it is told is not this stack's
        patch.setenv("RAGPP_URL", "http://127.0.0.1:9")
        with pytest.raises(ConfigurationError):
            memory.remember(message("Nobody knows.", user="ana", id="m-2"))
    assert len(list(Outbox(outbox_folder()).waiting())) == 1
    home.write_key("rp_1")
    for port in ("9", "10"):  # it comes back elsewhere
        home.remember("gateway_port", port)
        home.write_client(os.getpid())
        with pytest.raises(GatewayUnreachable):
            memory.recall(question("Where does she live?", user="ana"))
    assert [str(one._http.base_url) for one in own] == ["http://127.0.0.1:9", "http://127.0.0.1:10"]
    assert all(one._http.is_closed for one in own)
