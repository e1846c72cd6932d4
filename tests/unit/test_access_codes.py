"""Codes that open something are taken out where they are said to be codes, of doors as PINs; other numbers stay."""

from ragpp.redaction import SECRETS, SECRETS_BUT_PASSWORDS
from tests.support.each import each_case

CODES = [
    ("the PIN is 4711", "the PIN is [REDACTED:pin]"),
    ("gate code: 4711, please close it", "gate code: [REDACTED:pin], please close it"),
    ("Front door code is 902143", "Front door code is [REDACTED:pin]"),
    ("alarm pin = 0815", "alarm pin = [REDACTED:pin]"),
    ("cvv: 123", "cvv: [REDACTED:card_code]"),
]
NUMBERS = [
    "HTTP code 404 on /access",
    "the door code changed in 2023",
    "The dishwasher shows error code 150, door open",
    "RAL code 7016 for the front door",
    "my confirmation code for the booking is 77812",
    "Flight LH123, gate: 112",
    "safe: 100",
    "use pin 115 for SPI",
    "Windows11 is asking for my password",
    "Password manager: 1Password",
]


@each_case(("text", "told"), CODES)
def test_a_code_that_is_said_to_be_one_is_taken_out(text: str, told: str) -> None:
    assert SECRETS.redact(text).text == told


@each_case("text", NUMBERS)
def test_a_number_that_is_no_code_stays(text: str) -> None:
    """A value that is taken out can never be had again: a wider net lost what people wanted remembered."""
    assert SECRETS.redact(text).text == text


def test_a_household_keeps_its_codes_and_no_card_code() -> None:
    kept = SECRETS_BUT_PASSWORDS.redact("the gate code is 4711, my password is tulip99, cvv: 123").text
    assert kept == "the gate code is 4711, my password is tulip99, cvv: [REDACTED:card_code]"
