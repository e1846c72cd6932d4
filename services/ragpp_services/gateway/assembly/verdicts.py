"""A person's verdict on what was learned tells against the messages it was learned from. Pure."""

from collections.abc import Sequence

from ragpp.models import Memory
from ragpp_services.gateway.assembly.relevance import LEAST_RELEVANCE


def without_rejected(known: Sequence[Memory]) -> tuple[list[Memory], list[Memory]]:
    """What of `known` holds, and what a person rejected (`MemoryQuery.rejected`)."""
    rejected = [memory for memory in known if memory.metadata.get("verdict") == "rejected"]
    gone = set(map(id, rejected))
    return [memory for memory in known if id(memory) not in gone], rejected


def set_back(interactions: Sequence[Memory], rejected: Sequence[Memory]) -> list[Memory]:
    """`interactions` (best first) with those from which something was learned that a person rejected and that has to do
    with the question (its score is not 0) behind all that say something about it, marked with what was rejected. What
    is moved scores no more than what it stands behind."""
    wrong = {source: one.id for one in rejected if one.score > 0 for source in one.sources}
    if wrong.keys().isdisjoint(memory.id for memory in interactions):
        return list(interactions)
    marked = [_marked(memory, wrong) for memory in interactions]
    first = [memory for memory in marked if memory.id not in wrong and memory.score >= LEAST_RELEVANCE]
    last = [memory for memory in marked if memory.id not in wrong and memory.score < LEAST_RELEVANCE]
    most = first[-1].score if first else 1.0
    behind = [one.model_copy(update={"score": min(one.score, most)}) for one in marked if one.id in wrong]
    return [*first, *behind, *last]


def _marked(memory: Memory, wrong: dict[str, str]) -> Memory:
    rejected = wrong.get(memory.id)
    if rejected is None or memory.corrected_by is not None:
        return memory
    return memory.model_copy(update={"corrected_by": rejected})
