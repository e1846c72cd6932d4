"""The semantic tier: who and what the user knows, how it hangs together, and how sure that is."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final, Literal, get_args

from ragpp.clock import Clock, to_moment
from ragpp.embedding.port import Embedder
from ragpp.errors import EmbeddingError, InvalidInput, TierUnavailable
from ragpp.models import (
    EntityEntry,
    EntityLabel,
    Entry,
    Health,
    KnownAs,
    Memory,
    MemoryQuery,
    Observation,
    RelationshipEntry,
    Scope,
    Stored,
    Vector,
)
from ragpp.stores.forgetting import SourceMarks
from ragpp.text.tokens import TokenCounter
from ragpp.tierkit.health import health_of
from ragpp_services.semantic.evidence.keys import loose_key, name_key
from ragpp_services.semantic.read import recall
from ragpp_services.semantic.read.warming import Warming
from ragpp_services.semantic.settings import SemanticSettings
from ragpp_services.semantic.store import SemanticStore
from ragpp_services.semantic.write.claiming import Claim
from ragpp_services.semantic.write.forgetting import learn_instead
from ragpp_services.semantic.write.judging import JudgedGraph
from ragpp_services.semantic.write.learning import learn
from ragpp_services.semantic.write.lessons import Lesson, vectors_given
from ragpp_services.semantic.write.readings import EventEvidence
from ragpp_services.semantic.write.writer import GraphWriter

_WARM_RUNS: Final = 5
_WARM_TIMEOUT_S: Final = 20.0
"""A server that has just started plans its first query for some seconds while it loads its own classes."""
_WARM_SCOPE: Final = Scope.model_construct(tenant_id="", user_id="warm".ljust(40, "-"))
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


class Neo4jSemanticTier(JudgedGraph):
    """The user's graph in Neo4j. Implements `ragpp.tiers.SemanticTier`.

    Of a query's filters it knows time range, `exclude`, `similarity_threshold` (of entities found by meaning) and
    `min_confidence` (of relationships); a graph holds no sessions, roles or channels.
    Raises EmbeddingMismatch, before anything is written, while the graph holds vectors of another model.
    """

    def __init__(
        self,
        store: SemanticStore,
        *,
        embedder: Embedder,
        counter: TokenCounter,
        clock: Clock,
        settings: SemanticSettings,
        marks: SourceMarks,
    ) -> None:
        super().__init__(store, embedder=embedder, clock=clock, settings=settings, marks=marks)
        self.name: Final[Literal["semantic"]] = "semantic"
        self._embedder = embedder
        self._counter = counter
        self._settings = settings
        self._warming = Warming(self._warm)

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
            revision = self.revision(writer)

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
        """What the query names or means, and what is known about it, two hops at most; see `recall` and `ranking`.
        In the mode `lexical` what it names alone, and nothing is embedded."""
        if not query.text.strip() and not query.entities and query.embedding is None:
            return []
        now = self._clock()
        embedding = await self._query_vector(query)
        parameters = recall.parameters(query, embedding, now, self._settings)
        async with self._warming.recall():
            await self.check_identity()
            rows = await self._store.candidates(query.scope, parameters)
        return recall.memories(query, rows, now, self._belief, self._counter)

    async def known_as(self, scope: Scope, entity: str) -> KnownAs:
        """See the contract. A name is compared as names are in the graph; what was absorbed counts by its names."""
        keys = {name_key(entity), *(loose_key(entity, label) for label in get_args(EntityLabel))}
        found = {one.id: one for one in await self._store.entities_by_keys(scope, sorted(keys))}
        found |= {one.id: one for one in await self._store.entities(scope, [entity])}
        names: dict[str, None] = {}
        sources: dict[str, None] = {}
        for one in found.values():
            mentions, stated = await self._store.evidence_around(scope, one.id)
            names |= dict.fromkeys((one.name, *one.aliases))
            for mention in mentions:
                names |= dict.fromkeys((mention.name, *mention.aliases))
            for applied in (*(said.applied for said in mentions), *(said.applied for said in stated)):
                sources |= dict.fromkeys(applied.sources)
        return KnownAs(names=tuple(names), sources=tuple(sources))

    async def prune_forgotten(self, before: datetime, limit: int) -> int:
        """See the contract."""
        return await self._store.prune_forgotten(to_moment(before), limit)

    async def _query_vector(self, query: MemoryQuery) -> Vector | None:
        if query.mode == "lexical":
            return None
        if query.embedding is not None:
            return self._names.checked(query.embedding)
        if not query.text.strip():
            return None
        return tuple((await self._embedder.embed([query.text]))[0].tolist())

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
        query = MemoryQuery.model_construct(scope=_WARM_SCOPE, text=_WARM_ENTRY.context)
        parameters = recall.parameters(query, vector, self._clock(), self._settings)
        for _ in range(_WARM_RUNS):
            await self._store.candidates(_WARM_SCOPE, parameters, timeout_s=_WARM_TIMEOUT_S)

    async def close(self) -> None:
        """Stop what runs in the background."""
        await self._warming.close()
