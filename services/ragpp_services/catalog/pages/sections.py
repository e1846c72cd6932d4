"""The headings of a page once some of what stood below them is gone. Pure."""

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Final

from ragpp.text.english import STOP_WORDS
from ragpp.text.lexical import terms, words
from ragpp_services.catalog.pages.headings import OTHERS, titles_of
from ragpp_services.catalog.pages.inline import unescaped
from ragpp_services.catalog.pages.layout import SOURCES
from ragpp_services.catalog.pages.reading import Block, BlockKind

SAYS_SOMETHING: Final = frozenset({BlockKind.TEXT, BlockKind.CODE, BlockKind.DEFINITION})
"""The kinds of block by which a section is more than a heading."""
_TITLE: Final = re.compile(r"\s*#+\s*(.*?)\s*#*\s*")


def retitled(blocks: Sequence[Block], left: Sequence[Block | None]) -> list[Block | None]:
    """Each of `blocks` as it is left, or None, with headings that have no word of what is gone alone. The title of the
    page is its category's and stays."""
    staying = {
        term for block in left if block is not None and block.kind in SAYS_SOMETHING for term in terms(block.text)
    }
    gone = {
        term
        for was, now in zip(blocks, left, strict=True)
        if was.kind in SAYS_SOMETHING and (now is None or now.text != was.text)
        for term in terms(" ".join(word for word in words(was.text) if word not in STOP_WORDS))
    } - staying
    renamed = list(left)
    taken = {unescaped(_title(block)).casefold() for block in left if block is not None and block.level}
    for place, block in enumerate(left):
        if block is None or block.level < 2 or _title(block).casefold() == SOURCES.casefold():
            continue
        rest = " & ".join(filter(None, (_less(name, gone) for name in _title(block).split(" & "))))
        if rest != _title(block):
            if not rest or rest.casefold() in taken:
                rest = _titled_anew(_section(blocks, left, place), taken)
            taken.add(rest.casefold())
            renamed[place] = replace(block, text=f"{'#' * block.level} {rest}")
    return renamed


def _less(name: str, gone: Set[int]) -> str:
    """A name in a heading without the words that are `gone`; as it is where it has none of them."""
    spoken = name.split()
    fit = [word for word in spoken if gone.isdisjoint(terms(unescaped(word)))]
    if len(fit) == len(spoken):
        return name
    while fit and fit[-1].lower() in STOP_WORDS:
        fit.pop()
    return " ".join(fit)


def _title(block: Block) -> str:
    found = _TITLE.fullmatch(block.text)
    return found[1] if found else ""


def _titled_anew(section: Sequence[Block], taken: Set[str]) -> str:
    [title] = titles_of([[unescaped(block.text) for block in section if block.kind is BlockKind.TEXT]], taken=taken)
    return title or OTHERS


def _section(blocks: Sequence[Block], left: Sequence[Block | None], heading: int) -> list[Block]:
    """The blocks that are left below the heading at this place, up to the next one of its level or a higher one."""
    below = []
    for place in range(heading + 1, len(blocks)):
        if 0 < blocks[place].level <= blocks[heading].level:
            break
        now = left[place]
        if now is not None:
            below.append(now)
    return below


def without_empty_sections(blocks: Sequence[Block], left: Sequence[Block | None]) -> list[Block]:
    """The blocks that are left, without the headings of sections that lost all they had."""
    had, has = _with_something(blocks, blocks), _with_something(blocks, left)
    return [
        block
        for place, block in enumerate(left)
        if block is not None and not (block.level > 1 and place in had and place not in has)
    ]


def _with_something(blocks: Sequence[Block], left: Sequence[Block | None]) -> set[int]:
    """The places of the headings that have something below them, in sections of their own too."""
    open_: list[int] = []
    found: set[int] = set()
    for place, (was, now) in enumerate(zip(blocks, left, strict=True)):
        if was.level:
            while open_ and blocks[open_[-1]].level >= was.level:
                open_.pop()
            open_.append(place)
        elif now is not None and now.kind in SAYS_SOMETHING:
            found.update(open_)
    return found
