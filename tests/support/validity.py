"""Somebody's moves as a graph hears of them, told and asked of at days before noon."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from ragpp.models import MemoryQuery, Relationship, RelationshipEntry, Scope
from ragpp_services.semantic.tier import Neo4jSemanticTier
from tests.support.semantic import (
    NOON,
    observation,
    relation,
    texts,
)

DAY = timedelta(days=1)
FLOOR = 0.05


class Clock:
    """The tier's clock, set by a test."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


async def hear(tier: Neo4jSemanticTier, scope: Scope, said: Sequence[tuple[str, int, RelationshipEntry]]) -> None:
    """Observe messages of these ids, so many days before noon; each in a call of its own, in the order given."""
    for identifier, days, entry in said:
        await tier.observe(scope, [observation(identifier, at=NOON - days * DAY, relationships=(entry,))])


def told(found: Sequence[Relationship]) -> list[tuple[str, str | None]]:
    """The words of each relationship, and the message that ended it."""
    return [(f"{item.source} {item.type} {item.target}", item.ended_by) for item in found]


async def asked(tier: Neo4jSemanticTier, scope: Scope, text: str, as_of: datetime | None = None) -> list[str]:
    return sorted(texts(await tier.retrieve(MemoryQuery(scope=scope, text=text, as_of=as_of)), "relationship"))


PORTO = ("m1", 30, relation("Noor", "LIVES_IN", "Porto", context="I live in Porto."))
LISBON = ("m2", 10, relation("Noor", "LIVES_IN", "Lisbon", context="I moved to Lisbon."))
