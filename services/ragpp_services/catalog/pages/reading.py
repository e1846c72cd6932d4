"""A page read again, also one that a person edited or a model wrote: its blocks, and where its footnotes lead. Pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from ragpp_services.catalog.pages.inline import footnotes_in
from ragpp_services.catalog.pages.layout import CONSOLIDATED


class BlockKind(Enum):
    """What a block is."""

    HEADING = auto()
    TEXT = auto()  # a list item without its sub-items, or a paragraph; a row of a table, a quotation
    CODE = auto()  # between fences, with them
    RULE = auto()
    DEFINITION = auto()  # of a footnote
    CONSOLIDATED = auto()  # the line that says when
    COUNTS = auto()  # the last line
    BLANK = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together. `text`: without the last line's end. `label`: of a definition, folded; `level`: of a
    heading, 1 to 6."""

    kind: BlockKind
    text: str
    label: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True)
class PageParts:
    """Where a page's footnotes lead. Labels are folded.

    `used`: those that its lines refer to, in order of first appearance. `defined`: what each definition's label names,
    ids of resources in order; none for a note of somebody's own.
    """

    used: tuple[str, ...]
    defined: Mapping[str, tuple[str, ...]]

    @property
    def dangling(self) -> tuple[str, ...]:
        """Those used without a definition."""
        return tuple(label for label in self.used if label not in self.defined)

    @property
    def resource_ids(self) -> tuple[str, ...]:
        """The resources that the page names, each once, in order."""
        return tuple(dict.fromkeys(one for named in self.defined.values() for one in named))


_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_RULE: Final = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_DEFINITION: Final = re.compile(r" {0,3}\[\^([^\[\]\s]+)\]:")
_COUNTS: Final = re.compile(r"\*Items: \d+ \| Resources: \d+\*\s*$")
_FENCE: Final = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})")
_BEGINS: Final = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)|\|)")
"""What begins a block though there is no blank line before it."""
_INDENTED: Final = re.compile(r"(?: {2,}|\t)\S")
_IN_BRACKETS: Final = re.compile(r"\(([^()]*)\)[\s.]*$")
_IDS: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")
_RESOURCE_ID: Final = re.compile(r"\bres_[A-Za-z0-9_.:-]*[A-Za-z0-9]")


def resolved(markdown: str) -> PageParts:
    """Where the footnotes of a page lead."""
    return parts_of(blocks_of(markdown))


def parts_of(blocks: Collection[Block]) -> PageParts:
    """The same of a page's blocks. A label that is defined several times names what all of them name."""
    used: dict[str, None] = {}
    defined: dict[str, tuple[str, ...]] = {}
    for block in blocks:
        if block.kind is BlockKind.DEFINITION:
            named = (*defined.get(block.label, ()), *resource_ids_in(block.text))
            defined[block.label] = tuple(dict.fromkeys(named))
        elif block.kind in {BlockKind.TEXT, BlockKind.HEADING}:
            used.update(dict.fromkeys(note.label for note in footnotes_in(block.text)))
    return PageParts(tuple(used), defined)


def resource_ids_in(definition: str) -> tuple[str, ...]:
    """The ids of the resources that a footnote's definition names: those in the bracket at its end, of which a title
    says nothing, else whatever looks like one."""
    bracket = _IN_BRACKETS.search(definition)
    if bracket:
        named = [part.strip() for part in bracket[1].split(",")]
        if all(_IDS.fullmatch(one) for one in named):
            return tuple(dict.fromkeys(named))
    return tuple(dict.fromkeys(_RESOURCE_ID.findall(definition)))


def blocks_of(markdown: str) -> list[Block]:
    """The blocks of a page, in order; joined with line ends they are the page."""
    blocks: list[Block] = []
    fence = ""
    for line in _LINE_END.split(markdown):
        if fence:
            blocks[-1] = _longer(blocks[-1], line)
            bare = line.strip(" \t>")
            fence = "" if len(bare) >= len(fence) and not bare.strip(fence[0]) else fence
        elif opening := _FENCE.match(line):
            fence = opening[1]
            blocks.append(Block(BlockKind.CODE, line))
        elif blocks and _continues(blocks[-1], line):
            blocks[-1] = _longer(blocks[-1], line)
        else:
            blocks.append(_begun(line))
    return blocks


def _longer(block: Block, line: str) -> Block:
    return Block(block.kind, f"{block.text}\n{line}", block.label, block.level)


def _continues(block: Block, line: str) -> bool:
    if block.kind is BlockKind.DEFINITION:
        return _INDENTED.match(line) is not None
    begun = _begun(line).kind is BlockKind.TEXT and not _BEGINS.match(line)
    return block.kind is BlockKind.TEXT and begun and _is_quoted(line) <= _is_quoted(block.text)


def _is_quoted(text: str) -> bool:
    return text.lstrip().startswith(">")


def _begun(line: str) -> Block:
    if not line.strip():
        return Block(BlockKind.BLANK, line)
    if heading := _HEADING.match(line):
        return Block(BlockKind.HEADING, line, level=len(heading[1]))
    if definition := _DEFINITION.match(line):
        return Block(BlockKind.DEFINITION, line, label=definition[1].casefold())
    if _RULE.match(line):
        return Block(BlockKind.RULE, line)
    if line.startswith(CONSOLIDATED):
        return Block(BlockKind.CONSOLIDATED, line)
    return Block(BlockKind.COUNTS if _COUNTS.match(line) else BlockKind.TEXT, line)
