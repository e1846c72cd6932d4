"""A page without what rested on resources that are gone, or without what they were called. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ragpp_services.catalog.pages.inline import as_reference, footnotes_in
from ragpp_services.catalog.pages.layout import NO_ITEMS, counted, footnote
from ragpp_services.catalog.pages.mending import Notes, mended, no_longer_struck
from ragpp_services.catalog.pages.reading import Block, BlockKind, blocks_of, parts_of, resource_ids_in
from ragpp_services.catalog.pages.sections import SAYS_SOMETHING, retitled, without_empty_sections

_ITEMS: Final = re.compile(r"Items: (\d+)")
_APART: Final = [BlockKind.RULE, BlockKind.BLANK]
"""The blocks before the last lines where sources stood between; they follow a rule directly."""
_OURS: Final = re.compile(r'(\[\^[^\]]+\]: Extracted from (?:[^"()]* )?)(?:".*" )?(\([^()]*\))')
"""A definition of ours, the title of what it names left out."""
_LABEL: Final = re.compile(r"\[\^[^\[\]\s]+\]")


def without(markdown: str, resource_ids: Collection[str], *, items: int | None = None) -> str:
    """The page `markdown`, which anybody may have written, without what rests on `resource_ids` alone.

    Gone are lines and paragraphs whose footnotes all name only these, what stands before such footnotes in the midst of
    a paragraph, the footnotes, sections of which nothing is left, and the words of a heading that only what is gone
    had. A fact that was struck out for one that is gone holds again. What has no footnote stays. Footnotes are numbered
    anew and all resolve. The last line counts the resources that are left, and `items`: the caller's count, else the
    page's less the lines that are gone. A page that names none of these resources is answered as it is.
    """
    blocks = blocks_of(markdown)
    parts = parts_of(blocks)
    gone = frozenset(resource_ids)
    if gone.isdisjoint(parts.resource_ids):
        return markdown
    notes = Notes(parts.defined, {label for label, named in parts.defined.items() if named and gone.issuperset(named)})
    left = _left(blocks, notes, gone)
    lost = sum(now is None and was.kind is BlockKind.TEXT for was, now in zip(blocks, left, strict=True))
    left = retitled(blocks, left)
    kept = _tidied(without_empty_sections(blocks, left))
    if not any(block.kind in SAYS_SOMETHING or block.level > 1 for block in kept):
        return "\n\n".join((*(block.text for block in kept if block.level == 1), NO_ITEMS))
    kept = _renumbered(kept)
    resources = len(parts_of(kept).resource_ids)
    return "\n".join(
        _counted(block, items, lost, resources) if block.kind is BlockKind.COUNTS else block.text for block in kept
    )


def untitled(markdown: str, resource_ids: Collection[str]) -> str:
    """The page `markdown` with footnotes that say nothing of these resources but what they are and their ids."""
    gone = frozenset(resource_ids)
    return "\n".join(
        _untitled(block)
        if block.kind is BlockKind.DEFINITION and not gone.isdisjoint(resource_ids_in(block.text))
        else block.text
        for block in blocks_of(markdown)
    )


def _untitled(block: Block) -> str:
    named = resource_ids_in(block.text)
    if len(named) == 1 and (ours := _OURS.fullmatch(block.text)):
        return ours[1] + ours[2]
    return _naming_alone(block, named)


def _naming_alone(block: Block, resource_ids: Sequence[str]) -> str:
    return f"{footnote(block.label)}: Extracted from ({', '.join(map(as_reference, resource_ids))})"


def _left(blocks: Sequence[Block], notes: Notes, gone: frozenset[str]) -> list[Block | None]:
    """Each block as it is left by itself; None where nothing is left."""
    lines = [
        (block.text, mended(block.text, notes) if block.kind in {BlockKind.TEXT, BlockKind.HEADING} else block.text)
        for block in blocks
    ]
    left: list[Block | None] = []
    for block, text in zip(blocks, no_longer_struck(lines), strict=True):
        if block.kind is BlockKind.DEFINITION:
            left.append(_defined(block, notes, gone))
        else:
            left.append(None if text is None else replace(block, text=text))
    return left


def _defined(block: Block, notes: Notes, gone: frozenset[str]) -> Block | None:
    """A footnote's definition with the resources that are left; of one that named others too, what it said of which
    cannot be told, so nothing else stays."""
    named = resource_ids_in(block.text)
    rest = [one for one in named if one not in gone]
    if block.label in notes.gone or (named and not rest):
        return None
    if len(rest) == len(named):
        return block
    return replace(block, text=_naming_alone(block, rest))


def _tidied(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without blank lines behind blank ones, and without rules that have nothing between them."""
    kept: list[Block] = []
    for block in blocks:
        if block.kind is BlockKind.BLANK and kept and kept[-1].kind is BlockKind.BLANK:
            continue
        if block.kind is BlockKind.RULE:
            before = next((one for one in reversed(kept) if one.kind is not BlockKind.BLANK), None)
            if before is not None and before.kind is BlockKind.RULE:
                continue
        if block.kind is BlockKind.CONSOLIDATED and [one.kind for one in kept[-2:]] == _APART:
            kept.pop()
        kept.append(block)
    return kept


def _renumbered(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with their numbered footnotes in order of first appearance; names of footnotes stay."""
    parts = parts_of(blocks)
    numbered = [label for label in dict.fromkeys((*parts.used, *parts.defined)) if label.isdecimal()]
    numbers = {label: str(number) for number, label in enumerate(numbered, start=1)}
    return [_with_labels(block, numbers) for block in blocks]


def _with_labels(block: Block, numbers: Mapping[str, str]) -> Block:
    if block.kind is BlockKind.DEFINITION and block.label in numbers:
        label = numbers[block.label]
        return replace(block, text=_LABEL.sub(footnote(label), block.text, count=1), label=label)
    if block.kind not in {BlockKind.TEXT, BlockKind.HEADING}:
        return block
    parts, begin = [], 0
    for note in footnotes_in(block.text):
        if note.label in numbers:
            parts += [block.text[begin : note.start], footnote(numbers[note.label])]
            begin = note.end
    return replace(block, text="".join((*parts, block.text[begin:])))


def _counted(block: Block, items: int | None, lost: int, resources: int) -> str:
    before = _ITEMS.search(block.text)
    left = max(0, int(before[1]) - lost) if before else 0
    return counted(left if items is None else items, resources)
