"""Answers of a recall for what judges them."""

from datetime import UTC, datetime

from ragpp.api import RecalledMemory, RecallResponse

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def answer(*sources: tuple[str, ...], context: str = "") -> RecallResponse:
    """One with a memory for each of `sources`, best first; none is in its context."""
    memories = tuple(
        RecalledMemory(id=str(place), tier="episodic", kind="interaction", text="said", score=0.5, sources=named)
        for place, named in enumerate(sources)
    )
    return RecallResponse(
        status="complete",
        context=context,
        tokens=0,
        elapsed_ms=1.0,
        retrieved_at=NOW,
        receipt_pending=0,
        sections=(),
        memories=memories,
        tiers={},
    )
