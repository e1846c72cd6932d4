"""How many cases a property tries that takes long for each of them."""

from typing import Final

from hypothesis import settings

USUAL: Final = 50
"""What the profile of every run says (`tests/conftest.py`)."""


def examples(usually: int) -> int:
    """As many in a run of the tests, and as many times more with `make prove-properties` as its profile tries."""
    return max(1, usually * settings().max_examples // USUAL)
