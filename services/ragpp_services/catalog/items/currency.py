"""Statements that a later one has replaced, among those that are read together. Pure, and nothing of it is stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
import numpy.typing as npt

NEAR: Final = 0.6
"""The least cosine of two statements that may be about the same thing; whether they contradict is told by their words.
Chosen: two prices of one plan in different sentences have .7 and more."""
NEAREST: Final = 3
"""How many others each statement is compared with at most, the nearest: a hundred prices of one list are all near, and
each pair costs 70 µs."""

Contradicts = Callable[[str, str], bool]
"""True where the second text says otherwise than the first, about the same thing."""


@dataclass(frozen=True, slots=True, eq=False)
class Dated:
    """A statement and when it was made, of two at one moment the one that arrived later being later. `vector`: unit
    length. `said`: which resources say it, and when."""

    content: str
    moment: tuple[datetime, int]
    vector: npt.NDArray[np.float32]
    said: frozenset[tuple[str, datetime]] = frozenset()


@dataclass(frozen=True, slots=True)
class Currency:
    """Places in what was read: the order in which it is shown, and by which of them others were replaced."""

    order: list[int]
    replaced: dict[int, int]


def current_first(statements: Sequence[Dated], contradicts: Contradicts) -> Currency:
    """`statements`, best first, with each that replaces another before it: the latest that says otherwise than it
    does."""
    replaced = replacements(statements, contradicts)
    order: list[int] = []
    placed = set[int]()
    for place in range(len(statements)):
        chain = [place]
        while (by := replaced.get(chain[-1])) is not None:
            chain.append(by)
        for one in reversed(chain):
            if one not in placed:
                placed.add(one)
                order.append(one)
    return Currency(order, replaced)


def replacements(statements: Sequence[Dated], contradicts: Contradicts) -> dict[int, int]:
    """By which of them each was replaced that was, by their places; always by a later one. What one resource says at
    one time holds side by side, and never replaces itself: the prices of a month and of a year are two."""
    if len(statements) < 2:
        return {}
    matrix = np.stack([one.vector for one in statements])
    cosines = np.einsum("id,jd->ij", matrix, matrix)  # of so few, threads of a product cost more than they save
    np.fill_diagonal(cosines, -1.0)
    count = min(NEAREST, len(statements) - 1)
    nearest = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
    pairs = {
        (place, other) if statements[place].moment < statements[other].moment else (other, place)
        for place, row in enumerate(nearest.tolist())
        for other in row
        if cosines[place, other] >= NEAR and statements[place].said.isdisjoint(statements[other].said)
    }
    replaced: dict[int, int] = {}
    for earlier, later in sorted(pairs):
        known = replaced.get(earlier)
        if known is not None and statements[known].moment >= statements[later].moment:
            continue
        if contradicts(statements[earlier].content, statements[later].content):
            replaced[earlier] = later
    return replaced
