"""The scale of similarities that nobody measured: made of the scope's own items, and not made for every question."""

import numpy as np

from ragpp.embedding import FloatMatrix
from ragpp.models import Scope
from ragpp.retrieval import Calibration
from ragpp_services.catalog.items.scales import KEPT_S, Scales, pairs

ANN, BEN = Scope(tenant_id="t", user_id="ann"), Scope(tenant_id="t", user_id="ben")


class Items:
    """Vectors that all have the cosine `cosine` with each other; counts how often it was read."""

    def __init__(self, count: int, cosine: float) -> None:
        self.count, self.cosine, self.reads = count, cosine, 0

    async def __call__(self) -> FloatMatrix:
        self.reads += 1
        own = np.eye(self.count) * np.sqrt(1 - self.cosine)
        shared = np.full((self.count, 1), np.sqrt(self.cosine))
        return np.hstack([own, shared]).astype(np.float32)


async def test_what_a_scopes_items_have_in_common_is_unrelated_on_its_scale() -> None:
    scale = await Scales().of(ANN, Items(10, 0.7))
    assert scale.of(0.699) == 0.0
    assert 0.2 < scale.of(0.8) < 0.6


async def test_it_is_made_once_an_hour_for_each_scope() -> None:
    now = [0.0]
    scales, anns, bens = Scales(lambda: now[0]), Items(10, 0.5), Items(10, 0.1)
    first = await scales.of(ANN, anns)
    assert await scales.of(ANN, anns) is first
    assert await scales.of(BEN, bens) != first
    assert (anns.reads, bens.reads) == (1, 1)
    now[0] = KEPT_S + 1
    await scales.of(ANN, anns)
    assert anns.reads == 2


async def test_few_items_say_too_little_and_are_looked_at_again() -> None:
    scales, few = Scales(), Items(9, 0.7)
    assert await scales.of(ANN, few) == Calibration.of_pairs([])
    await scales.of(ANN, few)
    assert few.reads == 2
    assert pairs(np.empty((0, 3), np.float32)) == pairs(np.ones((1, 3), np.float32)) == []
