"""The summary of an error: enough to find it, and no word of a message."""

import re
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from ragpp.embedding.port import require_unicode
from ragpp.errors import (
    Conflict,
    EmbeddingError,
    InvalidInput,
    MalformedReply,
    MemorySystemError,
    TierUnavailable,
)
from ragpp.errors.summaries import MOST_CAUSES, safe_summary

WORDS: Final = st.text(st.characters(codec="utf-8", categories=("Ll", "Lu")), min_size=4).map(
    lambda word: f"§{word}§"  # in nothing of ours
)
SILENT: Final = [kind for kind in MemorySystemError.by_code.values() if not kind.speaks_plainly]


class Strict(BaseModel):
    """A value that takes little."""

    model_config = ConfigDict(extra="forbid")

    number: int


def raised(make: Callable[[], BaseException], cause: BaseException | None = None) -> BaseException:
    """An error as it is caught."""
    with pytest.raises(type(make())) as caught:
        raise make() from cause
    return caught.value


def refused(refuse: Callable[[], object]) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        refuse()
    return caught.value


@given(word=WORDS)
def test_no_foreign_error_says_what_it_was_about(word: str) -> None:
    for foreign in (
        KeyError(word),
        ValueError(f"{word} is odd"),
        RuntimeError([word, {word: word}]),
        OSError(2, word, word),
        UnicodeEncodeError("ascii", word, 0, 1, word),
        ExceptionGroup(word, [ValueError(word)]),
    ):
        assert word not in safe_summary(raised(lambda foreign=foreign: foreign))  # type: ignore[misc]


@given(word=WORDS)
def test_no_cause_says_it_either(word: str) -> None:
    inner = raised(lambda: KeyError(word), raised(lambda: ValueError(word)))
    said = safe_summary(raised(lambda: TierUnavailable("read: it did not answer"), inner))
    assert word not in said
    assert said == "MEM-010 A memory tier is unavailable: read: it did not answer, from KeyError, from ValueError"


@given(word=WORDS, kind=st.sampled_from(SILENT))
def test_an_error_of_ours_that_may_quote_is_not_quoted(word: str, kind: type[MemorySystemError]) -> None:
    said = safe_summary(raised(lambda: kind.worded(word, suggestions=(word,))))
    assert word not in said
    assert said == f"{kind.code} {kind.title}"


@given(word=WORDS)
def test_nothing_that_pydantic_refused_is_repeated(word: str) -> None:
    for error in (
        refused(lambda: Strict.model_validate({"number": word, word: word})),
        refused(lambda: Strict.model_validate_json(f'{{"number": "{word}", "{word}": 1}}')),
        refused(lambda: TypeAdapter(dict[str, int]).validate_python({word: word})),
        refused(lambda: Strict.model_validate_json(word)),
    ):
        assert word not in safe_summary(error)
        assert word not in safe_summary(raised(lambda: InvalidInput(word), error))


def test_the_model_and_the_kinds_of_its_problems_are_named() -> None:
    error = refused(lambda: Strict.model_validate({"number": "x", "more": 1}))
    assert safe_summary(error) == "ValidationError of Strict: int_parsing, extra_forbidden (2 problems)"


def test_it_is_told_where_in_our_code_it_came_from() -> None:
    with pytest.raises(InvalidInput) as caught:
        require_unicode("\ud800")
    where = r" at ragpp\.embedding\.port:[0-9]+ in require_unicode"
    assert re.fullmatch(rf"MEM-020 Invalid input{where}, from UnicodeEncodeError{where}", safe_summary(caught.value))


def test_what_details_say_is_not_told() -> None:
    error = EmbeddingError("it answered 400", details={"answer": "a secret"})
    assert safe_summary(error) == "MEM-004 Embedding failed: it answered 400"


def test_causes_end_also_when_they_go_in_a_circle() -> None:
    one, other = Conflict("a"), MalformedReply("b")
    one.__cause__, other.__cause__ = other, one
    assert safe_summary(one).count("MEM-") == MOST_CAUSES + 1
