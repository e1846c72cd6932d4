"""Numbers of bank accounts (IBAN)."""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.finders import Finder, Span
from ragpp.personal.kinds import PROVEN

_LENGTHS: Final = {
    pair[:2]: int(pair[2:])
    for pair in [
        "AD24",
        "AE23",
        "AL28",
        "AT20",
        "AZ28",
        "BA20",
        "BE16",
        "BG22",
        "BH22",
        "BI27",
        "BR29",
        "BY28",
        "CH21",
        "CR22",
        "CY28",
        "CZ24",
        "DE22",
        "DJ27",
        "DK18",
        "DO28",
        "EE20",
        "EG29",
        "ES24",
        "FI18",
        "FK18",
        "FO18",
        "FR27",
        "GB22",
        "GE22",
        "GI23",
        "GL18",
        "GR27",
        "GT28",
        "HR21",
        "HU28",
        "IE22",
        "IL23",
        "IQ23",
        "IS26",
        "IT27",
        "JO30",
        "KW30",
        "KZ20",
        "LB28",
        "LC32",
        "LI21",
        "LT20",
        "LU20",
        "LV21",
        "LY25",
        "MC27",
        "MD24",
        "ME22",
        "MK19",
        "MN20",
        "MR27",
        "MT31",
        "MU30",
        "NI28",
        "NL18",
        "NO15",
        "OM23",
        "PK24",
        "PL28",
        "PS29",
        "PT25",
        "QA29",
        "RO24",
        "RS22",
        "RU33",
        "SA24",
        "SC31",
        "SD18",
        "SE24",
        "SI19",
        "SK24",
        "SM27",
        "SO23",
        "ST25",
        "SV28",
        "TL23",
        "TN24",
        "TR26",
        "UA29",
        "VA22",
        "VG24",
        "XK20",
    ]
}
"""Characters by country (SWIFT's IBAN registry, release 99)."""
_BEGINNING: Final = re.compile(r"(?<![^\W_])[A-Za-z]{2}[ -]?\d\d(?=(?:[ .\u00a0-]{0,2}[0-9A-Za-z]){11})")
_SIGN: Final = re.compile(r"[ .\u00a0-]{0,2}([0-9A-Za-z])")


def _ibans(text: str) -> Iterator[Span]:
    """Each IBAN in groups or in one, of its country's length, whose check digits are right (ISO 13616)."""
    end = 0
    for beginning in _BEGINNING.finditer(text):
        length, at = _LENGTHS.get(beginning.group()[:2].upper(), 0), beginning.end()
        if not length or beginning.start() < end:
            continue
        signs = [sign for sign in beginning.group() if sign.isalnum()]
        while len(signs) < length and (following := _SIGN.match(text, at)):
            signs.append(following[1])
            at = following.end()
        if len(signs) == length and not text[at : at + 1].isalnum() and _is_right("".join(signs).upper()):
            end = at
            yield Span(beginning.start(), at, "iban", PROVEN)


def _is_right(iban: str) -> bool:
    return int("".join(str(int(sign, 36)) for sign in iban[4:] + iban[:4])) % 97 == 1


IBANS: Final = (Finder(_ibans, least=15),)
