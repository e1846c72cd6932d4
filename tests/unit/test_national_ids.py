"""A number of a person is found by check digits with its form or a word; with a wrong digit, or alone, it is none."""

import pytest

from ragpp.finders import found
from ragpp.personal.finding import FINDERS
from tests.support.each import each_case
from tests.support.timing import first_of, grows_linearly

NUMBERS = {
    # made up by the rules of each country; no person has them, or nobody knows whose they are
    "Germany, tax": ("Steuer-ID 39710814510", "Steuer-ID 39710814511"),
    "Germany, tax, in groups": ("39 710 814 510", "39 710 814 511"),
    "Germany, pension": ("65 260478 M 187", "65 260478 M 188"),
    "France": ("2 88 02 25 680 658 77", "2 88 02 25 680 658 78"),
    "Spain": ("43150556A", "43150556B"),
    "Spain, foreigners": ("Y4095225C", "Y4095225D"),
    "Italy": ("PRMZRL65C21L760O", "PRMZRL65C21L760P"),
    "Italy, small": ("codice fiscale prmzrl65c21l760o", "codice fiscale prmzrl65c21l760p"),
    "Netherlands": ("BSN 146008637", "BSN 146000637"),
    "Poland": ("PESEL 86112351157", "PESEL 86112351158"),
    "Sweden": ("680217-6096", "680217-6097"),
    "Brazil": ("491.050.050-27", "491.050.050-28"),
    "India": ("5824 0255 2355", "5824 0255 2356"),
    "Switzerland": ("756.8470.5409.50", "756.8470.5409.51"),
    "Belgium": ("65.11.20-127.36", "65.11.20-127.37"),
    "Portugal": ("NIF 270404074", "NIF 270400074"),
    "Portugal, card": ("02426761 6 DI1", "02426761 6 DI2"),
    "Finland": ("210672-338V", "210672-338W"),
    "Turkey": ("TC kimlik no 58031814370", "TC kimlik no 58031814373"),
    "Britain, health": ("NHS number 944 921 9478", "NHS number 944 921 9479"),
    "Austria": ("SV-Nr. 4739 160457", "SV-Nr. 4738 160457"),
    "Denmark": ("CPR 030992-1358", "CPR 033992-1358"),
    "Norway": ("171158 68586", "171158 68587"),
    "Czechia": ("830617/9189", "830617/9188"),
    "Romania": ("CNP 2670324276371", "CNP 2670324276372"),
    "Croatia": ("OIB 49864282389", "OIB 49864282388"),
    "Bulgaria": ("EGN 7901203728", "EGN 7901203729"),
    "Estonia": ("isikukood 36010109739", "isikukood 36010109738"),
    "Lithuania": ("asmens kodas 48812058788", "asmens kodas 48812058789"),
    "Greece": ("AMKA 14079885191", "AMKA 14139885191"),
    "Ireland": ("1915326LB", "1915326MB"),
    "Israel": ("identity number 802072819", "identity number 802072818"),
    "South Africa": ("identity number 7705021069098", "identity number 7705021069091"),
    "Korea": ("830921-2554072", "830921-2554073"),
    "China": ("110101199907197496", "110101199907197495"),
    "Chile": ("69.216.472-5", "69.216.472-6"),
    "Canada": ("SIN 326 194 776", "SIN 326 194 777"),
    "Australia": ("TFN 197 028 279", "TFN 197 028 278"),
    "Malaysia": ("780216-10-3021", "781316-10-3021"),
    "Thailand": ("5-6613-77222-11-5", "5-6613-77222-11-6"),
    "Mexico": ("BADD690322HDFCRL55", "BADD690322HDFCRL56"),
    "Japan": ("My Number 607116132496", "My Number 607116132490"),
    "Iceland": ("kennitala 090850-6959", "kennitala 090850-6958"),
}
WITHOUT_CHECK = {
    "United States": ("242-84-1934", "000-84-1934"),
    "Britain, insurance": ("AB123457C", "QQ123457C"),
    "Britain, insurance, in groups": ("CE 48 29 11 B", "CE 48 29 11 E"),
    "India, tax": ("PAN BKPPS4821M", "PAN BKPXS4821M"),
}


def _ids(text: str) -> list[str]:
    return [text[span.start : span.end] for span in found(FINDERS["national_id"], text)]


@each_case(("right", "wrong"), NUMBERS | WITHOUT_CHECK)
def test_a_number_is_found_with_right_check_digits_and_not_with_wrong_ones(right: str, wrong: str) -> None:
    assert len(_ids(f"for the form: {right}, thanks")) == 1
    assert _ids(f"for the form: {wrong}, thanks") == []


@each_case(
    ("right", "wrong"), {name: NUMBERS[name] for name in ("Poland", "Netherlands", "Portugal", "Turkey", "Croatia")}
)
def test_a_bare_number_is_none_however_right_its_digits_are(right: str, wrong: str) -> None:
    del wrong
    number = right.rpartition(" ")[2]
    assert _ids(f"we counted {number} of them") == []
    assert _ids(f"order {number} was shipped") == []


@each_case(
    "text",
    [
        "Tel. 0151 23904471, Fax 030/9018 4433",
        "released 1.2.3.4 on 2024-05-08 at 13:56:00",
        "sha256 e3b0c44298fc1c149afbf4c8996fb924",
        "550e8400-e29b-41d4-a716-446655440000",
        "ISBN 978-3-518-46920-1, EAN 4006381333931, order 48817263",
        "1 000 000 of 12 450 000, or 100-200-300",
    ],
)
def test_other_numbers_are_none(text: str) -> None:
    assert _ids(text) == []


HOSTILE = [
    "1",
    "12 ",
    "123 ",
    "12345678901 ",
    "123-45-6789 ",
    "pesel 44051401358 ",
    "AB 12 34 56 E ",
    "ssn ",
    "9.9-9/9 ",
    "A1",
]


@pytest.mark.parametrize("unit", first_of(HOSTILE))
def test_the_work_grows_no_faster_than_the_text(unit: str) -> None:
    assert grows_linearly(lambda length: _ids((unit * (length // len(unit) + 1))[:length]), 40_000)
