r"""Data within a line of markdown, which no reader of markdown takes for more than its letters. Pure.

    [^1] ~~not~~ <b>so</b>   becomes   \[^1] \~\~not\~\~ &lt;b>so&lt;/b>

Only what could be read as markdown where it stands is escaped, so that most facts are shown as they are: "2 * 3",
"snake_case", "~50 users", "a < b" and closed code spans stay.
"""

import re
from bisect import bisect_right
from collections import defaultdict, deque
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from ragpp.names import INVISIBLE, on_one_line
from ragpp.text.spans import Span

_PUNCTUATION: Final = r"!-/:-@\[-`{-~"
_UNSHOWN: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Controls, and what shows the rest of a line in another order than it has. Joiners within words and pictures stay."""
_BACKTICKS: Final = re.compile("`+")
_READ_AS_MARKDOWN: Final = re.compile(
    rf"""
      \\(?=[{_PUNCTUATION}]|\Z)
    | [\[`]
    | (?<!\s)\*|\*(?!\s)|\A\*
    | (?<![^\W_])_(?!\s)|(?<!\s)_(?![^\W_])
    | ~(?!\d)|(?<!\s)(?<!\A)~
    | <(?=[^\s\d=<-]|[\d=<-][^\s<]*@)
    | &(?=\#?\w{{1,32}};)
    | \A[\#>]
    | \A[-+](?=[\s+-]|\Z)
    | (?<=\A\d)[.)](?=\s|\Z)|(?<=\A\d\d)[.)](?=\s|\Z)|(?<=\A\d\d\d)[.)](?=\s|\Z)|(?<=\A\d\d\d\d)[.)](?=\s|\Z)
    """,
    re.VERBOSE,
)
_LONG_NUMBER: Final = re.compile(r"\A(\d{5,9})([.)])(?=\s|\Z)")
_ENTITIES: Final = {"<": "&lt;", "&": "&amp;"}
"""The characters that not every reader of markdown lets a backslash escape."""
_ESCAPED: Final = re.compile(rf"\\([{_PUNCTUATION}])|&(lt|amp);")
_BARE_TILDE: Final = re.compile(r"(?<!\\)~")
_OPENING: Final = re.compile(rf"\\[{_PUNCTUATION}]|`+")
_FOOTNOTE: Final = re.compile(r"\[\^([^\[\]\s]+)\](?!:)")


class Footnote(NamedTuple):
    """`[^label]` at `start` to `end` of a line. Labels that differ in case alone are one: they are folded."""

    label: str
    start: int
    end: int


def is_blank(text: str) -> bool:
    """True where `text` has nothing that shows."""
    return not INVISIBLE.sub("", text).strip()


def on_a_line(text: str) -> str:
    """`text` on one line, without controls."""
    return on_one_line(_UNSHOWN.sub("", text))


def escaped(text: str) -> str:
    """`text` on one line, as markdown that shows it letter for letter wherever it stands in a line, also at the
    beginning of a list item; nothing of it is structure, an emphasis, a link, a footnote or HTML."""
    line = on_a_line(text)
    code = _code_spans(line, opens=_BACKTICKS) if "`" in line else []
    shown = _READ_AS_MARKDOWN.sub(lambda found: found[0] if _within(found.start(), code) else _as_data(found[0]), line)
    return _LONG_NUMBER.sub(r"\1\\\2", shown)


def struck(text: str) -> str:
    """`text`, escaped, struck out."""
    line = escaped(text)
    code = code_spans(line)
    kept = _BARE_TILDE.sub(lambda found: found[0] if _within(found.start(), code) else r"\~", line)
    return f"~~{kept}~~"


def unescaped(markdown: str) -> str:
    """The text of which `markdown` is `escaped`, on one line."""
    code = code_spans(markdown)
    entities = {"lt": "<", "amp": "&"}
    return _ESCAPED.sub(
        lambda found: found[0] if _within(found.start(), code) else found[1] or entities[found[2]], markdown
    )


def as_reference(identifier: str) -> str:
    """`identifier` as letters, digits and `_.:-`, with any other character as its `%` code, so that it can be found in
    a page again exactly."""
    return quote(identifier, safe=":").replace("~", "%7E")


def identifier_of(reference: str) -> str:
    """The id of which `reference` is `as_reference`."""
    return unquote(reference)


def code_spans(markdown: str) -> list[Span]:
    """The stretches of a line of `markdown` that are code, with their backticks, in order."""
    return _code_spans(markdown, opens=_OPENING) if "`" in markdown else []


def footnotes_in(markdown: str) -> list[Footnote]:
    """The footnotes that `markdown` refers to, in order: neither escaped ones nor those in code nor definitions."""
    if "[^" not in markdown:
        return []
    code = code_spans(markdown)
    return [
        Footnote(found[1].casefold(), found.start(), found.end())
        for found in _FOOTNOTE.finditer(markdown)
        if not _is_escaped(markdown, found.start()) and not _within(found.start(), code)
    ]


def _as_data(character: str) -> str:
    return _ENTITIES.get(character) or f"\\{character}"


def _within(place: int, spans: list[Span]) -> bool:
    before = bisect_right(spans, place, key=lambda span: span.start)
    return before > 0 and place < spans[before - 1].end


def _is_escaped(markdown: str, place: int) -> bool:
    before = place
    while before and markdown[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 1


def _code_spans(line: str, *, opens: re.Pattern[str]) -> list[Span]:
    """From each run of backticks to the next one of its length; what `opens` finds of other things is passed over."""
    closers: dict[int, deque[Span]] = defaultdict(deque)
    for run in _BACKTICKS.finditer(line):
        closers[run.end() - run.start()].append(Span(run.start(), run.end()))
    spans, place = [], 0
    while opening := opens.search(line, place):
        place = opening.end()
        if not opening[0].startswith("`"):
            continue
        same = closers[len(opening[0])]
        while same and same[0].start < place:
            same.popleft()
        if same:
            place = same[0].end
            spans.append(Span(opening.start(), place))
    return spans
