"""The tools' answers, to the character. Source: document 002 §5, "Return Format"; what it leaves open is told in
docs/tools.md. Pure.

What memories say is data: it stands on its own line behind what is ours, each further line of it behind a mark
(`ragpp.context.quoting`), so that none of it can be taken for another memory, its source, or an error.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from ragpp.catalog import MemoryCategory, MemoryItem
from ragpp.context.layout import CORRECTED, found_heading, found_item, line_of
from ragpp.context.quoting import continued
from ragpp.errors import MemorySystemError
from ragpp.errors.problems import printable
from ragpp.models import Memory
from ragpp.names import on_one_line
from ragpp.tools.descriptions import ToolName

NONE: Final = "(none)"
"""In place of a category's name, which has no brackets."""
PREVIEW_CHARS: Final = 100
NAME_CHARS: Final = 100
ERROR_CHARS: Final = 1_000
CONVERSATION: Final = "conversation"
"""The source of everything outside of the catalog."""


_OF_AN_ITEM: Final = (("resource_type", CONVERSATION), ("category", "catalog"))
"""Fields of an item's metadata, and what is said where they are missing."""


@dataclass(frozen=True)
class Found:
    """A memory as `recall` tells of it. `content`: as it is shown, behind the beginning of a line of ours;
    `confidence`: how well it answers, 0 to 1; `source`: the type of the resource that it is from."""

    content: str
    confidence: float
    source: str
    category: str

    @classmethod
    def of_item(cls, item: MemoryItem, score: float) -> Self:
        """An item of the catalog; one that a later one corrects says so, as in a context."""
        said = _statement(item.content, item.replaced_by)
        return cls(said, score, item.resource_type or CONVERSATION, item.category or NONE)

    @classmethod
    def of_memory(cls, memory: Memory) -> Self:
        """A memory of any tier, which stands for its category where it has none: an interaction with its day and
        speaker."""
        if memory.tier != "catalog":
            return cls(line_of(memory), memory.score, CONVERSATION, memory.tier)
        told = memory.metadata  # the catalog's own, not a caller's
        source, category = (str(told.get(name) or other) for name, other in _OF_AN_ITEM)
        return cls(_statement(memory.text, memory.corrected_by), memory.score, source, category)


def _statement(text: str, corrected_by: str | None) -> str:
    return continued(f"{CORRECTED.lstrip()} {text}" if corrected_by else text)


def recalled(query: str, found: Sequence[Found]) -> str:
    """The answer of `recall`; best first."""
    if not found:
        return f"No relevant memories found for: {continued(query)}"
    told = (
        found_item(number, one.confidence, one.content, one.source, one.category)
        for number, one in enumerate(found, start=1)
    )
    return "\n\n".join((found_heading(len(found)), *told))


def remembered(item: MemoryItem) -> str:
    """The answer of `remember`."""
    said = on_one_line(item.content)
    preview = said if len(said) <= PREVIEW_CHARS else said[:PREVIEW_CHARS].rstrip()
    return (
        f"Remembered: {item.item_id}\nCategory: {item.category or NONE}\nImportance: {item.importance}\n"
        f"Content: {preview}..."
    )


def listed(categories: Sequence[MemoryCategory]) -> str:
    """The answer of `list_categories`."""
    told = (
        f"{number}. {one.name}\n   {on_one_line(one.description)}\n   Items: {one.item_count}"
        for number, one in enumerate(categories, start=1)
    )
    return "\n\n".join((f"Memory Categories ({len(categories)}):", *told))


def no_category(name: str, available: Iterable[str]) -> str:
    """The answer where there is no category of that name."""
    shown = printable(on_one_line(name), limit=NAME_CHARS)
    return f"Category '{shown}' not found.\n\nAvailable categories: {', '.join(available) or NONE}"


def failed(tool: ToolName, error: MemorySystemError) -> str:
    """The answer where a tool fails: what happened, and what to do about it."""
    return refused(tool, " ".join(f"{one.rstrip('.')}." for one in (error.message, *error.suggestions)))


def refused(tool: ToolName, why: str) -> str:
    """The same in other words: "Failed to remember: …", on one line."""
    return f"Failed to {tool.replace('_', ' ')}: {printable(on_one_line(why), limit=ERROR_CHARS)}"
