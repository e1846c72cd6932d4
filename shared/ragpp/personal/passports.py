"""Numbers of passports and identity cards: they have no form of their own, so words tell them."""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.finders import Finder, Span
from ragpp.personal.kinds import MARKED

_WORD: Final = re.compile(
    r"passport|\bpp (?:no|nr|number)|\bpass(?=:? [CFGHJKLMNPRTVWXYZ][A-Z0-9]{8}\b)|reisepa[sß]s|\bpa[sß]s-?(?:nr|"
    r"nummer|no)|passeport|pasaporte|passaporto|paspoort|paszport|passaporte",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"(?<![\w.,-])(?=[A-Z0-9]{0,3}[A-Z0-9 ]{0,6}\d)(?:[A-Z]{3} \d{9}|[A-Z]{1,3}[ -]?\d{6,8}[A-Z]?|"
    r"\d{2}[A-Z]{2}\d{5}|\d{8,9}[A-Z]?|\d{2} \d{7}|\d{3} \d{3} \d{3}|"
    r"(?=(?:[A-Z]*\d){3})[A-Z0-9]{8,9})(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_MACHINE_READABLE: Final = re.compile(
    r"P[A-Z<][A-Z]{3}[A-Z]{1,30}<<[A-Z<]{5,40}(?:\s?[A-Z0-9<]{9}\d[A-Z]{3}\d{7}[MFX<]\d{7}[A-Z0-9<]{14}\d{2})?"
)
_BETWEEN: Final = 45


def _passports(text: str) -> Iterator[Span]:
    """Each number behind a word for a passport, before the end of the sentence."""
    for word in _WORD.finditer(text):
        number = _NUMBER.search(text, word.end(), min(len(text), word.end() + _BETWEEN))
        if number and not re.search(r"[.!?]\s+[A-ZÀ-Ý]", text[word.end() : number.start()]):
            yield Span(number.start(), number.end(), "passport", MARKED)
            continue
        for number in _NUMBER.finditer(text, max(0, word.start() - 35), word.start()):
            if re.fullmatch(
                r"[^\w\n]{0,3}(?:is|was|ist|est|es|è|to|é|als)? ?(?:my|his|her|the|mein\w*|seine|ihre|mon|son|mi|su|"
                r"il mio|mijn|mój|o meu|the new)? ?"
                r"(?:number of (?:my|the) |numéro de |número de |numero di |numer |nummer van )?(?:\w{1,8} )?",
                text[number.end() : word.start()],
                re.IGNORECASE,
            ):
                yield Span(number.start(), number.end(), "passport", MARKED)
    for match in _MACHINE_READABLE.finditer(text):
        yield Span(*match.span(), "passport", MARKED)


PASSPORTS: Final = (Finder(_passports, least=12, marks=("pass", "pp n", "pasa", "pasp", "pasz", "<<")),)
