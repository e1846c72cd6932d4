"""Placeholders: what stands in a text in the place of what was taken out of it, a secret or personal data."""

import re
from collections import Counter
from typing import Final

from ragpp.personal.kinds import MASK

PLACEHOLDER: Final = re.compile(rf"\[REDACTED:[a-z_]{{1,40}}\]|{MASK}")


def kinds_in(*texts: str | None) -> tuple[str, ...]:
    """The kinds of what was taken out of `texts`, in their order, without repeats."""
    return tuple(kinds_counted(*texts))


def kinds_counted(*texts: str | None) -> Counter[str]:
    """The number of placeholders and masks of each kind in `texts`, in their order."""
    return Counter(_kind(one[0].strip("[]")) for text in texts if text for one in PLACEHOLDER.finditer(text))


def _kind(inside: str) -> str:
    name, _, kind = inside.partition(":")
    return kind or name.rpartition("_")[0].lower()
