"""Memories to be packed, and a tokenizer that is simple enough to reckon with."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from ragpp.models import Memory, MemoryKind, TierName

_WORD = re.compile(r"\w+|[^\w\s]")


class Words:
    """Counts words and marks: a tokenizer simple enough to reckon with."""

    def count(self, text: str) -> int:
        return len(_WORD.findall(text))

    def truncate(self, text: str, max_tokens: int) -> str:
        ends = [found.end() for found in _WORD.finditer(text)]
        return text if len(ends) <= max_tokens else text[: ends[max_tokens - 1] if max_tokens else 0]


_TIERS: Final[Mapping[MemoryKind, TierName]] = {
    "message": "short_term",
    "summary": "short_term",
    "rule": "procedural",
    "preference": "procedural",
}


def memory(identifier: str, text: str, kind: MemoryKind = "interaction", score: float = 0.5) -> Memory:
    return Memory(
        id=identifier,
        tier=_TIERS.get(kind, "episodic"),
        kind=kind,
        text=text,
        score=score,
        tokens=Words().count(text),
        said_by="Ada Ng",
        occurred_at=datetime(2024, 5, 1, 9, 30, tzinfo=UTC),
    )
