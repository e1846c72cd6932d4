"""Stored text as it stands in a context: data, which no reader takes for structure of ours. Pure.

    - [2024-05-01 09:30] Ada: the first line stands behind what is ours
      | every further one behind a mark
    - [09:31] Ada: | system: one that begins like structure stands behind a mark, too

A line that begins with the mark is no heading, list item, role, fence or quotation in any reading, whatever its letters
look like. Nothing is left out or replaced: `unquoted` gives the text back.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice
from typing import Final

from ragpp.names import COLONS, EMOJI, INVISIBLE, ROLES, as_read

MARK: Final = "  |"
"""The beginning of a further line of a text; a space parts it from a line that is not empty."""
_LEAD: Final = "| "
_TAIL: Final = " |"
_LINE_END: Final = re.compile("(\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])")
"""Every end of a line that some reader knows."""
_MARK_AT: Final = re.compile(
    r"(?:(?<=[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|\A)([ \t>]*?)  \|(?: |(?=[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|\Z)"
)

_TURNED_ROUND: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Controls that show what follows in another order than it has."""
_COLON: Final = re.compile(
    rf"(?!(?<=\d)[{COLONS}]\d)(?:(?<!\s)[{COLONS}](?!//\w)|(?<=\s)[{COLONS}](?!['-]?[()DPpOo/\\*3]++(?!\w)))"
)
"""A colon that may part a speaker or a label from what follows: not that of a time, an address or a smiley."""
_NUMBERED: Final = re.compile(r"\d+[.)\]\u3001\uff0e](?!\d)|\w[)\]]")
_OPENERS: Final = frozenset("\"'“”„‘’«»¿¡…$€£(:;@&/!?.,%^=")
"""Beginnings of prose, amounts, smileys and addresses, beside letters and digits."""
_LOOKED_AT: Final = 64
"""Visible characters of a line in which a role, or at its end a bracket, is looked for."""
_RUN: Final = re.compile("`{3,}+")
_PROSE: Final = re.compile(r"[A-Za-z](?![)\]])[ -9;-_a-}]*")
"""A line that is shown as it is, told at once: it begins with a word, and has no colon, fence or other letters."""

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_LONGEST_NAME: Final = 4
"""Words before a colon; more of them are a sentence."""


def quoted(text: str, *, alone: bool = False) -> str:
    """`text` as it stands behind the beginning of a line of ours, from which a reader can tell all of it: a mark before
    each further line, before a first one that begins like structure, and behind a line that ends as ours do
    ("(relevance: 0.83)"); a code fence that it opens is closed, without adding a line to a text of one. Linear in its
    length. `alone`: no speaker or label of ours stands before it, so that any that it begins with would read as
    ours."""
    if _PROSE.fullmatch(text):
        return text
    shown = continued(text)
    return f"{_LEAD}{shown}" if _begins_like_structure(text, alone=alone) else shown


def continued(text: str) -> str:
    """The same for a text whose first line may begin as it likes."""
    pieces = [text] if text.isprintable() else _LINE_END.split(text)
    fence = _open_fence(pieces[::2]) if "```" in text or "~~~" in text else ""
    if fence and len(pieces) == 1:
        pieces = [f"{text} {fence}"]
    elif fence:
        pieces += ["\n", fence]
    first, *further = pieces
    shown = [_ended(first)]
    shown += [end + _marked(_ended(line)) for end, line in zip(further[::2], further[1::2], strict=True)]
    return "".join(shown)


def unquoted(shown: str) -> str:
    """The text of which `shown` is `quoted`, with the fence that was closed for it."""
    pieces = _LINE_END.split(shown.removeprefix(_LEAD))
    lines = [pieces[0], *(line.removeprefix(MARK).removeprefix(" ") for line in pieces[2::2])]
    pieces[::2] = [line.removesuffix(_TAIL) if _ends_like_ours(line) else line for line in lines]
    return "".join(pieces)


def end_of_lines(text: str, lines: int) -> int:
    """Where the first `lines` lines of `text` end, at least one; its length when it has no more."""
    last = next(islice(_LINE_END.finditer(text), max(0, lines - 1), None), None)
    return last.start() if last else len(text)


def unmarked(text: str) -> str:
    """`text`, a context or something quoted from one, without the marks that its lines begin with."""
    return _MARK_AT.sub(r"\1", text)


def blank_marks(text: str) -> str:
    """`text` at its length with those marks blanked."""
    return _MARK_AT.sub(lambda match: match[1].ljust(len(match.group())), text) if MARK in text else text


def _marked(line: str) -> str:
    return f"{MARK} {line}" if line else MARK


def _ended(line: str) -> str:
    return line + _TAIL if _ends_like_ours(line) else line


def _visible(line: str) -> str:
    return line if line.isascii() and line.isprintable() else INVISIBLE.sub("", line)


def _turned_round(line: str) -> bool:
    return not line.isascii() and _TURNED_ROUND.search(line) is not None


def _colons(text: str) -> list[int]:
    if text.isascii() and ":" not in text:
        return []
    return [colon.start() for colon in _COLON.finditer(text)]


def _begins_like_structure(text: str, *, alone: bool) -> bool:
    """True where a reader might take the beginning of the first line of `text` for a heading, a list item, a role, a
    bracket or a fence; where it stands `alone` for a speaker or a label. A colon by itself is prose."""
    line = text if text.isprintable() else _LINE_END.split(text, 1)[0]
    if _turned_round(line):
        return True
    beginning = _visible(line).lstrip()[:_LOOKED_AT]
    if not beginning:
        return False
    first = beginning[0]
    if not (first.isalnum() or first in _OPENERS or ord(first) >= EMOJI) or _NUMBERED.match(beginning):
        return True
    return any(_may_name(beginning[:colon], alone=alone) for colon in _colons(beginning))


def _may_name(words: str, *, alone: bool) -> bool:
    """True where the words before a colon are few enough for a name and not within a bracket, and have a role in them
    where they do not stand `alone`."""
    named = _WORD.findall(words)
    if words.count("(") > words.count(")") or len(named) > _LONGEST_NAME:
        return False
    return alone or any(as_read(word) in ROLES for word in named)


def _ends_like_ours(line: str) -> bool:
    """True where `line` ends in a bracket with a number behind a colon; a mark behind it, or anything else that is no
    letter, digit or bracket, changes nothing about that."""
    if _turned_round(line):
        return True
    end = _visible(line)
    stop = len(end)
    while stop and not (end[stop - 1].isalnum() or unicodedata.category(end[stop - 1]) == "Pe"):
        stop -= 1
    end = end[max(0, stop - _LOOKED_AT) : stop]
    if not end or end[-1].isalnum():
        return False
    opened = max((place for place, one in enumerate(end) if unicodedata.category(one) == "Ps"), default=len(end))
    return any(colon > opened and _is_number(end[colon + 1 :]) for colon in _colons(end))


def _is_number(text: str) -> bool:
    return any(map(str.isnumeric, text)) and not any(map(str.isalpha, text))


def _open_fence(lines: Sequence[str]) -> str:
    """The fence that would close the one that `lines` leave open; empty where they leave none.

    An odd number of runs of backticks on a line opens one, wherever they stand: "look: ```python" is often written so.
    Tildes do at the beginning of a line."""
    fence = ""
    for line in lines:
        bare = line.strip(" \t>")
        if fence:
            if len(bare) >= len(fence) and not bare.strip(fence[0]):
                fence = ""
            continue
        runs = _RUN.findall(line)
        if len(runs) % 2:
            fence = runs[-1]
        elif bare.startswith("~~~"):
            fence = "~" * (len(bare) - len(bare.lstrip("~")))
    return fence
