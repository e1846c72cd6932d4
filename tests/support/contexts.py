"""A reader of contexts that knows nothing of how they are made: the shape of our lines is written out."""

import re
from dataclasses import dataclass, field

_HEADING = re.compile(
    "## (PERSONA|RECENT CONVERSATION|RELEVANT PAST INTERACTIONS|KNOWN ENTITIES|KNOWN RELATIONSHIPS|"
    "USER PREFERENCES & HABITS|RELEVANT KNOWLEDGE|AVAILABLE TOOLS|CURRENT SITUATION)"
)
_BRACKET = re.compile(r" \((?:relevance|confidence): \d\.\d\d\)$")


@dataclass
class Item:
    """One item of a section: its lines without marks, their ends, and the bracket behind the last of them."""

    lines: list[str]
    ends: list[str] = field(default_factory=list)
    bracket: str = ""

    @property
    def text(self) -> str:
        """The lines with their ends between them."""
        return "".join(end + line for end, line in zip(["", *self.ends], self.lines, strict=True))


@dataclass
class Section:
    """A heading and its items."""

    title: str
    items: list[Item] = field(default_factory=list)


def read(context: str) -> list[Section]:
    """The sections of `context`. AssertionError for a line that is neither a heading, nor an item, nor the marked line
    of one, nor blank between two sections. Every line end counts that Unicode or a terminal knows."""
    sections: list[Section] = []
    blank = True
    end = "\n"
    for line in context.splitlines(keepends=True):
        bare = line.splitlines()[0] if line.splitlines() else ""
        if not bare:
            assert not blank, "two blank lines"
            assert end == "\n", "a blank line within a text"
            blank = True
        elif blank:
            heading = _HEADING.fullmatch(bare)
            assert heading, f"no heading behind a blank line: {bare!r}"
            sections.append(Section(heading[1]))
            blank = False
        elif bare.startswith("- "):
            assert end == "\n", "an item of ours begins behind a line end that is none of ours"
            sections[-1].items.append(Item([bare[2:]]))
        else:
            assert bare == "  |" or bare.startswith("  | "), f"neither ours nor marked: {bare!r}"
            sections[-1].items[-1].lines.append(bare[4:])
            sections[-1].items[-1].ends.append(end)
        end = line[len(bare) :]
    for section in sections:
        for item in section.items:
            _take_bracket(item)
    return sections


def _take_bracket(item: Item) -> None:
    last = item.lines[-1]
    if len(item.lines) > 1 and re.fullmatch(r"\((?:relevance|confidence): \d\.\d\d\)", last):
        item.lines[-1], item.bracket = "", f" {last}"
    elif found := _BRACKET.search(last):
        item.lines[-1], item.bracket = last[: found.start()], found.group()
