"""The one registry of a process, and whether anything is counted in it."""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec

from prometheus_client import CollectorRegistry

P = ParamSpec("P")
REGISTRY: Final = CollectorRegistry()


class _Switch:
    """A process counts from its start, until it is told that nobody will ask."""

    def __init__(self) -> None:
        self.on = True


_SWITCH: Final = _Switch()


def count_if(wanted: bool) -> None:
    """Count in this process from now on, or nothing, where nobody reads its metrics."""
    _SWITCH.on = wanted


def is_counting() -> bool:
    """True where this process counts."""
    return _SWITCH.on


def counted(count: Callable[P, None]) -> Callable[P, None]:
    """`count`, while this process counts; nothing where it does not."""

    @wraps(count)
    def maybe(*args: P.args, **kwargs: P.kwargs) -> None:
        if _SWITCH.on:
            count(*args, **kwargs)

    return maybe
