"""Themes: which facts of a page belong under one heading, by the nearness of their vectors. Pure.

Facts are joined by average linkage, as long as two themes are near each other, and on while there are more themes than
a page of so many facts should have; then one that stands alone joins a theme that it is near to. The merges are found
by the nearest-neighbour chain, which takes time quadratic in the facts (0.2 s for 1,000) and gives what joining the
closest pair first gives.
Source: Murtagh, A survey of recent advances in hierarchical clustering algorithms, The Computer Journal, 1983.
"""

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

NEAR: Final = 0.35
"""Mean cosine from which on two themes are one, with all-MiniLM-L6-v2. With 0.3 prices and discounts, integrations and
locations are one theme; with 0.4 pairs that a reader would set together stand alone."""
JOINS: Final = 0.3
"""Mean cosine from which on a fact that stands alone joins its closest theme."""
MOST: Final = 24
"""Themes of a page, and at most one for each FACTS."""
FACTS: Final = 2

Matrix = npt.NDArray[np.float32]


class Themes(NamedTuple):
    """Rows of the facts, in ascending order within a theme: the themes, the largest first and of equals the one with
    the earlier first row; and the facts that belong to none."""

    themes: list[list[int]]
    others: list[int]


class _Merge(NamedTuple):
    """Two clusters, each known by one of its rows, become one. `nearness`: their mean cosine."""

    nearness: float
    one: int
    other: int


def themes_of(vectors: Matrix) -> Themes:
    """The themes of facts with these vectors (one row each, of unit length; at least one). What has no theme at all, or
    too few facts for two, is one."""
    count = len(vectors)
    most = min(MOST, count // FACTS)
    clusters = _cut(_merges(vectors), count, most=most) if most > 1 else []
    themes = [cluster for cluster in clusters if len(cluster) > 1]
    if not themes:
        return Themes([list(range(count))], [])
    others = _adopted(themes, sorted(row for cluster in clusters if len(cluster) == 1 for row in cluster), vectors)
    return Themes(sorted(map(sorted, themes), key=lambda theme: (-len(theme), theme[0])), others)


def _merges(vectors: Matrix) -> list[_Merge]:
    """The merges that make one cluster of all rows. A cluster keeps the place of the merged one with the lower row."""
    sums = vectors.astype(np.float64)
    sizes = np.ones(len(sums))
    living = np.ones(len(sums), dtype=bool)
    found: list[_Merge] = []
    chain: list[tuple[int, float]] = []
    while len(found) < len(sums) - 1:
        if not chain:
            chain.append((int(np.argmax(living)), -math.inf))
        top, nearness = chain[-1]
        near = np.round(sums @ sums[top] / (sizes * sizes[top]), 9)
        near[~living] = -math.inf
        near[[place for place, _ in chain]] = -math.inf
        nearest = int(np.argmax(near))
        if near[nearest] > nearness:
            chain.append((nearest, float(near[nearest])))
            continue
        chain.pop()
        before, _ = chain.pop()
        kept, gone = min(top, before), max(top, before)
        found.append(_Merge(nearness, kept, gone))
        sums[kept] += sums[gone]
        sizes[kept] += sizes[gone]
        living[gone] = False
    return found


def _cut(merges: list[_Merge], count: int, *, most: int) -> list[list[int]]:
    """The clusters of `count` rows when the merges are made, the nearest first: those that are NEAR, and on while more
    than `most` have several rows."""
    members = {row: [row] for row in range(count)}
    themes = 0
    place = list(range(count))
    for merge in sorted(merges, key=lambda one: (-one.nearness, one.one, one.other)):
        if merge.nearness < NEAR and themes <= most:
            break
        kept, gone = place[merge.one], place[merge.other]
        themes += 1 - (len(members[kept]) > 1) - (len(members[gone]) > 1)
        members[kept] += members.pop(gone)
        for row in members[kept]:
            place[row] = kept
    return list(members.values())


def _adopted(themes: list[list[int]], alone: list[int], vectors: Matrix) -> list[int]:
    """Give each fact that stands alone to the theme it is nearest to; what is near none is left."""
    means = np.stack([vectors[theme].mean(axis=0) for theme in themes])
    left = []
    for row in alone:
        near = means @ vectors[row]
        best = int(np.argmax(near))
        if near[best] >= JOINS:
            themes[best].append(row)
        else:
            left.append(row)
    return left
