"""Secrets leave a text; everything else stays byte for byte; nothing a client sends makes it slow."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.finders import Finder
from ragpp.redaction import SECRETS, PatternRedactor, redact
from tests.support.each import each_case
from tests.support.timing import first_of, grows_linearly

GITHUB = "ghp_" + "a1B2c3D4e5" * 4
AWS = "AKIA" + "ABCDEFGH12345678"
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"
CARD = "4111 1111 1111 1111"
PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA75f2\nq8Zy\n-----END RSA PRIVATE KEY-----"

SECRET_TEXTS = [
    (f"use {GITHUB} for the build", GITHUB, "github_token"),
    (f"the key is {AWS}.", AWS, "aws_access_key"),
    ("xoxb-123456789012-abcdefABCDEF", "123456789012", "slack_token"),
    ("export OPENAI=sk-proj-" + "Ab3" * 12, "Ab3Ab3", "openai_key"),
    ("sk-ant-api03-" + "Zz9" * 12, "Zz9Zz9", "anthropic_key"),
    ("mem_sk-proj-" + "Ab3" * 12, "Ab3Ab3", "openai_key"),
    ("mem_1_sk-ant-api03-" + "Zz9" * 12, "Zz9Zz9", "anthropic_key"),
    (f"session_{JWT}", "dozjgNryP4J3", "jwt"),
    ("sk_live_" + "9aB" * 8, "9aB9aB", "stripe_key"),
    ("AIza" + "x1Y2z" * 7, "x1Y2zx1Y2z", "google_api_key"),
    (f"cookie={JWT}; path=/", "dozjgNryP4J3", "jwt"),
    ("curl -H 'Authorization: Bearer abc123def456ghi'", "abc123def456ghi", "bearer_token"),
    ("Authorization: Basic dXNlcjpodW50ZXIy", "dXNlcjpodW50ZXIy", "bearer_token"),
    ("postgresql://app:hunter2@db:5432/x", "hunter2", "connection_string"),
    ("redis://:p@ss!@cache:6379", "p@ss!", "connection_string"),
    (f"here: {PRIVATE_KEY} thanks", "MIIEowIBAAKCAQEA75f2", "private_key"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA75f2abc", "MIIEowIBAAKCAQEA75f2abc", "private_key"),
    ("password: xyz", "xyz", "password"),
    ("my password is hunter2, don't tell", "hunter2", "password"),
    ("The wifi password is sunflower.", "sunflower", "password"),
    ("the password for the router is Tr0ub4dor&3", "Tr0ub4dor&3", "password"),
    ('{"password": "correct horse battery"}', "correct horse battery", "password"),
    ('{\\"db_password\\": \\"a b c\\"}', "a b c", "password"),
    ("DB_PASSWORD='s3cr3t'", "s3cr3t", "password"),
    ('password="unclosed', "unclosed", "password"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "K7MDENG", "api_key"),
    ("X-Api-Key: 12ab34cd56", "12ab34cd56", "api_key"),
    (f"card {CARD} exp 12/29", "1111 1111", "card_number"),
    ("5555-5555-5555-4444", "5555-4444", "card_number"),
    ("378282246310005", "378282246310005", "card_number"),
    ("my PIN is 4821", "4821", "pin"),
    ("my key is rp_0123456789ab_" + "Zz9-_" * 8, "Zz9-_Zz9", "ragpp_key"),
]

HARMLESS = [
    "",
    "I forgot my password again, can you help?",
    "The password is not in the vault, and it was never secure.",
    "Your password is too short.",
    "My secret: butter. Lots of it.",
    "Order 1234567890123456 arrived on 2024-05-08 at 13:56:00.",
    "pi is 3.14159265358979323846 and the ratio 0.5123456789012346",
    "call +49 151 2345 6789 or write to noor@example.org",
    "https://example.org:8443/path/to/@user and git@example.org:team/repo.git",
    "the task-oriented-development-of-small-things is risk-averse",
    "task_sk-learn and mem_1234567890_abc123 of a_task-oriented-development-of-small-things-2",
    "Bearer of good news, basic responsibilities included.",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "token: butter, key: C major, api key: none",
    "password = request.form['password']; password: str = os.environ['PASSWORD']; if password == other: pass",
    "const apiKey = process.env.API_KEY; secret_key = make_key(32); <label>Password:</label> api_key: string",
    "[REDACTED:password] was here",
    "naïve café – “quoted” 日本語 🙂\r\n\tend",
]


def test_a_secret_is_replaced_by_its_kind() -> None:
    """Catches a form of a secret that stays in a text, or is told as another kind."""
    offenders = [
        f"{text!r}: {secret!r} as {kind} is expected to go, came {redacted}"
        for text, secret, kind in SECRET_TEXTS
        for redacted in (redact(text),)
        if secret in redacted.text
        or f"[REDACTED:{kind}]" not in redacted.text
        or redacted.count < 1
        or kind not in redacted.kinds
    ]
    assert not offenders, "\n".join(offenders)


@each_case("text", HARMLESS)
def test_a_text_without_secrets_is_byte_identical(text: str) -> None:
    redacted = redact(text)
    assert redacted.text == text
    assert (redacted.count, redacted.kinds) == (0, ())


def test_what_surrounds_a_secret_is_kept() -> None:
    assert redact(f"before {GITHUB}, after.").text == "before [REDACTED:github_token], after."
    assert redact("my password is hunter2.").text == "my password is [REDACTED:password]."
    assert redact("postgresql://app:pw@db/x").text == "postgresql://[REDACTED:connection_string]@db/x"


def test_each_secret_counts_once_and_kinds_are_named_once() -> None:
    redacted = redact(f"{GITHUB} {GITHUB} {CARD}")
    assert redacted.count == 3
    assert redacted.kinds == ("github_token", "card_number")


def test_a_secret_that_two_patterns_know_is_replaced_once() -> None:
    redacted = redact(f"password: {GITHUB}")
    assert redacted.text in {"password: [REDACTED:github_token]", "password: [REDACTED:password]"}
    assert redacted.count == 1


def test_two_keys_in_a_row_do_not_swallow_the_text_between_them() -> None:
    truncated = "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA75f2\n"
    redacted = redact(f"{truncated}between us {PRIVATE_KEY}")
    assert redacted.count == 2
    assert "between us" in redacted.text


FRAGMENTS = st.sampled_from(
    [
        GITHUB,
        AWS,
        JWT,
        CARD,
        PRIVATE_KEY,
        "password",
        "passwd",
        " is ",
        ": ",
        "=",
        '"',
        "'",
        "\\",
        "\n",
        " ",
        "-",
        "_",
        ".",
        "://",
        "@",
        "/",
        "user:pw",
        "Bearer ",
        "eyJ",
        "sk-",
        "a1b2c3d4e5f6g7h8i9j0",
        "4111",
        "1111",
        "not",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "[REDACTED:",
        "jwt",
        "]",
        "[",
        "hunter2",
        "api_key",
        "token",
        "pin is 1234",
        "hooks.slack.com/services/",
        "x",
        "é",
        "🙂",
        "  ",
        "5555555555554444",
        "secret",
        "pwd",
        "my",
        ",",
        "`",
    ]
)


@given(st.lists(FRAGMENTS, max_size=14).map("".join))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    twice = redact(once.text)
    assert twice.text == once.text
    assert twice.count == 0


@given(st.text(max_size=300))
def test_a_text_that_counts_nothing_is_the_same_text(text: str) -> None:
    redacted = redact(text)
    assert (redacted.count == 0) == (redacted.text == text)
    assert redacted.count >= len(redacted.kinds)


@given(st.text(alphabet="abc déf,.\n", max_size=200), st.text(alphabet="abc déf,.\n", max_size=200))
def test_a_token_is_found_wherever_it_stands(before: str, after: str) -> None:
    redacted = redact(f"{before} {GITHUB} {after}")
    assert redacted.text == f"{before} [REDACTED:github_token] {after}"


SEARCHED_FOR_EVERYTHING = PatternRedactor(tuple(Finder(finder.find) for finder in SECRETS.finders))
DISGUISES = str.maketrans({"s": "\u017f", "i": "\u0131", "I": "\u0130", "k": "\u212a", "n": "ñ"})
"""Letters that a search without regard to case takes for others."""


@given(
    st.lists(FRAGMENTS | FRAGMENTS.map(str.upper) | FRAGMENTS.map(lambda text: text.translate(DISGUISES))).map("".join)
)
def test_what_is_not_searched_has_no_secret(text: str) -> None:
    assert redact(text) == SEARCHED_FOR_EVERYTHING.redact(text)


def test_a_known_secret_is_searched_for_however_it_is_written() -> None:
    """Catches a short cut that leaves out a search which would have found something."""
    offenders = [
        f"{written!r}: {expected} is expected, came {came}"
        for text in (*(text for text, _, _ in SECRET_TEXTS), *HARMLESS)
        for written in (text, text.upper(), text.lower(), text.translate(DISGUISES))
        for expected, came in ((SEARCHED_FOR_EVERYTHING.redact(written), redact(written)),)
        if came != expected
    ]
    assert not offenders, "\n".join(offenders)


HOSTILE = [
    "-----BEGIN PRIVATE KEY-----",
    "1 ",
    "1 1x",
    "password is ",
    "password:",
    "password:.",
    "eyJ",
    "eyJa.",
    "://a:",
    "sk-",
    '"',
    "AKIA",
    "glpat-",
    "bearer aaaaaaaa",
    "a",
    "4-",
    " ",
    "password for a ",
    "-----BEGIN PRIVATE KEY-----\n \n",
    "ghp_" + "a" * 30,
    "[REDACTED:a]",
]


@pytest.mark.parametrize("unit", first_of(HOSTILE))
def test_the_work_grows_no_faster_than_the_text(unit: str) -> None:
    assert grows_linearly(lambda length: SECRETS.redact((unit * (length // len(unit) + 1))[:length]), 100_000)


@each_case(
    "text",
    [
        "My password for [EMAIL_gqfcftm4] is hunter22x",
        "the p\u200bin is 4711",
        "pass\u00adword: hunter22",
        "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44: hunter22",
    ],
)
def test_neither_a_mask_nor_signs_that_do_not_show_hide_a_secret(text: str) -> None:
    redacted = redact(text)
    assert redacted.count == 1
    assert not redacted.text.endswith(("hunter22", "hunter22x", "4711"))
    assert redact(redacted.text).count == 0


@each_case(
    "text",
    ["foo\u200bsk-ant-api03-abcdefghij1234567890", "1\u200b4111 1111 1111 1111", "Hi\u200eMy\u200bPIN is 4711"],
)
def test_a_secret_is_found_behind_a_sign_that_does_not_show(text: str) -> None:
    assert redact(text).count == 1


@each_case(
    "text",
    ["key=[REDACTED:api_key]@host.example.org", "postgres://u:[REDACTED:password]@db.example/x", "[REDACTED:pin]s"],
)
def test_nothing_beside_a_placeholder_is_taken_for_a_part_of_it(text: str) -> None:
    assert redact(text).text == text


def test_placeholders_have_the_documented_form() -> None:
    redacted = redact(" ".join(text for text, _, _ in SECRET_TEXTS))
    assert all(re.fullmatch(r"[a-z_]+", kind) for kind in redacted.kinds)
