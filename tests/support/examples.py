"""How many cases are tried where each takes long."""

from collections.abc import Iterable
from typing import Final

import pytest
from hypothesis import settings

USUAL: Final = 25
"""The number of examples in the profile of every run (`tests/conftest.py`)."""


def examples(usually: int) -> int:
    """As many in a run of the tests, and as many times more with `make prove-properties` as its profile tries."""
    return max(1, usually * settings().max_examples // USUAL)


def some_of(cases: Iterable[str], kept: Iterable[str]) -> list[object]:
    """`cases` as the parameters of a test, of which `make test` runs those that are `kept`, `make prove-cases` each."""
    own = set(kept)
    found = list(cases)
    assert own <= set(found)
    return [case if case in own else pytest.param(case, marks=pytest.mark.exhaustive) for case in found]
