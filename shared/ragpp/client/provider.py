"""How clients of OpenAI and Anthropic are called, and what their answers say."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol, cast

Given = Mapping[str, object]
"""The arguments of a call, by name; `messages` is a list."""


class Provider(Protocol):
    """One of the two. What it does not understand has no words."""

    def is_of(self, client: object) -> bool:
        """True where `client` is one of its."""

    def place_of(self, client: object) -> object:
        """The object that has `create`."""

    def with_context(self, given: Given, context: str) -> Given:
        """The same with `context` behind the instructions that the caller gives."""

    def reply(self, answer: object) -> str:
        """The words of an answer."""

    def piece(self, event: object) -> str:
        """The words of a part of one that is streamed."""


class OpenAI:
    """`client.chat.completions.create`."""

    def is_of(self, client: object) -> bool:
        return hasattr(at(client, "chat", "completions"), "create")

    def place_of(self, client: object) -> object:
        return at(client, "chat", "completions")

    def with_context(self, given: Given, context: str) -> Given:
        messages = messages_of(given)
        first = next((index for index, one in enumerate(messages) if role_of(one) not in {"system", "developer"}), 0)
        told = {"role": "system", "content": context}
        return {**given, "messages": [*messages[:first], told, *messages[first:]]}

    def reply(self, answer: object) -> str:
        return words(at(answer, "choices", 0, "message", "content"))

    def piece(self, event: object) -> str:
        return words(at(event, "choices", 0, "delta", "content"))


class Anthropic:
    """`client.messages.create`."""

    def is_of(self, client: object) -> bool:
        return hasattr(at(client, "messages"), "create")

    def place_of(self, client: object) -> object:
        return at(client, "messages")

    def with_context(self, given: Given, context: str) -> Given:
        system = given.get("system")
        if isinstance(system, str) and system:
            return {**given, "system": f"{system}\n\n{context}"}
        blocks = list(cast("Sequence[object]", system)) if isinstance(system, Sequence) else []
        return {**given, "system": [*blocks, {"type": "text", "text": context}]}

    def reply(self, answer: object) -> str:
        return words(at(answer, "content"))

    def piece(self, event: object) -> str:
        return words(at(event, "delta", "text"))


PROVIDERS: Final[tuple[Provider, ...]] = (OpenAI(), Anthropic())


def messages_of(given: Given) -> list[object]:
    """The conversation, as the caller gives it."""
    return list(cast("Sequence[object]", given.get("messages") or ()))


def last_asked(given: Given) -> str:
    """The words that the user said last in it; empty where there are none."""
    said = (words(at(one, "content")) for one in reversed(messages_of(given)) if role_of(one) == "user")
    return next((text for text in said if text.strip()), "")


def newly_said(given: Given) -> str:
    """The words that the user says with this call; empty where it goes on after a tool."""
    messages = messages_of(given)
    return words(at(messages[-1], "content")) if messages and role_of(messages[-1]) == "user" else ""


def role_of(message: object) -> object:
    """Whose it is."""
    return at(message, "role")


def words(content: object) -> str:
    """The text of what is a text, or has parts that are some."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "\n".join(text for part in parts if isinstance(text := at(part, "text"), str))


def at(value: object, *path: str | int) -> object:
    """The value that is there by attribute, key or place, one after the other; None where something is missing."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, Sequence) and len(value) > step else None
        elif isinstance(value, Mapping):
            value = value.get(step)
        else:
            value = getattr(value, step, None)
    return value
