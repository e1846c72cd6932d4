"""A person's verdict on what was learned tells against the messages it was learned from. Pure."""

from collections.abc import Mapping, Sequence

from ragpp.models import Memory
from ragpp_services.gateway.assembly.relevance import LEAST_RELEVANCE


def without_rejected(known: Sequence[Memory]) -> tuple[list[Memory], list[Memory]]:
    """What of `known` holds, and what a person rejected (`MemoryQuery.rejected`)."""
    return [one for one in known if not _is_rejected(one)], [one for one in known if _is_rejected(one)]


def set_back(interactions: Sequence[Memory], rejected: Sequence[Memory]) -> list[Memory]:
    """`interactions` (best first) with those from which something was learned that a person rejected and that has to do
    with the question (its score is not 0) behind all that say something about it, marked with what was rejected. What
    is moved scores no more than what it stands behind, and what it had corrected is corrected no longer.

    One that was said several times (its `sources`) was rejected if any of these taught it: they say the same.
    """
    wrong = {source: one.id for one in rejected if one.score > 0 for source in one.sources}
    against = {
        memory.id: wrong[source]
        for memory in interactions
        for source in (*memory.sources, memory.id)
        if source in wrong
    }
    if not against:
        return list(interactions)
    marked = [_marked(memory, against) for memory in interactions]
    says_something = [memory for memory in marked if memory.score >= LEAST_RELEVANCE]
    first = [memory for memory in says_something if memory.id not in against]
    most = first[-1].score if first else 1.0
    behind = [
        memory.model_copy(update={"score": min(memory.score, most)})
        for memory in says_something
        if memory.id in against
    ]
    return [*first, *behind, *(memory for memory in marked if memory.score < LEAST_RELEVANCE)]


def _is_rejected(memory: Memory) -> bool:
    return memory.metadata.get("verdict") == "rejected"


def _marked(memory: Memory, against: Mapping[str, str]) -> Memory:
    by = None if memory.corrected_by in against else memory.corrected_by
    by = by or against.get(memory.id)
    return memory if by == memory.corrected_by else memory.model_copy(update={"corrected_by": by})
