"""Whose wishes they are: how one of a household wants to be answered is for no other by name."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import structlog

from ragpp.errors.summaries import safe_summary
from ragpp.models import Interaction, Memory, Scope, TierName
from ragpp.names import is_same
from ragpp.tiers import EpisodicTier
from ragpp_services.gateway.asking import Answer, finished

_KEPT_IN: Final[TierName] = "procedural"
_log = structlog.stdlib.get_logger(__name__)


async def without_wishes_of_others(
    answers: Mapping[TierName, Answer], episodic: EpisodicTier, scope: Scope, asker: str | None, ends: float
) -> Mapping[TierName, Answer]:
    """The answers without rules of which all that they rest on was said under another name than the `asker`'s. As they
    are where nobody says who asks; where it cannot be looked up until `ends`, no rule that somebody taught is told."""
    answer = answers.get(_KEPT_IN)
    rules = [one for one in answer.memories if _is_taught(one)] if answer else []
    if answer is None or asker is None or not rules:
        return answers
    found = await _found(episodic, scope, {source for one in rules for source in one.sources}, ends)
    names = None if found is None else {one.id: one.name for one in found}
    kept = tuple(one for one in answer.memories if not _is_taught(one) or _is_for(asker, one, names))
    return {**answers, _KEPT_IN: replace(answer, memories=kept)}


async def _found(episodic: EpisodicTier, scope: Scope, ids: set[str], ends: float) -> Sequence[Interaction] | None:
    looking = asyncio.ensure_future(episodic.get(scope, ids))
    try:
        return looking.result() if await finished(looking, ends) else None
    except Exception as error:  # noqa: BLE001 - whatever keeps it from being looked up must not take the answer with it
        _log.warning("recall.wishes_unseen", error=safe_summary(error))
        return None


def _is_taught(memory: Memory) -> bool:
    return memory.kind == "rule" and bool(memory.sources)


def _is_for(asker: str, memory: Memory, names: Mapping[str, str | None] | None) -> bool:
    if names is None:
        return False
    said = {names[source] for source in memory.sources if source in names}
    return not said or any(name is None or is_same(name, asker) for name in said)
