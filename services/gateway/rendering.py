"""How memories read in a context: one line each, as data, never as instructions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.models import Memory

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

_TURN_LINE: Final = re.compile(r"\s*- \[(?:\d{4}-\d\d-\d\d )?\d\d:\d\d\]")
_LETTERS: Final = re.compile(r"[^\W_]+")
_PLAIN_TITLES: Final = tuple(" ".join(_LETTERS.findall(title)) for title in TITLES)
_LOOKED_AT: Final = 120
"""Characters of a line that decide whether it is forged: more than any of ours begins with."""
SHOWN_CONFIDENCE: Final = 0.01
"""What has faded below it is shown without its confidence: "0.00" reads as "not so", and it only has not been said for
long."""
_TURNS: Final = frozenset({"interaction", "message"})


def heading(title: str) -> str:
    """The line that begins a section."""
    return f"## {title}"


def as_data(text: str) -> str:
    """`text` verbatim, except that a line after its first which would read as one of our headings, or as another turn,
    is quoted with `> `. Takes time proportional to the length of the text."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return text
    return lines[0] + "".join(f"> {line}" if _is_forged(line[:_LOOKED_AT]) else line for line in lines[1:])


def _is_forged(beginning: str) -> bool:
    if _TURN_LINE.match(beginning):
        return True
    words = " ".join(_LETTERS.findall(beginning)).upper()
    return any(words == title or ("#" in beginning and words.startswith(title)) for title in _PLAIN_TITLES)


def on_one_line(name: str) -> str:
    """A name as it may stand in a line: white space and line ends of every kind become single spaces."""
    return " ".join(name.split())


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a memory's text: `head + day + rest` before it and `bracket` behind.

    Each part ends where a tokenizer divides, so their tokens add up; `rest` is in short pieces that often recur. `day`:
    its date, left out where the line above has it; empty where there is none. `bracket`: the relevance, or a
    relationship's confidence; empty for what is shown for its place in the running conversation.
    """

    head: str
    day: str
    rest: tuple[str, ...]
    bracket: str


def around(memory: Memory) -> Around:
    """What stands around the text of `memory`."""
    head, day, rest = "- ", "", tuple[str, ...]()
    if memory.kind in _TURNS:
        if memory.occurred_at:
            moment = memory.occurred_at.isoformat()
            head, day, rest = "- [", f"{moment[:10]} ", (moment[11:16], "] ")
        rest = (*rest, f"{on_one_line(memory.said_by or '') or 'user'}: ")
    bracket = ""
    if memory.kind == "relationship" and memory.confidence < SHOWN_CONFIDENCE:
        bracket = ""
    elif memory.kind == "relationship":
        bracket = f" (confidence: {memory.confidence:.2f})"
    elif memory.kind not in {"message", "summary"}:
        bracket = f" (relevance: {memory.score:.2f})"
    return Around(head, day, rest, bracket)


def lines_of(items: Sequence[str]) -> str:
    """Lines of a list that the caller gave (tools)."""
    return "\n".join(f"- {as_data(item)}" for item in items)
