"""Category pages for tests: their items, and what a reader of markdown sees of one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
from markdown_it import MarkdownIt  # what shows markdown in a terminal for the command line
from markdown_it.token import Token

from ragpp.catalog import PageLine, PageSection
from ragpp_services.catalog.pages import PageItem, PageSource

MARCH = datetime(2026, 3, 1, 9, tzinfo=UTC)
CONSOLIDATED_AT = datetime(2026, 6, 2, 10, 45, tzinfo=UTC)
_READER = MarkdownIt("commonmark").enable(["strikethrough", "table"])
_NOTES = re.compile(r"(?: \[\^\d+\])*\Z")


def item(
    identifier: str,
    content: str,
    direction: tuple[float, ...],
    *resources: str,
    day: float = 0,
    kind: str = "conversation",
    title: str | None = None,
) -> PageItem:
    """A fact that was learned so many days after the first of March. `direction`: of its vector, of any length."""
    vector = np.array(direction, dtype=np.float32)
    sources = tuple(PageSource(resource, kind, title) for resource in resources)
    return PageItem(identifier, content, MARCH + timedelta(days=day), vector / np.linalg.norm(vector), sources)


def written(title: str, *lines: tuple[str, tuple[str, ...]]) -> PageSection:
    """A section as a model writes it: texts, and the ids of the items that each rests on."""
    return PageSection(title=title, lines=tuple(PageLine(text=text, item_ids=ids) for text, ids in lines))


@dataclass
class SeenItem:
    """A list item: its letters but for backticks and white space, whether it has any struck out, and other markup."""

    letters: str = ""
    notes: str = ""
    struck: bool = False
    markup: set[str] = field(default_factory=set)


@dataclass
class SeenSection:
    """A heading and the list items below it."""

    title: str
    level: int
    items: list[SeenItem] = field(default_factory=list)


def letters(text: str) -> str:
    """`text` without what markdown does not show as it is: white space, and the backticks of code."""
    return re.sub(r"[\s`]", "", text)


def seen(markdown: str) -> tuple[list[SeenSection], set[str]]:
    """The sections of a page as a reader of markdown finds them, and the kinds of all its blocks."""
    sections: list[SeenSection] = []
    tokens = _READER.parse(markdown)
    kinds = {token.type for token in tokens}
    for before, token in _pairs(tokens):
        if token.type != "inline":
            continue
        if before[-1].type == "heading_open":
            sections.append(SeenSection(token.content, int(before[-1].tag[1])))
        elif any(one.type == "list_item_open" for one in before):
            sections[-1].items.append(_item(token))
    return sections, kinds


def _pairs(tokens: list[Token]) -> Iterator[tuple[list[Token], Token]]:
    """Each token with what is open where it stands."""
    open_: list[Token] = []
    for token in tokens:
        yield open_, token
        if token.nesting == 1:
            open_.append(token)
        elif token.nesting == -1:
            open_.pop()


def _item(inline: Token) -> SeenItem:
    item = SeenItem()
    shown = ""
    for child in inline.children or []:
        if child.type == "s_open":
            item.struck = True
        elif child.type not in {"text", "code_inline", "s_close"}:
            item.markup.add(child.type)
        shown += child.content
    notes = _NOTES.search(inline.content)  # what a fact has of brackets is escaped there
    assert notes
    item.notes = notes[0]
    item.letters = letters(shown.removesuffix(notes[0]))
    return item
