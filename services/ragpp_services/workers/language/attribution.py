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
from ragpp.text.sentences import clean, with_capital

_DEICTIC: Final = re.compile(
    r"\b(?:today|tonight|tomorrow|tmrw|tmr|yesterday|(?:this|next|last|coming|past)\s+\w+|(?:mon|tues?|wed(?:nes)?|"
    r"thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?|ago|in\s+(?:a|an|\d+|\w+)\s+(?:days?|weeks?|months?))\b",
    re.IGNORECASE,
)
"""A day that is another when it is read on another."""
_PREPOSITION: Final = re.compile(
    r"\b(?:on|in|at|by|of|to|from|for|since|until|till|before|after|than|around|about)\s+\Z",
    re.IGNORECASE,
)
"""A preposition that governs the date behind it."""
_LEADS_IN: Final = re.compile(
    r"\A\W*(?:(?:ok(?:ay)?|so|and|but|also|oh|ah|btw|by the way|fyi|hi|hey|hello|yes|yeah|yep|anyways?|sorry|please|"
    r"pls|plz|thanks|thx|um+|hmm+|ugh|lol|no(?=[,:;.!–—]))\b(?!['’-])[\s,:;.!–—]*)+",
    re.IGNORECASE,
)
"""Openings of a clause, which tell nothing. "No eggs", "since" and their like tell something, a "no" by itself does
not."""
_IDLE: Final = " \n\t,;:-–—/"
_ADVERBS: Final = word_set(
    "also always already actually basically just never not now often only rarely really seldom simply sometimes still "
    "then too usually mostly mainly generally normally typically currently absolutely totally kinda even once almost "
    "both ever all no longer"
)
_KEPT: Final = word_set(
    "is was had will would can could shall should may might must did and or who the a an in on at of to for from with "
    "by as than but if so went got took made said told gave came saw knew thought found felt left kept began begun "
    "brought bought caught taught built sent spent lost met paid ran sat stood won wrote ate drank drove flew fell "
    "grew held led let put quit read rode sold set shut slept spoke swam threw understood woke wore broke chose forgot "
    "heard hid hit hurt cut cost became been done gone seen taken given known used ought gonna wanna gotta hafta "
    "fought cant cannot didnt wont couldnt wouldnt shouldnt isnt wasnt hadnt hasnt doesnt"
)
"""Words that stay as they are behind a name: verbs without another form for it, verbs in the past, and no verbs."""
_IRREGULAR: Final = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "don't": "doesn't", "dont": "doesn't",
    "haven't": "hasn't", "havent": "hasn't", "aren't": "isn't", "weren't": "wasn't", "ain't": "isn't", "aint": "isn't",
    "go": "goes",
}  # fmt: skip
_ENDS_ALIKE: Final = word_set("need feed speed bleed breed exceed succeed bring sing cling swing rely apply fly supply")
"""Verbs that end as a past, a participle or an adverb does."""
_PERSON: Final = re.compile(
    r"(?<![\w'’/.@=&?-])(?:(?P<subject>i|we)(?!\.\w)(?:['’](?P<verb>m|re|ve|ll|d))?|(?P<run>im|ive|weve)(?=\s)"
    r"|(?P<owns>my|our|ours|(?<=of )mine|(?<=is )mine|(?<=are )mine|(?<=than )mine)"
    r"|(?P<object>(?-i:me|Me)|myself|ourselves|(?<!both of )(?<!all of )(?<!two of )(?-i:us|Us)))(?![\w'’/@-]|\.\w)",
    re.IGNORECASE,
)
"""Who speaks, also as it is typed in haste."""
_NUMBERED: Final = re.compile(r"\b(?:type|part|war|phase|grade|stage|class|chapter|volume|level)\s\Z", re.IGNORECASE)
"""Before an "I" that is the number one."""
_UNCHANGED: Final = re.compile(
    r"\b(?:can|could|do|does|did|will|would|should|shall|may|might|must|to|let)\s\Z"
    r"|(?:\A|[,;] )(?:my|our|(?-i:[A-Z])\w+)(?: \w+){0,2} (?:and|or)\s\Z",
    re.IGNORECASE,
)
"""Before a speaker whose verb stays as it is: "my wife and I have", "can I have"."""
_HAD: Final = re.compile(r"\s+(?:(?:never|already|just|only)\s+)?(?:been|had|gone|done|seen|better)\b", re.IGNORECASE)
_STARTS_WITH_OTHER: Final = re.compile(r"(?:he|she|(?P<owns>his))(?!\w)", re.IGNORECASE)
_HE: Final = re.compile(r"\b(?:he|him|his)\b", re.IGNORECASE)
_SHE: Final = re.compile(r"\b(?:she|her|hers)\b", re.IGNORECASE)
_SEASON: Final = re.compile(r"spring|summer|autumn|fall|winter", re.IGNORECASE)
_CONTRACTED: Final = {
    "m": "is", "re": "is", "ve": "has", "ll": "will", "d": "would", "im": "is", "ive": "has", "weve": "has",
}  # fmt: skip
_WORD: Final = re.compile(r"[A-Za-z']+")
_ENDS: Final = (".", "!", "?")


@dataclass(frozen=True, slots=True)
class Readable:
    """A clause that can be read alone. `when`: the one time that it names."""

    text: str
    when: DateSpan | None


def make_readable(clause: str, speaker: str, said_at: datetime, other: str | None = None) -> Readable:
    """`clause` with its speaker by name and its days by date. `said_at`: on the clock of who said it; `other`: the only
    one beside the speaker who was named before it, whom "he" or "she" at its beginning means."""
    said = without_lead_in(clause)
    dates = list(find_dates(said, said_at))
    text = _spoken_by(_of_other(_dated(said, dates), other), speaker)
    text = " ".join(text.split()).strip(_IDLE) or clause
    for end in _ENDS:
        text = text.replace(f"{end} {speaker}", f"{end} {with_capital(speaker)}")
    return Readable(with_capital(text), dates[0].span if len(dates) == 1 else None)


def without_lead_in(clause: str) -> str:
    """`clause` without the openings that tell nothing, where anything else is in it."""
    return _LEADS_IN.sub("", clause).strip(_IDLE) or clause


def begins_with_other(clause: str) -> bool:
    """True where it begins with "he" or "she", and nobody but one can be meant by it."""
    return _beginning(without_lead_in(clause)) is not None


def _beginning(clause: str) -> re.Match[str] | None:
    return None if _HE.search(clause) and _SHE.search(clause) else _STARTS_WITH_OTHER.match(clause)


def _of_other(clause: str, other: str | None) -> str:
    """`clause` with the name of whom it begins with, where nobody else can be meant."""
    begins = None if other is None else _beginning(clause)
    if begins is None:
        return clause
    return f"{other}'s{clause[begins.end() :]}" if begins["owns"] else f"{other}{clause[begins.end() :]}"


def _dated(clause: str, dates: Sequence[DateMention]) -> str:
    pieces, done = list[str](), 0
    for found in dates:
        said = clause[found.start : found.end]
        if _DEICTIC.search(said) and not clause.startswith(("'s", "’s"), found.end):
            start = found.start + len(said) - len(said.lstrip())
            date = in_words(found.span)
            if _PREPOSITION.search(clause, 0, start):
                date = date.partition(" ")[2]
            pieces += [clause[done:start], date]
            done = found.end
    return "".join((*pieces, clause[done:]))


def in_words(span: DateSpan) -> str:
    """A time as it is spoken of when the day of speaking is not known: "on 8 May 2023", "in May 2023"."""
    start, last = span.start, span.end - timedelta(microseconds=1)
    season = _SEASON.search(span.text) if span.precision == "season" else None
    if season is not None:
        return f"in {season.group().lower()} {last.year}"
    months = span.precision == "month" and (start.year, start.month) == (last.year, last.month)
    if span.precision == "week" and span.end - start <= timedelta(days=7):
        return f"in the week of {day_in_words(start)}"
    if months or (span.precision == "year" and start.year == last.year):
        return f"in {MONTHS[start.month - 1]} {start.year}" if months else f"in {start.year}"
    if start.date() == last.date():
        told = span.precision == "minute" or (span.precision == "hour" and span.end - start <= timedelta(hours=1))
        time = f" at {start:%H:%M}" if told else ""
        return f"on {day_in_words(start)}{time}"
    return f"between {day_in_words(start)} and {day_in_words(last)}"


def _spoken_by(clause: str, speaker: str) -> str:
    """`clause` in the third person of its speaker, quotations as they are."""
    pieces, done = list[str](), 0
    for match in _PERSON.finditer(clean(clause)):
        if match.start() < done or (match.group() == "I" and _NUMBERED.search(clause, 0, match.start())):
            continue
        pieces += [clause[done : match.start()], f"{speaker}'s" if match["owns"] else speaker]
        done = match.end()
        contracted = (match["verb"] or match["run"] or "").lower()
        if contracted:
            verb = "had" if contracted == "d" and _HAD.match(clause, done) else _CONTRACTED[contracted]
            pieces.append(f" {verb}")
        elif match["subject"] and not _UNCHANGED.search(clause, 0, match.start()):
            agreed = _agree(clause, done)
            if agreed is not None:
                start, end, verb = agreed
                pieces += [clause[done:start], verb]
                done = end
    return "".join((*pieces, clause[done:]))


def _agree(text: str, at: int) -> tuple[int, int, str] | None:
    """(start, end, form) of the verb behind a subject that ends at `at`, in its third person; None where there is
    nothing to change."""
    for word in _WORD.finditer(text, at, at + 60):
        if text[at : word.start()].strip():
            return None
        at, said = word.end(), word.group().lower()
        if said in _ADVERBS or (said.endswith("ly") and said not in _ENDS_ALIKE):
            continue
        if said in _IRREGULAR:
            return word.start(), word.end(), _IRREGULAR[said]
        past = said.endswith(("ed", "'s", "'ll", "'d", "n't", "ing")) and said not in _ENDS_ALIKE
        if said in _KEPT or past or len(said) < 3:
            return None
        return word.start(), word.end(), _third_person(word.group())
    return None


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"
