"""Cuts a document, or what somebody wrote in a message, into passages: paragraphs under headings, lists, tables, and
lines of "Label: value"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ragpp.extraction.facts.passages import Compact, Given, Item, Passage, Prose, Voice, compact
from ragpp.extraction.facts.verbs import AUXILIARIES, BEFORE_A_NOUN, finite_verb
from ragpp.text.english import word_set
from ragpp.text.headings import SHORT_LINE, heads

BY_FORM: Final = 0.9
"""Confidence in what a table or a labelled line says."""

_HEADING: Final = re.compile(r"\s{0,3}(?P<marks>#{1,6})\s+(?P<text>.+?)\s*#*\s*$")
_UNDERLINE: Final = re.compile(r"\s{0,3}(?:={3,}|-{3,})\s*$")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_ITEM: Final = re.compile(r"(?P<indent>\s*)(?:[-*+•▪–]|\d{1,3}[.)]|[a-z]\))\s+(?:\[[ xX]\]\s+)?(?=\S)")
_ROW: Final = re.compile(r"\s*\|.*\|\s*$")
_DIVIDER: Final = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$")
_BOLD_LINE: Final = re.compile(r"\s*\*\*(?P<text>[^*\n]{2,80})\*\*:?\s*$")
LABELLED: Final = re.compile(
    r"(?P<label>[A-Z][\w&'’/().-]*(?:\s[\w&'’/().-]+){0,4}?)\s?(?::\s|\s=\s|\s[-–—]\s(?=[$€£\d]))(?P<value>\S.{0,300})$"
)
_NO_LABEL: Final = re.compile(
    r"(?:note|notes|warning|tip|example|todo|important|hint|see|see also|question|q|answer|a|re|subject|ps|p\.s|"
    r"update|edit|hi|hello|dear|reminder|summary|tl;dr|caution|http|https)$",
    re.IGNORECASE,
)
_OPENS_A_QUOTE: Final = re.compile(r"\s*[\"“„«]")
_QUESTION_OR_ANSWER: Final = re.compile(r"\s*\**(?:Q|A|Question|Answer)\s?\d{0,3}\s?[:.)]\**\s+(?=\S)")
_JOINING: Final = (
    BEFORE_A_NOUN | AUXILIARIES | word_set("and or but the a an of that which who if when than my our your")
)
_HEADING_WORDS: Final = 7
_OF_ONE: Final = 9
"""Level of a heading that is that of one paragraph."""
_EMPTY: Final = frozenset({"", "-", "–", "—", "n/a", "N/A", "none", "tbd", "TBD", "?", "..."})


@dataclass
class _Reader:
    """Reads lines one by one. `headings`: level and text of those above; `open_lines`: the span of a paragraph that
    may go on; `leads`: the introductions of the lists that are open, by the indent of their items."""

    content: str
    voice: Voice
    headings: list[tuple[int, str]] = field(default_factory=list)
    paragraph: tuple[int, int] | None = None
    item: tuple[int, int] | None = None
    lead: str | None = None
    parents: list[tuple[int, str]] = field(default_factory=list)
    header: list[str] | None = None
    fenced: bool = False

    @property
    def under(self) -> tuple[str, ...]:
        return tuple(text for _, text in self.headings)

    def read(self, start: int, end: int) -> Iterator[Passage]:
        lines = [
            (found.start(), found.end()) for found in re.finditer(r"[^\n]+|(?<=\n)(?=\n)", self.content[start:end])
        ]
        spans = [(start + begin, start + stop) for begin, stop in lines]
        texts = [self.content[begin:stop] for begin, stop in spans]
        for index, (begin, stop) in enumerate(spans):
            yield from self._line(begin, stop, texts, index + 1)
        yield from self._close()

    def _line(self, begin: int, stop: int, texts: Sequence[str], following: int) -> Iterator[Passage]:
        """Reads one line; `texts[following:]` are those below it."""
        line = self.content[begin:stop]
        if not _ROW.match(line):
            self.header = None
        if _FENCE.match(line):
            yield from self._close()
            self.fenced = not self.fenced
        elif self.fenced:
            return
        elif not line.strip():
            yield from self._close()
            self.headings = [one for one in self.headings if one[0] < _OF_ONE]
        elif _ROW.match(line):
            yield from self._close()
            yield from self._row(line, begin, stop)
        elif heading := _HEADING.match(line) or _BOLD_LINE.match(line):
            yield from self._close()
            marks = heading.groupdict().get("marks")
            self._under(len(marks) if marks else 7, heading["text"])
        elif _UNDERLINE.match(line):
            if self.paragraph and len(self.content[slice(*self.paragraph)].split()) <= _HEADING_WORDS + 3:
                self._under(1 if "=" in line else 2, self.content[slice(*self.paragraph)])
                self.paragraph = None
            yield from self._close()
        elif match := _ITEM.match(line):
            yield from self._close()
            self._introduced(len(match["indent"].expandtabs(4)))
            self.item = (begin + match.end(), stop)
        elif self.item and line[0].isspace():
            self.item = (self.item[0], stop)
        else:
            yield from self._plain(line, begin, stop, texts, following)

    def _plain(self, line: str, begin: int, stop: int, texts: Sequence[str], following: int) -> Iterator[Passage]:
        if self.item:
            yield from self._close()
        labelled = LABELLED.match(line.strip())
        if self.paragraph is None and not self.voice.aloud and labelled is None:
            level = _level_of(line, texts, following)
            if level:
                self._under(level, line)
                return
        if labelled and is_a_label(labelled["label"]) and finite_verb(labelled["label"]) is None:
            yield from self._close()
            self.paragraph = (begin, stop)
            yield from self._close()
            return
        if self.paragraph and self.voice.gathered and _OPENS_A_QUOTE.match(line):
            yield from self._close()
        if asked := _QUESTION_OR_ANSWER.match(line):
            yield from self._close()
            begin += asked.end()
        elif self.paragraph and self._begins_anew(line, self.paragraph[1]):
            yield from self._close()
        self.paragraph = (self.paragraph[0] if self.paragraph else begin, stop)

    def _begins_anew(self, line: str, end: int) -> bool:
        """True where a line does not go on with the one that ends at `end`, which had room for its first word and ends
        in no mark."""
        before = self.content[self.content.rfind("\n", 0, end - 1) + 1 : end].strip()
        word, last = line.split(maxsplit=1)[0], before.rsplit(maxsplit=1)[-1].lower()
        if not before[-1].isalnum() or len(before) + 1 + len(word) > SHORT_LINE or last in _JOINING:
            return False
        return word.lower() not in _JOINING if self.voice.gathered else word[0].isupper()

    def _under(self, level: int, text: str) -> None:
        self.headings = [(above, name) for above, name in self.headings if above < level]
        flat = compact(text, 0, len(text)).text.rstrip(":")
        self.headings.append((level, re.sub(r"^\d+(?:\.\d+)*[.)]?\s+", "", flat)))
        self.lead, self.parents = None, []

    def _introduced(self, indent: int) -> None:
        self.parents = [(depth, text) for depth, text in self.parents if depth < indent]
        self.parents.append((indent, ""))

    def _close(self) -> Iterator[Passage]:
        """The passage that was being read, which ends here."""
        if self.item:
            body = self._body(self.item)
            depth = self.parents[-1][0] if self.parents else 0
            lead = next((text for above, text in reversed(self.parents) if above < depth and text), self.lead)
            self.item = None
            self.parents[-1:] = [(depth, body.text.rstrip(":"))] if self.parents else []
            if not body.text.endswith(":"):
                yield Item(body, self.voice, self.under, lead)
        elif self.paragraph:
            body = self._body(self.paragraph)
            self.paragraph = None
            self.lead, self.parents = None, []
            if body.text.endswith(":"):
                self.lead = body.text.rstrip(":").rpartition(". ")[2]
            if body.text:
                yield from self._written(body)

    def _body(self, span: tuple[int, int]) -> Compact:
        body = compact(self.content, *span)
        return body.unquoted if self.voice.gathered else body

    def _written(self, body: Compact) -> Iterator[Passage]:
        labelled = LABELLED.match(body.text)
        if labelled and is_a_label(labelled["label"]) and finite_verb(labelled["label"]) is None:
            yield Item(body, self.voice, self.under, None)
        else:
            yield Prose(body, self.voice, self.under)

    def _row(self, line: str, begin: int, stop: int) -> Iterator[Passage]:
        if _DIVIDER.match(line):
            return
        cells = [compact(cell, 0, len(cell)).text for cell in line.strip().strip("|").split("|")]
        if self.header is None:
            self.header = cells
            return
        about, *values = cells
        for name, value in zip(self.header[1:], values, strict=False):
            if about and value not in _EMPTY and name:
                noun = self.header[0].lower()
                row = about if not noun or noun in about.lower() or not noun.isalpha() else f"{about} ({noun})"
                yield Given(_cell(row, name, value), begin, stop, self.voice, BY_FORM)


def _cell(row: str, name: str, value: str) -> str:
    if value.lower() in {"yes", "✓", "✔", "✅", "x", "true", "included"}:
        return f"{row}: {name} is included"
    if value.lower() in {"no", "✗", "❌", "false", "not included"}:
        return f"{row}: {name} is not included"
    return f"{name} of {row} is {value}"


def is_a_label(label: str) -> bool:
    """True where what stands before a colon names what is behind it."""
    return _NO_LABEL.match(label.strip()) is None


def _level_of(line: str, texts: Sequence[str], following: int) -> int:
    """A heading's level without marks: 8 where a line stands by itself, short, without a full stop and without a verb;
    `_OF_ONE` where it begins a paragraph, right above the sentences of that. 0 of any other line."""
    text, end = line.strip(), following
    if following < len(texts) and texts[following].strip() and following > 1 and texts[following - 2].strip():
        return 0
    while end < len(texts) and texts[end].strip() and not (_ITEM.match(texts[end]) or _ROW.match(texts[end])):
        end += 1
    if end > following:
        return _OF_ONE if text[-1] != "?" and heads(text, texts[following:end]) else 0
    if following < len(texts) and texts[following].strip():
        return 0
    is_short = len(text.split()) <= _HEADING_WORDS and text[-1] not in ".!?,;:" and text[0].isupper()
    return 8 if is_short and finite_verb(text) is None else 0


def passages(content: str, start: int, end: int, voice: Voice) -> Iterator[Passage]:
    """The passages of `content[start:end]`, in order. In linear time."""
    yield from _Reader(content, voice).read(start, end)
