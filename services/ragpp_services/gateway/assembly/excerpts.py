"""Parts of texts that are too long to be shown whole. Pure."""

from typing import Final

from ragpp.context import layout
from ragpp.context.quoting import end_of_lines, quoted, unquoted
from ragpp.models import Memory
from ragpp.text.port import TokenMeter
from ragpp.text.sentences import SAVED_CHARS

CHARS_A_TOKEN: Final = 3
"""Fewer than a token has in most texts, so that an excerpt which begins earlier still reaches its end."""
LONG_TOKENS: Final = 128
"""An interaction up to this length is shown whole, or as the part of it that answers; of a longer one any excerpt may
be shown."""
ONE_SHARE: Final = 0.4
"""The largest share of the budget, without its frame, that a long past interaction may take as an excerpt."""
ELLIPSIS: Final = " …"
_CUTS: Final = 4
"""Times that a beginning is cut shorter to make room for what closes its fence; ordinary text needs one."""


def beginning(text: str, room: int, counter: TokenMeter, *, alone: bool = False) -> str:
    """A beginning of `text` that as data (`ragpp.context.quoting`, also for `alone`) has at most `room` tokens, an
    ellipsis included where it is not all; empty when none was found."""
    head = counter.truncate(text[: end_of_lines(text, room)], room).rstrip()  # a line's mark is a token, too
    shown = quoted(head, alone=alone)
    if head == text and counter.count(shown) <= room:
        return shown
    wanted = room - counter.count(ELLIPSIS)
    for _ in range(_CUTS):
        cut = unquoted(counter.truncate(shown, max(0, wanted)))[: len(head)].rstrip()
        part = quoted(cut + ELLIPSIS, alone=alone) if cut else ""
        over = counter.count(part) - room
        if over <= 0:
            return part
        wanted -= over
    return ""


def is_long(memory: Memory) -> bool:
    """True where an excerpt may stand for it."""
    return max(memory.tokens, len(memory.text) // 8) > LONG_TOKENS


def start_of_excerpt(memory: Memory, room: int, counter: TokenMeter) -> int:
    """Where an excerpt of `room` tokens begins: where what was found does, or earlier where all from there on has room
    left beside it."""
    text, alone = memory.text, layout.stands_alone(memory)
    if len(text) - memory.focus >= CHARS_A_TOKEN * room:
        return memory.focus
    least = max(0, len(text) - CHARS_A_TOKEN * room)
    start = min(memory.focus, text.find(" ", least) + 1 if least else 0)
    return start if counter.count(quoted(text[start:].strip(), alone=alone)) <= room else memory.focus


def part_of(memory: Memory) -> tuple[int, int] | None:
    """Where the part of an interaction begins and ends that answers; None where it is as good as all of it."""
    end = len(memory.text) if memory.focus_end is None else memory.focus_end
    left_out = len(memory.text) - max(0, end - memory.focus)
    return (memory.focus, end) if memory.kind == "interaction" and left_out >= SAVED_CHARS else None
