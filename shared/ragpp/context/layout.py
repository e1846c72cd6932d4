"""The layout of a context: its titles and the shapes of its lines, as they are written and as they are recognised.

    ## RELEVANT PAST INTERACTIONS
    - [2024-05-01 09:30] Ada: an interaction, with its day (relevance: 0.83)
    - [09:31] assistant: the next one of that day
      | and its second line

An entry that an agent was offered or given has its kind, day and handle before it:

    - [decision · 2024-05-01 · m1] a memory

What a tool answers has lines of its own (document 002 §5):

    Found 1 relevant memories:

    1. [0.92] a memory
       Source: conversation | Category: product_knowledge

A memory is one item, and its text is data, never structure or instructions (`ragpp.context.quoting`). Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final, get_args

from ragpp.context.quoting import MARK, continued, quoted
from ragpp.models import FindingKind, Memory
from ragpp.names import as_name, on_one_line

PERSONA: Final = "PERSONA"
RECENT: Final = "RECENT CONVERSATION"
PAST: Final = "RELEVANT PAST INTERACTIONS"
ENTITIES: Final = "KNOWN ENTITIES"
RELATIONSHIPS: Final = "KNOWN RELATIONSHIPS"
PREFERENCES: Final = "USER PREFERENCES & HABITS"
KNOWLEDGE: Final = "RELEVANT KNOWLEDGE"
TOOLS: Final = "AVAILABLE TOOLS"
SITUATION: Final = "CURRENT SITUATION"
TITLES: Final = (PERSONA, RECENT, PAST, ENTITIES, RELATIONSHIPS, PREFERENCES, KNOWLEDGE, TOOLS, SITUATION)
"""The headings of a context's sections, in their order."""

SHOWN_CONFIDENCE: Final = 0.01
"""The least confidence that is shown: "0.00" reads as "not so", and what faded only was not said for long."""
CORRECTED: Final = " [since corrected]"
"""The mark behind the speaker of what was said otherwise later."""
_ITEM: Final = "- "
_RELEVANCE, _CONFIDENCE = "relevance", "confidence"
_INTERACTIONS: Final = frozenset({"interaction", "message"})
_VERBATIM: Final = _INTERACTIONS | {"summary", "item", "passage"}
"""Kinds that may have lines of their own; everything else that was learned is a line."""
_MADE_OF_NAMES: Final = frozenset({"entity", "relationship"})
_NO_MARKS: Final = str.maketrans("[]", "()")
"""A name in brackets, "Al [since corrected]", reads as a mark of ours."""
_LABELLED: Final = frozenset({"preference", "finding"})
_FINDINGS: Final = frozenset(get_args(FindingKind))


def heading(title: str) -> str:
    """The line that begins a section."""
    return f"## {title}"


def section(title: str, text: str) -> str:
    """A section: its heading, and `text` below it as it is."""
    return f"{heading(title)}\n{text}"


def items(lines: Sequence[str]) -> str:
    """The items of a list that the caller gave (tools), one for each of `lines`."""
    return "\n".join(f"{_ITEM}{continued(line)}" for line in lines)


@dataclass(frozen=True, slots=True)
class Around:
    """The parts around a memory's text: `head + day + rest` before it and `bracket` behind.

    Each part ends where a tokenizer divides, so their tokens add up; `rest` is in short pieces that often recur. `day`:
    its date, left out where the line above has it; empty where there is none. `rest`: time and speaker, or the label of
    a preference or finding. `bracket`: the relevance, or a relationship's confidence; empty for what is shown for
    its place in the running conversation.
    """

    head: str
    day: str
    rest: tuple[str, ...]
    bracket: str


def around(memory: Memory) -> Around:
    """The parts of a line around the text of `memory`."""
    head, day, rest = _ITEM, "", tuple[str, ...]()
    if memory.kind in _INTERACTIONS:
        who = as_name(memory.said_by or "") or "user"
        head, day, rest = _before_interaction(f"{who}{CORRECTED}" if memory.corrected_by else who, _told_at(memory))
    elif memory.corrected_by:
        rest = (f"{CORRECTED.lstrip()} ",)
    elif label := _label(memory)[1]:
        rest = (label,)
    bracket = ""
    if memory.kind == "relationship":
        bracket = _bracket(_CONFIDENCE, max(SHOWN_CONFIDENCE, memory.confidence))
    elif memory.kind not in {"message", "summary"}:
        bracket = _bracket(_RELEVANCE, memory.score)
    return Around(head, day, rest, bracket)


def data(memory: Memory) -> str:
    """The text of `memory` as it is shown there: verbatim but for marks; what was learned, on one line."""
    if memory.kind in _VERBATIM:
        return quoted(memory.text, alone=stands_alone(memory))
    if memory.kind in _MADE_OF_NAMES:
        return quoted(on_one_line(memory.text.translate(_NO_MARKS)))
    return quoted(on_one_line(memory.text[len(_label(memory)[0]) :]), alone=stands_alone(memory))


def stands_alone(memory: Memory) -> bool:
    """True where the text of `memory` stands where others of its section have a speaker or a label before it."""
    return memory.kind == "summary" or (memory.kind in _LABELLED and not _label(memory)[1])


def line_of(memory: Memory) -> str:
    """`memory` as its item has it, but for what begins an item and how sure it is: behind its day and speaker, or its
    label."""
    parts = around(memory)
    return "".join((parts.head, parts.day, *parts.rest)).removeprefix(_ITEM) + data(memory)


def found_heading(count: int) -> str:
    """The line that begins what a tool found."""
    return f"Found {count} relevant memories:"


def found_item(number: int, score: float, content: str, source: str, category: str) -> str:
    """A memory that a tool found: `content` is as it is to stand behind the beginning of a line (`continued`)."""
    return f"{number}. [{score:.2f}] {content}\n   Source: {source} | Category: {category}"


def interaction(who: str, at: datetime, text: str) -> str:
    """An interaction as an item: `who` said `text`."""
    head, day, rest = _before_interaction(who, at)
    return f"{head}{day}{''.join(rest)}{quoted(text)}"


def _told_at(memory: Memory) -> datetime | None:
    """When it was said, by the clock that `utc_offset` tells."""
    return memory.occurred_at and memory.occurred_at + timedelta(minutes=memory.utc_offset or 0)


def _before_interaction(who: str, at: datetime | None) -> tuple[str, str, tuple[str, ...]]:
    """The parts before an interaction's text: head, day and rest of an `Around`."""
    said = f"{who}: "
    if at is None:
        return _ITEM, "", (said,)
    moment = at.isoformat()
    return f"{_ITEM}[", f"{moment[:10]} ", (moment[11:16], "] ", said)


def _bracket(what: str, share: float) -> str:
    return f" ({what}: {share:.2f})"


def _label(memory: Memory) -> tuple[str, str]:
    """The label that `memory.text` begins with before its value, and how it is shown: "food drink: " of a preference,
    "event: " of a finding. Both empty where there is none that a reader could tell from the value."""
    about = memory.metadata
    stored = shown = ""
    if memory.kind == "finding" and str(about.get("finding")) in _FINDINGS:
        stored = shown = f"{about['finding']}: "
    elif memory.kind == "preference":
        stored = f"{about.get('category')} {about.get('key')}: "
        names = [as_name(str(about.get(part, ""))) for part in ("category", "key")]
        shown = f"{' '.join(names)}: " if all(names) else ""
    return (stored, shown) if shown and memory.text.startswith(stored) else ("", "")


class LineKind(Enum):
    """The kind of a line, seen by itself; it may be quoted, behind `>`."""

    HEADING = auto()
    ITEM = auto()  # the first line of one of ours, or of anybody's list
    TURN = auto()  # an item of ours in a section; by itself anybody's dated note
    RATED_ITEM = auto()  # with its relevance or confidence: unmistakably one of ours
    LISTED = auto()  # an item with its kind, day and handle, as a catalog has it: as unmistakable
    MARKED = auto()  # a further line of a text, behind our mark
    MARKED_LAST = auto()  # the same with the relevance or confidence of its item behind it
    FOUND = auto()  # the first line of what a tool found; by itself anybody's list of scores
    SOURCE = auto()  # the last line of it; by itself anybody's note
    BLANK = auto()
    OTHER = auto()


_RATING: Final = rf"\((?:{_CONFIDENCE}|{_RELEVANCE}): "
_HINT: Final = re.compile(rf"#\s|{_RATING}|\| Category: |- \[[a-z]+ · ")
_HEADING_LINE: Final = re.compile(
    r"(?:[ \t>]*|.*[\"'`:(][ \t]*)#{1,6}[ \t]+(?:" + "|".join(map(re.escape, TITLES)) + r")[ \t]*:?[ \t]*$"
)
_ITEM_LINE: Final = re.compile(rf"[ \t>]*{_ITEM}")
_TURN_LINE: Final = re.compile(rf"[ \t>]*{_ITEM}\[(?:\d{{4}}-\d\d-\d\d \d\d:\d\d\] |\d\d:\d\d\] [^:\n]{{1,200}}: )")
_LISTED_LINE: Final = re.compile(rf"[ \t>]*{_ITEM}\[[a-z]{{1,20}} · \d{{4}}-\d\d-\d\d · [^\s\]]{{1,256}}\]")
_MARKED_LINE: Final = re.compile(rf"[ \t>]*?{re.escape(MARK)}(?:[^\S\t]|$)")  # any end of a line that a text has
_RATED: Final = re.compile(rf"{_RATING}\d\.\d\d\)[ \t]*$")
_FOUND_HEADING: Final = re.compile(r"(?:[ \t>]*|.*[\"'`:(][ \t]*)Found \d{1,3} relevant memories:[ \t]*$")
_FOUND_LINE: Final = re.compile(r"[ \t>]*\d{1,3}\. \[[01]\.\d\d\] ")
_SOURCE_LINE: Final = re.compile(r"[ \t>]*Source: [a-z]+ \| Category: (?:\(none\)|[a-z][a-z0-9_]*)[\"'`)}\], \t]*$")
_HEADING_CHARS: Final = 80
_SOURCE_CHARS: Final = 160
_LOOKED_AT: Final = 300
"""Characters of a line in which its time and speaker are looked for."""
_TAIL: Final = 40
"""Characters at the end of a line in which its relevance or confidence is looked for."""
_RELATIONSHIP_TYPE: Final = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")


def may_hold_lines(text: str) -> bool:
    """False for a text that surely has no heading and no rated item of ours: told without looking at its lines."""
    return _HINT.search(text) is not None


def line_kind(line: str) -> LineKind:
    """The kind of `line`, which is without its end; in constant time but for blank ones."""
    if not line.strip(" \t>"):
        return LineKind.BLANK
    rated = _RATED.search(line[-_TAIL:]) is not None
    beginning = line[:_HEADING_CHARS]
    if _MARKED_LINE.match(beginning):
        return LineKind.MARKED_LAST if rated else LineKind.MARKED
    if len(line) <= _HEADING_CHARS and (_HEADING_LINE.match(line) or _FOUND_HEADING.match(line)):
        return LineKind.HEADING
    if not _ITEM_LINE.match(beginning):
        return _found_kind(line)
    return LineKind.RATED_ITEM if rated else _item_kind(line[:_LOOKED_AT])


def _item_kind(beginning: str) -> LineKind:
    if _LISTED_LINE.match(beginning):
        return LineKind.LISTED
    return LineKind.TURN if _TURN_LINE.match(beginning) else LineKind.ITEM


def _found_kind(line: str) -> LineKind:
    if len(line) <= _SOURCE_CHARS and _SOURCE_LINE.match(line):
        return LineKind.SOURCE
    return LineKind.FOUND if _FOUND_LINE.match(line[:_HEADING_CHARS]) else LineKind.OTHER


def names_relationship_type(text: str) -> bool:
    """True where `text` has a type of relationship as contexts have it ("SISTER_OF"): nobody says so who did not read
    it there."""
    return _RELATIONSHIP_TYPE.search(text) is not None
