"""The time, injected: nothing that decides by time asks the system for it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]
"""Answers the present moment, in UTC."""


def system_clock() -> datetime:
    """The machine's time, in UTC."""
    return datetime.now(UTC)
