"""Masking twice changes nothing more, and nothing of a value is left, whatever stands beside it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.eval_redaction import DATA, read
from ragpp.personal.kinds import KINDS, MASK
from ragpp.personal.policy import PersonalPolicy
from ragpp.personal.redactor import redactor_of

REDACT = redactor_of(PersonalPolicy("mask"), b"a key of thirty-two bytes, or so").redact
LINES = read(DATA / "sighted.jsonl")
TEXTS = [line.text for line in LINES]
VALUES = [span.text for line in LINES for span in line.spans]
SIGNS = [
    *" -_.@/+()#*,;:=\"'\n«»",
    "my ",
    "pin ",
    "code ",
    "is ",
    "born ",
    "street ",
    "tel ",
    "é",
    "ß",
    "İ",
    "ſ",
    "[EMAIL_abcd2345]",
]
PIECES = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from(VALUES),
    st.sampled_from(SIGNS),
    st.tuples(st.sampled_from(TEXTS), st.integers(0, 80), st.integers(0, 80)).map(lambda cut: cut[0][cut[1] : cut[2]]),
)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_masking_twice_changes_nothing_more(text: str) -> None:
    once = REDACT(text)
    twice = REDACT(once.text)
    assert (twice.text, twice.count) == (once.text, 0)


@given(st.text(max_size=200))
def test_a_text_that_counts_nothing_is_the_same_text(text: str) -> None:
    redacted = REDACT(text)
    assert (redacted.count == 0) == (redacted.text == text)
    assert redacted.count >= len(redacted.kinds)


MAIL = st.from_regex(r"[a-z]{3,12}\.[a-z]{3,12}@[a-z]{3,12}\.(org|de|com)", fullmatch=True)
AROUND = st.text(alphabet="abc déf,.\n", max_size=80)


@given(MAIL, AROUND, AROUND)
def test_nothing_of_a_value_is_left_wherever_it_stands(value: str, before: str, after: str) -> None:
    redacted = REDACT(f"{before} {value} {after}")
    assert re.fullmatch(rf"{re.escape(before)} {MASK} {re.escape(after)}", redacted.text)


def test_of_what_is_labelled_nothing_is_left_that_is_found() -> None:
    """Catches a mask that leaves a part of its value in the text."""
    left = []
    for line in LINES:
        redacted = REDACT(line.text)
        whole = {span.text for span in line.spans if span.kind in KINDS and span.text not in redacted.text}
        left += [value for value in whole for word in value.split() if len(word) > 6 and word in redacted.text]
    assert left == []
