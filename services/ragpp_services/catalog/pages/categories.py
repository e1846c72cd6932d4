"""The categories that a catalog begins with, and which category a fact belongs to. Pure."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from ragpp_services.catalog.pages.values import Vector


class DefaultCategory(NamedTuple):
    """A category that is seeded on request."""

    name: str
    description: str


DEFAULT_CATEGORIES: Final = (
    DefaultCategory("lead_preferences", "Captured preferences, requirements, and communication styles of leads"),
    DefaultCategory("product_knowledge", "Information about products, pricing, features, and comparisons"),
    DefaultCategory("objection_patterns", "Common objections encountered and successful response patterns"),
    DefaultCategory("conversation_insights", "Meta-learnings and patterns observed across conversations"),
    DefaultCategory("successful_approaches", "Documented approaches that led to positive outcomes"),
)
"""Word for word as the memory API's contract has them (§8.3)."""

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
