"""How memories read in a context: one item each, as data, never as instructions (`ragpp.context.quoting`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from ragpp.context.quoting import as_name, continued, on_one_line, quoted
from ragpp.models import FindingKind, Memory

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

SHOWN_CONFIDENCE: Final = 0.01
"""What has faded below it is shown without its confidence: "0.00" reads as "not so", and it only has not been said for
long."""
_TURNS: Final = frozenset({"interaction", "message"})
_VERBATIM: Final = _TURNS | {"summary", "item"}
"""What may have lines of its own; everything else that was learned is a line."""
_FINDINGS: Final = frozenset(get_args(FindingKind))


def heading(title: str) -> str:
    """The line that begins a section."""
    return f"## {title}"


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a memory's text: `head + day + rest` before it and `bracket` behind.

    Each part ends where a tokenizer divides, so their tokens add up; `rest` is in short pieces that often recur. `day`:
    its date, left out where the line above has it; empty where there is none. `rest`: time and speaker, or the label of
    a preference or finding. `bracket`: the relevance, or a relationship's confidence; empty for what is shown for its
    place in the running conversation.
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
        rest = (*rest, f"{as_name(memory.said_by or '') or 'user'}: ")
    elif label := _label(memory)[1]:
        rest = (label,)
    bracket = ""
    if memory.kind == "relationship" and memory.confidence < SHOWN_CONFIDENCE:
        bracket = ""
    elif memory.kind == "relationship":
        bracket = f" (confidence: {memory.confidence:.2f})"
    elif memory.kind not in {"message", "summary"}:
        bracket = f" (relevance: {memory.score:.2f})"
    return Around(head, day, rest, bracket)


def data(memory: Memory) -> str:
    """The text of `memory` as it is shown there: verbatim but for marks; what was learned, on one line."""
    if memory.kind in _VERBATIM:
        return quoted(memory.text)
    return quoted(on_one_line(memory.text[len(_label(memory)[0]) :]))


def _label(memory: Memory) -> tuple[str, str]:
    """What `memory.text` begins with before its value, and how that is shown: "food drink: " of a preference, "event: "
    of a finding. Both empty where there is none that a reader could tell from the value."""
    about = memory.metadata
    stored = shown = ""
    if memory.kind == "finding" and str(about.get("finding")) in _FINDINGS:
        stored = shown = f"{about['finding']}: "
    elif memory.kind == "preference":
        stored = f"{about.get('category')} {about.get('key')}: "
        names = [as_name(str(about.get(part, ""))) for part in ("category", "key")]
        shown = f"{' '.join(names)}: " if all(names) else ""
    return (stored, shown) if shown and memory.text.startswith(stored) else ("", "")


def lines_of(items: Sequence[str]) -> str:
    """Lines of a list that the caller gave (tools)."""
    return "\n".join(f"- {continued(item)}" for item in items)
