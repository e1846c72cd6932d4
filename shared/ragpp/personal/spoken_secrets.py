"""Passwords, PINs and codes that people tell in sentences, for whoever asks that nothing personal be kept. Pure.

In a clause that has a word for one, in eight languages, every word is taken for it that looks like no other: with a
digit and a letter or a sign, or a number of three digits or more. That finds four in five, and takes other numbers as
well ("pin torch 2.3.1"), so it is no part of what is taken out by default. What is something else too is named by that.
"""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.finders import Finder, Span
from ragpp.signs import Places, Signs

_NAMES: Final = Signs(
    # languages compound these: Haustürcode, wifi-wachtwoord
    """
    password passwort passcode pass_code passphrase pass_phrase passwd |pwd| |pw| |mdp| kennwort mot_de_passe
    mots_de_passe contraseñ contrasen wachtwoord hasło haslo |senha palavra-passe palavra_passe |parola| |pin| |pins|
    |puk| pincode geheimzahl geheimnummer code códig codig codice |kod combina kombina szyfr zahlenfolge |clave| |clé|
    schlüssel |key| |cvv |cvc |otp| |tan| |sms wi-fi wifi wlan unlock entsperr
    """
)
_OTHERS: Final = Signs(
    # codes that open nothing, and are not kept from anybody
    """
    |zip_code |postcode |post_code |postal_code |area_code |dial_code |dialling_code |dialing_code |country_code
    |error_code |exit_code |status_code |source_code |bar_code |barcode |qr_code |promo_code |discount_code
    |coupon_code |voucher_code |item_code |product_code |project_code |colour_code |color_code |code_postal
    |code_promo |code_barre |code_erreur |code_source |code_civil |código_postal |codigo_postal
    |código_promocional |código_de_barras |código_fuente |código_fonte |codice_postale |codice_fiscale
    |codice_sconto |codice_errore |kod_pocztowy |kod_rabatowy |kod_kreskowy |kod_błędu |fehlercode |rabattcode
    |gutscheincode |quellcode |postleitzahl |kortingscode |foutcode |broncode
    """
)
_RANK: Final = -9
"""Below all others, which know better what they found."""
_LONGEST: Final = 64
_SHORTEST: Final = 3
_SHORTEST_WITH_SIGN: Final = 5
_CLAUSE: Final = re.compile(r"(?<=[.!?;])\s+|\n")
_CANDIDATE: Final = re.compile(
    r"(?<!\w)(?:\d{1,4}[ -]){1,3}\d{1,4}(?!\w)|[^\s\"“”„«»(),;`]{1,80}(?<![.!?:])"  # 12 34 56, or a word
)
_VALUE: Final = re.compile(r"[^:=]+$")
"""Behind the name that it is given to: `pin=1234`."""
_OF_TIME: Final = re.compile(r"\d{1,2}[:.]\d\d|\d{1,2}(?:st|nd|rd|th|h|am|pm)|(?:19|20)\d\d", re.IGNORECASE)
_UNIT: Final = re.compile(
    r"\s?(?:[€$£%°]|(?:eur|usd|kg|km|cm|mm|px|kb|mb|gb|min|hours?|days?|times|people|lines?|char)\b)", re.IGNORECASE
)
_SIGN: Final = re.compile(r"[!#$%&*@^+_]")
_ADDRESS: Final = re.compile(r"@[\w-]+\.|://")
"""In an address of mail or of a page, which is no secret."""


def _spoken(text: str) -> Iterator[Span]:
    if others := list(_OTHERS.spans(text)):
        text = _without(text, others)
    names, start = Places(_NAMES, text), 0
    for end in (*(mark.start() for mark in _CLAUSE.finditer(text)), len(text)):
        if names.within(start, end):
            yield from _values(text, start, end, names)
        start = end


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """`text` with a line in the place of each of `spans`, as long as that."""
    pieces, position = [], 0
    for start, end in spans:
        pieces += [text[position:start], "_" * (end - start)]
        position = end
    return "".join(pieces) + text[position:]


def _values(text: str, start: int, end: int, names: Places) -> Iterator[Span]:
    for match in _CANDIDATE.finditer(text, start, end):
        value = _VALUE.search(text, *match.span())
        if value is None or not _looks_secret(value.group()) or _UNIT.match(text, value.end()):
            continue
        if not names.within(*value.span()):
            yield Span(*value.span(), "secret", _RANK)


def _looks_secret(word: str) -> bool:
    """True where `word` is none that people write of other things: it has digits with letters, three digits or more, or
    letters with a sign."""
    if not _SHORTEST <= len(word) <= _LONGEST or _OF_TIME.fullmatch(word) or _ADDRESS.search(word):
        return False
    digits = sum(map(str.isdigit, word))
    has_letters = any(map(str.isalpha, word))
    if digits:
        return has_letters or digits >= _SHORTEST
    return has_letters and len(word) >= _SHORTEST_WITH_SIGN and _SIGN.search(word) is not None


SPOKEN_SECRETS: Final = Finder(_spoken, least=7)
