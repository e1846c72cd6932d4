"""Dates of birth: dates that a word of being born stands beside."""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.finders import Finder, Span
from ragpp.personal.kinds import DIGITS, LOOSE
from ragpp.signs import Places, Signs

_MONTHS: Final = (
    r"(?:jan|feb|fév|mar|mär|apr|avr|abr|may|mai|mei|maj|mag|jun|juin|jui|giu|cze|jul|lug|lip|aug|aoû|ago|sie|sep|"
    r"set|wrz|oct|okt|"
    r"ott|out|paź|nov|lis|dec|dez|déc|dic|gru|ene|gen|fev|mrt|maart|kwi|lut|sty|kwie|stycz|czerw|lipc|sierp|październ|"
    r"listop|grud|maio|mayo|gennaio|janv|févr)[a-zà-ÿąćęłńóśźż]{0,9}\.?"
)
_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR: Final = r"(?:(?:19|20)\d\d)"
_DATE: Final = re.compile(
    rf"(?<![\w.,/-])(?:{_DAY}[./-]\s?{_DAY}[./-]\s?(?:{_YEAR}|\d\d)(?:\s?r\.)?|"
    rf"{_YEAR}[./-]{_DAY}[./-]{_DAY}(?:T00:00:00Z?)?|"
    rf"{_YEAR}年\d{{1,2}}月\d{{1,2}}日|"
    rf"{_DAY}(?:st|nd|rd|th|er|e|\.|º|ª|°)?(?:\s|-)(?:of\s|de\s|d')?{_MONTHS}(?:,?\s|-)(?:de\s|del\s|"
    rf"of\s)?['’]?(?:{_YEAR}(?:\s?r\.)?|\d\d)|"
    rf"{_MONTHS}\s{_DAY}(?:st|nd|rd|th)?,?\s['’]?{_YEAR}|{_YEAR}[\s-]{_MONTHS}[\s-]{_DAY}|{_DAY}\s{_DAY}\s{_YEAR}|"
    rf"{_DAY}(?:0[1-9]|1[0-2]){_YEAR}|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?![\w/]|[.,-]\d)",
    re.IGNORECASE,
)
_BORN: Final = Signs(
    """
    |born| birthday birthdate birth| birth_date |dob| d.o.b b-day |bday |b. gebor |geb. |geb| geburt *| *_ |né_le
    |née_le |né_à |née_à |né_en |née_en |née| |né| né(e) naissance anniversaire |ddn| |naci |nací nacimiento cumple
    |nato| |nata| nascit nascid nasci nasce nasc. compleanno geboorte verjaar |urodz |ur. aniversário fødsels född
    """
)
_BEFORE: Final = 60
_BEHIND: Final = 40
_DATE_CHARS: Final = 30
_APART: Final = re.compile(r"\d[./-]\d|\n\s*\n|\d{4}")
"""Signs of another date, or of another paragraph."""
_IS_BIRTHDAY: Final = re.compile(
    r"(?:\s?[(=–-]\s?|\s)(?:(?:in|à|a|en|em|te|w)\s[\w-]{2,24}\s)?(?:(?:is|was|as|ist|war|est|es|è|jest|to|é|"
    r"als)\s)?(?:(?:my|his|her|our|the|a|mein|meine|sein|ihr|ma|sa|mi|su|la|il|"
    r"mia|sua|mijn|zijn|haar|moja|jego|jej|data|minha|date|fecha|de|of|di)\s){0,4}"
    r"(?:date of birth|birth|dob|geb\.|gebor|geburt|date de naissance|naissance|fecha de nac|nac|data di nas|"
    r"nat[oa]|nasc|geboren|geboorte|"
    r"verjaardag|urodz|data de nas|anniversaire|cumple|compleanno|aniversário|born)",
    re.IGNORECASE,
)


def _birthdays(text: str) -> Iterator[Span]:
    """Each date behind a word of being born, the next date to it, or before one that says whose it is."""
    born = Places(_BORN, text)
    for start, end in _BORN.stretches(text, _BEHIND + _DATE_CHARS, _BEFORE + _DATE_CHARS):
        for match in _DATE.finditer(text, start, end):
            at = born.last(match.start() - _BEFORE, match.start())
            told = at is not None and not _APART.search(text, at, match.start())
            if told or _IS_BIRTHDAY.match(text, match.end(), match.end() + _BEHIND):
                yield Span(*match.span(), "date_of_birth", LOOSE)


BIRTHDAYS: Final = (Finder(_birthdays, least=6, marks=DIGITS),)
