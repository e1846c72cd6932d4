"""Rows in and out of the graph: no policy, no embedding, no HTTP."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import neo4j

from ragpp.clock import Clock
from ragpp.embedding.port import EmbeddingIdentity
from ragpp.health import StoreState
from ragpp.models import Relabelled, RelationshipEntry, Scope
from ragpp.stores import neo4j as graph
from ragpp.stores.neo4j import Transaction, scope_key
from ragpp_services.semantic.person_rows import relabelled_from, stated_from
from ragpp_services.semantic.records import EntityState, Mention, RelationshipKey, Statement
from ragpp_services.semantic.rows import (
    Candidates,
    NamedRelationship,
    entity_from,
    mention_from,
    named_relationship_from,
    statement_from,
)
from ragpp_services.semantic.schema import prune_forgotten, record_identity
from ragpp_services.semantic.state import state_of
from ragpp_services.semantic.statements import statement
from ragpp_services.semantic.write.writer import GraphWriter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StatedBy:
    """An event's statement, and its moment. `key`: None where it states nothing any more."""

    occurred_at: int
    key: RelationshipKey | None


class SemanticStore:
    """Reads, and the transactions of writes."""

    def __init__(self, driver: neo4j.AsyncDriver, *, timeout_s: float) -> None:
        self._driver = driver
        self._timeout_s = timeout_s

    async def _read(
        self, scope: Scope, name: str, *, timeout_s: float | None = None, replacing: bool = True, **given: object
    ) -> list[neo4j.Record]:
        return await graph.read(
            self._driver,
            statement(name),
            {"scope": scope_key(scope), "given": given},
            timeout_s=timeout_s or self._timeout_s,
            replacing=replacing,
        )

    async def candidates(
        self, scope: Scope, parameters: Mapping[str, object], *, timeout_s: float | None = None
    ) -> Candidates:
        """The rows that a query reaches, as ranking.py reads them. Raises TierUnavailable for a dead connection: behind
        it the server may be a cold one."""
        records = await self._read(scope, "retrieve", timeout_s=timeout_s, replacing=False, **parameters)
        return Candidates(*(records[0][name] for name in Candidates._fields)) if records else Candidates([], [], [])

    async def entities(self, scope: Scope, ids: Iterable[str]) -> list[EntityState]:
        """Those of `ids` that exist, in that order."""
        records = await self._read(scope, "entities_by_ids", ids=list(ids))
        return [entity_from(record["entity"]) for record in records]

    async def entities_by_keys(self, scope: Scope, keys: Iterable[str]) -> list[EntityState]:
        """Entities of any of these names or aliases."""
        records = await self._read(scope, "entities_by_keys", keys=list(keys))
        return [entity_from(record["entity"]) for record in records]

    async def evidence_around(self, scope: Scope, entity_id: str) -> tuple[list[Mention], list[Statement]]:
        """All that mentions an entity, and all that states a relationship of it."""
        mentions = await self._read(scope, "mentions_of", id=entity_id)
        stated = await self._read(scope, "statements_around", id=entity_id)
        return (
            [mention_from(record["mention"], entity_id) for record in mentions],
            [statement_from(record["statement"]) for record in stated],
        )

    async def list_entities(
        self, scope: Scope, *, after: tuple[str, str], label: str | None, limit: int
    ) -> list[EntityState]:
        """By (key, id), after that position."""
        records = await self._read(
            scope, "list_entities", after_key=after[0], after_id=after[1], label=label, limit=limit
        )
        return [entity_from(record["entity"]) for record in records]

    async def relationships(self, scope: Scope, ids: Iterable[str]) -> list[NamedRelationship]:
        """Those of `ids` that exist, in that order."""
        records = await self._read(scope, "relationships_by_ids", ids=list(ids))
        return [named_relationship_from(record["relationship"]) for record in records]

    async def list_relationships(
        self, scope: Scope, *, entity_id: str | None, state: str, as_of: int, after: tuple[int, str], limit: int
    ) -> list[NamedRelationship]:
        """By (first mention, id), after that position: of that state, and what only its evidence can tell."""
        records = await self._read(
            scope,
            "list_relationships",
            entity_id=entity_id,
            state=state,
            as_of=as_of,
            after_first=after[0],
            after_id=after[1],
            limit=limit,
        )
        return [named_relationship_from(record["relationship"]) for record in records]

    async def stated_by(self, scope: Scope, event_id: str) -> StatedBy | None:
        """The statement of an event; None for one that is not known."""
        records = await self._read(scope, "stated_by", event_id=event_id)
        for record in records:
            key = RelationshipKey(*record["keys"][0]) if record["keys"] else None
            return StatedBy(record["occurred_at"], key)
        return None

    async def stated(self, scope: Scope) -> list[RelationshipEntry]:
        """The relationships that entries which rest on no message state or end, in the order of arrival."""
        records = await self._read(scope, "stated")
        return [stated_from(record["stated"]) for record in records]

    async def relabelled(self, scope: Scope) -> list[Relabelled]:
        """The names and labels that people gave entities, in the order in which they did."""
        records = await self._read(scope, "relabelled")
        return [relabelled_from(record["relabelled"]) for record in records]

    async def rivals(self, scope: Scope, groups: Iterable[tuple[str, str]]) -> list[NamedRelationship]:
        """The relationships of these (source id, type)."""
        rows = [{"source_id": source_id, "type": type_name} for source_id, type_name in groups]
        records = await self._read(scope, "rivals", rows=rows)
        return [named_relationship_from(record["relationship"]) for record in records]

    async def doubtful(
        self, scope: Scope, *, below: float, now: int, limit: int, rates: Mapping[str, object]
    ) -> list[NamedRelationship]:
        """Current relationships without a verdict that are believed less than `below` at `now`, the surest first."""
        records = await self._read(scope, "doubtful", below=below, now=now, limit=limit, rates=rates)
        return [named_relationship_from(record["relationship"]) for record in records]

    async def statements(self, scope: Scope, ids: Iterable[str]) -> list[Statement]:
        """All the evidence of relationships."""
        records = await self._read(scope, "statements_of", ids=list(ids))
        return [statement_from(record["statement"]) for record in records]

    async def epoch(self, scope: Scope) -> int:
        """The user's epoch of forgetting; 0 while nothing was forgotten."""
        records = await self._read(scope, "epoch")
        return int(records[0]["epoch"]) if records else 0

    async def holdings(self, scope: Scope, sources: list[str] | None) -> dict[str, int]:
        """How much there is by kind, or rests on any of `sources`; a kind of which there is nothing is left out."""
        records = await self._read(scope, "holdings", sources=sources)
        return {kind: count for kind, count in records[0].data().items() if count}

    async def write(self, scope: Scope, work: Callable[[GraphWriter], Awaitable[T]], *, epoch: int | None = None) -> T:
        """Run `work`, which takes the user's lock first, in one transaction; it may run more than once, and changes
        nothing but the graph. Raises Outdated when `epoch` is not the user's."""

        async def run(transaction: Transaction) -> T:
            return await work(GraphWriter(transaction, scope_key(scope), epoch))

        return await graph.write(self._driver, run, timeout_s=self._timeout_s)

    async def record_identity(self, identity: EmbeddingIdentity) -> EmbeddingIdentity:
        """The identity that the graph holds vectors of: `identity` itself when it held none."""
        return await record_identity(self._driver, identity)

    async def prune_forgotten(self, before: int, limit: int) -> int:
        """Delete the marks of what was forgotten before that moment, whoever's, `limit` at most."""
        return await prune_forgotten(self._driver, before, limit)

    async def sweep(self, scope: Scope, marks: Iterable[str]) -> None:
        """Delete the user's node, which is all that erasing leaves, and these marks."""
        parameters = {"scope": scope_key(scope), "given": {"marks": sorted(marks)}}

        async def run(transaction: Transaction) -> None:
            await transaction.run(statement("sweep"), parameters)

        await graph.write(self._driver, run, timeout_s=self._timeout_s)

    async def ping(self) -> str:
        """The server's version. Raises TierUnavailable."""
        return await graph.ping(self._driver)

    async def state(self, clock: Clock) -> StoreState:
        """The server's, and what it holds of all tenants."""
        return await state_of(self._driver, clock)
