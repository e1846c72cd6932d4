"""A session's summary: lines, each with the messages that it rests on, so that what is forgotten leaves it too."""

import re
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Final

import orjson

from ragpp.models import Interaction, Value
from ragpp.text.english import MONTH_ABBREVIATIONS, MONTHS
from ragpp_services.short_term.records import Message

_SEPARATOR: Final = "\n"
_WORD: Final = re.compile(r"[^\W\d_]+")
_MONTHS: Final = frozenset(name.casefold() for name in (*MONTHS, *MONTH_ABBREVIATIONS))


class SummaryLine(Value):
    """One line. `sources`: ids of the messages that it rests on; `until`: when the latest of them was said;
    `written`: by a model, not taken out of the messages."""

    text: str
    tokens: int
    sources: tuple[str, ...]
    until: datetime
    written: bool = False

    def encode(self) -> bytes:
        """As JSON."""
        return orjson.dumps(self.model_dump(mode="json"))

    @classmethod
    def decode(cls, encoded: bytes) -> "SummaryLine":
        """From JSON."""
        return cls.model_validate_json(encoded)


class Said(Value):
    """A message that moves into a summary."""

    id: str
    said_by: str
    content: str
    occurred_at: datetime

    @classmethod
    def of(cls, said: Interaction | Message) -> "Said":
        """The part of a message that a summary needs."""
        return cls(id=said.id, said_by=said.said_by, content=said.content, occurred_at=said.occurred_at)


def joined(lines: Sequence[SummaryLine]) -> str:
    """The summary as one text."""
    return _SEPARATOR.join(line.text for line in lines)


def attribute(
    text: str, previous: Sequence[SummaryLine], moved: Sequence[Said], count: Callable[[str], int]
) -> list[SummaryLine]:
    """The lines of a new summary with what each rests on; `count` gives the tokens of a line.

    A line of the previous summary that stands there unchanged keeps its sources. A new one that quotes messages
    (see `quotes`) rests on those. Any other may rest on everything that went into the summary: all that moved, and
    the previous lines that are gone.
    """
    before = {line.text: line for line in previous}
    written = [line for line in text.split(_SEPARATOR) if line.strip()]
    gone = [line for line in previous if line.text not in set(written)]
    lines = []
    for line in written:
        known = before.get(line)
        if known is not None:
            lines.append(known)
            continue
        quoted = quotes(line, moved)
        sources = [message.id for message in quoted or moved]
        until = [message.occurred_at for message in quoted or moved]
        if not quoted:
            sources += [source for earlier in gone for source in earlier.sources]
            until += [earlier.until for earlier in gone]
        lines.append(
            SummaryLine(text=line, tokens=count(line), sources=tuple(dict.fromkeys(sources)), until=max(until))
        )
    return lines


def rewritten(
    text: str, previous: Sequence[SummaryLine], folded: Sequence[Said], count: Callable[[str], int]
) -> list[SummaryLine]:
    """The lines of a summary that a model made of `previous` and `folded`.

    A model mixes what it reads, so a line rests on all of it, unless it stood there before or quotes messages.
    """
    before = {line.text: line for line in previous}
    everything = [source for line in previous for source in line.sources] + [message.id for message in folded]
    latest = max([line.until for line in previous] + [message.occurred_at for message in folded])
    lines = []
    for line in (line.strip() for line in text.split(_SEPARATOR)):
        if not line:
            continue
        known, quoted = before.get(line), quotes(line, folded)
        sources = known.sources if known else tuple(message.id for message in quoted) or tuple(everything)
        until = known.until if known else max((message.occurred_at for message in quoted), default=latest)
        lines.append(
            SummaryLine(text=line, tokens=count(line), sources=tuple(dict.fromkeys(sources)), until=until, written=True)
        )
    return lines


def quotes(line: str, messages: Sequence[Said]) -> list[Said]:
    """The messages that `line` quotes: they contain what stands after its first ": ", and before it stand only the
    speaker and the date. More in front could come from another message, so then it quotes none."""
    label, _, said = line.partition(": ")
    wanted = _normal(said.rstrip("… "))
    if not wanted:
        return []
    return [
        message
        for message in messages
        if wanted in _normal(message.content) and _words(label) <= _words(message.said_by) | _MONTHS
    ]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _normal(text: str) -> str:
    return " ".join(text.split())


def latest_within(lines: Sequence[SummaryLine], budget: int) -> list[SummaryLine]:
    """The last lines that fit into `budget` tokens together, in order."""
    kept: list[SummaryLine] = []
    for line in reversed(lines):
        if line.tokens > budget:
            break
        budget -= line.tokens
        kept.append(line)
    return kept[::-1]


def unseen(lines: Sequence[SummaryLine], *, as_of: datetime | None, exclude: Collection[str]) -> list[SummaryLine]:
    """The lines that rest on nothing that was said after `as_of` and on none of `exclude`."""
    return [
        line
        for line in lines
        if (as_of is None or line.until <= as_of) and not any(source in exclude for source in line.sources)
    ]
