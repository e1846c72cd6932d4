"""Retrieval: what to ask the graph for a query, and what to make of its answer. Pure."""

from datetime import UTC, datetime
from typing import Final

from ragpp.clock import from_moment, to_moment
from ragpp.models import Memory, MemoryQuery, Vector
from ragpp.text.tokens import TokenCounter
from ragpp_services.semantic.evidence.folding import Belief
from ragpp_services.semantic.evidence.keys import query_keys
from ragpp_services.semantic.evidence.validity import EXCLUSIVE
from ragpp_services.semantic.read.ranking import FoundEntity, FoundRelationship, entities_at, relationships_at
from ragpp_services.semantic.rows import Row
from ragpp_services.semantic.settings import SemanticSettings
from ragpp_services.semantic.vectors import sketch

END_OF_TIME: Final = to_moment(datetime.max.replace(tzinfo=UTC))


def seen_until(query: MemoryQuery) -> int:
    """Up to when what was said is seen: the query's `as_of`, or without end."""
    return to_moment(query.as_of) if query.as_of is not None else END_OF_TIME


def parameters(
    query: MemoryQuery, embedding: Vector | None, now: datetime, settings: SemanticSettings
) -> dict[str, object]:
    """The parameters of the statement `retrieve`."""
    threshold = query.filters.similarity_threshold
    return {
        "keys": query_keys(query.text, query.entities),
        "embedding": list(embedding) if embedding is not None else None,
        "sketch": sketch(embedding) if embedding is not None else None,
        "scanned": settings.scanned,
        "shortlist": settings.shortlist,
        "near": settings.near,
        "floor": settings.similarity_floor if threshold is None else threshold,
        "seeds": settings.seeds,
        "as_of": seen_until(query),
        "now": to_moment(query.as_of or now),
        "first_hop": settings.first_hop,
        "second_hop": settings.second_hop,
        "bridges": settings.bridges,
        "candidates": max(settings.candidates, min(2 * query.limit, 400)),
        "rate": settings.decay_per_day,
        "lasting_rate": settings.lasting_decay_per_day,
        "exclusive": sorted(EXCLUSIVE),
    }


def memories(
    query: MemoryQuery,
    rows: tuple[list[Row], list[Row]],
    now: datetime,
    belief: Belief,
    counter: TokenCounter,
) -> list[Memory]:
    """What the query gets, best first: at most its `limit`, confidence decayed to its `as_of` or to `now`."""
    until, moment = seen_until(query), to_moment(query.as_of or now)
    excluded, least = query.filters.exclude, query.filters.min_confidence or 0.0
    entities = entities_at(rows[0], until)
    nearness = {entity.id: entity.nearness for entity in entities}
    relationships = relationships_at(rows[1], nearness, query.text, until=until, now=moment, belief=belief)
    reached: list[FoundEntity | FoundRelationship] = [*entities]
    reached += [relationship for relationship in relationships if relationship.confidence >= least]
    found = [
        item
        for item in reached
        if item.id not in excluded and _within(query, item.state.first_mention, item.state.last_mention)
    ]
    found.sort(key=lambda item: (-item.score, item.id))
    return [
        _entity(item, counter) if isinstance(item, FoundEntity) else _relationship(item, counter)
        for item in found[: query.limit]
    ]


def _within(query: MemoryQuery, first: int, last: int) -> bool:
    """What was mentioned between `first` and `last` may have been mentioned in the query's time range."""
    span = query.filters.time_range
    if span is None:
        return True
    return (span.start is None or last >= to_moment(span.start)) and (span.end is None or first < to_moment(span.end))


def _entity(found: FoundEntity, counter: TokenCounter) -> Memory:
    state = found.state
    text = f"{state.name} ({state.label})"
    if state.aliases:
        text += f", also {', '.join(state.aliases)}"
    return Memory(
        id=state.id,
        tier="semantic",
        kind="entity",
        text=text,
        score=found.score,
        similarity=found.nearness if found.nearness < 1.0 else None,
        tokens=counter.count(text),
        occurred_at=from_moment(state.last_mention),
        sources=tuple(source.id for source in state.sources),
        metadata={
            "name": state.name,
            "label": state.label,
            "aliases": list(state.aliases),
            "mentions": state.mentions,
        },
    )


def _relationship(found: FoundRelationship, counter: TokenCounter) -> Memory:
    state = found.state
    text = f"{found.source} {state.key.type} {found.target}"
    return Memory(
        id=found.id,
        tier="semantic",
        kind="relationship",
        text=text,
        score=found.score,
        confidence=found.confidence,
        tokens=counter.count(text),
        occurred_at=from_moment(state.last_mention),
        sources=tuple(source.id for source in state.sources),
        metadata={
            "source_id": state.key.source_id,
            "source": found.source,
            "type": state.key.type,
            "target_id": state.key.target_id,
            "target": found.target,
            "weight": state.weight,
            "lasting": state.lasting,
            "valid_from": from_moment(state.valid_from).isoformat(),
            "context": state.context,
        },
    )
