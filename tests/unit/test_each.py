"""A test of many cases hides none of those that fail."""

import asyncio

import pytest

from tests.support.each import each


@pytest.mark.parametrize("at_once", [1, 2, 8])
async def test_every_case_that_fails_is_named_with_what_came_whichever_else_fails(at_once: int) -> None:
    tried: list[int] = []

    async def is_even(number: int) -> None:
        await asyncio.sleep(0)
        tried.append(number)
        if number == 5:
            raise ZeroDivisionError("five breaks")
        assert number % 2 == 0, f"{number} is odd"

    with pytest.raises(AssertionError) as told:
        await each(range(6), is_even, at_once=at_once)
    assert sorted(tried) == [0, 1, 2, 3, 4, 5]
    lines = str(told.value).splitlines()
    assert lines[0] == "3 of 6 cases:"
    assert [line.split(" at ")[0] for line in lines if ": " in line and " at " in line] == [
        "1: AssertionError",
        "3: AssertionError",
        "5: ZeroDivisionError",
    ]
    for said in ("1 is odd", "3 is odd", "five breaks"):
        assert said in str(told.value)


async def test_no_case_at_all_is_told_and_not_taken_for_success() -> None:
    async def never(_: object) -> None:
        raise AssertionError("there is no case")

    with pytest.raises(ValueError, match="no case"):
        await each([], never)
