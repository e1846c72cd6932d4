"""The memories that earn their tokens: those among which the answer is, as far as the ranking can tell. Pure.

Each interaction's share of the ranking's odds, beside what is curated on the same scale, says how likely it is the
one that helps, where one does. They are shown, best first, until what is shown has ENOUGH of the odds, and none without
LEAST of the best one's: two or three where the ranking is sure of itself, and all that fits where many are as likely. A
budget is a ceiling and no aim.
"""

import math
from collections.abc import Collection, Sequence
from typing import Final

from ragpp.api import Relevance
from ragpp.models import Memory
from ragpp.ranking.relevance import raw_of
from ragpp_services.gateway.assembly.memory_key import MemoryKey, memory_key

SHARPNESS: Final = 6.0
"""Of odds, for each unit of the ranking."""
ENOUGH: Final = 0.96
"""Both chosen on five made-up lives and the development conversations between people, by the ranking alone: at 500
tokens contexts of the latter lose their answer for 7 questions of 1,000, and 29 % of the lives' lines are about
the question, 19 % where all that fits is shown. Odds until ENOUGH did better than a least probability, which a
question with many answers as likely takes everything from. `make eval-lives` and `make eval-curve` print what holds."""
LEAST: Final = 0.01
"""The least share of the best one's odds that a memory has: behind a sure answer none is shown only since many, of
which each adds next to nothing, have a share between them. By the ranking alone, at 500 tokens: lines about the
question 28.7 to 30.1 % of the lives', 19.7 to 22.7 of the conversations', whose contexts lose 9 of 1,000 answers in
all; with 0.02 they are 32.8 and 27.0, and 17 of 1,000 are lost."""
AT_MOST: Final = 2
"""Interactions and what is curated, together, that are shown where nothing seems to be about the question."""

_ENOUGH_SHOWN: Final = "what is shown has nearly all of the chance to help; this would add next to nothing"
_NOTHING_KNOWN: Final = "nothing that was found seems to be about the question"
_BESIDE: Final = "not about the question by itself"


def shares(scores: Sequence[float]) -> list[float]:
    """The share that each of a ranking's memories has of its odds, by their `scores` in (0, 1); they add up to 1."""
    raws = [raw_of(score) for score in scores]
    top = max(raws, default=0.0)
    odds = [math.exp(SHARPNESS * (raw - top)) for raw in raws]
    total = sum(odds)
    return [one / total for one in odds]


def why_not_shown(
    ranking: Sequence[Memory], known: Collection[MemoryKey], level: Relevance | None
) -> dict[MemoryKey, str]:
    """Those of `ranking` (fused, best first) that do not earn their tokens, with the reason.

    `known`: what is about the question by itself of all that is no interaction. Nothing else of what was learned or
    curated is shown: what it rests on says it. A rule that is called up applies also where nothing is known. What may
    say how the best has changed is shown with it, so that what is out of date does not stand alone. What always holds
    is not judged here.
    """
    judged = [memory for memory in ranking if memory.kind not in _OF_NOW and not memory.always_holds]
    if level == "none":
        found = [memory_key(memory) for memory in judged if memory.kind == "interaction" or memory.tier == "catalog"]
        called_up = {memory_key(one) for one in judged if one.kind == "rule"}.intersection(known)
        kept = called_up.union(found[:AT_MOST])
        return {memory_key(one): _NOTHING_KNOWN for one in judged if memory_key(one) not in kept}
    curated = {memory_key(memory) for memory in judged if memory.tier == "catalog"}.intersection(known)
    ranked = [memory for memory in judged if memory.kind == "interaction" or memory_key(memory) in curated]
    ranked.sort(key=lambda memory: -memory.score)
    cut: dict[MemoryKey, str] = {}
    so_far = 0.0
    parts = shares([one.score for one in ranked])
    for memory, share in zip(ranked, parts, strict=True):
        earns_it = (so_far < ENOUGH and share >= LEAST * parts[0]) or memory.may_correct is not None
        if memory.kind == "interaction" and not earns_it:
            cut[memory_key(memory)] = _ENOUGH_SHOWN
        so_far += share
    learned = [memory for memory in judged if memory.kind != "interaction"]
    return cut | {memory_key(one): _BESIDE for one in learned if memory_key(one) not in known}


_OF_NOW: Final = frozenset({"message", "summary"})
