"""The semantic tier: who and what the user knows, how it hangs together, and how sure that is."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final, Literal

from ragpp.clock import Clock, to_moment
from ragpp.embedding.port import Embedder
from ragpp.errors import EmbeddingError, InvalidInput, TierUnavailable
from ragpp.health import StoreState
from ragpp.models import (
    EntityEntry,
    Entry,
    Health,
    Memory,
    MemoryQuery,
    Observation,
    RelationshipEntry,
    Scope,
    Stored,
    Vector,
)
from ragpp.stores.forgetting import SourceMarks
from ragpp.text.port import TokenMeter
from ragpp.tierkit.health import health_of
from ragpp.tierkit.identity import IdentityCheck
from ragpp_services.semantic.evidence.folding import Belief
from ragpp_services.semantic.read import recall
from ragpp_services.semantic.read.browsing import Browsing
from ragpp_services.semantic.read.warming import Warming
from ragpp_services.semantic.rows import Candidates
from ragpp_services.semantic.settings import SemanticSettings
from ragpp_services.semantic.store import SemanticStore
from ragpp_services.semantic.vectors import NameVectors
from ragpp_services.semantic.write.consolidating import Consolidation
from ragpp_services.semantic.write.forgetting import Forgetting, learn_instead
from ragpp_services.semantic.write.judging import Judging
from ragpp_services.semantic.write.learning import learn
from ragpp_services.semantic.write.lessons import Lesson, vectors_given
from ragpp_services.semantic.write.records import Claim, EventEvidence
from ragpp_services.semantic.write.revising import Revisions
from ragpp_services.semantic.write.stating import Stating
from ragpp_services.semantic.write.writer import GraphWriter

_WARM_RUNS: Final = 5
_WARM_TIMEOUT_S: Final = 20.0
"""A server that has just started plans its first query for some seconds while it loads its own classes."""
_WARM_SCOPE: Final = Scope.trusted(tenant_id="", user_id="warm".ljust(40, "-"))
"""Nobody's: real ids are not empty. Holds one relationship, so that a warming recall has something to find; as long as
ids often are, since Neo4j plans anew for a parameter of another size class (1, 10, 100 … characters)."""
_WARM_ENTRY: Final = RelationshipEntry(
    id="warming",
    source="warm",
    type="WARMS",
    target="recall",
    target_label="PRODUCT",
    context="warm recall",
    occurred_at=datetime(2024, 1, 1, tzinfo=UTC),
)


class Neo4jSemanticTier:
    """The user's graph in Neo4j. Implements `ragpp.tiers.SemanticTier`: what is learned and recalled here, what is
    listed in `read.browsing`, what changes what is known in `write`.

    Of a query's filters it knows time range, `exclude`, `similarity_threshold` (of entities found by meaning) and
    `min_confidence` (of relationships); a graph holds no sessions, roles or channels.
    Raises EmbeddingMismatch, before anything is written, while the graph holds vectors of another model.
    """

    def __init__(
        self,
        store: SemanticStore,
        *,
        embedder: Embedder,
        counter: TokenMeter,
        clock: Clock,
        settings: SemanticSettings,
        marks: SourceMarks,
    ) -> None:
        self.name: Final[Literal["semantic"]] = "semantic"
        self._store, self._clock, self._settings, self._marks = store, clock, settings, marks
        self._embedder, self._counter = embedder, counter
        self._names = NameVectors(embedder)
        self.check_identity = IdentityCheck(embedder, store)
        self._warming = Warming(store.ping, self._warm)
        self._belief = belief = Belief(
            decay_per_day=settings.decay_per_day,
            first=settings.first_confidence,
            step=settings.confidence_step,
        )
        self._revisions = revisions = Revisions(store, belief=belief, embed=self._names.embed, clock=clock)
        self.epoch = store.epoch

        browsing = Browsing(store, belief, clock)
        self.list_entities = browsing.list_entities
        self.get_entity = browsing.get_entity
        self.named = browsing.named
        self.known_as = browsing.known_as
        self.list_relationships = browsing.list_relationships
        self.review_relationships = browsing.review_relationships
        self.get_relationship = browsing.get_relationship

        judging = Judging(store, revisions, browsing, clock)
        self.judge_relationship = judging.judge_relationship
        self.restore_relationship = judging.restore_relationship
        self.merge_entities = judging.merge_entities
        self.split_entity = judging.split_entity
        self.relabel_entity = judging.relabel_entity
        self.relabelled = store.relabelled

        self.consolidate = Consolidation(store, revisions, belief).consolidate

        forgetting = Forgetting(store, revisions, marks, clock)
        self.forget = forgetting.forget
        self.forget_sources = forgetting.forget_sources
        self.erase = forgetting.erase
        self.sweep = forgetting.sweep

        stating = Stating(self.store, store, browsing, judging, forgetting)
        self.state_relationship = stating.state_relationship
        self.stated_relationships = stating.stated_relationships

    async def store(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> list[Stored]:
        """EntityEntry and RelationshipEntry, each one mention; see the contract."""
        lessons = []
        for entry in entries:
            if not isinstance(entry, EntityEntry | RelationshipEntry):
                raise InvalidInput(
                    f"the semantic tier holds entities and relationships, not an entry of kind {entry.kind}"
                )
            lessons.append(Lesson.of_entry(entry))
        claims = await self._learn(scope, lessons, epoch)
        return [Stored(id=entry.id, duplicate=not claim.fresh) for entry, claim in zip(entries, claims, strict=True)]

    async def observe(
        self,
        scope: Scope,
        observations: Sequence[Observation],
        epoch: int | None = None,
        instead_of: Sequence[str] = (),
    ) -> list[bool]:
        """See the contract. What one observation names twice is mentioned once."""
        claims = await self._learn(scope, [Lesson.of_observation(item) for item in observations], epoch, instead_of)
        return [claim.fresh for claim in claims]

    async def _learn(
        self, scope: Scope, lessons: Sequence[Lesson], epoch: int | None, instead_of: Sequence[str] = ()
    ) -> list[Claim]:
        if not lessons and not instead_of:
            return []
        await self.check_identity()
        given = {name: self._names.checked(vector) for name, vector in vectors_given(lessons).items()}
        names: set[str] = set().union(*(lesson.names() for lesson in lessons))
        vectors = {**await self._names.embed(names - given.keys()), **given}
        now = to_moment(self._clock())

        async def work(writer: GraphWriter) -> list[Claim]:
            revision = self._revisions.of(writer)

            async def learning(again: Mapping[str, EventEvidence] | None) -> list[Claim]:
                return await learn(
                    writer,
                    revision,
                    lessons,
                    belief=self._belief,
                    vectors=vectors,
                    mark_of=partial(self._marks.of, scope),
                    now=now,
                    again=again,
                )

            if not instead_of:
                return await learning(None)
            return await learn_instead(writer, revision, instead_of, learning, now=now)

        return await self._store.write(scope, work, epoch=epoch)

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        """The memories of what the query names or means, and of what is known about it, two hops at most; see `recall`
        and `ranking`. In the mode `lexical` of what it names alone, and nothing is embedded."""
        if not query.text.strip() and not query.entities and query.embedding is None:
            return []
        if query.filters.metadata is not None:
            return []
        now = self._clock()
        embedding = await self._query_vector(query)
        parameters = recall.parameters(query, embedding, now, self._settings)

        async def candidates() -> Candidates:
            await self.check_identity()
            return await self._store.candidates(query.scope, parameters)

        rows = await self._warming.recall(candidates)
        return recall.memories(query, rows, now, self._belief, self._counter)

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        """See the contract. The graph keeps no events: `before` narrows nothing."""
        del before
        return await self._store.holdings(scope, None if sources is None else list(sources))

    async def prune_forgotten(self, before: datetime, limit: int) -> int:
        return await self._store.prune_forgotten(to_moment(before), limit)

    async def _query_vector(self, query: MemoryQuery) -> Vector | None:
        if query.mode == "lexical":
            return None
        if query.embedding is not None:
            return self._names.checked(query.embedding)
        if not query.text.strip():
            return None
        return tuple((await self._embedder.embed([query.text]))[0].tolist())

    async def state(self) -> StoreState:
        return await self._store.state(self._clock)

    async def health_check(self) -> Health:
        """Neo4j's ping, and whether it holds vectors of the configured model."""
        return await health_of(self.name, "Neo4j", self._version)

    async def _version(self) -> str:
        version = await self._store.ping()
        await self.check_identity()
        if self._warming.is_cold:
            raise TierUnavailable(f"Neo4j {version} is warming up")
        return version

    async def warm(self) -> None:
        """Have the server plan and compile what a recall runs, now or, while it is down, as soon as it is there.

        Raises EmbeddingMismatch.
        """
        try:
            await self._warm()
        except TierUnavailable:
            self._warming.start()

    async def _warm(self) -> None:
        await self.check_identity()
        try:
            await self.store(_WARM_SCOPE, [_WARM_ENTRY])
            vector = tuple((await self._embedder.embed([_WARM_ENTRY.context]))[0].tolist())
        except EmbeddingError:  # no reason not to start: until it answers, recalls find names by their words
            return
        query = MemoryQuery.trusted(scope=_WARM_SCOPE, text=_WARM_ENTRY.context)
        parameters = recall.parameters(query, vector, self._clock(), self._settings)
        for _ in range(_WARM_RUNS):
            await self._store.candidates(_WARM_SCOPE, parameters, timeout_s=_WARM_TIMEOUT_S)

    async def close(self) -> None:
        """Stop what runs in the background."""
        await self._warming.close()
