"""The time, injected: nothing that decides by time asks the system for it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

Clock: TypeAlias = Callable[[], datetime]
"""Answers the present moment, in UTC."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def system_clock() -> datetime:
    """The machine's time, in UTC."""
    return datetime.now(UTC)


def to_moment(when: datetime) -> int:
    """Microseconds since 1970; exact for every datetime."""
    return (when - _EPOCH) // timedelta(microseconds=1)


def from_moment(moment: int) -> datetime:
    """The datetime in UTC that `to_moment` made `moment` from. Raises OverflowError beyond the year 9999."""
    return _EPOCH + timedelta(microseconds=moment)
