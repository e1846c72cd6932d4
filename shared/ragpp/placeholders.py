"""Placeholders: what stands in a text in the place of what was taken out of it, a secret or personal data."""

import re
from collections import Counter
from typing import Final

from ragpp.personal.kinds import MASK

_MASKS: Final = re.compile(MASK)
PLACEHOLDER: Final = re.compile(rf"\[REDACTED:[a-z_]{{1,40}}\]|{MASK}")


def masks_in(text: str) -> frozenset[str]:
    """The masks in a text: one stands for the same value wherever a user has it."""
    return frozenset(_MASKS.findall(text)) if "[" in text else frozenset()


def kinds_in(*texts: str | None) -> tuple[str, ...]:
    """The kinds of what was taken out of `texts`, in their order, without repeats."""
    return tuple(kinds_counted(*texts))


def kinds_counted(*texts: str | None) -> Counter[str]:
    """The number of placeholders and masks of each kind in `texts`, in their order."""
    return Counter(_kind(one[0].strip("[]")) for text in texts if text for one in PLACEHOLDER.finditer(text))


def _kind(inside: str) -> str:
    name, _, kind = inside.partition(":")
    return kind or name.rpartition("_")[0].lower()
