"""The order of messages by what became of what was learned from them: rejected by a person, or ended by a later one.
Pure."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from ragpp.models import LEAST_RELEVANCE, Memory

_GONE: Final = ("rejected", "ended")


def parted(known: Sequence[Memory]) -> tuple[list[Memory], list[Memory]]:
    """Those of `known` that hold, and those that do not (`MemoryQuery.rejected`): rejected, or ended by a later one."""
    gone = [one for one in known if one.metadata.get("verdict") in _GONE]
    return [one for one in known if one.metadata.get("verdict") not in _GONE] if gone else list(known), gone


def set_first(interactions: Sequence[Memory], ended: Sequence[Memory]) -> list[Memory]:
    """`interactions` (best first) with what says that something ended, where it is among them, right before what told
    that, with no lower score; as they are among people who tell each other of themselves, with no assistant: there half
    of all that is said changes something."""
    moved = list(interactions)
    if _is_among_people(interactions):
        return moved
    for one in sorted(ended, key=_said_at):  # what ended last goes before what it ended, and that before what it ended
        later = one.metadata["ended_in"]
        if isinstance(later, list):
            moved = _before(moved, set(one.sources), {str(source) for source in later})
    return moved


def _is_among_people(interactions: Sequence[Memory]) -> bool:
    """True where several speak, and no assistant does."""
    said = [one for one in interactions if one.kind == "interaction"]
    return len({one.said_by for one in said}) > 1 and all(one.speaker_role != "assistant" for one in said)


def _said_at(memory: Memory) -> float:
    return memory.occurred_at.timestamp() if memory.occurred_at else 0.0


def _before(interactions: list[Memory], told: Collection[str], later: Collection[str]) -> list[Memory]:
    said = [place for place, one in enumerate(interactions) if one.id in told and one.id not in later]
    otherwise = [place for place, one in enumerate(interactions) if one.id in later and one.id not in told]
    if not said or not otherwise or otherwise[0] < said[0]:
        return interactions
    first, newer = said[0], interactions[otherwise[0]]
    score = max(newer.score, interactions[first].score)
    others = [*interactions[: otherwise[0]], *interactions[otherwise[0] + 1 :]]
    return [*others[:first], newer.model_copy(update={"score": score}), *others[first:]]


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


def _marked(memory: Memory, against: Mapping[str, str]) -> Memory:
    by = None if memory.corrected_by in against else memory.corrected_by
    by = by or against.get(memory.id)
    return memory if by == memory.corrected_by else memory.model_copy(update={"corrected_by": by})
