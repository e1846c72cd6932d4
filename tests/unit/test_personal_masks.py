"""A mask tells that two texts hold the same value and nothing of the value; no table is kept of them."""

import re
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.personal.kinds import CODE_CHARS, KINDS, MASK, PersonalKind
from ragpp.personal.masking import SHORTEST_KEY, masked
from ragpp.personal.policy import PersonalPolicy
from ragpp.personal.redactor import redactor_of
from ragpp.redaction import SECRETS, is_redacted
from ragpp.text.lexical import query_terms, stored_terms
from tests.support.each import each_case

KEY = b"a key of thirty-two bytes, or so"
NOTATIONS = [
    ("email", ("Ana.Sousa@Example.org", "ana.sousa@example.org", "ana.sousa (at) example (dot) org")),
    ("phone", ("+49 151 23456789", "0049 151 23456789", "0151/23456789", "+49 (0)151 2345-6789")),
    ("phone", ("+1 415 555 2671", "1-415-555-2671", "(415) 555-2671", "415.555.2671")),
    ("phone", ("+39 06 5550 1347", "06 55501347")),
    ("iban", ("DE27 5001 0517 1997 0893 50", "de27500105171997089350")),
    ("national_id", ("242-84-1934", "242 84 1934", "242841934")),
    ("ip_address", ("203.0.113.87", "203.0.113.87:8080", "203.0.113.87/24")),
    ("ip_address", ("2001:db8::1", "2001:0DB8:0:0:0:0:0:1", "2001:db8::1%eth0")),
    ("account_name", ("@Lena.K", "lena.k")),
    ("postal_address", ("12 Oak Street, Springfield", "12 oak street springfield")),
]


@each_case(("kind", "notations"), NOTATIONS)
def test_one_value_has_one_mask_in_whatever_notation(kind: PersonalKind, notations: tuple[str, ...]) -> None:
    assert len({masked(kind, notation, KEY) for notation in notations}) == 1


def test_another_value_another_kind_and_another_key_have_another_mask() -> None:
    masks = {
        masked("email", "a@example.org", KEY),
        masked("email", "b@example.org", KEY),
        masked("account_name", "a@example.org", KEY),
        masked("email", "a@example.org", KEY[::-1]),
        masked("phone", "+49 151 23456789", KEY),
        masked("phone", "+49 151 23456789 ext. 5", KEY),
    }
    assert len({mask.partition("_")[2] for mask in masks}) == 6


@given(st.sampled_from(sorted(KINDS)), st.text(max_size=60))
def test_every_value_has_a_mask_of_the_form_that_divides_texts(kind: str, value: str) -> None:
    mask = masked(cast("PersonalKind", kind), value, KEY)
    assert re.fullmatch(MASK, mask)
    assert is_redacted(f"here: {mask}")
    assert SECRETS.redact(f"password: {mask}").count == 0


def test_two_of_a_users_thousand_values_hardly_ever_share_a_code() -> None:
    values = 1_000
    assert values * (values - 1) / (2 * 32**CODE_CHARS) < 1e-6
    assert values * (values - 1) / (2 * 32 ** (CODE_CHARS - 1)) > 1e-6, "a sign less would do"


def test_a_key_that_could_be_guessed_is_refused() -> None:
    with pytest.raises(ValueError, match="needs 16"):
        masked("email", "a@example.org", KEY[: SHORTEST_KEY - 1])


def test_a_question_for_a_mask_finds_the_text_that_has_it_and_no_other() -> None:
    redact = redactor_of(PersonalPolicy("mask"), KEY).redact
    stored = redact("Her new address is ana@example.org, she says.").text
    other = redact("Her new address is eva@example.org, she says.").text
    asked = set(query_terms(masked("email", "ANA@example.org", KEY)))
    assert asked <= set(stored_terms(stored))
    assert not asked <= set(stored_terms(other))
