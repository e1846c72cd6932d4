"""The statements of write transactions: rows in and out, no policy."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import neo4j

from ragpp.forgetting import check_epoch, left_of
from ragpp.models import EntityLabel, Vector
from ragpp.neo4j import Transaction
from services.semantic.records import EntityState, Mention, RelationshipKey, RelationshipState, Statement, label_of
from services.semantic.rows import (
    NamedRelationship,
    decay_row,
    entity_from,
    entity_properties,
    mention_from,
    mention_row,
    named_relationship_from,
    relationship_properties,
    statement_from,
    statement_row,
)
from services.semantic.statements import statement
from services.semantic.vectors import sketch


@dataclass(frozen=True, slots=True)
class Claim:
    """What claiming an event answered. `fresh`: it had not been applied; `same`: with the same content.
    `sources`: those that were not forgotten; None when it rests on forgotten ones alone."""

    sequence: int
    fresh: bool
    same: bool
    sources: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """An absorbed entity. `depth` 1: absorbed directly. `automatic`: by evidence, not by a user."""

    id: str
    name: str
    label: EntityLabel
    aliases: tuple[str, ...]
    depth: int
    automatic: bool


def _embedded(vector: Vector) -> dict[str, object]:
    return {"embedding": list(vector), "sketch": sketch(vector)}


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to claim. `marks`: of its sources, in their order."""

    event_id: str
    hash: str
    occurred_at: int
    sources: tuple[str, ...]
    marks: tuple[str, ...]

    def row(self) -> dict[str, object]:
        """As `claim` takes it."""
        return {
            "event_id": self.event_id,
            "hash": self.hash,
            "occurred_at": self.occurred_at,
            "sources": list(self.sources),
            "marks": list(self.marks),
        }

    def left(self, forgotten: Collection[str]) -> tuple[str, ...] | None:
        """Its sources; None when any of them is of these marks."""
        gone = {source for source, mark in zip(self.sources, self.marks, strict=True) if mark in forgotten}
        return left_of(self.sources, gone)


class GraphWriter:
    """The statements of one write transaction on one user's graph. `epoch`: what the write carries, where it is
    derived; taking the user's lock raises Outdated when it is not the graph's."""

    def __init__(self, transaction: Transaction, scope: str, epoch: int | None = None) -> None:
        self._transaction = transaction
        self._scope = scope
        self._epoch = epoch

    async def _run(self, name: str, **given: object) -> list[neo4j.Record]:
        return await self._transaction.run(statement(name), {"scope": self._scope, "given": given})

    async def claim(self, events: Sequence[NewEvent], *, now: int) -> list[Claim]:
        """Take the user's lock and mark events as applied; in their order. Raises Outdated."""
        marks = sorted({mark for event in events for mark in event.marks})
        records = await self._run("claim", rows=[event.row() for event in events], marks=marks, now=now)
        for record in records[:1]:
            check_epoch(self._epoch, record["epoch"])
        return [
            Claim(record["sequence"], record["fresh"], record["same"], event.left(record["forgotten"]))
            for event, record in zip(events, records, strict=True)
        ]

    async def lock(self, *, now: int) -> None:
        """Take the user's lock, where the user has a graph. Raises Outdated."""
        records = await self._run("lock", now=now)
        check_epoch(self._epoch, records[0]["epoch"] if records else 0)

    async def raise_epoch(self, *, now: int) -> None:
        """Let derived writes be refused whose inputs were read before. Takes the user's lock."""
        await self._run("raise_epoch", now=now)

    async def add_forgotten(self, marks: Iterable[str], *, now: int) -> None:
        """Keep, for good, that the sources of these marks were forgotten."""
        await self._run("add_forgotten", marks=sorted(marks), now=now)

    async def entities_by_keys(self, keys: Iterable[str]) -> list[EntityState]:
        records = await self._run("entities_by_keys", keys=list(keys))
        return [entity_from(record["entity"]) for record in records]

    async def entities(self, ids: Iterable[str]) -> list[EntityState]:
        records = await self._run("entities_by_ids", ids=list(ids))
        return [entity_from(record["entity"]) for record in records]

    async def relationships(self, ids: Iterable[str]) -> list[NamedRelationship]:
        records = await self._run("relationships_by_ids", ids=list(ids))
        return [named_relationship_from(record["relationship"]) for record in records]

    async def rivals(self, groups: Iterable[tuple[str, str]]) -> list[RelationshipState]:
        """The relationships of these (source id, type)."""
        rows = [{"source_id": source_id, "type": type_name} for source_id, type_name in groups]
        records = await self._run("rivals", rows=rows) if rows else []
        return [named_relationship_from(record["relationship"]).state for record in records]

    async def fading(self, *, now: int, limit: int) -> list[RelationshipState]:
        """Current relationships, `limit` at most, whose decay was last persisted before `now`."""
        records = await self._run("fading", now=now, limit=limit)
        return [named_relationship_from(record["relationship"]).state for record in records]

    async def names_of_entities(self, *, after: tuple[str, str], limit: int) -> list[EntityState]:
        """By (key, id), after that position; without what they rest on."""
        records = await self._run("names_of_entities", after_key=after[0], after_id=after[1], limit=limit)
        return [entity_from(record["entity"]) for record in records]

    async def write_entities(self, states: Iterable[EntityState], created: Mapping[str, Vector]) -> None:
        """Write nodes; `created` has the ids of new ones, and renamed ones, with the embedding of their names."""
        rows = []
        for state in states:
            properties = entity_properties(state)
            if state.id in created:
                properties |= _embedded(created[state.id])
            rows.append({"id": state.id, "state": properties, "alias_keys": list(state.alias_keys)})
        await self._run("write_entities", rows=rows)

    async def drop_aliases(self, states: Iterable[EntityState]) -> None:
        """Take away the aliases that these entities have no more."""
        rows = [{"id": state.id, "alias_keys": list(state.alias_keys)} for state in states]
        await self._run("drop_aliases", rows=rows)

    async def write_mentions(self, mentions: Iterable[Mention]) -> None:
        await self._run("write_mentions", rows=[mention_row(mention) for mention in mentions])

    async def write_relationships(self, states: Iterable[RelationshipState]) -> None:
        rows = [
            {
                "id": state.key.id,
                "source_id": state.key.source_id,
                "target_id": state.key.target_id,
                "state": relationship_properties(state),
            }
            for state in states
        ]
        await self._run("write_relationships", rows=rows)

    async def persist_decay(self, states: Iterable[RelationshipState]) -> None:
        """Write down how far edges have faded, and which of them are archived."""
        await self._run("persist_decay", rows=[decay_row(state) for state in states])

    async def drop_relationships(self, keys: Iterable[RelationshipKey]) -> None:
        await self._run("drop_relationships", ids=[key.id for key in keys])

    async def write_statements(self, statements: Iterable[Statement]) -> None:
        await self._run("write_statements", rows=[statement_row(item) for item in statements])

    async def mentions_of(self, entity_id: str) -> list[Mention]:
        records = await self._run("mentions_of", id=entity_id)
        return [mention_from(record["mention"], entity_id) for record in records]

    async def statements_of(self, keys: Iterable[RelationshipKey]) -> list[Statement]:
        records = await self._run("statements_of", ids=[key.id for key in keys])
        return [statement_from(record["statement"]) for record in records]

    async def statements_around(self, entity_id: str) -> list[Statement]:
        records = await self._run("statements_around", id=entity_id)
        return [statement_from(record["statement"]) for record in records]

    async def drop_mentions(self, mentions: Iterable[Mention]) -> None:
        rows = [{"event_id": item.applied.event_id, "entity_id": item.entity_id} for item in mentions]
        await self._run("drop_mentions", rows=rows)

    async def drop_statements(self, keys: Iterable[RelationshipKey]) -> None:
        """Take away all the evidence of relationships."""
        await self._run("drop_statements", ids=[key.id for key in keys])

    async def absorb(self, keep_id: str, absorb_id: str, *, now: int, automatic: bool) -> None:
        await self._run("absorb", keep_id=keep_id, absorb_id=absorb_id, now=now, automatic=automatic)

    async def restore(self, keep_id: str, absorb_id: str, *, for_good: bool) -> None:
        await self._run("restore", keep_id=keep_id, absorb_id=absorb_id, for_good=for_good)

    async def hand_over(self, keep_id: str, absorb_id: str) -> None:
        """What was absorbed, without its evidence, becomes another's."""
        await self._run("hand_over", keep_id=keep_id, absorb_id=absorb_id)

    async def merges_of(self, entity_id: str) -> list[MergeRecord]:
        """What an entity absorbed, directly and through others."""
        records = await self._run("merges_of", id=entity_id)
        return [
            MergeRecord(
                record["id"],
                record["name"],
                label_of(record["label"]),
                tuple(record["aliases"]),
                record["depth"],
                bool(record["automatic"]),
            )
            for record in records
        ]

    async def rename_merge(self, merge_id: str, state: EntityState, embedding: Vector) -> None:
        properties = {**entity_properties(state), **_embedded(embedding)}
        await self._run("rename_merge", id=merge_id, state=properties)

    async def drop_merge(self, merge_id: str) -> None:
        await self._run("drop_merge", id=merge_id)

    async def add_unrevised(self, entity_ids: Iterable[str], relationships: Iterable[RelationshipKey]) -> None:
        """Note, until `take_unrevised`, what has lost evidence."""
        keys = [[key.source_id, key.type, key.target_id] for key in relationships]
        await self._run("add_unrevised", things=[[identifier] for identifier in entity_ids] + keys)

    async def take_unrevised(self) -> tuple[set[str], set[RelationshipKey]]:
        """What is noted: entities by id, relationships by key; no longer from now on."""
        things = [record["thing"] for record in await self._run("take_unrevised")]
        return (
            {thing[0] for thing in things if len(thing) == 1},
            {RelationshipKey(*thing) for thing in things if len(thing) == 3},
        )

    async def events_of_sources(self, interaction_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Events that came from any of these interactions, with those of them. What an event says may be the words of
        each of its sources, so it goes with any."""
        ids = set(interaction_ids)
        records = await self._run("events_of_sources", ids=list(ids))
        return {record["event_id"]: tuple(ids.intersection(record["sources"])) for record in records}

    async def evidence_of_events(self, event_ids: Iterable[str]) -> dict[str, tuple[set[str], set[RelationshipKey]]]:
        """Which entities and relationships known events are evidence of, by event id."""
        records = await self._run("evidence_of_events", ids=list(event_ids))
        return {
            record["event_id"]: (
                set(record["entities"]),
                {RelationshipKey(*relationship) for relationship in record["relationships"]},
            )
            for record in records
        }

    async def withdraw_events(self, event_ids: Iterable[str]) -> None:
        await self._run("withdraw_events", ids=list(event_ids))

    async def set_sources(self, sources: Mapping[str, Sequence[str]]) -> None:
        rows = [{"event_id": event_id, "sources": list(remaining)} for event_id, remaining in sources.items()]
        await self._run("set_sources", rows=rows)

    async def events_of_entity(self, entity_id: str) -> list[str]:
        return [record["event_id"] for record in await self._run("events_of_entity", id=entity_id)]

    async def drop_entity(self, entity_id: str) -> None:
        await self._run("drop_entity", id=entity_id)

    async def drop_spent_entries(self, event_ids: Iterable[str]) -> None:
        await self._run("drop_spent_entries", ids=list(event_ids))
