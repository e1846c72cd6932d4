"""Memory that is found again in a message: the sections and lines that our own contexts are made of.

An agent is given a context, and sooner or later a context comes back as a message: pasted whole, quoted in a prompt,
repeated in a reply. Learned again, a memory would become surer of itself each time it is read; searched again, it would
push the interactions it was made from out of the answer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ragpp.context.layout import LineKind, line_kind, may_hold_lines
from ragpp.context.quoting import blank_marks
from ragpp.models import Interaction
from ragpp.text.chunking import CHUNK_TOKENS, TextChunk, chunk
from ragpp.text.port import TokenSpans
from ragpp.text.spans import Span, blanked, merged

CONTEXT_TYPES: Final = frozenset({"context", "memory_context", "recalled_context"})
"""Message types by which a caller says that a whole message is a context, of whatever shape."""

_OURS_IN_A_SECTION: Final = frozenset({LineKind.RATED_ITEM, LineKind.LISTED, LineKind.TURN, LineKind.FOUND})
_MARKED: Final = frozenset({LineKind.MARKED, LineKind.MARKED_LAST})
_LINE: Final = re.compile(r"[^\n]*\n?")


def recalled(text: str) -> list[Span]:
    """The stretches of `text` that are part of a context, in order, whole lines each; linear in its length.

    A section goes on from its heading to the first blank line, and over what follows when that is a further heading
    or line of ours: an interaction that was repeated without our marks may have blank lines in it. Outside a section a
    list item that ends in its confidence or relevance is one by itself, with its marked lines, and so are an entry of a
    catalog, with its kind, day and handle, and what a tool found, with its score and source; a dated interaction is
    not, since people write their notes and logs that way.
    """
    if not may_hold_lines(text):
        return []
    found = _stretches(text)
    if "\\n" in text:  # a context in a JSON string has its line ends escaped
        found = merged((*found, *_stretches(text.replace("\\n", " \n"))))
    return found


def _stretches(text: str) -> list[Span]:
    spans: list[Span] = []
    inside = gap = listed = False
    item = found = None
    for start, end, kind in _lines(text):
        if kind is LineKind.HEADING or (inside and kind in _OURS_IN_A_SECTION):
            # what stood between, blank lines and all, was part of it
            spans.append(Span(spans.pop().start if inside else start, end))
            inside, gap = True, False
        elif inside and not gap and kind is not LineKind.BLANK:
            spans.append(Span(spans.pop().start, end))
        elif inside and kind is LineKind.BLANK:
            gap = True
        elif not inside and kind in {LineKind.RATED_ITEM, LineKind.LISTED}:
            spans.append(Span(start, end))
        elif listed and kind in _MARKED:
            spans.append(Span(spans.pop().start, end))
        elif kind is LineKind.MARKED_LAST and item is not None:
            spans.append(Span(item, end))
        elif kind is LineKind.SOURCE and found is not None:
            spans.append(Span(found, end))
        listed = kind is LineKind.LISTED or (listed and kind in _MARKED)
        if kind is not LineKind.MARKED:
            item = start if kind in (LineKind.ITEM, LineKind.TURN) else None
            found = start if kind is LineKind.FOUND else None
    return spans


def _lines(text: str) -> Iterator[tuple[int, int, LineKind]]:
    for match in _LINE.finditer(text):
        if match.end() == match.start():
            return
        yield match.start(), match.end(), line_kind(match.group().rstrip("\r\n"))


def masked(text: str) -> str:
    """`text` at its length, with what came from memory blanked, and our marks: what is left was said now, or is quoted
    without the lines around it."""
    return blank_marks(blanked(text, recalled(text)))


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


def own_chunks(item: Interaction, counter: TokenSpans) -> list[TextChunk]:
    """The chunks by which `item` is found again: of what did not come from memory, none of a context. What is said
    once is a hit once, however often it is recalled and given back. Raises what `counter` raises."""
    return [] if item.message_type in CONTEXT_TYPES else own_chunks_of(item.content, counter)


def own_chunks_of(
    text: str, counter: TokenSpans, max_tokens: int = CHUNK_TOKENS, cuts: Sequence[int] = ()
) -> list[TextChunk]:
    """The chunks of what in `text` did not come from memory, with its offsets, none of which goes on over one of the
    ordered places `cuts`. Raises what `counter` raises."""
    spans = _cut(own(text), cuts)
    if spans == [Span(0, len(text))]:
        return chunk(text, counter, max_tokens)
    pieces = [
        replace(piece, start=piece.start + start, end=piece.end + start)
        for start, end in spans
        for piece in chunk(text[start:end], counter, max_tokens)
    ]
    return [replace(piece, ordinal=ordinal) for ordinal, piece in enumerate(pieces)]


def _cut(spans: Sequence[Span], cuts: Sequence[int]) -> list[Span]:
    places = iter(cuts)
    place = next(places, None)
    parts = list[Span]()
    for start, end in spans:
        begin = start
        while place is not None and place < end:
            if place > begin:
                parts.append(Span(begin, place))
                begin = place
            place = next(places, None)
        parts.append(Span(begin, end))
    return parts
