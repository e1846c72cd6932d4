"""The statements of write transactions: rows in and out, no policy."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import neo4j

from ragpp.models import Vector
from ragpp.stores.forgetting import check_epoch
from ragpp.stores.neo4j import Transaction
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.records import (
    EntityState,
    Loss,
    Mention,
    Naming,
    RelationshipKey,
    RelationshipState,
    Statement,
)
from ragpp_services.semantic.rows import (
    NamedRelationship,
    decay_row,
    entity_from,
    entity_properties,
    mention_from,
    mention_row,
    named_relationship_from,
    naming_from,
    naming_text,
    relationship_properties,
    statement_from,
    statement_row,
)
from ragpp_services.semantic.statements import statement
from ragpp_services.semantic.vectors import sketch
from ragpp_services.semantic.write.records import Claim, EventEvidence, MergeRecord, NewEvent, SaidName

ERASED: Final = ("evidence", "merges", "aliases", "entities", "unrevised")
"""In this order: what has the most edges goes last, when most of them are gone."""
KEPT_CONSOLIDATIONS: Final = 2_000


def _embedded(vector: Vector) -> dict[str, object]:
    return {"embedding": list(vector), "sketch": sketch(vector)}


class GraphWriter:
    """The statements of one write transaction on one user's graph. `epoch`: what the write carries, where it is
    derived; taking the user's lock raises Outdated when it is not the graph's."""

    def __init__(self, transaction: Transaction, scope: str, epoch: int | None = None) -> None:
        self._transaction = transaction
        self._scope = scope
        self._epoch = epoch

    async def _run(self, name: str, **given: object) -> list[neo4j.Record]:
        return await self._transaction.run(statement(name), {"scope": self._scope, "given": given})

    async def claim(self, events: Sequence[NewEvent], *, now: int, again: bool = False) -> list[Claim]:
        """Take the user's lock and mark events as applied; in their order. `again`: also those that were, which keep
        their places. Raises Outdated."""
        marks = sorted({mark for event in events for mark in event.marks})
        records = await self._run("claim", rows=[event.row() for event in events], marks=marks, again=again, now=now)
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
        """Keep, until they are pruned for their age, the marks of sources that were forgotten; the user has a node."""
        await self._run("add_forgotten", marks=sorted(marks), now=now)

    async def entities_by_keys(self, keys: Iterable[str]) -> list[EntityState]:
        return [entity_from(one["entity"]) for one in await self._run("entities_by_keys", keys=list(keys))]

    async def entities(self, ids: Iterable[str]) -> list[EntityState]:
        return [entity_from(one["entity"]) for one in await self._run("entities_by_ids", ids=list(ids))]

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

    async def write_entities(
        self, states: Iterable[EntityState], created: Mapping[str, Vector], *, unnamed: Collection[str] = ()
    ) -> None:
        """Write nodes; `created` has the ids of new ones, and renamed ones, with the embedding of their names.
        `unnamed`: the ids of those that are absorbed next, whose names others may have; see `free_names`."""
        rows = []
        for state in states:
            properties = entity_properties(state)
            if state.id in created:
                properties |= _embedded(created[state.id])
            if state.id in unnamed:
                properties["name_key"] = state.id
            rows.append({"id": state.id, "state": properties, "alias_keys": list(state.alias_keys)})
        await self._run("write_entities", rows=rows)

    async def relabel(self, entity_id: str, label: str, former_labels: Collection[str]) -> None:
        """Say what an entity is. Others may have its name until it is written."""
        await self._run("relabel", id=entity_id, label=label, former_labels=list(former_labels))

    async def free_names(self, entity_ids: Iterable[str]) -> None:
        """Let others have the names of these entities, until they are written or absorbed."""
        await self._run("free_names", ids=list(entity_ids))

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

    async def names_of(self, entity_ids: Iterable[str]) -> dict[str, list[SaidName]]:
        """The names that entities were given, by id; those that nothing mentions are left out."""
        names: dict[str, list[SaidName]] = {}
        for record in await self._run("names_of", ids=list(entity_ids)):
            said = SaidName(record["name"], tuple(record["aliases"]), record["first"])
            names.setdefault(record["entity"], []).append(said)
        return names

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

    async def absorb(
        self, keep_id: str, absorbed: EntityState, *, now: int, automatic: bool, again: bool, after: int | None
    ) -> None:
        ids = {"keep_id": keep_id, "absorb_id": absorbed.id, "name_key": absorbed.key}
        await self._run("absorb", **ids, now=now, automatic=automatic, again=again, after=after)

    async def restore(self, keep_id: str, absorb_id: str) -> None:
        await self._run("restore", keep_id=keep_id, absorb_id=absorb_id)

    async def merges_of(self, entity_ids: Iterable[str]) -> dict[str, list[MergeRecord]]:
        """The merges into entities, direct and through others, by id; those that absorbed nothing are left out."""
        merges: dict[str, list[MergeRecord]] = {}
        for record in await self._run("merges_of", ids=list(entity_ids)):
            fields = {name: record[name] for name in ("depth", "kept", "automatic", "at", "after", "gained", "apart")}
            merge = MergeRecord(entity_from(record["was"]), **fields)
            merges.setdefault(record["entity"], []).append(merge)
        return merges

    async def note_consolidation(self) -> None:
        """Note that those who are plainly the same become one now, of the latest KEPT_CONSOLIDATIONS times."""
        await self._run("note_consolidation", most=KEPT_CONSOLIDATIONS)

    async def consolidations(self) -> list[int]:
        """The place in the order of arrival that came next whenever that was done."""
        return [place for record in await self._run("consolidations") for place in record["places"]]

    async def rewrite_merge(self, was: EntityState, embedding: Vector | None) -> None:
        """Let an absorbed entity have been this; `embedding`: of its name, None where that stays."""
        properties = {**entity_properties(was), **(_embedded(embedding) if embedding is not None else {})}
        await self._run("rewrite_merge", id=was.id, state=properties)

    async def drop_merge(self, merge_id: str) -> None:
        await self._run("drop_merge", id=merge_id)

    async def add_unrevised(self, losses: Mapping[str, Loss], relationships: Iterable[RelationshipKey]) -> None:
        """Note, until `take_unrevised`, what has lost evidence: entities by id, and relationships."""
        rows = [
            {"thing": [identifier], "first": loss.first, "keys": sorted(loss.keys)}
            for identifier, loss in losses.items()
        ]
        rows += [{"thing": [key.source_id, key.type, key.target_id]} for key in relationships]
        await self._run("add_unrevised", rows=rows)

    async def take_unrevised(self) -> tuple[dict[str, Loss], set[RelationshipKey]]:
        """Take what is noted: entities by id, relationships by key; it is noted no longer from now on."""
        records = await self._run("take_unrevised")
        return (
            {
                record["thing"][0]: Loss(record["first"], frozenset(record["keys"]))
                for record in records
                if len(record["thing"]) == 1
            },
            {RelationshipKey(*record["thing"]) for record in records if len(record["thing"]) == 3},
        )

    async def events_of_sources(self, interaction_ids: Iterable[str]) -> list[str]:
        """Events that came from any of these interactions. What an event says may be the words of each of its sources,
        so it goes with any."""
        return [record["event_id"] for record in await self._run("events_of_sources", ids=list(interaction_ids))]

    async def evidence_of_events(self, event_ids: Iterable[str]) -> list[EventEvidence]:
        """The evidence that known events are, with what each is evidence of."""
        records = await self._run("evidence_of_events", ids=list(event_ids))
        return [
            EventEvidence(
                record["event_id"],
                record["sequence"],
                tuple((identifier, frozenset(map(name_key, names))) for identifier, names in record["mentions"]),
                frozenset(RelationshipKey(*relationship) for relationship in record["relationships"]),
            )
            for record in records
        ]

    async def namings_around(self, entity_ids: Iterable[str]) -> dict[str, tuple[Naming, ...]]:
        """Every name in the events that mention any of these entities, in order, by event; empty for an event of the
        time before they were kept."""
        records = await self._run("namings_around", ids=list(entity_ids))
        return {record["event_id"]: tuple(map(naming_from, record["namings"])) for record in records}

    async def set_namings(self, namings: Mapping[str, Sequence[Naming]]) -> None:
        """Let events have these names, by event id."""
        rows = [{"event_id": event_id, "namings": [*map(naming_text, left)]} for event_id, left in namings.items()]
        await self._run("set_namings", rows=rows)

    async def unapply_events(self, event_ids: Iterable[str]) -> None:
        """Let observations be applied again that are evidence of nothing any more."""
        await self._run("unapply_events", ids=list(event_ids))

    async def withdraw_events(self, event_ids: Iterable[str]) -> None:
        await self._run("withdraw_events", ids=list(event_ids))

    async def empty_events(self, event_ids: Iterable[str]) -> None:
        """Let events be evidence of nothing, and stay applied."""
        await self._run("empty_events", ids=list(event_ids))

    async def events_of_entity(self, entity_id: str) -> list[str]:
        return [record["event_id"] for record in await self._run("events_of_entity", id=entity_id)]

    async def drop_entity(self, entity_id: str) -> None:
        await self._run("drop_entity", id=entity_id)

    async def erase(self, limit: int) -> bool:
        """Delete a part of the user's graph, `limit` nodes of each kind at most; whether there may be more. The node of
        the user stays, which has the epoch, and the marks of what was forgotten."""
        gone = [await self._run(f"erase_{kind}", limit=limit) for kind in ERASED]
        return any(records[0]["gone"] == limit for records in gone)

    async def drop_spent_entries(self, event_ids: Iterable[str]) -> None:
        await self._run("drop_spent_entries", ids=list(event_ids))
