"""The amounts that a text states, by what they are amounts of: "8 cards" is 8 of `card`, "15 %" is 15 of per cent."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from ragpp.text.english import ANY_MONTH, FUNCTION_WORDS, NUMBERS
from ragpp.text.lexical import query_terms, terms, words

Kind = int | str
"""The dimension of the stem of a noun beside a number (`ragpp.text.lexical.terms`), or one of the kinds below."""

DATE: Final = "date"
CLOCK: Final = "clock"
PERCENT: Final = "%"
MONEY: Final = "money"
SPECIAL: Final = frozenset({DATE, CLOCK, PERCENT, MONEY})
BARE: Final = ""
"""A number with nothing beside it, as in "it has now reached 165": of anything."""

MOST_CHARS: Final = 4_000
"""Characters of a text that are read; a chunk of prose is shorter."""

# "one" is seldom an amount: "this one", "one of them"
_NUMBER_WORDS: Final = {word: str(number) for word, number in NUMBERS.items() if number > 1}
_DATE: Final = re.compile(
    rf"\b(?:({ANY_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?|(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({ANY_MONTH}))\b"
    r"(?:,? \d{4}\b)?",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"\b(\d{1,2})(?::(\d\d))? ?([ap])\.?m\b|\b(\d{1,2}):(\d\d)\b", re.IGNORECASE)
_NUMBER: Final = re.compile(
    rf"(?<![\w.,])([$€£]?)(\d{{1,15}}(?:,\d{{3}}){{0,5}}(?:\.\d{{1,9}})?|(?:{'|'.join(_NUMBER_WORDS)})\b)"
    r"(?:( ?%| ?percent\b)|([a-z]{1,3})\b)?",
    re.IGNORECASE,
)
_BESIDE: Final = re.compile(r"[-\s]((?:[A-Za-z]{1,30}[-\s]){0,2}[A-Za-z]{1,30})\b")
"""Up to three words after a number; the noun may stand behind its adjectives."""

_JOINING: Final = FUNCTION_WORDS | {"so", "but", "between", "per", "more", "out", "if", "when"}

_SPECIAL: Final = (
    (frozenset({"when", "time", "date", "deadline", "day"}), (DATE, CLOCK)),
    (frozenset({"percent", "percentage", "rate", "share", "coverage", "accuracy", "proportion"}), (PERCENT,)),
    (frozenset({"much", "cost", "costs", "price", "budget", "salary", "pay", "rent", "fee", "earn"}), (MONEY,)),
    (frozenset({"long", "time", "duration", "speed", "latency"}), tuple(terms("ms s second minute hour day week"))),
)
"""Kinds that a question asks for by words which do not stand beside the number."""


def amounts(text: str) -> dict[Kind, set[str]]:
    """The amounts in the first MOST_CHARS characters of `text`, as written but for thousands' commas and spelt-out
    numbers to twelve. Takes time proportional to the length. English months, clocks and number words."""
    found: dict[Kind, set[str]] = {}
    rest = _DATE.sub(lambda match: _note(found, DATE, _day(match)), text[:MOST_CHARS])
    rest = _CLOCK.sub(lambda match: _note(found, CLOCK, _moment(match)), rest)
    for match in _NUMBER.finditer(rest):
        currency, digits, percent, unit = match.groups()
        value = _NUMBER_WORDS.get(digits.lower(), digits.replace(",", ""))
        if currency:
            kinds: Collection[Kind] = (MONEY,)
        elif percent:
            kinds = (PERCENT,)
        elif unit:
            kinds = terms(unit)
        else:
            kinds = _beside(rest, match.end()) or (BARE,)
        for kind in kinds:
            _note(found, kind, value)
    return found


def amounts_asked(question: str) -> set[Kind]:
    """The kinds that `question` may ask an amount of: its nouns, and the kinds that words such as `when` stand for."""
    spoken = set(words(question))
    kinds: set[Kind] = set(query_terms(question))
    for hints, special in _SPECIAL:
        if spoken & hints:
            kinds.update(special)
    return kinds


def differ(
    earlier: Mapping[Kind, Collection[str]], later: Mapping[Kind, Collection[str]], kinds: Collection[Kind]
) -> bool:
    """True where `later` states an amount, of a kind that both have, which `earlier` does not."""
    return any(kind in earlier and kind in later and not set(later[kind]) <= set(earlier[kind]) for kind in kinds)


def _beside(text: str, start: int) -> list[int]:
    """Kinds of the words right after a number, up to the first that only joins."""
    match = _BESIDE.match(text, start)
    nouns: list[str] = []
    for word in re.split(r"[-\s]", match.group(1).lower()) if match else ():
        if word in _JOINING or word in _NUMBER_WORDS:
            break
        nouns.append(word)
    return terms(" ".join(nouns))


def _note(found: dict[Kind, set[str]], kind: Kind, value: str) -> str:
    """Adds it, and gives what to put in its place so that it is not read again."""
    found.setdefault(kind, set()).add(value)
    return " ; "


def _day(match: re.Match[str]) -> str:
    return f"{(match.group(1) or match.group(4))[:3].lower()} {int(match.group(2) or match.group(3))}"


def _moment(match: re.Match[str]) -> str:
    hour, minute, half, hour_24, minute_24 = match.groups()
    if hour is None:
        return f"{int(hour_24)}:{minute_24}"
    return f"{int(hour) % 12 + (12 if half in 'pP' else 0)}:{minute or '00'}"
