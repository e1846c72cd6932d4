"""Attribution: a clause in words that can be read alone, its speaker by name and its days by date. Pure.

What it cannot make sure stays as it was said: a pronoun that several may be meant by, a day that no calendar knows.
English alone; what is said in other languages stays verbatim.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ragpp.extraction.port import DateMention
from ragpp.extraction.times.temporal import find_dates
from ragpp.models import DateSpan
from ragpp.text.english import MONTHS, day_in_words, word_set
from ragpp.text.persons import resolved

_DEICTIC: Final = re.compile(
    r"\b(?:today|tonight|tomorrow|tmrw|tmr|yesterday|(?:this|next|last|coming|past)\s+\w+|(?:mon|tues?|wed(?:nes)?|"
    r"thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?|ago|in\s+(?:a|an|\d+|\w+)\s+(?:days?|weeks?|months?))\b",
    re.IGNORECASE,
)
"""What means another day when it is read on another."""
_PREPOSITION: Final = re.compile(
    r"\b(?:on|in|at|by|of|to|from|for|since|until|till|before|after|than|around|about)\s+\Z",
    re.IGNORECASE,
)
"""What governs a date that stands behind it."""
_LEADS_IN: Final = re.compile(
    r"(?:\A|(?<=\n))\W*(?:(?:ok(?:ay)?|so|and|but|also|well|oh|ah|btw|by the way|fyi|hi|hey|hello|yes|yeah|yep|no|nope|"
    r"right|anyway|anyways|actually|sorry|please|pls|plz|thanks|thx|ty|um+|hmm+|ugh|lol|haha\w*|ps|p\.s\.|cos|because|"
    r"bc|since|remember|note|remember that|note that|just so you know|for the record)\b(?!')[\s,:;.!–—-]*)+",
    re.IGNORECASE,
)
_IDLE: Final = " \n\t,;:-–—/"
_ADVERBS: Final = word_set(
    "also always already actually basically just never not now often only rarely really seldom simply sometimes still "
    "then too usually mostly mainly generally normally typically currently absolutely totally kinda"
)
_KEPT: Final = word_set(
    "is are was were has had will would can could shall should may might must did does and or who the a an in on at of "
    "to for from with by as than but if so went got took made said told gave came saw knew thought found felt left "
    "kept began begun brought bought caught taught built sent spent lost met paid ran sat stood won wrote ate drank "
    "drove flew fell grew held led let put quit read rode sold set shut slept spoke swam threw understood woke wore "
    "broke chose forgot heard hid hit hurt cut cost became been done gone seen taken given known used ought gonna "
    "wanna gotta hafta"
)
"""What stays as it is behind a name: verbs without another form for it or in the past, and what is no verb."""
_IRREGULAR: Final = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "don't": "doesn't", "dont": "doesn't",
    "haven't": "hasn't", "havent": "hasn't", "aren't": "isn't", "weren't": "wasn't", "ain't": "isn't", "go": "goes",
}  # fmt: skip
_SEASON: Final = re.compile(r"spring|summer|autumn|fall|winter", re.IGNORECASE)
_SUBJECT: Final = re.compile(
    r"(?<![\w'])(?:(?:i|we)(?!\.\w)(?:['’](?P<verb>m|re|ve|ll|d))?|(?P<run>im|ive|weve)(?=\s))(?![\w'’])", re.IGNORECASE
)
"""Who speaks, as the subject of a clause, also as it is typed in haste."""
_OTHER: Final = re.compile(r"(?<![\w'’])(?:he|she|(?P<owns>his))(?!\w)", re.IGNORECASE)
_CONTRACTED: Final = {
    "m": "is", "re": "is", "ve": "has", "ll": "will", "d": "would", "im": "is", "ive": "has", "weve": "has",
}  # fmt: skip
_WORD: Final = re.compile(r"[A-Za-z']+")


@dataclass(frozen=True, slots=True)
class Readable:
    """A clause that can be read alone. `when`: the one time that it names."""

    text: str
    when: DateSpan | None


def make_readable(clause: str, speaker: str, said_at: datetime, other: str | None = None) -> Readable:
    """`clause` with its speaker by name and its days by date. `said_at`: on the clock of who said it; `other`: the only
    one beside the speaker who was named before it, whom "he" and "she" mean."""
    dates = list(find_dates(clause, said_at))
    text = _dated(clause, dates)
    text = _spoken_by(text, speaker)
    if other is not None and not re.search(rf"\b{re.escape(other)}\b", text, re.IGNORECASE):
        text = _OTHER.sub(lambda match: f"{other}'s" if match["owns"] else other, text, count=1)
    text = " ".join((_LEADS_IN.sub("", text).strip(_IDLE) or text).split()).strip(_IDLE) or clause
    text = text[:1].upper() + text[1:]
    return Readable(text, dates[0].span if len(dates) == 1 else None)


def _dated(clause: str, dates: Sequence[DateMention]) -> str:
    pieces, done = list[str](), 0
    for found in dates:
        said = clause[found.start : found.end]
        if _DEICTIC.search(said):
            date = in_words(found.span)
            if _PREPOSITION.search(clause, 0, found.start):
                date = date.partition(" ")[2]
            pieces += [clause[done : found.start], date]
            done = found.end
    return "".join((*pieces, clause[done:]))


def in_words(span: DateSpan) -> str:
    """A time as it is spoken of when the day of speaking is not known: "on 8 May 2023", "in May 2023"."""
    start, last = span.start, span.end - timedelta(microseconds=1)
    season = _SEASON.search(span.text) if span.precision == "season" else None
    if season is not None:
        return f"in {season.group().lower()} {last.year}"
    months = span.precision == "month" and (start.year, start.month) == (last.year, last.month)
    if span.precision == "week":
        return f"in the week of {day_in_words(start)}"
    if months or (span.precision == "year" and start.year == last.year):
        return f"in {MONTHS[start.month - 1]} {start.year}" if months else f"in {start.year}"
    if start.date() == last.date():
        time = f" at {start:%H:%M}" if span.precision == "minute" else ""
        return f"on {day_in_words(start)}{time}"
    return f"between {day_in_words(start)} and {day_in_words(last)}"


def _spoken_by(clause: str, speaker: str) -> str:
    """`clause` in the third person of its speaker."""
    pieces, done = list[str](), 0
    for match in _SUBJECT.finditer(clause):
        pieces += [clause[done : match.start()], speaker]
        done = match.end()
        if verb := _CONTRACTED.get((match["verb"] or match["run"] or "").lower()):
            pieces.append(f" {verb}")
        elif (agreed := _agree(clause, done)) is not None:
            start, end, verb = agreed
            pieces += [clause[done:start], verb]
            done = end
    return resolved("".join((*pieces, clause[done:])), speaker)


def _agree(text: str, at: int) -> tuple[int, int, str] | None:
    """(start, end, form) of the verb behind a subject that ends at `at`, in its third person; None where there is
    nothing to change."""
    for word in _WORD.finditer(text, at, at + 60):
        if text[at : word.start()].strip():
            return None
        at, said = word.end(), word.group().lower()
        if said in _ADVERBS:
            continue
        if said in _IRREGULAR:
            return word.start(), word.end(), _IRREGULAR[said]
        if said in _KEPT or said.endswith(("ed", "'s", "'ll", "'d", "n't", "ing", "ly")) or len(said) < 3:
            return None
        return word.start(), word.end(), _third_person(word.group())
    return None


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"
