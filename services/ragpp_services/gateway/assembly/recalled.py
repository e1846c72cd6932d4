"""The fused ranking as it is answered: numbers rounded, long texts as excerpts, places explained. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from ragpp.api import RecalledMemory
from ragpp.models import Memory, TierName
from ragpp.text.port import TokenMeter
from ragpp_services.gateway.assembly.memory_key import memory_key
from ragpp_services.gateway.assembly.packing import Packed

DECIMALS: Final = 4
"""Decimals of scores, similarities, coverages and confidences in answers."""
WHOLE_CHARS: Final = 4_000
"""A memory up to this long is answered whole; of a longer one EXCERPT_CHARS, from LEAD_CHARS before what was found."""
EXCERPT_CHARS: Final = 2_000
LEAD_CHARS: Final = 200
NO_ROOM: Final = "no room left in the token budget"


def recalled(
    ranking: Sequence[Memory],
    packed: Packed,
    explained: Mapping[TierName, Sequence[Memory]] | None,
    counter: TokenMeter,
) -> tuple[RecalledMemory, ...]:
    """The ranking as it is answered; when `explained`, the answers of the tiers, with each memory's place, score and
    signals in its own tier, and why it is not in the context."""
    shown = {memory_key(memory) for section in packed.sections for memory in section.memories}
    places = {
        (name, memory.id): (place, memory.score)
        for name, memories in (explained or {}).items()
        for place, memory in enumerate(memories, start=1)
    }
    answered = []
    for memory in ranking:
        in_context = memory_key(memory) in shown
        fields = {**memory.__dict__, "explain": None, "in_context": in_context}
        if len(memory.text) > WHOLE_CHARS:
            start = max(0, min(memory.focus - LEAD_CHARS, len(memory.text) - EXCERPT_CHARS))
            end = None if memory.focus_end is None else min(memory.focus_end - start, EXCERPT_CHARS)
            excerpt = {"text": memory.text[start : start + EXCERPT_CHARS], "focus": memory.focus - start}
            fields |= excerpt | {"focus_end": end, "is_excerpt": True}
        fields["tokens"] = counter.count(fields["text"])
        for number in ("score", "similarity", "second_similarity", "coverage", "confidence"):
            if fields[number] is not None:
                fields[number] = round(fields[number], DECIMALS)
        if explained is not None:
            place, score = places[memory.tier, memory.id]
            fields["explain"] = {
                "rank_in_tier": place,
                "score_in_tier": round(score, DECIMALS),
                **(memory.explain or {}),
                **({} if in_context else {"cut": packed.cut.get(memory_key(memory), NO_ROOM)}),
            }
        answered.append(RecalledMemory.trusted(**fields))
    return tuple(answered)
