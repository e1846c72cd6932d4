"""Where payment cards' numbers stand in a text. Pure."""

import re
from collections.abc import Iterator
from typing import Final

_DIGIT_GROUPS: Final = re.compile(r"(?<![\w.-])\d{2,}+(?:[ -]\d{2,}+)*+")
_GROUP: Final = re.compile(r"\d+(?![\w])")
_CARD: Final = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|"
    r"6(?:011|5\d\d|4[4-9]\d|2\d\d)\d{12,15}"
)
"""Issuers' prefixes and lengths: Visa, Mastercard, American Express, Diners Club, JCB, Discover, UnionPay."""


def card_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each: digits in groups, of a payment card's lengths, that satisfy the Luhn check (ISO/IEC
    7812-1, annex B)."""
    for run in _DIGIT_GROUPS.finditer(text):
        groups = [match.span() for match in _GROUP.finditer(text, *run.span())]
        first = 0
        while first < len(groups):
            last = _card_end(text, groups, first)
            if last:
                yield groups[first][0], groups[last - 1][1]
            first = last or first + 1


def _card_end(text: str, groups: list[tuple[int, int]], first: int) -> int:
    """One past the last group of a card number that begins with group `first`, or 0."""
    digits = ""
    for index in range(first, len(groups)):
        start, end = groups[index]
        if len(digits) + end - start > 19:
            return 0
        digits += text[start:end]
        if _CARD.fullmatch(digits) and _luhn(digits):
            return index + 1
    return 0


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * (2 if index % 2 else 1) for index, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0
