"""Many cases in one test: whichever fail are told together, each with what was tried and what came."""

import asyncio
import inspect
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

T = TypeVar("T")
LONGEST: Final = 2_000
"""Characters of what is told of one case."""
TESTS: Final = Path(__file__).parents[1]


async def each(cases: Iterable[T], check: Callable[[T], Awaitable[object]], *, at_once: int = 1) -> None:
    """AssertionError that names every case whose check fails, in their order; ValueError when there is no case.
    `at_once`: how many run beside each other, where they share nothing."""
    told = _Told()

    async def one(case: T) -> None:
        with told.of(lambda: str(case)):
            await check(case)

    every = list(cases)
    for start in range(0, len(every), at_once):
        await asyncio.gather(*(one(case) for case in every[start : start + at_once]))
    told.judged()


def each_case(
    names: str | tuple[str, ...], cases: Iterable[Any] | Mapping[str, Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a test of one case that of all: `names` are what it is given of a case, as with pytest's `parametrize`, and
    `cases` the values, with a word on each where they are a mapping. Its other arguments are fixtures, which the cases
    share; but a folder `tmp_path` and a `monkeypatch` each has for itself. Marks go above."""
    named = (names,) if isinstance(names, str) else names
    told_by = cases.items() if isinstance(cases, Mapping) else (("", case) for case in cases)
    every = [(word, dict(zip(named, (case,) if len(named) == 1 else case, strict=True))) for word, case in told_by]

    def of_all(check: Callable[..., Any]) -> Callable[..., Any]:
        if hasattr(check, "pytestmark"):
            raise TypeError(f"the marks of {check.__name__} go above its cases")

        if inspect.iscoroutinefunction(check):

            @wraps(check, updated=())
            async def tested(**fixtures: Any) -> None:
                told = _Told()
                for number, (word, case) in enumerate(every):
                    with told.of(partial(_shown, word, case)), _own(fixtures, number) as own:
                        await check(**case, **own)
                told.judged()
        else:

            @wraps(check, updated=())
            def tested(**fixtures: Any) -> None:
                told = _Told()
                for number, (word, case) in enumerate(every):
                    with told.of(partial(_shown, word, case)), _own(fixtures, number) as own:
                        check(**case, **own)
                told.judged()

        signature = inspect.signature(check)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in named]
        tested.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]  # pytest asks it
        return tested

    return of_all


class _Told:
    """The failures of cases, in the order in which the cases were begun."""

    def __init__(self) -> None:
        self._failures: list[str] = []
        self._first: BaseException | None = None

    @contextmanager
    def of(self, case: Callable[[], str]) -> Iterator[None]:
        number = len(self._failures)
        self._failures.append("")
        try:
            yield
        # a case that breaks must not hide those behind it
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001
            frames = traceback.extract_tb(error.__traceback__)
            where = [frame for frame in frames if TESTS in Path(frame.filename).parents][-1]
            self._first = self._first or error
            came = f"{type(error).__name__} at {where.name}, line {where.lineno}: {where.line}\n{str(error)[:LONGEST]}"
            self._failures[number] = f"{case()}: {came}"

    def judged(self) -> None:
        if not self._failures:
            raise ValueError("no case to check")
        told = [failure for failure in self._failures if failure]
        if told:
            raise AssertionError(f"{len(told)} of {len(self._failures)} cases:\n" + "\n".join(told)) from self._first


def _shown(word: str, case: Mapping[str, object]) -> str:
    return word or ", ".join(f"{name}={_repr(value)}" for name, value in case.items())


def _repr(value: object) -> str:
    try:
        return f"{value!r:.200}"
    except Exception:  # noqa: BLE001 - some cases are of what cannot tell what it is
        return f"a {type(value).__name__}"


@contextmanager
def _own(fixtures: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """The `fixtures` of one case."""
    own = dict(fixtures)
    if isinstance(folder := own.get("tmp_path"), Path):
        own["tmp_path"] = folder / f"case-{number}"
        own["tmp_path"].mkdir()
    with pytest.MonkeyPatch.context() as patch:
        if "monkeypatch" in own:
            own["monkeypatch"] = patch
        yield own
