"""Metadata leaves its secrets behind, also those that only a key above gives away, and what is looked at is bounded."""

from ragpp.redacting import Redaction, each_text
from ragpp.redaction import SECRETS, Redacted


class Counting:
    """The patterns, and how often they were asked."""

    def __init__(self) -> None:
        self.asked = 0

    def redact(self, text: str) -> Redacted:
        self.asked += 1
        return SECRETS.redact(text)


def test_a_secret_in_metadata_is_found_by_its_form_by_its_key_and_by_a_key_further_up() -> None:
    kept, count = Redaction(SECRETS).json(
        {
            "password": {"of": ["hunter2", 4821]},
            "pin": 4821,
            "note": "use AKIAABCDEFGH12345678 there",
            "AKIAABCDEFGH12345678": None,
            "plain": [1, "two", True, {"three": 3.5}],
        }
    )
    assert kept == {
        "password": {"of": ["[REDACTED:password]", "[REDACTED:password]"]},
        "pin": "[REDACTED:pin]",
        "note": "use [REDACTED:aws_access_key] there",
        "[REDACTED:aws_access_key]": None,
        "plain": [1, "two", True, {"three": 3.5}],
    }
    assert count == 5


def test_a_secret_that_its_key_gives_away_is_found_beside_another() -> None:
    kept, count = Redaction(SECRETS).json({"password": "hunter2, key AKIAABCDEFGH12345678"})
    assert kept == {"password": "[REDACTED:password], key [REDACTED:aws_access_key]"}
    assert count == 2


def test_keys_that_are_masked_alike_keep_their_values() -> None:
    kept, _ = Redaction(SECRETS).json({"AKIAABCDEFGH12345678": 1, "AKIAABCDEFGH87654321": 2})
    assert kept == {"[REDACTED:aws_access_key]": 1, "[REDACTED:aws_access_key] (2)": 2}
    alike = each_text({"A": [1, {"a": "b"}], "a": True}, str.lower, numbers=True)
    assert alike == {"a": [1, {"a": "b"}], "a (2)": True}


def test_a_value_is_looked_at_once_and_once_more_for_every_key_above_it() -> None:
    redactor = Counting()
    deep: dict[str, object] = {"k9": ["a", "b", "c"]}
    for number in range(9):
        deep = {f"k{number}": deep}
    Redaction(redactor).json(deep)  # type: ignore[arg-type]  # JSON
    assert redactor.asked == 10 + 3 * (1 + 10)
