"""Responders: any callable, a chat model of LangChain's shape, or a language model of RAG++'s own port.

A callable takes the Prompt and gives a str, a Reply or a mapping of its fields; it may be a coroutine function, or an
async generator of pieces of text. One that is neither runs in a thread, so that it may wait for what it likes.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias, runtime_checkable
from uuid import uuid4

from pydantic import JsonValue

from ragpp.llm.port import ChatMessage, LanguageModel
from ragpp_services.governor.calling import called
from ragpp_services.governor.tool_values import Tool, ToolCall
from ragpp_services.governor.values import Prompt, PromptMessage, Reply

OnText = Callable[[str], None]
Message: TypeAlias = dict[str, JsonValue]
_UNSTORABLE: Final = {0: None}


@runtime_checkable
class ChatModel(Protocol):
    """A chat model or agent as LangChain and LangGraph have them."""

    async def ainvoke(self, messages: Sequence[Message], /) -> object:
        """The answer to `messages` (role and content): something with `content` and perhaps `tool_calls`."""
        ...


@runtime_checkable
class _TakesTools(Protocol):
    def bind_tools(self, tools: Sequence[Message], /) -> ChatModel: ...


Responder: TypeAlias = Callable[[Prompt], object] | ChatModel


async def ask_responder(respond: Responder, prompt: Prompt, on_text: OnText | None = None) -> Reply:
    """The reply of whatever `respond` is; pieces go to `on_text` as they come, where they come.

    Raises TypeError for an answer that is no reply, ValueError for one that is malformed, and what `respond` raises.
    """
    if isinstance(respond, ChatModel):
        model: ChatModel = respond
        if prompt.tools and isinstance(respond, _TakesTools):
            model = respond.bind_tools([tool_schema(tool) for tool in prompt.tools])
        return reply_of(await model.ainvoke(chat_messages(prompt)))
    given = await called(respond, prompt)
    if isinstance(given, AsyncIterator):
        pieces = []
        async for piece in given:
            pieces.append(str(piece))
            if on_text is not None:
                on_text(pieces[-1])
            await asyncio.sleep(0)  # one that never waits for anything would let no deadline pass
        given = "".join(pieces)
    return reply_of(given)


def reply_of(given: object) -> Reply:
    """`given` as a Reply: itself, a text, a mapping of its fields, or a message with `content` and `tool_calls`."""
    if isinstance(given, Reply):
        return given
    if isinstance(given, str):
        return Reply(text=storable_text(given))
    if isinstance(given, Mapping):
        return Reply.model_validate(given)
    content = getattr(given, "content", None)
    if isinstance(content, str | list):
        calls = getattr(given, "tool_calls", None)
        return Reply(text=storable_text(_joined(content)), tool_calls=tuple(map(_call, calls or ())))
    raise TypeError(f"the responder answered a {type(given).__name__}, not a text or a Reply")


def _joined(content: str | list[object]) -> str:
    """The text of a message whose content is blocks."""
    if isinstance(content, str):
        return content
    texts = [block.get("text", "") if isinstance(block, Mapping) else block for block in content]
    return "".join(text for text in texts if isinstance(text, str))


def _call(call: object) -> ToolCall:
    if isinstance(call, ToolCall):
        return call
    if not isinstance(call, Mapping):
        raise TypeError(f"the responder called a tool with a {type(call).__name__}")
    identifier = call.get("id") or f"call_{uuid4().hex[:16]}"
    return ToolCall.model_validate({"id": identifier, "name": call.get("name"), "arguments": call.get("args") or {}})


def storable_text(text: str) -> str:
    """`text` without what no store can hold: NUL, lone surrogates."""
    return text.translate(_UNSTORABLE).encode("utf-8", "replace").decode("utf-8")


def tool_schema(tool: Tool) -> Message:
    """A tool as chat models are told of it (the function form)."""
    parameters = tool.parameters or {"type": "object", "properties": {}}
    function: Message = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def chat_messages(prompt: Prompt) -> list[Message]:
    """The prompt as messages with role and content, tool calls in the function form."""
    messages: list[Message] = [{"role": "system", "content": prompt.system}]
    return messages + [_chat_message(message) for message in prompt.messages]


def _chat_message(message: PromptMessage) -> Message:
    said: Message = {"role": message.role, "content": message.content}
    if message.tool_calls:
        said["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        said["tool_call_id"] = message.tool_call_id
    return said


def language_model(model: LanguageModel, *, max_tokens: int = 1_000) -> Responder:
    """Answers with a model of `ragpp.llm`, as it writes. It calls no tools: the port has none; their results, where
    an exchange has some, are told to it in words."""

    async def respond(prompt: Prompt) -> AsyncIterator[str]:
        messages = [ChatMessage("system", prompt.system), *map(_plain_message, prompt.messages)]
        async for delta in model.stream(messages, max_tokens=max_tokens):
            if delta.text:
                yield delta.text

    return respond


def _plain_message(message: PromptMessage) -> ChatMessage:
    if message.role == "tool":
        return ChatMessage("user", f"[Result of the tool {message.name}]\n{message.content}")
    calls = "".join(f"\n[Called the tool {call.name}]" for call in message.tool_calls)
    return ChatMessage(message.role, f"{message.content}{calls}".strip())
