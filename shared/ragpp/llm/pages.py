"""A category's page in a language model's words."""

from collections.abc import Sequence
from typing import Final

import structlog

from ragpp.catalog import MemoryItem, PageLine, PageSection
from ragpp.errors import MalformedReply
from ragpp.llm.port import LanguageModel
from ragpp.llm.prompting import prompt
from ragpp.llm.replies import PageReply, WrittenLine
from ragpp.llm.resources import keeps_numbers
from ragpp.llm.transcripts import BATCH_CHARS, data

_log = structlog.stdlib.get_logger(__name__)
MOST_ITEMS: Final = 1_000
"""Of one page; a category with more is consolidated without a model."""


async def write_page(
    model: LanguageModel, name: str, description: str, items: Sequence[MemoryItem]
) -> tuple[PageSection, ...]:
    """The page of `items`, the oldest first, at least one. A long list takes several calls, whose sections of one title
    become one.

    A line that names no item, or has a number that no item it names has, is dropped; what then is on no line stands in
    its own words under the title Further. Raises LanguageModelError; MalformedReply also where no line is left.
    """
    about = data(name=name, description=description)
    titles: dict[str, str] = {}
    lines: dict[str, list[PageLine]] = {}
    used = set[str]()
    for first, texts in _batches(items):
        filled = prompt("consolidate").filled({"category": about, "facts": "\n".join(texts)})
        completion = await model.complete(filled, schema=PageReply)
        for section in completion.reply.sections:
            title = " ".join(section.title.split())
            for written in section.lines:
                line = _checked(written, items, first, first + len(texts))
                if line is not None:
                    titles.setdefault(title.casefold(), title)
                    lines.setdefault(title.casefold(), []).append(line)
                    used.update(line.item_ids)
    if not lines:
        raise MalformedReply(f"{model.name} wrote no line that rests on a fact")
    left = [PageLine(text=item.content, item_ids=(item.item_id,)) for item in items if item.item_id not in used]
    if left:
        _log.info("llm.facts_left_out", model=model.name, facts=len(left))
        lines.setdefault("further", []).extend(left)
        titles.setdefault("further", "Further")
    return tuple(PageSection(title=titles[key], lines=tuple(found)) for key, found in lines.items())


def _batches(items: Sequence[MemoryItem]) -> list[tuple[int, list[str]]]:
    """The items as lines, numbered through from 1, for as many prompts as they need, each with its first's place."""
    found: list[tuple[int, list[str]]] = []
    size = BATCH_CHARS
    for place, item in enumerate(items):
        line = data(n=place + 1, at=item.occurred_at.strftime("%Y-%m-%d"), text=item.content)
        if not found or size + len(line) > BATCH_CHARS:
            found.append((place, []))
            size = 0
        found[-1][1].append(line)
        size += len(line)
    return found


def _checked(written: WrittenLine, items: Sequence[MemoryItem], first: int, end: int) -> PageLine | None:
    """The line with the items that it rests on, of those from place `first` to before `end`; None without any."""
    rests = [items[number - 1] for number in dict.fromkeys(written.facts) if first < number <= end]
    text = " ".join(written.text.split())
    if not rests or not text or not keeps_numbers(text, [item.content for item in rests]):
        return None
    return PageLine(text=text, item_ids=tuple(item.item_id for item in rests))
