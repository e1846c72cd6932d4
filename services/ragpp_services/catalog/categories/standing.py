"""The vector that stands for a category where items without one are put into the nearest."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

import numpy as np

from ragpp.models import Vector
from ragpp_services.catalog.pages import DEFAULT_CATEGORIES, prototype
from ragpp_services.catalog.vectors import Vectors

_EXAMPLES: Final = {category.description: category.examples for category in DEFAULT_CATEGORIES}


async def standing(vectors: Vectors, descriptions: Sequence[str]) -> list[Vector]:
    """The vectors of categories with these descriptions, in order, all made in one batch: of one that a catalog begins
    with also by its examples. Raises EmbeddingError."""
    texts = [(described, *_EXAMPLES.get(described, ())) for described in descriptions]
    made = iter(await vectors.embed_all([text for group in texts for text in group]))
    found: list[Vector] = []
    for group in texts:
        described, *examples = (np.asarray(vector, np.float32) for vector in islice(made, len(group)))
        found.append(tuple(prototype(described, examples).tolist()))
    return found
