"""Retrieval: what to ask the graph for a query, and what to make of its answer. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, cast

from ragpp.clock import from_moment, to_moment
from ragpp.models import Memory, MemoryQuery, Vector
from ragpp.names import SPEAKER
from ragpp.text.kinship import kin_in
from ragpp.text.lexical import query_terms, stored_terms
from ragpp.text.port import TokenMeter
from ragpp_services.semantic.evidence.folding import Belief
from ragpp_services.semantic.evidence.keys import content_words, name_key, query_keys
from ragpp_services.semantic.evidence.validity import EXCLUSIVE
from ragpp_services.semantic.read.ranking import (
    FoundEntity,
    FoundRelationship,
    entities_at,
    relationships_at,
    words_of_type,
)
from ragpp_services.semantic.rows import Candidates, Row, rate_table
from ragpp_services.semantic.settings import SemanticSettings
from ragpp_services.semantic.vectors import sketch

MOST_REJECTED: Final = 20
"""Rejected relationships that tell against what they were learned from, those mentioned last."""
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
        "rates": rate_table(settings.decay_per_day),
        "exclusive": sorted(EXCLUSIVE),
        "rejected": MOST_REJECTED if query.rejected else 0,
    }


def memories(
    query: MemoryQuery,
    rows: Candidates,
    now: datetime,
    belief: Belief,
    counter: TokenMeter,
) -> list[Memory]:
    """The query's memories, best first: at most its `limit`, confidence decayed to its `as_of` or to `now`. Who asks in
    the first person is no answer, and what is known of them is one as far as it shares a word with the question, if
    that asks for anything in particular. Behind them, beyond the limit, what a person rejected where that is wanted."""
    until, moment = seen_until(query), to_moment(query.as_of or now)
    excluded, least = query.filters.exclude, query.filters.min_confidence or 0.0
    entities = entities_at(rows.entities, until)
    nearness = {entity.id: entity.nearness for entity in entities}
    relationships = relationships_at(rows.relationships, nearness, query.text, until=until, now=moment, belief=belief)
    wanted = _asked_of(query)
    rejected = [_rejected(row, query, wanted, relationships, counter) for row in rows.rejected]
    askers = _askers(query)
    if SPEAKER in query.entities:
        entities = [one for one in entities if askers.isdisjoint({one.state.key, *map(name_key, one.state.aliases)})]
        asked_for = {entity.id for entity in entities}
        if wanted and content_words(query.text):
            relationships = [
                one
                for one in relationships
                if asked_for & {*one.ends} or not wanted.isdisjoint(stored_terms(one.document))
            ]
    reached: list[FoundEntity | FoundRelationship] = [*entities]
    reached += [relationship for relationship in relationships if relationship.confidence >= least]
    found = [
        item
        for item in reached
        if item.id not in excluded and _within(query, item.state.first_mention, item.state.last_mention)
    ]
    found.sort(key=lambda item: (-item.score, item.text, -item.state.last_mention, item.id))
    return [
        _entity(item, counter) if isinstance(item, FoundEntity) else _relationship(item, counter)
        for item in found[: query.limit]
    ] + rejected


def _within(query: MemoryQuery, first: int, last: int) -> bool:
    """True where what was mentioned between `first` and `last` may have been mentioned in the query's time range."""
    span = query.filters.time_range
    if span is None:
        return True
    return (span.start is None or last >= to_moment(span.start)) and (span.end is None or first < to_moment(span.end))


def _entity(found: FoundEntity, counter: TokenMeter) -> Memory:
    state, text = found.state, found.text
    return Memory(
        id=state.id,
        tier="semantic",
        kind="entity",
        text=text,
        score=found.score,
        similarity=found.nearness if found.nearness < 1.0 else None,
        tokens=counter.count(text),
        occurred_at=from_moment(state.last_mention),
        sources=tuple([source.id for source in state.sources]),
        metadata={
            "name": state.name,
            "label": state.label,
            "aliases": list(state.aliases),
            "mentions": state.mentions,
        },
    )


def _askers(query: MemoryQuery) -> frozenset[str]:
    """The keys of who asks: of the name, where one is given, and of whoever speaks without one."""
    return frozenset(map(name_key, (SPEAKER, query.asker or SPEAKER)))


def _asked_of(query: MemoryQuery) -> frozenset[int]:
    """The terms of what is asked, but for the name of who asks: all that is known of them has it."""
    own = stored_terms(f"{SPEAKER} {query.asker}" if query.asker else SPEAKER)
    return frozenset(query_terms(query.text)).difference(own)


def _rejected(
    row: Row, query: MemoryQuery, wanted: frozenset[int], held: Sequence[FoundRelationship], counter: TokenMeter
) -> Memory:
    """A relationship that a person rejected. Its score is the share of the terms `wanted` of the question that it has
    beside its source's name: what it tells against. That is nothing where the question is after kin of the speaker's,
    and it is about the speaker alone: a message about the sister, read as one of the speaker, still tells of the
    sister. Of its sources, those that answer the question by something else that was learned from them are left out."""
    identifier, source, type_name, target, sources = cast("tuple[str, str, str, str, list[str] | None]", tuple(row))
    kin = kin_in(query.text)
    said = f"{words_of_type(type_name)} {target}"
    shared = wanted.intersection(stored_terms(said))
    if name_key(source) in _askers(query) and kin and kin.isdisjoint(kin_in(said)):
        shared = frozenset()
    upheld = {
        source_ref.id
        for one in held
        if _answers_instead(one, name_key(source), type_name, shared, wanted)
        for source_ref in one.state.sources
    }
    text = f"{source} {type_name} {target}"
    return Memory(
        id=identifier,
        tier="semantic",
        kind="relationship",
        text=text,
        score=len(shared) / len(wanted) if wanted else 0.0,
        confidence=0.0,
        tokens=counter.count(text),
        sources=tuple(one for one in sources or () if one not in upheld),
        metadata={"source": source, "type": type_name, "target": target, "verdict": "rejected"},
    )


def _answers_instead(
    held: FoundRelationship, source: str, type_name: str, shared: frozenset[int], wanted: frozenset[int]
) -> bool:
    """True where `held` has more of the question's words than the rejected one, or as many and says the like of the
    same: "I left Brightline for Acme" still tells of Acme."""
    said = f"{words_of_type(held.state.key.type)} {held.target}"
    if wanted.intersection(stored_terms(f"{held.source} {said}")) > shared:
        return True
    is_alike = (name_key(held.source), held.state.key.type) == (source, type_name)
    return is_alike and wanted.intersection(stored_terms(said)) >= shared


def _relationship(found: FoundRelationship, counter: TokenMeter) -> Memory:
    state, text = found.state, found.text
    return Memory(
        id=found.id,
        tier="semantic",
        kind="relationship",
        text=text,
        score=found.score,
        confidence=found.confidence,
        tokens=counter.count(text),
        occurred_at=from_moment(state.last_mention),
        sources=tuple([source.id for source in state.sources]),
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
            "verb": state.verb,
        },
    )
