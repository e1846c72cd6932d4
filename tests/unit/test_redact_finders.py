"""One given text is found however it is written, and a pattern in linear time, whatever it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.errors import InvalidInput
from ragpp_services.gateway.redacting.finders import pattern_redactor, text_redactor

MARK = "[REDACTED:text]"
LETTERS = st.text(st.characters(min_codepoint=32, max_codepoint=0x24F), max_size=40)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("the BLUE\n  heron.", f"the {MARK}."),
        ("blue heron, blue heron", f"{MARK}, {MARK}"),
        ("xblue herons", MARK),
        ("a blue her on", "a blue her on"),
    ],
)
def test_a_text_is_found_in_whatever_case_and_white_space_with_its_word(text: str, left: str) -> None:
    assert text_redactor("Blue  heron", "text").redact(text).text == left


def test_composed_and_decomposed_letters_are_the_same() -> None:
    assert text_redactor("Straße é", "text").redact("STRASSE e\u0301!").text == f"{MARK}!"


@given(LETTERS, LETTERS)
def test_what_was_redacted_has_it_no_more_and_stays_so(before: str, behind: str) -> None:
    redactor = text_redactor("blue heron", "text")
    once = redactor.redact(f"{before}Blue Heron{behind}")
    assert once.count >= 1
    assert "blue heron" not in once.text.casefold()
    assert redactor.redact(once.text) == (redactor.redact(once.text).__class__(once.text, 0, ()))


@given(LETTERS)
def test_a_pattern_finds_the_same_place_whatever_letters_stand_before(before: str) -> None:
    redacted = pattern_redactor(r"CASE-\d+", "case").redact(f"{before} CASE-12 ")
    assert redacted.text.endswith(" [REDACTED:case] ")


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?=a)a", "a*", "(", "((a{1000}){1000}){1000}", r"\[REDACTED:pattern\]"])
def test_a_pattern_that_cannot_be_bounded_or_is_everywhere_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        pattern_redactor(pattern, "pattern")
    assert pattern not in str(refused.value)


@pytest.mark.timeout(60)
def test_a_hostile_pattern_ends() -> None:
    """By backtracking it would not."""
    hostile = "a" * 200_000 + "b"
    assert pattern_redactor("(a+)+$", "x").redact(hostile).text == hostile
