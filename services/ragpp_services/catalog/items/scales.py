"""The scale of an embedder's similarities that nobody measured, by the items that there are."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final

import numpy as np

from ragpp.embedding import FloatMatrix
from ragpp.models import Scope
from ragpp.observability.metrics import cache_asked
from ragpp.retrieval.calibration import FEWEST_PAIRS, Calibration

SAMPLED: Final = 100
"""Items whose pairs are compared, the latest."""
KEPT_S: Final = 3_600.0
KEPT_SCOPES: Final = 1_000


class Scales:
    """One for each scope, made when it is first asked for, and again after an hour. Few items are looked at each time,
    since they say too little to be kept."""

    def __init__(self, seconds: Callable[[], float] = monotonic) -> None:
        """`seconds`: a clock that only goes forward."""
        self._seconds = seconds
        self._known: OrderedDict[tuple[str, str, str | None], tuple[float, Calibration]] = OrderedDict()

    async def of(self, scope: Scope, vectors: Callable[[], Awaitable[FloatMatrix]]) -> Calibration:
        """The scale of a scope; `vectors`: (items, dimension) of some of its items, of unit length."""
        key, now = (scope.tenant_id, scope.user_id, scope.view), self._seconds()
        known = self._known.get(key)
        is_known = known is not None and now < known[0]
        cache_asked("scales", hits=is_known, misses=not is_known)
        if known is not None and is_known:
            self._known.move_to_end(key)
            return known[1]
        cosines = pairs(await vectors())
        made = Calibration.of_pairs(cosines)
        if len(cosines) >= FEWEST_PAIRS:
            self._known[key] = (now + KEPT_S, made)
            self._known.move_to_end(key)
            while len(self._known) > KEPT_SCOPES:
                self._known.popitem(last=False)
        return made


def pairs(vectors: FloatMatrix) -> list[float]:
    """The cosine of each of two different rows."""
    if len(vectors) < 2:
        return []
    cosines: list[float] = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)].tolist()
    return cosines
