"""Whole lines that are somebody else's: fenced, marked at their beginning, indented, printed by a machine. Pure.

Every pattern is of a text as it is seen (`sight`), and reads it in linear time.
"""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.text.spans import Span
from ragpp_services.workers.authorship.marks.headers import MONTH

_BARS: Final = "│┃▌▍▎▏▐║┆┊¦❘❙❚█"
_LEAD: Final = rf"^(?:[ \t]*+(?:[-*+•>|{_BARS}]|\d{{1,9}}[.)])(?=[ \t`~>]))*+[ \t]*+"
"""Marks of lists and quotations before what is in them."""
_FENCE: Final = re.compile(rf"{_LEAD}(?P<fence>`{{3,}}+(?![^\n]*`)|~{{3,}}+)", re.MULTILINE)
_CITED: Final = re.compile(
    rf"^[ \t]*+(?:>[^\n]*(?:\n(?=[ \t]*[^\s])[^\n]*)*+|[{_BARS}][^\n]*|\|[^\n]*\|[ \t]*$)", re.MULTILINE
)
"""A paragraph that begins as a quotation goes on until a blank line, whatever its further lines begin with."""
_BARRED: Final = re.compile(
    r"^[ \t]*(?P<bar>[|»])(?:[ \t][^\n]*|)(?:\n[ \t]*(?P=bar)(?:[ \t][^\n]*|(?=\n|\Z)))*+", re.MULTILINE
)
_PARAGRAPH: Final = re.compile(r"^[ \t]*+[^\s][^\n]*(?:\n[ \t]*+[^\s][^\n]*)*+", re.MULTILINE)
_CODE_LINE: Final = re.compile(
    r"^[ \t]*(?:#(?!#)|//|--[ \t]|\$ |>>> |\{|\}|\[\d|\"[\w .-]{1,40}\" ?:|\+(?!\d)[ \t\w])[^\n]*", re.MULTILINE
)
_PATCH: Final = re.compile(
    r"^(?:diff --git |@@ |\+\+\+ |--- [^\n]*\n\+\+\+ )[^\n]*(?:\n(?:[ +@\\-]|index |diff |(?=\n[ +@]))[^\n]*)*+",
    re.MULTILINE,
)
_CHANGED: Final = re.compile(r"^(?:(?P<adds>\+(?!\d))|(?P<drops>-)|[ @\\])[^\n]*", re.MULTILINE)
_LEVEL: Final = r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE)"
_LOGGED: Final = re.compile(
    rf"^[ \t]*(?:[\[(<]?(?:\d[\d/.-]{{3,9}}\d[T, ]{{1,3}}|(?i:{MONTH})[ ]{{1,2}}\d{{1,2}},?[ ])?"
    rf"\d{{1,2}}:\d\d(?::\d\d[\d.,Z+:-]*|[^\n]{{0,40}}?(?:\b{_LEVEL}\b|\[(?i:{_LEVEL})\]))|"
    rf"[\[(<]?{_LEVEL}[\])>]?(?:[ \t:|-]))[^\n]*",
    re.MULTILINE,
)
_CUE: Final = re.compile(r"^[ \t]*\d[\d:., ]{3,20}--?>[\s\S]*", re.MULTILINE)
_LITERAL: Final = re.compile(
    r"^(?P<deep>[ \t]*)(?:- )?[\w.\"'-]{1,60}[ \t]*:[ \t]+[|>][+\d-]{0,2}[ \t]*"
    r"(?:\n(?:(?P=deep)[ \t]+[^\n]*|[ \t]*$))++",
    re.MULTILINE,
)
"""A block of YAML and what is indented below it."""
_INDENTED: Final = re.compile(
    r"(?:(?P<head>^[^\n]*:[ \t]*\n(?:[ \t]*\n)*+)|(?<=\n)[ \t]*\n)"
    r"(?P<code>(?: {4}|\t)[ \t]*+(?!(?:[-*+•]|\d{1,3}[.)])[ \t])\S[^\n]*(?:\n(?: {4}|\t)[^\n]*|\n[ \t]*(?=\n))*+)",
    re.MULTILINE,
)
_OWN_HEAD: Final = re.compile(
    r"\b(?:rules?|instructions?|preferences|guidelines) (?:for|of)\b|"
    r"\b(?:always|never|please|remember|from now on|in future)\b",
    re.IGNORECASE,
)
"""The head of a list that is the author's own: what stands indented below it."""
_RULE: Final = re.compile(r"^[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}|~{3,}|#{3,}|\+{3,})[ \t]*$", re.MULTILINE)


def fenced(text: str) -> Iterator[Span]:
    """From a line that begins with a fence, also behind a list mark, to the one that closes it, or to the end."""
    begin: tuple[int, str] | None = None
    for match in _FENCE.finditer(text):
        fence = match["fence"]
        if begin is None:
            begin = match.start(), fence
        elif fence.startswith(begin[1]) and not text[match.end() : _line_end(text, match.end())].strip():
            yield Span(begin[0], _line_end(text, match.end()))
            begin = None
    if begin is not None:
        yield Span(begin[0], len(text))


def cited(text: str) -> Iterator[Span]:
    """Lines that a mark cites at their beginning."""
    for match in _CITED.finditer(text):
        yield Span(*match.span())
    for match in _PARAGRAPH.finditer(text):
        if match.group().lstrip()[0] in "|»" and _BARRED.fullmatch(match.group()):
            yield Span(*match.span())


def printed(text: str) -> Iterator[Span]:
    """Code, patches, logs and subtitles."""
    for pattern in (_CODE_LINE, _PATCH, _LOGGED, _CUE, _LITERAL):
        for match in pattern.finditer(text):
            yield Span(*match.span())
    for match in _INDENTED.finditer(text):
        if not (match["head"] and _OWN_HEAD.search(match["head"])):
            yield Span(*match.span("code"))
    for match in _PARAGRAPH.finditer(text):
        changed = list(_CHANGED.finditer(text, *match.span()))
        if any(line["adds"] for line in changed) and any(line["drops"] for line in changed):
            yield from (Span(*line.span()) for line in changed)


def ruled_off(text: str) -> Iterator[Span]:
    """The stretches between two lines that are rules, or behind the last one."""
    rules = [match.span() for match in _RULE.finditer(text)]
    for place in range(0, len(rules), 2):
        end = rules[place + 1][1] if place + 1 < len(rules) else len(text)
        yield Span(rules[place][0], end)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end
