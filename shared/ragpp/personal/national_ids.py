"""Numbers by which a state, its tax office, its social insurance or its health service knows a person.

A number counts where its check digits are right and its form is one that nothing else has, or a word beside it says
what it is. Check digits are those of python-stdnum, which is loaded when the first number is to be checked.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Final, cast

from ragpp.finders import Finder, Span
from ragpp.personal.kinds import DIGITS, MARKED
from ragpp.signs import Places, Signs

BY_FORM: Final[Mapping[str, Sequence[str]]] = {
    "us.ssn": ("999-99-9999",),
    "de.idnr": ("99 999 999 999",),
    "de.rvnr": ("99 999999 A 999", "99999999A999", "99 999999A999", "99 99 99 99 A 999", "99 99 99 99 A 99 9"),
    "fr.nir": (
        "9 99 99 99 999 999 99",
        "9 99 99 9A 999 999 99",
        "999999999999999",
        "99999 9A 999 999 99",
        "999999A99999999",
        "9 99 99 99999999 99",
        "9999999999999 99",
        "9.99.99.99.999.999.99",
    ),
    "es.dni": ("99999999A", "99999999-A", "99.999.999-A", "99.999.999A", "99 999 999 A", "99999999 A"),
    "es.nie": ("A9999999A", "A-9999999-A", "A9999999-A", "A 9999999 A", "A-9999999A"),
    "it.codicefiscale": ("AAAAAA99A99A999A", "AAA AAA 99A99 A999A", "AAAAAA 99A99 A999A", "AAAAAA-99A99-A999A"),
    "se.personnummer": ("999999-9999", "99999999-9999", "999999+9999"),
    "br.cpf": ("999.999.999-99",),
    "in_.aadhaar": ("9999 9999 9999", "9999-9999-9999"),
    "ch.ssn": ("999.9999.9999.99", "9999999999999", "999 9999 9999 99"),
    "be.nn": ("99.99.99-999.99", "999999-999-99", "99.99.99 999 99", "999999 999 99", "99.99.99.999.99"),
    "pt.cc": ("99999999 9 AA9", "999999999AA9", "99999999 9AA9"),
    "fi.hetu": ("999999-999A", "999999A999A", "999999-9999", "999999A9999"),
    "no.fodselsnummer": ("999999 99999",),
    "cz.rc": ("999999/9999", "999999/999"),
    "ie.pps": ("9999999AA",),
    "kr.rrn": ("999999-9999999",),
    "cn.ric": ("999999999999999999", "99999999999999999A"),
    "mx.curp": ("AAAA999999AAAAAA99", "AAAA999999AAAAAAA9"),
    "cl.rut": ("99.999.999-9", "99.999.999-A"),
    "my.nric": ("999999-99-9999",),
    "th.pin": ("9-9999-99999-99-9", "9 9999 99999 99 9"),
}
"""Module of python-stdnum to the forms that nothing else has: 9 stands for a digit, A for a letter."""

BY_WORD: Final[Mapping[str, Sequence[str]]] = {
    "us.ssn": ("999-99-9999", "999999999", "999 99 9999", "999.99.9999"),
    "us.itin": ("999-99-9999", "999999999", "999 99 9999"),
    "gb.nhs": ("9999999999", "999 999 9999", "999-999-9999"),
    "de.idnr": ("99999999999", "99-999-999-999", "99/999/999/999", "999 999 999 99"),
    "fr.nif": ("99 99 999 999 999", "9999999999999", "99 99 99 99 99 999"),
    "nl.bsn": ("999999999", "999.999.999", "9999.99.999", "999 999 999", "9999 99 999", "99999999"),
    "pl.pesel": ("99999999999", "999999 99999", "99 99 99 99999", "999 999 999 99"),
    "se.personnummer": ("9999999999", "999999999999", "999999 9999", "99999999 9999"),
    "br.cpf": ("99999999999", "999999999-99", "999 999 999 99"),
    "in_.aadhaar": ("999999999999",),
    "in_.pan": ("AAAAA9999A",),
    "be.nn": ("99999999999", "99 99 99 999 99"),
    "pt.nif": ("999999999", "999 999 999"),
    "tr.tckimlik": ("99999999999", "999 999 999 99"),
    "dk.cpr": ("999999-9999", "9999999999", "999999 9999"),
    "no.fodselsnummer": ("99999999999",),
    "cz.rc": ("9999999999", "999999999"),
    "ro.cnp": ("9999999999999",),
    "hr.oib": ("99999999999",),
    "bg.egn": ("9999999999",),
    "ee.ik": ("99999999999",),
    "lt.asmens": ("99999999999",),
    "gr.amka": ("99999999999",),
    "ie.pps": ("9999999A",),
    "il.idnr": ("999999999", "9-9999999-9"),
    "za.idnr": ("9999999999999", "999999 9999 999"),
    "jp.in_": ("999999999999", "9999 9999 9999"),
    "cn.ric": ("999999 99999999 9999",),
    "kr.rrn": ("9999999999999",),
    "cl.rut": ("99999999-9", "99999999-A", "9.999.999-9"),
    "ca.sin": ("999 999 999", "999-999-999", "999999999"),
    "au.tfn": ("999 999 999", "999999999"),
    "nz.ird": ("99-999-999", "999-999-999", "999999999"),
    "at.vnr": ("9999 999999", "9999999999", "9999 99 99 99", "9999-999999"),
    "is_.kennitala": ("999999-9999", "9999999999"),
    "si.emso": ("9999999999999",),
    "ar.dni": ("99.999.999", "99999999"),
    "co.nit": ("999.999.999-9",),
    "ec.ci": ("9999999999",),
    "th.pin": ("9999999999999",),
}
"""The same of forms that other numbers have as well: they count beside a word for such a number."""

_WORDS: Final = Signs(
    """
    |ssn| social_security social_insurance national_id| national_insurance national_identi national_number |nino|
    |ni_no |ni_number |ni_nr |nhs| health_number health_service_number patient_number tax_id tax_number tax_no|
    tax_file tax_reference tax_identi taxpayer_id taxpayer's_id taxpayer_number |itin| |id_no| |id_number |id_card
    |id_nr id_number identity_card identity_number identity_no identification_number personal_id personal_number
    personal_code personal_no| personal_identi citizen_id citizen_number national_id tax_id identity steuer-id
    steuerid steuer_id steueridentifik steuer-identifik steuerliche_identifik steuernummer steuer-nummer steuernr
    identifikationsn |idnr |st-id |st.-id sozialversicherung rentenversicherung rentenvers krankenversicherung
    versicherungsn versicherungs-n versichertenn |sv-nr |sv_nr |svnr |sv-nummer |rvnr personalausweis ausweisn
    ausweis-n |ahv| |avs| e-card |sécu| |secu| sécurité_sociale |nir| numéro_fiscal numéro_national numéro_d'identi
    numéro_de_sécu registre_national |inss| |niss| carte_d'identit |spi| rijksregister identificatienummer |bsn|
    burgerservice sofinummer sofi-n |insz |dni| |nif| seguridad_social documento_nacional documento_de_identi
    mi_documento cédula número_de_identi codice_fiscale |cod._fisc |cod_fisc |c.f. carta_d'identit tessera_sanitaria
    pesel dowód dowod numer_identyfik personnummer samordnings henkilötunnus henkilotunnus |hetu| |cpr| fødselsn
    fodselsn |personnr |cpf| cartão_de_cidad cartão_do_cidad cartao_de_cidad contribuinte identificação
    bilhete_de_identidade aadhaar adhaar aadhar |uidai| |pan_card |pan_no |pan_number rodné rodne rodná |rč| |cnp|
    |oib| |egn| isikukood asmens_kod |amka| |pps| |ppsn| kimlik |tckn| |tc_no |t.c. teudat |tfn| |ird_number |nric|
    |rrn| 주민 身份证 my_number |curp| |rut| |kennitala| |emšo|
    """
)
_ACRONYMS: Final = Signs(pattern=r"\b(?:NIE|TIN|CF|PAN|SIN|IRD|RUN|PPS)\b", exact=True)
"""Words for such numbers that are others in small letters."""
_AMERICAN: Final = "us.ssn"
_BEFORE: Final = 48
_BEHIND: Final = 40
_SHAPE: Final = str.maketrans(
    "0123456789" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "abcdefghijklmnopqrstuvwxyz", "9" * 10 + "A" * 52
)


def _by_shape(*tables: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    shapes: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for module, forms in table.items():
            for form in forms:
                shapes[form] = (*shapes.get(form, ()), module)
    return shapes


_ALONE: Final = _by_shape(BY_FORM)
_TOLD: Final = _by_shape(BY_WORD)
_SHAPES: Final = _ALONE.keys() | _TOLD.keys()
_BEGINNINGS: Final = frozenset(shape[:length] for shape in _SHAPES for length in range(1, len(shape) + 1))
_LONGEST: Final = max(map(len, _SHAPES))
_START: Final = re.compile(
    r"(?<![^\W_])(?<!\d[./-])(?=[A-Za-z]{0,6}[ -]?\d|[A-Za-z]{3} [A-Za-z]{3} \d)(?=[^\n]{7})[A-Za-z\d]"
)
_END: Final = re.compile(r"(?![^\W_]|[.,/-]\d)")
_NINO: Final = re.compile(
    r"(?<![^\W_])(?!BG|GB|NK|KN|TN|NT|"
    r"ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?\d\d[ -]?\d\d[ -]?\d\d[ -]?[A-D](?![^\W_])",
    re.IGNORECASE,
)
"""A national insurance number of the United Kingdom, which has no check digit."""
_WITHOUT_CHECK: Final = Signs("|ssn| social_security taxpayer")
"""Words for the number of the United States, which has no check digit and is one by such a word alone."""
_PENSION_WEIGHTS: Final = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)


def _national_ids(text: str) -> Iterator[Span]:
    """Each number of a person, of the forms that are known here."""
    shape = text.translate(_SHAPE)
    told = _Told(text)
    end = 0
    for start in _START.finditer(text):
        if start.start() >= end and (found := _end(text, shape, start.start(), told)):
            end = found
            yield Span(start.start(), end, "national_id", MARKED)


def _ninos(text: str) -> Iterator[Span]:
    """Each national insurance number, in small letters beside a word for it."""
    told = _Told(text)
    for match in _NINO.finditer(text):
        if match.group().isupper() or told(*match.span()):
            yield Span(*match.span(), "national_id", MARKED)


class _Told:
    """The words for such numbers in one text: called with a place, True where one stands beside it."""

    def __init__(self, text: str) -> None:
        self._places = (Places(_WORDS, text), Places(_ACRONYMS, text))
        self._american = Places(_WITHOUT_CHECK, text)

    def __call__(self, start: int, end: int) -> bool:
        return any(self._beside(places, start, end) for places in self._places)

    def as_american(self, start: int, end: int) -> bool:
        """True where the word is one for a number without a check digit."""
        return self._beside(self._american, start, end)

    @staticmethod
    def _beside(places: Places, start: int, end: int) -> bool:
        return places.within(start - _BEFORE, start) or places.within(end, end + _BEHIND)


def _end(text: str, shape: str, start: int, is_told: _Told) -> int:
    """The end of the longest number that begins at `start`, 0 where none does."""
    ends = []
    for end in range(start + 1, min(len(text), start + _LONGEST) + 1):
        known = shape[start:end]
        if known not in _BEGINNINGS:
            break
        if known in _SHAPES and _END.match(text, end):
            ends.append(end)
    for end in reversed(ends):
        known, value = shape[start:end], text[start:end]
        if any(_is_right(module, value) for module in _ALONE.get(known, ())):
            return end
        told = _TOLD.get(known, ())
        if not told or not is_told(start, end):
            continue
        if any(_is_right(one, value) for one in told if one != _AMERICAN) or (
            _AMERICAN in told and is_told.as_american(start, end)
        ):
            return end
    return 0


def _is_right(module: str, value: str) -> bool:
    """True where the check digits of `value` are right."""
    if module == "ch.ssn" and not value.startswith("756"):
        return False
    return _validator(module)(value)


@cache
def _validator(module: str) -> Callable[[str], bool]:
    if module == "de.rvnr":
        return _is_pension_number
    return cast("Callable[[str], bool]", import_module(f"stdnum.{module}").is_valid)


def _is_pension_number(value: str) -> bool:
    """True for a number of the German pension insurance: the letter counts as two digits, and digits of products are
    added (VKVV, section 4)."""
    signs = value.replace(" ", "").upper()
    digits = f"{signs[:8]}{ord(signs[8]) - 64:02}{signs[9:]}"
    total = sum(
        sum(map(int, str(int(digit) * weight))) for digit, weight in zip(digits[:12], _PENSION_WEIGHTS, strict=True)
    )
    return total % 10 == int(digits[12]) and 1 <= int(digits[2:4]) % 50 <= 31 and int(digits[4:6]) <= 12


NATIONAL_IDS: Final = (Finder(_national_ids, least=7, marks=DIGITS), Finder(_ninos, least=9, marks=DIGITS))
