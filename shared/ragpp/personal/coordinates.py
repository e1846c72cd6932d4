"""Coordinates of a place on Earth."""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.finders import Finder, Span
from ragpp.personal.kinds import DIGITS, FORMED
from ragpp.signs import Signs


def _angle(number: int) -> str:
    """The pattern of one angle: decimal or in minutes and seconds, its hemisphere before or behind it."""
    minutes = r"\s?\d{1,2}(?:[.,]\d{1,6})?\s?['’′´](?:\s?\d{1,2}(?:[.,]\d{1,6})?\s?(?:[\"”″]|['’′´]{2}))?"
    return (
        rf"(?P<before{number}>[NSEWO]\s?)?(?P<degrees{number}>[-+−]?\d{{1,3}}(?:[.,]\d{{1,15}})?)"
        rf"(?:\s?(?P<sign{number}>[°º])(?:{minutes})?)?(?(before{number})|(?P<behind{number}>\s?[NSEWO](?!\w))?)"
    )


_LATITUDE: Final = (
    r"(?:lat(?:itud[eo]?|itudine)?|(?:geogr\.? )?breiten?(?:grad)?|breedte(?:graad)?|szeroko[śs][ćc](?: geogr\w*)?|"
    r"szer\.)"
)
_LONGITUDE: Final = (
    r"(?:l(?:on|ng|ong)(?:gitud[eo]?|itudine)?|(?:geogr\.? )?längen?(?:grad)?|lengte(?:graad)?|"
    r"d[łl]ugo[śs][ćc](?: geogr\w*)?|d[łl]\.)"
)
_PAIR: Final = re.compile(
    rf"(?<![\w.,+-])(?P<label>(?:{_LATITUDE}|{_LONGITUDE})\b[\"']?\W{{1,4}})?{_angle(1)}"
    rf"[\"']?(?P<between>\s?[,;/|]?\s{{0,2}}(?-i:(?:and|und|et|y|e|en|i|by|x)\s)?)"
    rf"(?:[\"']?\b(?:{_LATITUDE}|{_LONGITUDE})\b[\"']?\W{{1,4}})?{_angle(2)}(?![\w°]|"
    rf"[.,]\d(?!\d?(?:\.\d{{1,2}})?[zm]\b))",
    re.IGNORECASE,
)
_IN_ADDRESS: Final = re.compile(
    r"(?:geo:|/@|[?&](?:q|ll|sll|query|center|mlat|destination|daddr|loc)=(?:loc:)?|#map=\d{1,2}/|POINT\s?\()$",
    re.IGNORECASE,
)
_SPOKEN_OF: Final = re.compile(
    r"coord|koordin|współrz|wspolrz|\bgps\b|location|position|standort|ubicaci|posizion|locati[oe]|lokaliz|lat\b|"
    r"latitude|longitude|localiza|\bgeo|waypoint",
    re.IGNORECASE,
)
_HERE: Final = re.compile(
    r"(?:^|[(\[])\s*$|\b(?:at|near|here|meet\w*|park\w*|spot|camp\w*|pin|dropped|house|hier|treff\w*|bei|stell\w*|"
    r"ici|à|là|garé\w*|aquí|en|estamos|qui|siamo|"
    r"punto|tutaj|jesteśmy|spotk\w*|aqui|em|punt|plek)\b[^\n\d]{0,20}$",
    re.IGNORECASE,
)
_FRACTIONS: Final = Signs(pattern=r"\d[.,]\d\d|[°º]")
_WINDOW: Final = 45
_FINE: Final = 4
"""Decimals of two numbers, ten metres on the ground: with more of them, or with words for being somewhere, nobody
writes two side by side but for a place."""
_COARSE: Final = 2
_FAR: Final = 10


def _coordinates(text: str) -> Iterator[Span]:
    """Each latitude and longitude, in either order."""
    for start, end in _FRACTIONS.stretches(text, 40, 60):
        for match in _PAIR.finditer(text, start, end):
            if _is_place(text, match):
                yield Span(*match.span(), "coordinates", FORMED)


def _is_place(text: str, match: re.Match[str]) -> bool:
    numbers = [match["degrees1"], match["degrees2"]]
    first, second = (abs(float(number.replace(",", ".").replace("−", "-"))) for number in numbers)
    if max(first, second) > 180 or min(first, second) > 90:
        return False
    hemispheres = [(match[f"before{n}"] or match[f"behind{n}"] or "").strip().upper() for n in (1, 2)]
    decimals = [len(number.partition("," if "," in number else ".")[2]) for number in numbers]
    if all(hemispheres):
        across = (hemispheres[0] in "NS") != (hemispheres[1] in "NS")
        return across and (any(decimals) or match["sign1"] is not None)
    before = text[max(0, match.start() - _WINDOW) : match.start()]
    if match["label"] or _IN_ADDRESS.search(before):
        return all(decimals)
    separated = match["between"] != "" and "-" not in match["between"]
    if not separated or min(decimals) < _COARSE:
        return False
    if _SPOKEN_OF.search(before):
        return True
    both_signed = match["sign1"] is not None and match["sign2"] is not None
    dotted = all("." in number for number in numbers)
    fine = min(decimals) > _FINE or (min(decimals) == _FINE and _HERE.search(before) is not None)
    return (both_signed or fine) and dotted and max(first, second) >= _FAR


COORDINATES: Final = (Finder(_coordinates, least=7, marks=DIGITS),)
