"""Conversations as a prompt carries them: data, one JSON object a line, that no text in them can close or escape."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

import orjson

BATCH_CHARS: Final = 24_000
"""Characters of one prompt: some 6,000 tokens, which every model of today reads."""
MESSAGE_CHARS: Final = 6_000
"""Characters of one message; the rest of a longer one is left out of the prompt."""


class Said(Protocol):
    """A message, as `ragpp.models.Interaction` is one."""

    @property
    def said_by(self) -> str: ...

    @property
    def content(self) -> str: ...

    @property
    def occurred_at(self) -> datetime: ...


class Numbered(NamedTuple):
    """The messages `first` to `last` of a sequence (from 0, inclusive) as the lines of one prompt."""

    first: int
    last: int
    text: str


def batches(messages: Sequence[Said]) -> Iterator[Numbered]:
    """All of `messages`, in order, in as many prompts as their length needs; their numbers run through, from 1."""
    return in_batches(
        data(
            n=place + 1,
            at=message.occurred_at.strftime("%A %Y-%m-%d %H:%M"),
            speaker=message.said_by,
            text=cut(message.content),
        )
        for place, message in enumerate(messages)
    )


def in_batches(numbered: Iterable[str]) -> Iterator[Numbered]:
    """Lines of `data`, in order, in as many prompts as their length needs."""
    lines: list[str] = []
    first = size = place = 0
    for place, line in enumerate(numbered):
        if lines and size + len(line) > BATCH_CHARS:
            yield Numbered(first, place - 1, "\n".join(lines))
            lines, first, size = [], place, 0
        lines.append(line)
        size += len(line)
    if lines:
        yield Numbered(first, place, "\n".join(lines))


def data(**fields: str | int) -> str:
    """One line of JSON without any angle bracket, so that it cannot end the element it stands in."""
    return orjson.dumps(fields).decode().replace("<", "\\u003c").replace(">", "\\u003e")


def cut(text: str) -> str:
    """`text`, or its beginning where it is over MESSAGE_CHARS."""
    return text if len(text) <= MESSAGE_CHARS else text[:MESSAGE_CHARS] + "…"


def supports(quote: str, content: str) -> bool:
    """True where `content` says `quote`, whatever the case and white space; an empty quote is no support."""
    words = _plain(quote.strip(" \t\n\"'“”‘’.…"))
    return bool(words) and words in _plain(content)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())
