"""Whose wishes they are: how one of a household wants to be answered is for no other by name."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ragpp.errors import MemorySystemError
from ragpp.models import Memory, Scope, TierName
from ragpp.names import is_same
from ragpp.tiers import EpisodicTier
from ragpp_services.gateway.asking import Answer

_KEPT_IN: Final[TierName] = "procedural"


async def without_wishes_of_others(
    answers: Mapping[TierName, Answer], episodic: EpisodicTier, scope: Scope, asker: str | None, ends: float
) -> Mapping[TierName, Answer]:
    """The answers without rules of which all that they rest on was said under another name than the `asker`'s; as they
    are where nobody says who asks, or it cannot be looked up until `ends`."""
    answer = answers.get(_KEPT_IN)
    rules = [one for one in answer.memories if one.kind == "rule" and one.sources] if answer else []
    if answer is None or asker is None or not rules:
        return answers
    try:
        async with asyncio.timeout(max(0.0, ends - time.perf_counter())):
            found = await episodic.get(scope, {source for one in rules for source in one.sources})
    except (MemorySystemError, TimeoutError):
        return answers
    names = {one.id: one.name for one in found}

    def is_of_another(memory: Memory) -> bool:
        said = {names[source] for source in memory.sources if source in names}
        return bool(said) and all(name is not None and not is_same(name, asker) for name in said)

    kept = tuple(one for one in answer.memories if one.kind != "rule" or not is_of_another(one))
    return {**answers, _KEPT_IN: replace(answer, memories=kept)}
