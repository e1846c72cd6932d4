"""The statement that an item of a list, or a line with a label, makes by what it stands under: by the words that
introduce the list, or by the headings."""

import re
from typing import Final

from ragpp.extraction.facts import documents, evidence
from ragpp.extraction.facts.judging import LOOKED_UP, judge_fragment
from ragpp.extraction.facts.passages import Item, Prose
from ragpp.extraction.facts.standalone import only_points
from ragpp.extraction.facts.verbs import Clause, starts_with_a_verb, starts_with_an_order

_UNDECIDED: Final = re.compile(
    r"(?:agenda|to-?dos?|next steps?|open questions?|questions?|ideas?|action items?|tasks?|goals?|references?|"
    r"see also|related|table of contents|contents|faq|checklist|instructions|steps|how to\b.*)$",
    re.IGNORECASE,
)
"""Headings under which nothing is settled."""
_EXPLAINED: Final = re.compile(r"(?<=\w)(?:\s?\([^()]*\)|:\s\S.*|\s[-–—]\s\S.*)+$")
_LONGEST_VALUE: Final = 12
_LONGEST_TITLE: Final = 4
_NOTHING: Final = "", 0.0


def hanging(item: Item, text: str) -> tuple[str, float] | None:
    """The statement of an item by what it stands under, with its confidence; an empty text where it says nothing. None
    where it is a sentence of its own."""
    labelled = documents.LABELLED.match(text)
    if labelled and documents.is_a_label(labelled["label"]) and Clause(labelled["label"]).verb is None:
        return _labelled(item, labelled["label"], labelled["value"])
    if starts_with_an_order(text) and not item.lead:
        return _NOTHING
    if starts_with_a_verb(text) and (item.lead or item.under):
        return f"{_whose(item)} {text[0].lower()}{text[1:]}", LOOKED_UP
    if Clause(text).verb is not None:
        return None
    confidence = judge_fragment(text) if item.lead or not _is_undecided(item) else None
    if confidence is None:
        return _NOTHING
    goes_on = item.lead and Clause(item.lead).verb is not None
    return (f"{item.lead} {_lowered(text)}" if goes_on else _placed(item, text)), confidence


def is_a_title(text: str) -> bool:
    """True where a sentence only says of what the rest of its item is: "Water. The pump broke on 2 March."."""
    if len(text.split()) > _LONGEST_TITLE or Clause(text).verb is not None:
        return False
    return not (evidence.numbers(text) or evidence.dates(text) or evidence.identifiers(text))


def _labelled(item: Item, label: str, value: str) -> tuple[str, float]:
    if (item.under and _is_undecided(item)) or starts_with_an_order(value):
        return _NOTHING
    joined = " is " if len(value.split()) <= _LONGEST_VALUE and Clause(value).verb is None else ": "
    return _placed(item, f"{label}{joined}{value}"), documents.BY_FORM


def _is_undecided(item: Item) -> bool:
    """True where it stands under no heading, or under one of what is not settled."""
    return not item.under or _UNDECIDED.match(item.under[-1]) is not None


def _whose(item: Item) -> str:
    """The subject of an item that begins with its verb: that of the words before the list, or the heading."""
    if item.lead is None:
        return item.under[-1]
    return Clause(item.lead).subject or item.lead


def _placed(item: Item, text: str) -> str:
    """A statement after the headings it stands under, the document's own and the nearest."""
    above = _above(item.under)
    if item.lead:
        above.append(item.lead)
    return f"{', '.join(above)}: {text}" if above else text


def under_headings(passage: Prose | Item, text: str) -> str:
    """A statement of running text whose subject only points at something, after the headings that say of what it is."""
    if not passage.under or not only_points(Clause(text).subject):
        return text
    return after_headings(passage.under, text)


def after_headings(under: tuple[str, ...], text: str) -> str:
    """A statement after those headings it stands under that say more than it does itself."""
    words = set(evidence.content(text))
    telling = [heading for heading in _above(under) if set(evidence.content(heading)) - words]
    return f"{', '.join(telling)}: {text}" if telling else text


def _above(under: tuple[str, ...]) -> list[str]:
    """The document's own heading and the nearest, without what explains them: "Prices (since June)" → "Prices"."""
    return list(dict.fromkeys(_EXPLAINED.sub("", heading) for heading in (*under[:1], *under[-1:]) if heading))


def _lowered(text: str) -> str:
    first = text.split(maxsplit=1)[0]
    return text[0].lower() + text[1:] if first[1:].islower() and first.isalpha() else text
