"""Memories that a context leaves out, whatever room there is. Pure."""

from collections.abc import Mapping, Sequence

from ragpp.api import RecallRequest, Relevance
from ragpp.models import Memory
from ragpp.retrieval.calibration import Calibration
from ragpp_services.gateway.assembly.answerability import about_question
from ragpp_services.gateway.assembly.helpfulness import why_not_shown
from ragpp_services.gateway.assembly.memory_key import MemoryKey, memory_key
from ragpp_services.gateway.assembly.relevance import asks_for_all, why_far_behind


def why_cut(
    request: RecallRequest,
    ranking: Sequence[Memory],
    level: Relevance | None,
    scale: Calibration | None,
    asker: str | None,
    budget: int,
) -> Mapping[MemoryKey, str]:
    """The memories of `ranking` (fused, best first) that have no place in the context, each with the reason; none for a
    question about everything. Where it cannot be told how far anything is about the question (`level` is None), no more
    than what `fill` leaves out. `scale` and `asker` as in `relevance_of`; `budget`: in tokens."""
    if asks_for_all(request.query):
        return {}
    far = why_far_behind(ranking)
    if request.fill or level is None:
        return far
    said = {memory_key(memory) for memory in ranking if memory.kind == "interaction" and memory.may_correct is None}
    learned = [memory for memory in ranking if memory.tier in {"semantic", "procedural"}]
    known = about_question(request.query, learned, scale, asker=asker, beside_what_was_said=bool(said))
    known |= {memory_key(memory) for memory in ranking if memory.tier == "catalog"} - far.keys()
    far = {key: why for key, why in far.items() if key in said}
    return far | why_not_shown(ranking, known, level, budget)
