"""What came from memory, found again in a message: the sections and lines that our own contexts are made of.

An agent is given a context, and sooner or later a context comes back as a message: pasted whole, quoted in a prompt,
repeated in a reply. Learned again, a memory would become surer of itself each time it is read; searched again, it would
push the turns it was made from out of the answer. `TITLES` and the lines are those of the gateway's rendering.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum, auto
from typing import Final, NamedTuple

from ragpp.context.quoting import MARK, blank_marks
from ragpp.models import Interaction
from ragpp.text.chunking import CHUNK_TOKENS, Piece, TokenSpans, chunk

TITLES: Final = (
    "PERSONA",
    "RECENT CONVERSATION",
    "RELEVANT PAST INTERACTIONS",
    "KNOWN ENTITIES",
    "KNOWN RELATIONSHIPS",
    "USER PREFERENCES & HABITS",
    "RELEVANT KNOWLEDGE",
    "AVAILABLE TOOLS",
    "CURRENT SITUATION",
)
"""The headings of a context's sections, in their order."""

CONTEXT_TYPES: Final = frozenset({"context", "memory_context", "recalled_context"})
"""Message types by which a caller says that a whole message is a context, of whatever shape."""

_HINT: Final = re.compile(r"#\s|\((?:confidence|relevance): ")
_HEADING: Final = re.compile(
    r"(?:[ \t>]*|.*[\"'`:(][ \t]*)#{1,6}[ \t]+(?:" + "|".join(map(re.escape, TITLES)) + r")[ \t]*:?[ \t]*$"
)
_TURN: Final = re.compile(r"[ \t>]*- \[(?:\d{4}-\d\d-\d\d \d\d:\d\d\] |\d\d:\d\d\] [^:\n]{1,200}: )")
_RATED: Final = re.compile(r"\((?:confidence|relevance): \d\.\d\d\)[ \t]*$")
_ITEM: Final = re.compile(r"[ \t>]*- ")
_MARKED: Final = re.compile(rf"[ \t>]*?{re.escape(MARK)}(?: |$)")
_LINE: Final = re.compile(r"[^\n]*\n?")
_LOOKED_AT: Final = 300
"""Characters of a line in which its time and speaker are looked for."""
_TAIL: Final = 40
"""Characters at the end of a line in which its relevance or confidence is looked for."""
_BLANK: Final = re.compile(r"[^\n]")


class Span(NamedTuple):
    """`text[start:end]`."""

    start: int
    end: int


class _Kind(Enum):
    HEADING = auto()
    LINE = auto()  # unmistakably one of ours
    ITEM = auto()  # the first line of one of ours, or of anybody's list
    MARKED = auto()  # a further line of a text, behind our mark
    MARKED_LAST = auto()  # the same with the relevance or confidence of its item behind it
    TURN = auto()  # one of ours in a section; by itself anybody's dated note
    BLANK = auto()
    OTHER = auto()


def recalled(text: str) -> list[Span]:
    """The stretches of `text` that are part of a context, in order, whole lines each; linear in its length.

    A section goes on from its heading to the first blank line, and over what follows when that is a further heading
    or line of ours: a turn that was repeated without our marks may have blank lines in it. Outside a section a list
    item that ends in its confidence or relevance is one by itself, with its marked lines; a dated turn is not, since
    people write their notes and logs that way.
    """
    if not _HINT.search(text):
        return []
    found = _stretches(text)
    if "\\n" in text:  # a context in a JSON string has its line ends escaped
        found = _joined(found, _stretches(text.replace("\\n", " \n")))
    return found


def _stretches(text: str) -> list[Span]:
    spans: list[Span] = []
    inside = gap = False
    item: int | None = None
    for start, end, kind in _lines(text):
        if kind is _Kind.HEADING or (inside and kind in (_Kind.LINE, _Kind.TURN)):
            # what stood between, blank lines and all, was part of it
            spans.append(Span(spans.pop().start if inside else start, end))
            inside, gap = True, False
        elif inside and not gap and kind is not _Kind.BLANK:
            spans.append(Span(spans.pop().start, end))
        elif inside and kind is _Kind.BLANK:
            gap = True
        elif not inside and kind is _Kind.LINE:
            spans.append(Span(start, end))
        elif kind is _Kind.MARKED_LAST and item is not None:
            spans.append(Span(item, end))
        if kind is not _Kind.MARKED:
            item = start if kind in (_Kind.ITEM, _Kind.TURN) else None
    return spans


def _joined(one: list[Span], other: list[Span]) -> list[Span]:
    """What is in either, in order."""
    joined: list[Span] = []
    for span in sorted((*one, *other)):
        if joined and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _lines(text: str) -> Iterator[tuple[int, int, _Kind]]:
    for match in _LINE.finditer(text):
        if match.end() == match.start():
            return
        yield match.start(), match.end(), _kind(match.group().rstrip("\r\n"))


def _kind(line: str) -> _Kind:
    if not line.strip(" \t>"):
        return _Kind.BLANK
    rated = _RATED.search(line[-_TAIL:]) is not None
    if _MARKED.match(line[:80]):
        return _Kind.MARKED_LAST if rated else _Kind.MARKED
    if _HEADING.match(line[:80]) and len(line) <= 80:
        return _Kind.HEADING
    if not _ITEM.match(line[:80]):
        return _Kind.OTHER
    if rated:
        return _Kind.LINE
    return _Kind.TURN if _TURN.match(line[:_LOOKED_AT]) else _Kind.ITEM


def masked(text: str) -> str:
    """`text` at its length, with what came from memory blanked, and our marks: what is left was said now, or is quoted
    without the lines around it."""
    return blank_marks(blanked(text, recalled(text)))


def blanked(text: str, spans: Iterable[Span]) -> str:
    """`text` at its length, with `spans` (in order, without overlap) blanked but for their line ends."""
    parts, begin = [], 0
    for start, end in spans:
        parts += [text[begin:start], _BLANK.sub(" ", text[start:end])]
        begin = end
    return "".join((*parts, text[begin:]))


def own(text: str) -> list[Span]:
    """The stretches of `text` that did not come from memory and have a letter or digit in them, without white space
    at their ends; the whole of a text without memories, as it is."""
    found = recalled(text)
    if not found:
        return [Span(0, len(text))] if text else []
    spans, begin = [], 0
    for start, end in (*found, Span(len(text), len(text))):
        piece = text[begin:start]
        if any(character.isalnum() for character in piece):
            spans.append(Span(begin + len(piece) - len(piece.lstrip()), start - len(piece) + len(piece.rstrip())))
        begin = end
    return spans


def own_chunks(item: Interaction, counter: TokenSpans) -> list[Piece]:
    """The chunks by which `item` is found again: of what did not come from memory, none of a context. What is said
    once is a hit once, however often it is recalled and given back. Raises what `counter` raises."""
    if item.message_type in CONTEXT_TYPES:
        return []
    spans = own(item.content)
    if spans == [Span(0, len(item.content))]:
        return chunk(item.content, counter, CHUNK_TOKENS)
    pieces = [
        replace(piece, start=piece.start + start, end=piece.end + start)
        for start, end in spans
        for piece in chunk(item.content[start:end], counter, CHUNK_TOKENS)
    ]
    return [replace(piece, ordinal=ordinal) for ordinal, piece in enumerate(pieces)]
