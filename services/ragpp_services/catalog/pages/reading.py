"""A page read again, also one that a person edited or a model wrote: its blocks, and where its footnotes lead. Pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

from ragpp_services.catalog.pages.inline import footnotes_in, identifier_of
from ragpp_services.catalog.pages.layout import CONSOLIDATED


class BlockKind(Enum):
    """The kind of a block."""

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
"""The beginning of a block though there is no blank line before it."""
_INDENTED: Final = re.compile(r"(?: {2,}|\t)\S")
_OURS: Final = re.compile(r'\[\^[^\]]+\]: Extracted from (?:[^"()]* )?(?:".*" )?\(([^()]*)\)')
_IN_BRACKETS: Final = re.compile(r"\(([^()]*)\)[\s.]*$")
_REFERENCE: Final = re.compile(r"[A-Za-z0-9_.:%-]+")
_RESOURCE_ID: Final = re.compile(r"\bres_[A-Za-z0-9_.:%-]*[A-Za-z0-9]")


def resolved(markdown: str) -> PageParts:
    """Where the footnotes of a page lead."""
    return parts_of(blocks_of(markdown))


def parts_of(blocks: Collection[Block]) -> PageParts:
    """The same of a page's blocks. A label that is defined several times names what all of them name."""
    used: dict[str, None] = {}
    defined: dict[str, dict[str, None]] = {}
    for block in blocks:
        if block.kind is BlockKind.DEFINITION:
            defined.setdefault(block.label, {}).update(dict.fromkeys(resource_ids_in(block.text)))
        elif block.kind in {BlockKind.TEXT, BlockKind.HEADING}:
            used.update(dict.fromkeys(note.label for note in footnotes_in(block.text)))
    return PageParts(tuple(used), {label: tuple(named) for label, named in defined.items()})


def resource_ids_in(definition: str) -> tuple[str, ...]:
    """The ids of the resources that a footnote's definition names: of one of ours those in the bracket at its end,
    whatever its title says; else all that look like one, and where none does what is in a bracket at the end."""
    ours = _OURS.fullmatch(definition)
    named = [] if ours else _RESOURCE_ID.findall(definition)
    bracket = ours or _IN_BRACKETS.search(definition)
    if not named and bracket:
        parts = [part.strip() for part in bracket[1].split(",")]
        named = parts if all(map(_REFERENCE.fullmatch, parts)) else []
    return tuple(dict.fromkeys(map(identifier_of, named)))


def blocks_of(markdown: str) -> list[Block]:
    """The blocks of a page, in order; joined with line ends they are the page. Linear in its length."""
    begun: list[tuple[Block, list[str]]] = []
    fence = ""
    for line in _LINE_END.split(markdown):
        if fence:
            begun[-1][1].append(line)
            bare = line.strip(" \t>")
            fence = "" if len(bare) >= len(fence) and not bare.strip(fence[0]) else fence
        elif opening := _FENCE.match(line):
            fence = opening[1]
            begun.append((Block(BlockKind.CODE, line), [line]))
        elif begun and _continues(begun[-1][0], line):
            begun[-1][1].append(line)
        else:
            begun.append((_begun(line), [line]))
    return [replace(block, text="\n".join(lines)) for block, lines in begun]


def _continues(block: Block, line: str) -> bool:
    """True where `line` goes on with the block that began with this line."""
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
