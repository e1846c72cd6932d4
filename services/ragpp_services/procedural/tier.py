"""The procedural tier: how this user likes things done, and what to do when."""

from collections.abc import Awaitable, Collection, Sequence
from datetime import date, datetime
from typing import Final, Literal, cast
from zoneinfo import ZoneInfo

from ragpp.clock import Clock
from ragpp.embedding import Embedder
from ragpp.errors import Conflict, InvalidInput
from ragpp.health import StoreState
from ragpp.models import (
    Entry,
    FindingEntry,
    Health,
    KnownUser,
    Memory,
    MemoryQuery,
    PreferenceEntry,
    RuleEntry,
    Scope,
    Stored,
    TimeRange,
    Vector,
)
from ragpp.stores.cursors import page_size
from ragpp.text.port import TokenMeter
from ragpp.tierkit.health import health_of
from ragpp_services.procedural import ranking, writing
from ragpp_services.procedural.findings.tier import Findings, add_findings
from ragpp_services.procedural.forgetting import unlearning, withdrawing
from ragpp_services.procedural.naming import ProceduralEntry
from ragpp_services.procedural.preferences.tier import Preferences
from ragpp_services.procedural.reflections.tier import Reflections
from ragpp_services.procedural.rewording import Rewording
from ragpp_services.procedural.rules.tier import Rules
from ragpp_services.procedural.store import ProceduralStore, Rows
from ragpp_services.procedural.vectors import Vectors


class PostgresProceduralTier:
    """Preferences, rules, findings and reports in PostgreSQL. Implements `ragpp.tiers.ProceduralTier`: what is said of
    all of them here, what is said of one kind in the room of that kind.

    Raises EmbeddingMismatch, before anything is written, while the database holds vectors of another model.
    """

    def __init__(self, store: ProceduralStore, *, embedder: Embedder, counter: TokenMeter, clock: Clock) -> None:
        self.name: Final[Literal["procedural"]] = "procedural"
        self._store, self._counter, self._clock = store, counter, clock
        self._vectors = vectors = Vectors(store, embedder)
        self.check_identity = vectors.check_identity

        preferences = Preferences(store, vectors, clock)
        self.set_preference = preferences.set_preference
        self.list_preferences = preferences.list_preferences
        self.get_preference = preferences.get_preference
        self.preference_versions = preferences.preference_versions
        self.restore_preference = preferences.restore_preference
        self.review_preferences = preferences.review_preferences
        self.judge_preference = preferences.judge_preference
        self.merge_preferences = preferences.merge_preferences

        rules = Rules(store, vectors, clock)
        self.create_rule = rules.create_rule
        self.update_rule = rules.update_rule
        self.review_rules = rules.review_rules
        self.judge_rule = rules.judge_rule
        self.list_rules = rules.list_rules
        self.get_rule = rules.get_rule
        self.rule_versions = rules.rule_versions
        self.restore_rule = rules.restore_rule
        self.record_activation = rules.record_activation
        self.record_outcome = rules.record_outcome

        findings = Findings(store, vectors, clock)
        self.list_findings = findings.list_findings
        self.judge_finding = findings.judge_finding
        self.correct_finding = findings.correct_finding
        self.near_findings = findings.near_findings
        self.end_findings = findings.end_findings

        rewording = Rewording(store, vectors)
        self.texts, self.reword = rewording.texts, rewording.reword

        reflections = Reflections(store, clock)
        self.save_reflection = reflections.save_reflection
        self.list_reflections = reflections.list_reflections
        self.get_reflection = reflections.get_reflection

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
        await self._vectors.check_identity()
        vectors = await self._vectors.of_entries(accepted)
        async with self._store.writing(scope, epoch) as rows:
            if instead_of:
                await rows.raise_epoch()
                await withdrawing.withdraw_sources(rows, instead_of, self._clock(), for_good=False)
            return await self._store_all(rows, scope, accepted, vectors)

    async def _store_all(
        self, rows: Rows, scope: Scope, entries: Sequence[ProceduralEntry], vectors: Sequence[Vector]
    ) -> list[Stored]:
        """Store what is written once for its id, then the findings; answered in the order of `entries`."""
        now, stored = self._clock(), dict[int, Stored]()
        written = {index: entry for index, entry in enumerate(entries) if not isinstance(entry, FindingEntry)}
        if written:
            of_written = [vectors[index] for index in written]
            applying = writing.apply(rows, scope, list(written.values()), of_written, now)
            stored |= await _in_place(list(written), applying)
        found = {index: entry for index, entry in enumerate(entries) if isinstance(entry, FindingEntry)}
        if found:
            adding = add_findings(rows, list(found.values()), [vectors[index] for index in found], now)
            stored |= await _in_place(list(found), adding)
        return [stored[index] for index in range(len(entries))]

    async def users(self, scope: Scope, after: str = "", limit: int = 50, only: str | None = None) -> list[KnownUser]:
        async with self._store.reading(scope) as rows:
            return await rows.users(after, page_size(limit), only)

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        """Rules that the query's situation calls up, then preferences and what was found, by relevance; see
        `ragpp_services.procedural.ranking`.

        All of the user's preferences qualify, for they are few; `similarity_threshold` narrows them. Of the findings a
        few do that concern the query. In the mode `lexical` triggers and words decide alone, and nothing is embedded.
        """
        if query.filters.metadata is not None:
            return []
        await self._vectors.check_identity()
        embedding = await self._query_vector(query)
        async with self._store.reading(query.scope) as rows:
            rules = await rows.rules.rank(embedding, query.as_of)
            preferences = await rows.preferences.rank(embedding, query.as_of)
            found = await rows.findings.rank(embedding, query.as_of)
        ranked = ranking.rank(query, rules, preferences, found)
        return [memory.model_copy(update={"tokens": self._counter.count(memory.text)}) for memory in ranked]

    async def _query_vector(self, query: MemoryQuery) -> Vector | None:
        if query.mode == "lexical":
            return None
        if query.embedding is not None:
            return self._vectors.checked(query.embedding)
        return await self._vectors.embed(query.text) if query.text.strip() else None

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """By the id of a preference, rule or finding everything, by the id of an entry what that entry wrote."""
        if not ids:
            return 0
        async with self._store.writing(scope) as rows:
            return await withdrawing.forget(rows, ids, self._clock())

    async def expire(self, scope: Scope, ids: Collection[str]) -> int:
        if not ids:
            return 0
        async with self._store.writing(scope) as rows:
            return await withdrawing.forget(rows, ids, self._clock(), for_good=False)

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
            return await withdrawing.withdraw_sources(rows, interaction_ids, now)

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        async with self._store.reading(scope) as rows:
            return await rows.holdings(sources, before)

    async def erase(self, scope: Scope, before: int) -> bool:
        """See the contract. What rests on interactions goes whenever it was written; what somebody set by a later event
        stays."""
        async with self._store.writing(scope) as rows:
            await rows.raise_epoch()
            return await withdrawing.erase(rows, before, self._clock())

    async def unlearn(
        self,
        scope: Scope,
        since: datetime,
        time_zone: str,
        read: Sequence[TimeRange] = (),
        days: Sequence[date] | None = None,
    ) -> None:
        async with self._store.writing(scope) as rows:
            await rows.raise_epoch()
            await unlearning.unlearn(rows, since, read, days, ZoneInfo(time_zone), self._clock())

    async def inherit(self, scope: Scope, of: str | None, beside: Sequence[str] = ()) -> int:
        """See the contract. Raises Outdated when something was forgotten meanwhile."""
        await self._vectors.check_identity()
        async with self._store.reading(scope.seen_by(of)) as rows:
            epoch = await rows.epoch()
            found = await rows.set_by_hand([scope.seen_by(view).view_key[1] for view in beside], scope.view_key[1])
        vectors = await self._vectors.of_entries(found)
        async with self._store.writing(scope, epoch) as rows:
            await rows.inherit(scope.seen_by(of))
            known = await rows.applied({entry.id for entry in found})  # set here as well, or begun before
            new = [(entry, vector) for entry, vector in zip(found, vectors, strict=True) if entry.id not in known]
            await writing.apply(rows, scope, [one for one, _ in new], [vector for _, vector in new], self._clock())
            await rows.inherited(scope.seen_by(of), [one.id for one, _ in new])
        return len(new)

    async def relearned(self, scope: Scope) -> None:
        async with self._store.writing(scope) as rows:
            if await rows.is_learned_again():
                await rows.rules.drop_acts()
                await withdrawing.lift_what_nobody_says(rows)

    async def health_check(self) -> Health:
        return await health_of(self.name, "PostgreSQL", self._version)

    async def state(self) -> StoreState:
        return await self._store.state(self._clock)

    async def _version(self) -> str:
        version = await self._store.ping()
        await self._vectors.check_identity()
        return version


async def _in_place(places: Sequence[int], applying: Awaitable[list[Stored]]) -> dict[int, Stored]:
    """The answers by the places of their entries; a Conflict names those places as well."""
    try:
        return dict(zip(places, await applying, strict=True))
    except Conflict as conflict:
        indexes = [places[index] for index in cast("list[int]", conflict.details["indexes"])]
        raise Conflict(conflict.message, details={"indexes": indexes}) from conflict
