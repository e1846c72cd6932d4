"""Postal addresses: a street with its number, and the flat, the town and the country behind it."""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.finders import Finder, Span
from ragpp.personal.kinds import DIGITS, LOOSE
from ragpp.personal.streets import STREETS, TAIL
from ragpp.signs import Places, Signs, any_of, joined

_ADDRESSES: Final = tuple(
    (re.compile(rf"(?<![\w-])(?:{street}){TAIL}"), re.compile(any_of(words))) for street, words in STREETS
)
_LIVED_AT: Final = Signs(
    """
    |live| |lives| |lived| |living_ |i'm_at| |im_at| we're_at| we_are_at| i_am_at| me_at| us_at| |address |home|
    our_house move_to moved_to moved_in moving_to |ship| |deliver |send_it |send_them |send_the |reside |residing
    |residence staying_at pick_me_up pick_us_up wohn adresse| anschrift umgezogen |ziehe |liefer zuhause zu_hause
    |habite déménag dirección direccion |vive| |vivo| |vivimos |moro| |mora| |moramos morada |abito| |abita|
    |abitiamo indirizzo |adres| mieszka woon |wonen endereço |casa| chez_moi domicil mudei mudou wyślij stuur
    zamieszka wohnhaft residente straße|
    """
)
_BEFORE: Final = 50
_ABBREVIATED: Final = re.compile(r"\b(?:[^\W\d_]{1,3}|Blvd|Cres|Pkwy|Bldg|Apto)\.$")
_HOUSE: Final = re.compile(r"(?<![\d.,:])\d{1,5}(?![\d%])")
_STREET: Final = 90
_REST: Final = 160
"""Characters before a house's number and behind it that an address may have."""


def _addresses(text: str) -> Iterator[Span]:
    """Each address that is written as one; in small letters or without a word for a street, where a postal code
    follows, or words say that somebody lives there."""
    lowered = text.lower()
    whole = len(lowered) != len(text)
    lived = Places(_LIVED_AT, text)
    around = ((number.start() - _STREET, number.end() + _REST, len(text)) for number in _HOUSE.finditer(text))
    for start, end in joined(around):
        for pattern, words in _ADDRESSES:
            if whole or words.search(lowered, start, end):
                for match in pattern.finditer(text, start, end):
                    if _is_told(match, lived):
                        yield Span(match.start(), _end(match), "postal_address", LOOSE)


def _end(match: re.Match[str]) -> int:
    """Where the address ends: before the full stop of a sentence, behind that of an abbreviation."""
    return match.end() - (match.group().endswith(".") and not _ABBREVIATED.search(match.group()))


def _is_told(match: re.Match[str], lived: Places) -> bool:
    if "small" not in match.re.groupindex or match["small"] is None:
        return True
    posted = match["posted"] or ""
    if any(map(str.isdigit, posted)):
        return True
    return lived.within(match.start() - _BEFORE, match.start())


POSTAL_ADDRESSES: Final = (Finder(_addresses, least=6, marks=DIGITS),)
