"""A policy decides what becomes of personal data; where it is kept nothing is loaded and nothing is different."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.errors import InvalidInput, PersonalDataRefused
from ragpp.errors.problems import error_of, problem_of
from ragpp.personal.kinds import KINDS, PersonalKind
from ragpp.personal.policy import KEEP, PersonalMode, PersonalPolicy
from ragpp.personal.redactor import redactor_of
from ragpp.redacting import Redaction
from ragpp.redaction import SECRETS, SECRETS_BUT_PASSWORDS
from tests.support.each import each_case

KEY = b"a key of thirty-two bytes, or so"
TEXT = "I'm Ana (ana@example.org, +351 912 345 678), password: hunter2"


def test_what_keeps_personal_data_is_the_redactor_of_secrets_itself() -> None:
    assert redactor_of(KEEP, b"") is SECRETS
    assert redactor_of(PersonalPolicy("keep", frozenset({"email"})), KEY) is SECRETS
    assert redactor_of(PersonalPolicy(keeps_passwords=True), b"") is SECRETS_BUT_PASSWORDS


def test_masks_take_the_place_of_values_and_the_writer_is_told_their_kinds() -> None:
    redacted = redactor_of(PersonalPolicy("mask"), KEY).redact(TEXT)
    assert redacted.kinds == ("email", "phone", "password")
    assert redacted.count == 3
    assert redacted.text.startswith("I'm Ana ([EMAIL_")
    assert redacted.text.endswith(", password: [REDACTED:password]")


def test_a_policy_for_some_kinds_keeps_the_others() -> None:
    redacted = redactor_of(PersonalPolicy("mask", frozenset({"phone"})), KEY).redact(TEXT)
    assert redacted.kinds == ("phone", "password")
    assert "ana@example.org" in redacted.text


def test_a_household_masks_personal_data_and_keeps_its_passwords() -> None:
    redacted = redactor_of(PersonalPolicy("mask", keeps_passwords=True), KEY).redact(TEXT)
    assert redacted.kinds == ("email", "phone")
    assert "hunter2" in redacted.text


def test_a_refusal_names_kinds_and_field_and_never_the_value() -> None:
    with pytest.raises(PersonalDataRefused) as refused:
        redactor_of(PersonalPolicy("refuse"), b"").redact(TEXT)
    error = refused.value.in_field("messages.0.content")
    assert error.kinds == ("email", "phone")
    problem = problem_of(error)
    assert (problem.code, problem.status) == ("MEM-056", 422)
    assert [one.field for one in problem.errors] == ["messages.0.content"]
    told = f"{refused.value.message} {problem.model_dump_json()}"
    assert [value for value in ("ana@", "912", "hunter2") if value in told] == []
    again = error_of(problem)
    assert isinstance(again, PersonalDataRefused)
    assert again.kinds == error.kinds


def test_what_has_no_personal_data_is_taken_by_who_refuses_it_without_its_secrets() -> None:
    redacted = redactor_of(PersonalPolicy("refuse"), b"").redact("password: hunter2")
    assert redacted.text == "password: [REDACTED:password]"


@each_case(
    "text",
    [
        "The code for the shed is 91 73.",
        "Unlock it with k4tze-Minka",
        "Die PIN der Karte: 7391",
        "Le digicode de l'immeuble, c'est 58B21",
        "El código del portal es el 4471",
        "De kluis gaat open met code 667201",
        "Hasło do wifi to rower77",
    ],
)
def test_who_masks_or_refuses_has_passwords_and_codes_taken_out_of_sentences(text: str) -> None:
    for mode in ("mask", "refuse"):
        redacted = redactor_of(PersonalPolicy(mode), KEY).redact(text).text
        assert redacted.endswith(("[REDACTED:secret]", "[REDACTED:secret]."))
        assert redactor_of(PersonalPolicy(mode), KEY).redact(redacted).text == redacted
    assert redactor_of(PersonalPolicy("mask", keeps_passwords=True), KEY).redact(text).text == text


@each_case(
    "text",
    [
        "The pin fell out of the hinge in 1987.",
        "We changed the code at 14:30 and went home.",
        "My keyboard has 104 keys.",
        "The zip code of the office is 10115, le code postal 75002.",
        "The build ended with exit code 137, der Fehlercode war E24.",
        "The combination of basil and tomato costs 12 €.",
    ],
)
def test_what_such_sentences_say_besides_stays(text: str) -> None:
    assert redactor_of(PersonalPolicy("mask"), KEY).redact(text).text == text


def test_who_masks_some_kinds_alone_has_no_code_taken_out_of_sentences() -> None:
    text = "The code for the shed is 91 73, mine k4tze-Minka."
    assert redactor_of(PersonalPolicy("mask", frozenset({"email"})), KEY).redact(text).text == text


@each_case(
    ("veiled", "plain"),
    [
        ("a\u200bna@exam\u200bple.org", "ana@example.org"),
        ("ana\uff20example.org", "ana@example.org"),
        ("tel +44 20 79\u00ad46 0958", "tel +44 20 7946 0958"),
        ("tel +\u0664\u0664 20 7946 0958", "tel +44 20 7946 0958"),
    ],
)
def test_what_is_hidden_from_a_search_has_the_mask_of_what_it_shows(veiled: str, plain: str) -> None:
    redactor = redactor_of(PersonalPolicy("mask"), KEY)
    assert redactor.redact(veiled).text == redactor.redact(plain).text != plain


def test_a_value_that_its_key_gives_away_is_masked_too() -> None:
    redaction = Redaction(redactor_of(PersonalPolicy("mask"), KEY))
    kept, count = redaction.json(
        {
            "phone": "5550143",
            "date_of_birth": "1990-05-01",
            "user_name": "heronwatch",
            "tax_id": 39710814510,
            "order": 5550143,
        }
    )
    assert count == 4
    assert kept["order"] == 5550143
    assert [key for key, value in kept.items() if key != "order" and not str(value).startswith("[")] == []


@each_case(("mode", "kinds"), [("hide", KINDS), ("mask", frozenset()), ("mask", frozenset({"name"}))])
def test_a_policy_that_means_nothing_is_refused(mode: PersonalMode, kinds: frozenset[PersonalKind]) -> None:
    with pytest.raises(InvalidInput):
        PersonalPolicy(mode, kinds)


def test_who_keeps_personal_data_loads_none_of_what_finds_it() -> None:
    program = (
        "import sys; from ragpp.personal.policy import KEEP; from ragpp.personal.redactor import redactor_of\n"
        "redactor_of(KEEP, b'').redact('ana@example.org, ssn 242-84-1934')\n"
        "print([name for name in sys.modules if name.startswith('stdnum') or name == 'ragpp.personal.finding'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@given(st.text(max_size=300))
def test_to_keep_is_to_redact_secrets_alone(text: str) -> None:
    assert redactor_of(KEEP, b"").redact(text) == SECRETS.redact(text)


def test_a_policy_is_a_value_to_keep_redactors_by() -> None:
    assert {PersonalPolicy("mask"): 1}[PersonalPolicy("mask", KINDS)] == 1
