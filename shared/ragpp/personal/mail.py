"""Addresses of electronic mail, also as people write them who fear spiders: `ana (at) example (dot) org`."""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.finders import Finder, Span
from ragpp.personal.kinds import MARKED

_LOCAL: Final = r"(?<![\w.%+'@-])(?!git@)(?:[\w%+'-]{1,64}+(?:\.[\w%+'-]{1,64}+){0,8}+|\"[^\"\s@]{1,62}\")"
_LABEL: Final = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_TOP: Final = r"(?:xn--[a-z0-9-]{2,40}|[^\W\d_]{2,24})(?![\w-])"
_AT_IN_BRACKETS: Final = r"\s?[\[({<]\s?(?:at|@|ät|arroba|chiocciola|małpa|apenstaartje|arobase)\s?[\])}>]\s?"
_AT_WORD: Final = r"\s(?:at|arroba|chiocciola|arobase)\s"
AT: Final = rf"{_AT_IN_BRACKETS}|{_AT_WORD}"
_DOT_WORD: Final = r"\s(?:dot|punkt|point|punto|ponto)\s"
DOT: Final = rf"\s?[\[({{]\s?(?:dot|punkt|point|punto|ponto|kropka|punt|\.)\s?[\])}}]\s?|{_DOT_WORD}"
_EMAIL: Final = re.compile(rf"{_LOCAL}@(?:{_LABEL}\.){{1,8}}{_TOP}", re.IGNORECASE)
_SPELLED: Final = re.compile(
    rf"{_LOCAL}(?:{_AT_IN_BRACKETS}|{_AT_WORD}(?=[\w-]{{1,40}}{_DOT_WORD}))(?:{_LABEL}(?:\.|{DOT})){{1,4}}{_TOP}",
    re.IGNORECASE,
)


def _emails(text: str) -> Iterator[Span]:
    """Each address of a mailbox (RFC 5321) with a domain of at least two labels."""
    for match in _EMAIL.finditer(text):
        yield Span(*match.span(), "email", MARKED)


def _spelled(text: str) -> Iterator[Span]:
    """The same in words: the one sign in brackets, or both as words."""
    for match in _SPELLED.finditer(text):
        yield Span(*match.span(), "email", MARKED)


EMAILS: Final = (
    Finder(_emails, marks=("@",)),
    Finder(
        _spelled, marks=("(at", "[at", "{at", "<at", "( at", "[ at", "(@", "[@", "(ät", "arroba", "chiocciola", " dot ")
    ),
)
