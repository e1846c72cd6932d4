"""Quality against latency as an SVG, a point a system. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

from benchmarks.beside.results import Row

WIDE: Final = 640
HIGH: Final = 360
LEFT: Final = 60
UNDER: Final = 44
RIGHT: Final = 200
"""The axes' places, and the room beside them."""
OURS: Final = "#163"
OTHERS: Final = "#36c"
LINE: Final = 14
"""Points between two names that would cover each other."""


@dataclass(frozen=True)
class Point:
    """One system: the median of its searches one at a time in milliseconds, more than 0, and its R@10, 0 to 1."""

    title: str
    ms: float
    recall: float
    ours: bool = False


def points_of(rows: Sequence[Row]) -> list[Point]:
    """The points of all systems that ran."""
    return [
        Point(
            row.title, row.measured.with_clients(1).p50_ms, row.measured.quality.recall_10, row.name.startswith("ragpp")
        )
        for row in rows
        if row.measured
    ]


def picture_of(points: Sequence[Point]) -> str:
    """The plot: latency to the right on a logarithmic axis, quality upwards. `points` is not empty."""
    low = math.floor(math.log10(min(point.ms for point in points)))
    high = max(low + 1, math.ceil(math.log10(max(point.ms for point in points))))
    top = min(1.0, math.ceil(10 * max(point.recall for point in points) + 0.5) / 10)

    def across(ms: float) -> float:
        return LEFT + (math.log10(ms) - low) * WIDE / (high - low)

    def down(recall: float) -> float:
        return HIGH - recall / top * HIGH

    parts = [_upright(across(10.0**power), f"{10.0**power:g}") for power in range(low, high + 1)]
    parts += [_level(down(tenth / 10), f"{10 * tenth}") for tenth in range(round(10 * top) + 1)]
    parts.append(f'<text x="{LEFT + WIDE / 2}" y="{HIGH + 38}" text-anchor="middle">p50 of a search, ms</text>')
    parts.append(f'<text x="{LEFT}" y="-12">R@10 on LoCoMo, %</text>')
    last = -math.inf
    for point in sorted(points, key=lambda point: -point.recall):
        x, y = across(point.ms), down(point.recall)
        last = max(y + 4, last + LINE)
        colour = OURS if point.ours else OTHERS
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>')
        parts.append(f'<text x="{x + 9:.1f}" y="{last:.1f}" fill="{colour}">{escape(point.title)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -30 {LEFT + WIDE + RIGHT} {HIGH + UNDER + 34}" '
        'font-family="sans-serif" font-size="13"><title>R@10 on LoCoMo against the median of a search</title>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _upright(at: float, label: str) -> str:
    return (
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{HIGH}" stroke="#ddd"/>'
        f'<text x="{at:.1f}" y="{HIGH + 20}" text-anchor="middle">{label}</text>'
    )


def _level(at: float, label: str) -> str:
    return (
        f'<line x1="{LEFT}" x2="{LEFT + WIDE}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
        f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{label}</text>'
    )
