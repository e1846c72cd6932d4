"""The lines that a memory may have in a context: whole, as the part that answers, or as an excerpt. Pure."""

from typing import Final

from ragpp.context import layout
from ragpp.context.quoting import end_of_lines, quoted
from ragpp.models import Memory
from ragpp.text.port import TokenMeter, tokens_within
from ragpp_services.gateway.assembly.excerpts import ELLIPSIS, beginning, is_long, part_of, start_of_excerpt
from ragpp_services.gateway.assembly.lines import Line

MIN_EXCERPT_TOKENS: Final = 24
"""Shorter than this, an excerpt of a long interaction says too little to be worth its line."""
_BEFORE: Final = f"{ELLIPSIS.lstrip()} "
_CUT: Final[frozenset[str]] = frozenset({"interaction", "message", "summary"})


class LineMaker:
    """Makes lines, each whole one once, of parts that recur and are counted once."""

    def __init__(self, counter: TokenMeter) -> None:
        self._counter = counter
        self._known: dict[int, Line] = {}
        self._tokens: dict[str, int] = {}

    def tokens_of(self, part: str) -> int:
        """Tokens of a short text that stands in many lines: a day, a bracket, a heading."""
        tokens = self._tokens.get(part)
        if tokens is None:
            tokens = self._tokens[part] = self._counter.count(part)
        return tokens

    def whole(self, memory: Memory, most: int) -> Line | None:
        """The whole line; None where it surely has more than `most` tokens."""
        known = self._known.get(id(memory))
        if known is not None:
            return known
        if most <= 0 or end_of_lines(memory.text, most + 1) < len(memory.text):  # the mark of each line is a token
            return None
        line = self._made(memory, layout.data(memory), most, is_whole=True)
        if line is not None:
            self._known[id(memory)] = line
        return line

    def part(self, memory: Memory, most: int) -> Line | None:
        """The line of the part that answers; None where it is all, or surely has more than `most` tokens."""
        part = part_of(memory)
        if part is None or most <= 0:
            return None
        start, end = part
        text = memory.text[start:end].strip()
        if end_of_lines(text, most + 1) < len(text):
            return None
        shown = quoted(text + ELLIPSIS if memory.text[end:].strip() else text, alone=layout.stands_alone(memory))
        before = _BEFORE if memory.text[:start].strip() else ""
        return self._made(memory, before + shown, most, is_whole=False)

    def excerpt(self, memory: Memory, room: int) -> Line | None:
        """As much as `room` tokens hold of the part that was found of a long interaction, or of a passage; None when it
        is not worth its line."""
        if room < MIN_EXCERPT_TOKENS or not (memory.kind == "passage" or (memory.kind in _CUT and is_long(memory))):
            return None
        around = layout.around(memory)
        left = room - sum(map(self.tokens_of, (around.head, around.day, "".join(around.rest) + _BEFORE, "\n")))
        start = start_of_excerpt(memory, left, self._counter)
        before = _BEFORE if start else ""
        alone = layout.stands_alone(memory)
        cut = beginning(memory.text[start:].strip(), left, self._counter, alone=alone) if left > 0 else ""
        return self._made(memory, before + cut, room, is_whole=False) if cut else None

    def _made(self, memory: Memory, shown: str, most: int, *, is_whole: bool) -> Line | None:
        """The line that shows `shown` of `memory`; None where it has more than `most` tokens."""
        around = layout.around(memory)
        rest = "".join(around.rest) + shown
        tokens = tokens_within(f"{around.head}{rest}\n", most, self._counter)
        if tokens is None:
            return None
        day_tokens, bracket_tokens = self.tokens_of(around.day), self.tokens_of(around.bracket)
        bracket = around.bracket, bracket_tokens
        return Line(memory, around.head, around.day, rest, tokens, day_tokens, *bracket, is_whole=is_whole)
