"""A test of many cases hides none of those that fail: what all others that have a table rest on."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.support.each import each, each_case


def test_every_case_that_fails_is_named_with_what_came_whichever_else_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def is_even(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "made").mkdir()
        assert "RAGPP_EACH" not in os.environ
        monkeypatch.setenv("RAGPP_EACH", "set")
        tried.append(number)
        if number == 3:
            raise ZeroDivisionError("three breaks")
        if number == 5:
            with pytest.raises(ValueError, match="five"):
                str(number)
        assert number % 2 == 0, f"{number} is odd"

    with pytest.raises(AssertionError, match="3 of 6 cases") as told:
        each_case("number", range(6))(is_even)(tmp_path=tmp_path, monkeypatch=monkeypatch)
    for said in ("number=1: Ass", "1 is odd", "number=3: Zero", "three breaks", "number=5: Failed", "DID NOT RAISE"):
        assert said in str(told.value)
    assert tried == [0, 1, 2, 3, 4, 5]


async def test_cases_that_run_beside_each_other_are_told_in_their_order() -> None:
    async def is_even(number: int) -> None:
        await asyncio.sleep(0)
        assert number % 2 == 0, f"{number} is odd"

    with pytest.raises(AssertionError, match=r"(?s)^2 of 4 cases:\n1: .*1 is odd.*\n3: .*3 is odd"):
        await each(range(4), is_even, at_once=3)


async def test_no_case_at_all_is_told_and_not_taken_for_success() -> None:
    async def never(_: object) -> None:
        raise AssertionError("there is no case")

    with pytest.raises(ValueError, match="no case"):
        await each([], never)
    with pytest.raises(ValueError, match="no case"):
        await each_case("what", [])(never)()
