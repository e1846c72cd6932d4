"""Numbers of telephones."""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.finders import Finder, Span
from ragpp.personal.kinds import DIGITS, FORMED
from ragpp.signs import Places, Signs

_COUNTRY_CODE: Final = re.compile(
    r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-689]\d|3[578]\d|42\d|50\d|59\d|6[789]\d|"
    r"8[0578]\d|9[679]\d"
)
"""The codes of countries (ITU-T E.164): none is the beginning of another."""

_GROUPS: Final = re.compile(
    r"(?=[+(\d])(?<![\w.@#/+%&-])(?<!\d[,:])(?P<plus>\+\s?|\(\+|00(?=[1-9 ]))?\(?\d{1,14}\)?"
    r"(?:(?:[ \u00a0\u2009\u202f]?[./–-][ \u00a0]?|[ \u00a0\u2009\u202f]{1,2}|(?<=\))|"
    r"(?=\())\(?\d{1,12}\)?){0,9}(?![\w])"
)
_GROUP: Final = re.compile(r"\d+")
_SHORTEST: Final = 5
_SHORTEST_NATIONAL: Final = 6
_EXTENSION: Final = re.compile(
    r"\s?(?:,\s?)?(?:ext(?:ension)?\.?|x|durchwahl|dw\.?|poste|interno|int\.|toestel|wewn\.?|ramal)\s?\d{1,5}(?!\w)",
    re.IGNORECASE,
)
_EXTENSION_OF: Final = re.compile(rf"{_EXTENSION.pattern}$", re.IGNORECASE)
_PLUS: Final = re.compile(r"\W*(?:\+|00)")
_AMERICAN_DIGITS: Final = 11
"""The form of a number in North America with the prefix of long distance calls."""
_DATE: Final = re.compile(
    r"(?:0?[1-9]|[12]\d|3[01])[./ -](?:0?[1-9]|1[0-2])[./ -](?:19|20)?\d\d(?!\d| \d\d \d\d\b)|"
    r"(?:19|20)\d\d[./ -](?:0?[1-9]|1[0-2])[./ -](?:0?[1-9]|[12]\d|3[01])(?!\d)"
)
_TRUNK: Final = re.compile(r"\(?0[1-9]\d{0,4}\)?[ \u00a0/.–-]{1,3}\(?\d")
_AMERICAN: Final = re.compile(
    r"(?:1[ .-]?)?(?:\([2-9]\d\d\)\s?[2-9]\d\d[ .-]\d{4}|[2-9]\d\d-[2-9]\d\d-\d{4}|[2-9]\d\d\.[2-9]\d\d\.\d{4}|"
    r"[2-9]\d\d [2-9]\d\d \d{4}(?=\s?(?:x|ext)))"
)
_BRAZILIAN: Final = re.compile(r"\([1-9]\d\)\s?9?\s?\d{4}[ -]\d{4}")
_PLAIN: Final = re.compile(r"0[1-9]\d{8,9}")

_CALLED: Final = Signs(
    """
    |tel| |tel. telephon telefon teléfon téléph telepho telefo |phone mobile| |mobil |cell| |cellular |cell. |fax
    whatsapp whats-app |signal| telegram |sms| handy festnetz rufnummer durchwahl hotline |portable| |port. |móvil
    |movil |celular |celu| |cel| |fijo| komórk |kom. |mob| telemóvel telemovel landline voicemail viber facetime
    imessage |gsm| helpline switchboard sekretariat vaste_lijn infolini |tfno |tfn| |tlf |tlm |ph| |fon|
    """
)
_REACHED: Final = Signs(
    """
    |call| |calls| |called| |calling| |ring| |ringing| |text| |texted |reach |dial |contact |ruf anruf erreich
    |appel |joindre |joignable contacter |llam |marca |chiam |bel| |bellen| bereik zadzwo dzwoń dzwon |liga| |ligue|
    |ligar contac kontakt contatt my_number his_number her_number our_number their_number your_number new_number
    old_number meine_nummer deine_nummer seine_nummer ihre_nummer unsere_nummer neue_nummer die_nummer nummer_von
    mon_numéro son_numéro ton_numéro notre_numéro votre_numéro nouveau_numéro mon_06 mi_número su_número
    nuestro_número nuevo_número mio_numero suo_numero nostro_numero nuovo_numero mijn_nummer m'n_nummer zijn_nummer
    haar_nummer nieuwe_nummer mój_numer mojego_numer jego_numer jej_numer nowy_numer nasz_numer numer_do numer_to
    meu_número seu_número novo_número nosso_número número_dela número_dele number_is number_for nummer_ist nummer_is
    numéro_est numéro_de número_es numero_è número_é numéro_c'est 06_nummer numero: número: numéro:
    """
)
_IS_NUMBER: Final = re.compile(
    r"[^\w\n]{0,3}(?:is|ist|est|es|è|to|é|was|war)? ?(?:my|his|her|our|the|mein\w*|seine|ihre|unsere|mon|son|mi|su|"
    r"il mio|il suo|mijn|zijn|"
    r"haar|mój|jej|jego|o meu|meu|o seu)? ?(?:\w{1,12} )?(?:phone|mobile|cell|tel|handy|telefon|portable|móvil|"
    r"cellulare|mobiel|komórk|telemóvel|number|"
    r"nummer|numéro|número|numero|numer)",
    re.IGNORECASE,
)
_OTHERS: Final = Signs(
    """
    order invoice |ref| |ref. reference ticket |case account konto |id| |no| |no. |nr| |nr. |isbn |ean |article
    artikel |item| |part| serial seriennummer tracking sendung parcel shipment booking buchung reservation rechnung
    bestell auftrag kunden vertrag commande facture dossier |réf pedido factura expediente |ordine fattura pratica
    bestelling factuur zamówieni zamowieni faktur encomenda fatura processo customer client member policy contract
    meter zähler version model |sku| barcode |code| |zip| |plz| postcode |issue |pr| commit build error |port_
    |port: flight gate |vol| train zug| room zimmer seite |page € $ £ # |score siren siret |vat| iban |bic| |blz|
    sort_code
    """
)
_OTHERS_NUMBER: Final = re.compile(
    r"[^\W\d]{0,8}(?: (?:number|no\.?|nr\.?|nummer|numéro|número|numero|numer|id|is|ist|est|es|è|to|"
    r"é))?[\s:#.№º°=-]{0,4}",
    re.IGNORECASE,
)
_LONGER: Final = re.compile(r"(?<![^\W_])[^\W_]*\d[^\W_]*[ -]$")
"""A group with a digit right before: the number may be the end of a longer one."""
_UNIT: Final = re.compile(
    r"[ \u00a0]?(?:%|€|\$|£|°|zł|eur\b|usd\b|euro|dollar|pounds?\b|kg\b|km\b|m\b|cm\b|mm\b|g\b|ml\b|l\b|kb\b|mb\b|"
    r"gb\b|ms\b|people|users|"
    r"menschen|einwohner|personnes|habitants|personas|habitantes|persone|abitanti|mensen|inwoners|osób|mieszkańców|"
    r"pessoas)",
    re.IGNORECASE,
)
_BEFORE: Final = 45
_BEHIND: Final = 45


class _Words:
    """The words in one text that tell of a number whose it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.called, self.reached, self._others = Places(_CALLED, text), Places(_REACHED, text), Places(_OTHERS, text)

    def of_others(self, start: int) -> bool:
        """True where the number that begins at `start` is that of an order, an account or the like."""
        at = self._others.last(start - _BEFORE, start)
        return at is not None and _OTHERS_NUMBER.fullmatch(self.text, at, start) is not None


def _phones(text: str) -> Iterator[Span]:
    """Each number that is written as telephones' are: with a country's code, a trunk's 0 or an area in brackets; in any
    other form, where words beside it say what it is."""
    words = _Words(text)
    for run in _GROUPS.finditer(text):
        if run.end() - run.start() >= _SHORTEST and (end := _end(text, run, words)):
            extension = _EXTENSION.match(text, end)
            yield Span(run.start(), extension.end() if extension else end, "phone", FORMED)


def _end(text: str, run: re.Match[str], words: _Words) -> int:
    """Where the number ends that begins with the run, 0 where it is none."""
    if _DATE.match(text, run.start()):
        return 0
    if run["plus"]:
        return _international_end(text, run, words)
    end = _first_end(text, run, _AMERICAN, _BRAZILIAN)
    if end or words.of_others(run.start()):
        return end
    if not _LONGER.search(text, max(0, run.start() - _BEFORE), run.start()):
        end = _cut(text, run, 9, 12) if _TRUNK.match(text, run.start()) else 0
        end = end or _first_end(text, run, _PLAIN)
    return end or _told_end(text, run, words)


def _first_end(text: str, run: re.Match[str], *forms: re.Pattern[str]) -> int:
    """The end of what has one of these forms, 0 where there is none, or its digits go on."""
    for form in forms:
        match = form.match(text, run.start())
        if match and match.end() <= run.end() and not text[match.end() : match.end() + 1].isdigit():
            return match.end()
    return 0


def _international_end(text: str, run: re.Match[str], words: _Words) -> int:
    """The end of a number with the code of a country behind `+` or 00."""
    end = _cut(text, run, 8, 15)
    if not end or _UNIT.match(text, end) or (run["plus"] == "00" and words.of_others(run.start())):
        return 0
    digits = _digits(text[run.start() : end]).removeprefix("00" if run["plus"] == "00" else "")
    code = _COUNTRY_CODE.match(digits)
    return end if code and len(digits) - code.end() >= _SHORTEST_NATIONAL else 0


def _told_end(text: str, run: re.Match[str], words: _Words) -> int:
    """The end of a number that words tell."""
    strong = words.called.within(run.start() - _BEFORE, run.start())
    if not (
        strong
        or words.reached.within(run.start() - _BEFORE, run.start())
        or _IS_NUMBER.match(text, run.end(), run.end() + _BEHIND)
    ):
        return 0
    end = _cut(text, run, 6 if strong else 7, 13)
    return 0 if not end or _UNIT.match(text, end) else end


def _cut(text: str, run: re.Match[str], least: int, most: int) -> int:
    """The end of the most groups from the first that have no more than `most` digits together, 0 where these are fewer
    than `least`."""
    count, end = 0, 0
    for group in _GROUP.finditer(text, run.start(), run.end()):
        length = group.end() - group.start()
        if count + length > most or (end and _DATE.match(text, group.start())):
            break
        count, end = count + length, group.end()
    if count < least:
        return 0
    return end + 1 if text[end : end + 1] == ")" and "(" in text[run.start() : end] else end


def national_number(value: str) -> str:
    """The digits by which a telephone is known within its country (ITU-T E.164: the national significant number),
    however the number is written, so that it need not be known whose country a number without a code is of; behind `x`
    those of an extension."""
    extension = _EXTENSION_OF.search(value)
    number, inner = (value[: extension.start()], f"x{_digits(extension.group())}") if extension else (value, "")
    is_international = _PLUS.match(number) is not None
    digits = _digits(number.replace("(0)", ""))
    if is_international:
        digits = digits.removeprefix("00")
        code = _COUNTRY_CODE.match(digits)
        digits = digits[code.end() :] if code else digits
    elif len(digits) == _AMERICAN_DIGITS and digits.startswith("1"):
        digits = digits[1:]
    return f"{digits.lstrip('0')}{inner}"


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign in "0123456789")


PHONES: Final = (Finder(_phones, least=5, marks=DIGITS),)
