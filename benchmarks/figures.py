"""Figures that add up over questions, users and sets: each a sum and the number of what it is a sum over. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

MEANS: Final = frozenset(
    {
        "tokens",
        "lines",
        "tokens where nothing is known",
        "lines where nothing is known",
        "current claims for each listed fact",
    }
)
"""Figures whose names end so are means; all others are shares."""


@dataclass
class Figures:
    """Sums by name, each with the number that it is over, in the order in which they came."""

    sums: dict[str, tuple[float, int]] = field(default_factory=dict)

    def add(self, name: str, value: float, of: int = 1) -> None:
        """Count `value` of `of`."""
        total, count = self.sums.get(name, (0, 0))
        self.sums[name] = total + value, count + of

    def value(self, name: str) -> float:
        """The mean or share; 0 where it is over nothing."""
        total, count = self.sums[name]
        return total / max(1, count)

    def cell(self, name: str) -> str:
        """As a table has it: a mean, or per cent with both numbers."""
        if name not in self.sums:
            return ""
        total, count = self.sums[name]
        if name.rsplit(": ", maxsplit=1)[-1] in MEANS:
            return f"{self.value(name):.1f}"
        return f"{100 * self.value(name):.1f} ({total:.4g}/{count})"


def together(parts: Iterable[Figures]) -> Figures:
    """The sums of all of them."""
    total = Figures()
    for part in parts:
        for name, (value, count) in part.sums.items():
            total.add(name, value, count)
    return total
