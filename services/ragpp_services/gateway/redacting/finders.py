"""Redactors of one given text and of a pattern. Pure, and linear in what is searched, whatever is searched for."""

import unicodedata
from collections.abc import Iterator
from typing import Final

import re2

from ragpp.errors import InvalidInput
from ragpp.finders import Finder, Span
from ragpp.redaction import PatternRedactor, placeholder

MOST_MEMORY: Final = 8 << 20
"""Bytes of an automaton: `[a-z]{500}` fits, a pattern that repeats repetitions by the thousand does not."""


def text_redactor(text: str, kind: str) -> PatternRedactor:
    """The redactor of one text, which is found in whatever case, with whatever white space, and composed or not; with
    the whole word that it stands in. Raises InvalidInput for one of which nothing is left so, or that the placeholder
    has itself."""
    wanted, _ = _folded(text.strip())
    if len(wanted) < 2:
        raise InvalidInput.of_field("text", "has fewer than two characters")
    _see_placeholder(kind, "text", wanted in _folded(placeholder(kind, ""))[0])

    def find(searched: str) -> Iterator[Span]:
        if len(searched) < 1:
            return
        folded, places = _folded(searched)
        start = folded.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            yield Span(places[start], places[end - 1] + 1, kind)
            start = folded.find(wanted, end)

    return PatternRedactor((Finder(find),))


def pattern_redactor(pattern: str, kind: str) -> PatternRedactor:
    """The redactor of a regular expression as RE2 has them, without what cannot be searched for in linear time: looking
    around, and what was found before. Raises InvalidInput for another, for one of too much memory, and for one that
    finds what is empty."""
    options = re2.Options()
    options.max_mem, options.log_errors = MOST_MEMORY, False
    try:
        sought = re2.compile(pattern.encode(), options)
    except (re2.error, UnicodeError) as error:
        reason = "cannot be searched for in linear time, or is no regular expression"
        hint = "It takes the syntax of RE2: without looking around, and without back references."
        raise InvalidInput.of_field("pattern", reason, hint) from error
    if r"\C" in pattern.replace(r"\\", ""):
        raise InvalidInput.of_field("pattern", "has \\C, a byte, which may be a part of a letter")
    if sought.search(b"") is not None:
        raise InvalidInput.of_field("pattern", "finds what is empty, so it would be found everywhere")
    _see_placeholder(kind, "pattern", sought.fullmatch(placeholder(kind, "").encode()) is not None)

    def find(searched: str) -> Iterator[Span]:
        raw = searched.encode("utf-8", "surrogatepass")
        is_ascii, read, chars = len(raw) == len(searched), 0, 0
        for match in sought.finditer(raw):
            start, end = match.span()
            if start == end:
                continue
            if is_ascii:
                yield Span(start, end, kind)
                continue
            chars += len(raw[read:start].decode("utf-8", "surrogatepass"))
            begin = chars
            chars += len(raw[start:end].decode("utf-8", "surrogatepass"))
            read = end
            yield Span(begin, chars, kind)

    return PatternRedactor((Finder(find),))


def _folded(text: str) -> tuple[str, list[int]]:
    """`text` without case, its marks apart and one space for each white space; and of each sign its place in `text`."""
    signs: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            if not signs or signs[-1] != " ":
                signs.append(" ")
                places.append(place)
            continue
        for sign in unicodedata.normalize("NFD", character.casefold()):
            signs.append(sign)
            places.append(place)
    return "".join(signs), places


def _see_placeholder(kind: str, field: str, is_in_it: bool) -> None:
    if is_in_it:
        hint = "Name another `kind`, which the placeholder has."
        raise InvalidInput.of_field(field, f"is found in the placeholder {placeholder(kind, '')}", hint)
