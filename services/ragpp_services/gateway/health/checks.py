"""Trying things one after the other, each with what it took, and why it failed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Final, TypeVar

from ragpp.api import HealthCheck
from ragpp.errors import MemorySystemError
from ragpp.models import TierName
from ragpp_services.gateway.health.fixes import FIXES, fix_of

T = TypeVar("T")
CHECK_S: Final = 10.0
"""Longest that one check waits, where it does not say otherwise."""


class Wrong(Exception):
    """A check's objection: what was seen is not what should be, and `str` of it says why."""


class Checks:
    """The checks so far. What needs a check that was not passed is skipped."""

    def __init__(self) -> None:
        self.made: list[HealthCheck] = []

    def passed(self, name: str) -> bool:
        """True where a check of that name was made, and is neither failed nor skipped."""
        return any(check.name == name and check.status in {"ok", "slow"} for check in self.made)

    async def make(
        self,
        name: str,
        call: Callable[[], Awaitable[T]],
        *,
        tier: TierName | None = None,
        target_ms: float | None = None,
        needs: Sequence[str] = (),
        times: int = 1,
        timeout_s: float = CHECK_S,
        told: Callable[[T], str] = lambda _found: "",
    ) -> T | None:
        """Do `call`, `times` over, and note how it went; its last answer, None where it failed or was skipped.

        `told` says what was seen, or raises Wrong where that is not what should be. A call fails by Wrong, by an error
        of ours, or by taking longer than `timeout_s`.
        """
        if self._lacks(name, tier, needs):
            return None
        took: list[float] = []
        try:
            async with asyncio.timeout(timeout_s):
                for _ in range(times):
                    began = perf_counter()
                    found = await call()
                    took.append(1_000 * (perf_counter() - began))
            seen = told(found)
        except TimeoutError:
            self._fail(name, tier, f"it did not end in {timeout_s:g} s")
            return None
        except (MemorySystemError, Wrong) as error:
            own = error.suggestions if isinstance(error, MemorySystemError) else ()
            self._fail(name, tier, cause_of(error), own)
            return None
        ms = median(took)
        slow = target_ms is not None and round(ms) > target_ms  # as it is told: 25 ms of 25 are in time
        self.made.append(
            HealthCheck(
                name=name,
                tier=tier,
                status="slow" if slow else "ok",
                ms=ms,
                target_ms=target_ms,
                told=seen,
                cause=f"it took {ms:.0f} ms, and may take {target_ms:.0f}" if slow else None,
                fix=FIXES["slow"] if slow else (),
            )
        )
        return found

    def look(self, name: str, see: Callable[[], str], *, needs: Sequence[str] = ()) -> None:
        """Note what `see` says of what is known already; it raises Wrong where that is not what should be."""
        if self._lacks(name, None, needs):
            return
        try:
            self.made.append(HealthCheck(name=name, status="ok", told=see()))
        except Wrong as error:
            self._fail(name, None, cause_of(error))

    def _lacks(self, name: str, tier: TierName | None, needs: Sequence[str]) -> bool:
        """True where a check that is needed was not passed; then this one is skipped."""
        missing = next((one for one in needs if not self.passed(one)), None)
        if missing is not None:
            self.made.append(HealthCheck(name=name, tier=tier, status="skipped", cause=f"it needs `{missing}`"))
        return missing is not None

    def _fail(self, name: str, tier: TierName | None, cause: str, more: Sequence[str] = ()) -> None:
        fix = tuple(dict.fromkeys((*fix_of(name, tier), *more)))
        self.made.append(HealthCheck(name=name, tier=tier, status="failed", cause=cause, fix=fix))


def cause_of(error: MemorySystemError | Wrong) -> str:
    """The cause that a failed check gives: of an error of ours its code and message, else its words."""
    return f"{error.code} {error.message}" if isinstance(error, MemorySystemError) else str(error)
