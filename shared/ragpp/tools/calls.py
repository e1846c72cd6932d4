"""A model's calls, as a provider's API has them, read; and what is answered to each, in the same form. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from pydantic import BaseModel, JsonValue

from ragpp.tools.reading import read
from ragpp.tools.resolver import ToolAnswer


@runtime_checkable
class Dumped(Protocol):
    """An object of a provider's own library."""

    def model_dump(self) -> dict[str, object]:
        """It as plain values."""
        ...


Given = Mapping[str, object] | Dumped


@dataclass(frozen=True)
class ToolCall:
    """A model's call of a tool. `arguments`: as it wrote them, JSON or already read."""

    id: str
    name: str
    arguments: object


class _Function(BaseModel):
    name: str
    arguments: str | dict[str, JsonValue] | None = None


class _OpenAICall(BaseModel):
    id: str
    function: _Function


class _Block(BaseModel):
    type: str


class _AnthropicCall(BaseModel):
    type: Literal["tool_use"]
    id: str
    name: str
    input: object = None


def openai_calls(tool_calls: Iterable[Given] | None) -> list[ToolCall]:
    """The calls of a message's `tool_calls`, of OpenAI's library or as plain values; None is none.

    Raises InvalidInput, a ValueError, for what is no tool call.
    """
    calls = [read(_OpenAICall, _plain(one)) for one in tool_calls or ()]
    return [ToolCall(one.id, one.function.name, one.function.arguments) for one in calls]


def openai_result(call: ToolCall, answer: ToolAnswer) -> dict[str, JsonValue]:
    """The message that answers `call`."""
    return {"role": "tool", "tool_call_id": call.id, "content": answer.text}


def anthropic_calls(content: Iterable[Given]) -> list[ToolCall]:
    """The calls among a message's blocks, of Anthropic's library or as plain values.

    Raises InvalidInput, a ValueError, for what is no block.
    """
    blocks = [_plain(one) for one in content]
    calls = [read(_AnthropicCall, one) for one in blocks if read(_Block, one).type == "tool_use"]
    return [ToolCall(one.id, one.name, one.input) for one in calls]


def anthropic_result(call: ToolCall, answer: ToolAnswer) -> dict[str, JsonValue]:
    """The block that answers `call`, for the content of the user's next message."""
    return {"type": "tool_result", "tool_use_id": call.id, "content": answer.text, "is_error": not answer.ok}


def _plain(given: Given) -> object:
    return given.model_dump() if isinstance(given, Dumped) else given
