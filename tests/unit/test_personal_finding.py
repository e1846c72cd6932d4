"""Each kind of personal data is found in its forms, whole, and not in what only looks like it."""

import pytest

from ragpp.finders import found, merged
from ragpp.personal.finding import FINDERS
from ragpp.personal.kinds import KINDS, PersonalKind
from tests.support.each import each_case
from tests.support.timing import first_of, grows_linearly

ALL = tuple(finder for kind in sorted(KINDS) for finder in FINDERS[kind])
FOUND: list[tuple[PersonalKind, str, str]] = [
    ("email", "write to T.Okonjo+invoices@brightwell-optics.co.uk.", "T.Okonjo+invoices@brightwell-optics.co.uk"),
    ("email", "sol.weaver [at] tidepool [dot] net, he hates spam", "sol.weaver [at] tidepool [dot] net"),
    ("phone", "call (415) 555-0148 now", "(415) 555-0148"),
    ("phone", "Tel. 030/9018 4432, mobil", "030/9018 4432"),
    ("phone", "mobil +49 (0)172 5560913 oder", "+49 (0)172 5560913"),
    ("phone", "Mi móvil es el 612 334 087.", "612 334 087"),
    ("phone", "fax 212-555-0176 ext. 22, please", "212-555-0176 ext. 22"),
    ("iban", "Rent goes to GB95 NWBK 8354 9718 0828 39, flat 3", "GB95 NWBK 8354 9718 0828 39"),
    ("iban", "Transferência para PT15 4970 4992 7635 0420 3479 0", "PT15 4970 4992 7635 0420 3479 0"),
    ("passport", "Reisepass-Nr. C4VK82T9L, gültig bis 2030", "C4VK82T9L"),
    ("passport", "Her passport is PA8391042", "PA8391042"),
    ("date_of_birth", "I was born on 14 March 1987 in Leeds.", "14 March 1987"),
    ("date_of_birth", "Ich bin am 23.08.1974 geboren, also", "23.08.1974"),
    ("date_of_birth", "my birthday is September 9th, 1968", "September 9th, 1968"),
    ("postal_address", "at 48 Larchwood Crescent, Harrogate HG2 8PL", "48 Larchwood Crescent, Harrogate HG2 8PL"),
    ("postal_address", "in der Lindenstraße 14a, 48143 Münster.", "Lindenstraße 14a, 48143 Münster"),
    ("postal_address", "J'habite au 17 bis rue des Tanneurs, 37000 Tours", "17 bis rue des Tanneurs, 37000 Tours"),
    ("postal_address", "he lives at 9 copper street, the red door", "9 copper street"),
    ("ip_address", "from 203.0.113.87 at 4", "203.0.113.87"),
    ("ip_address", "blocked 2001:db8:4a1::7f2:19 after", "2001:db8:4a1::7f2:19"),
    ("coordinates", "parked at 53.9921, -1.5418, by the van", "53.9921, -1.5418"),
    ("coordinates", "Geocache: N 51° 28.674' W 000° 17.042'", "N 51° 28.674' W 000° 17.042'"),
    ("account_name", "my username is birchbark_92 and", "birchbark_92"),
    ("account_name", "follow me on Instagram, @slowriver.ceramics", "@slowriver.ceramics"),
    ("account_name", "profile: https://github.com/adeyemi-r", "adeyemi-r"),
]
NOT_FOUND = [
    "@dataclass(frozen=True), @media (max-width: 600px), lunch @ noon",
    "version 10.0.19045.5131, see 1.2.3.4 and section 4.1.2.3",
    "127.0.0.1 and 0.0.0.0 and ::1, mask 255.255.255.0",
    "std::vector, a::b::c, 12:30:45, 00:14:22, 16:9",
    "F1 rose from 0.8123 to 0.8410; loss (0.1234, -0.5678); 12.5, 40.25",
    "order 48817263, invoice 2026-0419, ISBN 978-0-14-044926-6, 1 299,00 kr",
    "the treaty of 11 November 1918, best before 08/2027, open 9:00-17:30",
    "a 20 minute drive, 5 people close to it, Platz 3, im Park 2 Runden, via 12 voti",
    "username must be short, login: function() { return true; }, the handle is loose",
    "my passport expires next year, passport photos cost 7.50",
    "tracking 1Z 999 AA1 01 2345 6784, EAN 5901234123457",
    "commit 9f3c2b7a1d8e4f60, uuid 5b0f3a52-7c1e-4d7b-9a53-0c6a2f1e8d44",
]


@each_case(("kind", "text", "value"), FOUND)
def test_a_value_is_found_whole_and_nothing_beside_it(kind: PersonalKind, text: str, value: str) -> None:
    spans = merged(text, found(ALL, text))
    assert [(span.kind, text[span.start : span.end]) for span in spans] == [(kind, value)]


@each_case("text", NOT_FOUND)
def test_what_only_looks_like_it_is_none(text: str) -> None:
    assert [text[span.start : span.end] for span in found(ALL, text)] == []


def test_every_kind_has_finders() -> None:
    assert {kind for kind in KINDS if FINDERS[kind]} == set(KINDS)


HOSTILE = [
    *("1", "12 ", "1234567 ", "+1", "(0", "0 1", "+49 151 23456789 ", "1.1.1.1", "1.", "::", "a:", "1:1:"),
    *("12.34567, 12.34567 ", "52.5 ", "N 5° ", "5°5'5\"", "a@", "a.", "@a", "a at a dot ", "DE89 ", "DE12"),
    *("born 1.1.1990 ", "1.1.1990 ", "geb. 1 ", "my username is ", "user: a_1 ", "@a_b ", "instagram: ", "instagram @"),
    *("12 Oak Street ", "Oak ", "street 1 ", "Hauptstraße 5, ", "1 rue de la ", "via de la de la ", "Am Am 1 ", "İ1 "),
    *("passport ", "passport 123456789 ", "P<", "\n1", "été ", "1-1-", "#1", "ss 1 rd 1 "),
]


@pytest.mark.parametrize("unit", first_of(HOSTILE))
def test_the_work_grows_no_faster_than_the_text(unit: str) -> None:
    assert grows_linearly(lambda length: found(ALL, (unit * (length // len(unit) + 1))[:length]), 40_000)
