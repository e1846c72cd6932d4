"""Ending: whether one statement says that an earlier one holds no more. Pure.

A logistic regression on what the two have in common and on how each was judged. It was learned of chats in which hands
had marked what ended and by what (`benchmarks/train_ending.py`, which tells how far to trust it); without the vectors
of the second encoder there is one that does without. What follows from two statements alone does not depend on what
else is known, so it can be kept, and forgetting either takes it back.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
from pydantic import JsonValue

from ragpp.learned import VERBATIM_DETAIL
from ragpp.models import FindingKind
from ragpp.text.english import FUNCTION_WORDS
from ragpp.text.lexical import terms

LEAST: Final = 0.2
"""Odds from which on a statement may be ended, so that what says so goes before it: one place is lost where that is
wrong. By what was learned of other hands two in three of those that have them hold no more."""
SURE: Final = 0.4
"""Odds from which on it is held for ended: of kinds but those of SURE_OF four in five are."""
SURE_OF: Final[Mapping[FindingKind, float]] = {"health": 0.6, "residence": 0.6}
"""The same of kinds of which fewer are, two in three: "we changed bakeries because of her allergy" ends no allergy."""
LEAST_CHANGE: Final = 0.1
"""Odds of a change from which on a statement may end another: what repeats it in other words is nearest of all."""
NEAR: Final = 0.55
"""The least sum of both cosines of a pair that is looked at: 98 % of the pairs with LEAST odds have it, and one in
forty of all."""
NEAR_ALONE: Final = 0.3
"""The same of the embedder's cosine, where there is no other."""
TRAITS: Final = ("changes", "past", "negated", "planned", "kept")
"""Odds that a judged statement has among its details."""
BOTH: Final = (
    "embeddings", "changes", "shared", "rarest", "like", "of_older", "of_newer", "same_kind", "newer_negated",
    "newer_past", "older_planned", "older_changes", "older_kept", "newer_kept", "meanings",
)  # fmt: skip
"""The features, in the order of the weights: two cosines, the information of the words that both have and of the rarest
of them, its share of what either has and of what each has, whether they are of one kind, and log odds of traits."""
WEIGHTS: Final = "ending.npz"
_FARTHEST: Final = 1e-4
_IDLE: Final = frozenset(terms(" ".join(FUNCTION_WORDS)))


@dataclass(frozen=True, slots=True)
class Statement:
    """Its kind, the stems of its words as they were said, and the odds of each of TRAITS."""

    kind: FindingKind
    stems: frozenset[int]
    odds: Mapping[str, float]


@dataclass(frozen=True)
class Model:
    """`rarity`: the information of stems that are no rarities, 0 to 1; `others`: that of all others. `weights`: of the
    features in their order, those of `both` or but the last one; `bias`."""

    rarity: Mapping[int, float]
    others: float
    weights: tuple[float, ...]
    bias: float

    def of(self, stems: frozenset[int]) -> float:
        """The information of stems together."""
        return math.fsum(self.rarity.get(stem, self.others) for stem in stems)


def is_judged(details: Mapping[str, JsonValue]) -> bool:
    """True of a finding's details with the words that say it and the odds of each of TRAITS."""
    return isinstance(details.get(VERBATIM_DETAIL), str) and all(
        isinstance(details.get(name), float | int) for name in TRAITS
    )


def read_statement(kind: FindingKind, details: Mapping[str, JsonValue]) -> Statement | None:
    """The statement that a finding is; None for one that nobody judged, as what was counted or read by a model."""
    if not is_judged(details):
        return None
    odds = {name: value for name in TRAITS if isinstance(value := details[name], float | int)}
    return Statement(kind, frozenset(terms(str(details[VERBATIM_DETAIL]))) - _IDLE, odds)


def says_change(newer: Statement) -> bool:
    """True where it may end anything."""
    return newer.odds["changes"] >= LEAST_CHANGE


def is_sure(older: FindingKind, odds: float) -> bool:
    """True where a statement of that kind is held for ended."""
    return odds >= SURE_OF.get(older, SURE)


def ending_odds(older: Statement, newer: Statement, embeddings: float, meanings: float | None) -> float:
    """0 to 1, that `newer`, which was said later, ends `older`. `embeddings`, `meanings`: cosines of the two by the
    embedder and by the second encoder."""
    model = load_model(with_meaning=meanings is not None)
    found = features(older, newer, model, embeddings, meanings)
    score = model.bias + math.fsum(weight * value for weight, value in zip(model.weights, found, strict=True))
    return 1 / (1 + math.exp(-score))


def features(
    older: Statement, newer: Statement, model: Model, embeddings: float, meanings: float | None
) -> tuple[float, ...]:
    """Those of BOTH, the last one only with `meanings`."""
    shared = older.stems & newer.stems
    common, of_older, of_newer = (model.of(stems) for stems in (shared, older.stems, newer.stems))
    found = (
        embeddings,
        log_odds(newer.odds["changes"]),
        common,
        max((model.rarity.get(stem, model.others) for stem in shared), default=0.0),
        _share(common, of_older + of_newer - common),
        _share(common, of_older),
        _share(common, of_newer),
        float(older.kind == newer.kind),
        log_odds(newer.odds["negated"]),
        log_odds(newer.odds["past"]),
        log_odds(older.odds["planned"]),
        log_odds(older.odds["changes"]),
        log_odds(older.odds["kept"]),
        log_odds(newer.odds["kept"]),
    )
    return found if meanings is None else (*found, meanings)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def log_odds(odds: float) -> float:
    """Those of a probability, which is held a little away from 0 and 1."""
    held = min(max(odds, _FARTHEST), 1 - _FARTHEST)
    return math.log(held / (1 - held))


@cache
def load_model(*, with_meaning: bool) -> Model:
    """The weights that are shipped."""
    name = "both" if with_meaning else "alone"
    with files(__package__).joinpath(WEIGHTS).open("rb") as file, np.load(file) as kept:
        rarity = dict(zip(map(int, kept["stems"]), map(float, kept["rarity"]), strict=True))
        weights = tuple(map(float, kept[f"weights_{name}"]))
        return Model(rarity, float(kept["others"]), weights, float(kept[f"bias_{name}"]))
