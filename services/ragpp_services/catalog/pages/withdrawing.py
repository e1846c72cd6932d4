"""A page without what rested on resources that are gone. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from typing import Final

from ragpp.text.english import STOP_WORDS
from ragpp.text.lexical import terms, words
from ragpp_services.catalog.pages.headings import OTHERS, titles_of
from ragpp_services.catalog.pages.inline import footnotes_in, unescaped
from ragpp_services.catalog.pages.layout import NO_ITEMS, SOURCES, counted, footnote
from ragpp_services.catalog.pages.mending import Notes, mended, no_longer_struck
from ragpp_services.catalog.pages.reading import Block, BlockKind, blocks_of, parts_of, resource_ids_in

_TITLE: Final = re.compile(r"\s*#+\s*(.*?)\s*#*\s*")
_ITEMS: Final = re.compile(r"Items: (\d+)")
_LABEL: Final = re.compile(r"\[\^[^\[\]\s]+\]")
_SAYS_SOMETHING: Final = frozenset({BlockKind.TEXT, BlockKind.CODE, BlockKind.DEFINITION})


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
    left = _retitled(blocks, left)
    kept = _tidied(_without_empty_sections(blocks, left))
    if not any(block.kind in _SAYS_SOMETHING or block.level > 1 for block in kept):
        return "\n\n".join((*(block.text for block in kept if block.level == 1), NO_ITEMS))
    kept = _renumbered(kept)
    resources = len(parts_of(kept).resource_ids)
    return "\n".join(
        _counted(block, items, lost, resources) if block.kind is BlockKind.COUNTS else block.text for block in kept
    )


def _left(blocks: Sequence[Block], notes: Notes, gone: frozenset[str]) -> list[Block | None]:
    """What is left of each block by itself."""
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
    return replace(block, text=f"{footnote(block.label)}: Extracted from ({', '.join(rest)})")


def _retitled(blocks: Sequence[Block], left: Sequence[Block | None]) -> list[Block | None]:
    """The blocks with headings that have no word of what is gone alone; the title of the page is its category's."""
    staying = {
        term for block in left if block is not None and block.kind in _SAYS_SOMETHING for term in terms(block.text)
    }
    gone = {
        term
        for was, now in zip(blocks, left, strict=True)
        if was.kind in _SAYS_SOMETHING and (now is None or now.text != was.text)
        for term in terms(" ".join(word for word in words(was.text) if word not in STOP_WORDS))
    } - staying
    retitled = list(left)
    taken = [unescaped(_title(block)) for block in left if block is not None and block.level]
    for place, block in enumerate(left):
        if block is None or block.level < 2 or _title(block).casefold() == SOURCES.casefold():
            continue
        rest = " & ".join(filter(None, (_less(name, gone) for name in _title(block).split(" & "))))
        if rest != _title(block):
            stands = {one.casefold() for one in taken}
            title = (
                rest if rest and rest.casefold() not in stands else _titled_anew(_section(blocks, left, place), taken)
            )
            taken.append(title)
            retitled[place] = replace(block, text=f"{'#' * block.level} {title}")
    return retitled


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


def _titled_anew(section: Sequence[Block], taken: Sequence[str]) -> str:
    [title] = titles_of([[unescaped(block.text) for block in section if block.kind is BlockKind.TEXT]], taken=taken)
    return title or OTHERS


def _section(blocks: Sequence[Block], left: Sequence[Block | None], heading: int) -> list[Block]:
    """What is left below the heading at this place, up to the next one of its level or a higher one."""
    below = []
    for was, now in zip(blocks[heading + 1 :], left[heading + 1 :], strict=True):
        if was.level and was.level <= blocks[heading].level:
            break
        if now is not None:
            below.append(now)
    return below


def _without_empty_sections(blocks: Sequence[Block], left: Sequence[Block | None]) -> list[Block]:
    """What is left, without the headings of sections that lost all they had."""
    kept = []
    for place, block in enumerate(left):
        if block is None:
            continue
        if block.level > 1 and not _says_something(_section(blocks, left, place)):
            had = _section(blocks, blocks, place)
            if _says_something(had):
                continue
        kept.append(block)
    return kept


def _says_something(blocks: Sequence[Block]) -> bool:
    return any(block.kind in _SAYS_SOMETHING for block in blocks)


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
        if block.kind is BlockKind.CONSOLIDATED and [one.kind for one in kept[-2:]] == [
            BlockKind.RULE,
            BlockKind.BLANK,
        ]:
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
