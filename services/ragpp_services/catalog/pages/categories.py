"""Which category a fact belongs to. Pure."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ragpp_services.catalog.pages.values import Vector

FLOOR: Final = 0.2
MARGIN: Final = 0.03


def classify(vector: Vector, categories: Sequence[tuple[str, Vector]]) -> str | None:
    """The name of the category whose description a fact is closest to, by cosine; None where none is as near as FLOOR,
    or a second one is nearer to the best than MARGIN. All vectors of unit length and of one model."""
    if not categories:
        return None
    near = np.stack([described for _, described in categories]) @ vector
    best, *others = np.argsort(-near, kind="stable")
    if near[best] < FLOOR or (others and near[best] - near[others[0]] < MARGIN):
        return None
    return categories[int(best)][0]
