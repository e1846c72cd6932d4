"""Many cases in one test: whichever fail are told together, each with what was tried and what came."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeVar

T = TypeVar("T")
LONGEST: Final = 2_000
"""Characters of what is told of one case."""


async def each(cases: Iterable[T], check: Callable[[T], Awaitable[object]], *, at_once: int = 1) -> None:
    """AssertionError that names every case whose check fails, in their order; ValueError when there is no case.
    `at_once`: how many run beside each other, where they share nothing."""
    every, told = list(cases), list[str]()
    if not every:
        raise ValueError("no case to check")
    for start in range(0, len(every), at_once):
        some = every[start : start + at_once]
        failures = await asyncio.gather(*(_failure(check, case) for case in some))
        told += [f"{case}: {failure}" for case, failure in zip(some, failures, strict=True) if failure]
    assert not told, f"{len(told)} of {len(every)} cases:\n" + "\n".join(told)


async def _failure(check: Callable[[T], Awaitable[object]], case: T) -> str:
    try:
        await check(case)
    except Exception as error:  # noqa: BLE001 - a case that breaks must not hide those behind it
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {where.name}, line {where.lineno}: {where.line}\n{str(error)[:LONGEST]}"
    return ""
