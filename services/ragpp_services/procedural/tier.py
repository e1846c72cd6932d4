"""The procedural tier: how this user likes things done, and what to do when."""

from collections.abc import Awaitable, Collection, Sequence
from datetime import date, datetime
from typing import Final, Literal, cast
from zoneinfo import ZoneInfo

from ragpp.clock import Clock
from ragpp.embedding import Embedder
from ragpp.errors import Conflict, InvalidInput
from ragpp.models import (
    Entry,
    FindingEntry,
    Health,
    Memory,
    MemoryQuery,
    PreferenceEntry,
    RuleEntry,
    Scope,
    Stored,
    TimeRange,
    Vector,
)
from ragpp.text.tokens import TokenCounter
from ragpp.tierkit.health import health_of
from ragpp_services.procedural import ranking
from ragpp_services.procedural.findings import verbs as findings
from ragpp_services.procedural.findings.verbs import FindingVerbs
from ragpp_services.procedural.forgetting import forgetting, unlearning
from ragpp_services.procedural.forgetting.inheriting import InheritVerbs
from ragpp_services.procedural.naming import ProceduralEntry
from ragpp_services.procedural.preferences import writing
from ragpp_services.procedural.preferences.verbs import PreferenceVerbs
from ragpp_services.procedural.reflections.verbs import ReflectionVerbs
from ragpp_services.procedural.rules.verbs import RuleVerbs
from ragpp_services.procedural.store import ProceduralStore, Rows

"""The contract's two seconds, less what it takes to say that they are over."""


class PostgresProceduralTier(PreferenceVerbs, RuleVerbs, FindingVerbs, ReflectionVerbs, InheritVerbs):
    """Preferences, rules, findings and reports in PostgreSQL. Implements `ragpp.tiers.ProceduralTier`.

    Raises EmbeddingMismatch, before anything is written, while the database holds vectors of another model.
    """

    def __init__(self, store: ProceduralStore, *, embedder: Embedder, counter: TokenCounter, clock: Clock) -> None:
        super().__init__(store, embedder=embedder, clock=clock)
        self.name: Final[Literal["procedural"]] = "procedural"
        self._counter = counter

    async def epoch(self, scope: Scope) -> int:
        """See the contract. The same as the episodic tier's, whose database it is."""
        async with self._store.reading(scope) as rows:
            return await rows.epoch()

    async def store(
        self,
        scope: Scope,
        entries: Sequence[Entry],
        epoch: int | None = None,
        instead_of: Sequence[str] = (),
    ) -> list[Stored]:
        """PreferenceEntry, RuleEntry and FindingEntry; see the contract. A finding is a duplicate when it adds nothing
        to what is known: it may say more, from more interactions, under one id."""
        if not entries and not instead_of:
            return []
        accepted: list[ProceduralEntry] = []
        for entry in entries:
            if not isinstance(entry, PreferenceEntry | RuleEntry | FindingEntry):
                raise InvalidInput(
                    f"the procedural tier holds preferences, rules and findings, not an entry of kind {entry.kind}"
                )
            accepted.append(entry)
        await self.check_identity()
        vectors = await self.vectors_of(accepted)
        async with self._store.writing(scope, epoch) as rows:
            if instead_of:
                await rows.raise_epoch()
                await forgetting.withdraw_sources(rows, instead_of, self._clock(), for_good=False)
            return await self._store_all(rows, scope, accepted, vectors)

    async def _store_all(
        self, rows: Rows, scope: Scope, entries: Sequence[ProceduralEntry], vectors: Sequence[Vector]
    ) -> list[Stored]:
        """What is written once for its id, then the findings; answered in the order of `entries`."""
        now, stored = self._clock(), dict[int, Stored]()
        written = {index: entry for index, entry in enumerate(entries) if not isinstance(entry, FindingEntry)}
        if written:
            of_written = [vectors[index] for index in written]
            applying = writing.apply(rows, scope, list(written.values()), of_written, now)
            stored |= await _in_place(list(written), applying)
        found = {index: entry for index, entry in enumerate(entries) if isinstance(entry, FindingEntry)}
        if found:
            adding = findings.apply(rows, list(found.values()), [vectors[index] for index in found], now)
            stored |= await _in_place(list(found), adding)
        return [stored[index] for index in range(len(entries))]

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        """Rules that the query's situation calls up, then preferences and what was found, by relevance; see
        `ragpp_services.procedural.ranking`.

        All of the user's preferences qualify, for they are few; `similarity_threshold` narrows them. Of the findings a
        few do that concern the query. In the mode `lexical` triggers and words decide alone, and nothing is embedded.
        """
        await self.check_identity()
        embedding = await self._query_vector(query)
        async with self._store.reading(query.scope) as rows:
            rules = await rows.rank_rules(embedding, query.as_of)
            preferences = await rows.rank_preferences(embedding, query.as_of)
            found = await rows.rank_findings(embedding, query.as_of)
        ranked = ranking.rank(query, rules, preferences, found)
        return [memory.model_copy(update={"tokens": self._counter.count(memory.text)}) for memory in ranked]

    async def _query_vector(self, query: MemoryQuery) -> Vector | None:
        if query.mode == "lexical":
            return None
        if query.embedding is not None:
            return self.checked(query.embedding)
        return await self.embed(query.text) if query.text.strip() else None

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """By the id of a preference, rule or finding everything, by the id of an entry what that entry wrote."""
        if not ids:
            return 0
        async with self._store.writing(scope) as rows:
            return await forgetting.forget(rows, ids, self._clock())

    async def expire(self, scope: Scope, ids: Collection[str]) -> int:
        """See the contract."""
        if not ids:
            return 0
        async with self._store.writing(scope) as rows:
            return await forgetting.forget(rows, ids, self._clock(), for_good=False)

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> int:
        """See the contract. An entry that rests on one of these and arrives later is not learned either.

        The marks are committed before anything is withdrawn. Each of the two steps begins an epoch: what was read
        between them may rest on what was not withdrawn yet.
        """
        if not interaction_ids:
            return 0
        now = self._clock()
        async with self._store.writing(scope) as rows:
            await rows.raise_epoch()
            await rows.add_forgotten_sources(interaction_ids, now)
        async with self._store.writing(scope) as rows:
            await rows.raise_epoch()
            return await forgetting.withdraw_sources(rows, interaction_ids, now)

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.holdings(sources, before)

    async def erase(self, scope: Scope, before: int) -> bool:
        """See the contract. What rests on interactions goes whenever it was written; what somebody set by a later event
        stays."""
        async with self._store.writing(scope) as rows:
            await rows.raise_epoch()
            return await forgetting.erase(rows, before, self._clock())

    async def unlearn(
        self,
        scope: Scope,
        since: datetime,
        time_zone: str,
        read: Sequence[TimeRange] = (),
        days: Sequence[date] | None = None,
    ) -> None:
        """See the contract."""
        async with self._store.writing(scope) as rows:
            await rows.raise_epoch()
            await unlearning.unlearn(rows, since, read, days, ZoneInfo(time_zone), self._clock())

    async def relearned(self, scope: Scope) -> None:
        """See the contract."""
        async with self._store.writing(scope) as rows:
            if await rows.is_learned_again():
                await rows.drop_rule_acts()
                await forgetting.lift_what_nobody_says(rows)

    async def health_check(self) -> Health:
        """See the contract."""
        return await health_of(self.name, "PostgreSQL", self._version)

    async def _version(self) -> str:
        version = await self._store.ping()
        await self.check_identity()
        return version


async def _in_place(places: Sequence[int], applying: Awaitable[list[Stored]]) -> dict[int, Stored]:
    """The answers by the places of their entries; a Conflict names those places as well."""
    try:
        return dict(zip(places, await applying, strict=True))
    except Conflict as conflict:
        indexes = [places[index] for index in cast("list[int]", conflict.details["indexes"])]
        raise Conflict(conflict.message, details={"indexes": indexes}) from conflict
