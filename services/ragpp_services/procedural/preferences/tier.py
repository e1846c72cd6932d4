"""The preferences' part of the tier."""

from datetime import datetime

from ragpp.clock import Clock
from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.learned import Verdict
from ragpp.ledger import NewEvent
from ragpp.models import OneValue, Page, Preference, PreferenceEntry, Scope
from ragpp.preference_values import canonical
from ragpp.stores.cursors import decode_cursor, page_of, page_size
from ragpp_services.procedural import writing
from ragpp_services.procedural.naming import preference_id as id_of
from ragpp_services.procedural.naming import value_hash
from ragpp_services.procedural.preferences.merging import merge
from ragpp_services.procedural.preferences.rows import Judged
from ragpp_services.procedural.preferences.versions import PreferenceVersion, all_as_written, fold, verdict_on
from ragpp_services.procedural.store import ProceduralStore, Rows
from ragpp_services.procedural.vectors import Vectors


class Preferences:
    """The part of `ragpp.tiers.ProceduralTier` about preferences. The id of one that was merged into another stands for
    the other."""

    def __init__(self, store: ProceduralStore, vectors: Vectors, clock: Clock) -> None:
        self._store, self._vectors, self._clock = store, vectors, clock

    async def set_preference(self, scope: Scope, entry: PreferenceEntry) -> Preference:
        """See the contract. Conflict for an entry that was forgotten, or whose sources all were.

        What is stated without sources is said by a person here and now: it lifts an earlier rejection of the value.
        """
        await self._vectors.check_identity()
        vectors = await self._vectors.of_entries([entry])
        async with self._store.writing(scope) as rows:
            identifier = await _resolved(rows, id_of(scope, entry.category, entry.key))
            if entry.stated and not entry.sources and not await rows.applied([entry.id]):
                await rows.preferences.lift_verdicts(identifier, [value_hash(entry.value)], "rejected")
            [stored] = await writing.apply(rows, scope, [entry], vectors, self._clock())
            if (await rows.applied([stored.id]))[stored.id].subject_id is None:
                raise Conflict("the id belongs to an entry that was forgotten")
            return await _existing(rows, identifier)

    async def list_preferences(
        self,
        scope: Scope,
        category: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
        as_of: datetime | None = None,
    ) -> Page[Preference]:
        after = None if cursor is None else decode_cursor(cursor, str, str)
        size = page_size(limit)
        async with self._store.reading(scope) as rows:
            if as_of is None:
                found = await rows.preferences.page(category, after, size + 1)
            else:
                then = [scored.item for scored in await rows.preferences.rank(None, as_of, category)]
                then.sort(key=_by_name)
                found = [item for item in then if after is None or _by_name(item) > after][: size + 1]
        return page_of(Page[Preference], found, size, _by_name)

    async def get_preference(self, scope: Scope, preference_id: str) -> Preference:
        """See the contract; also one that was rejected, with its verdict."""
        async with self._store.reading(scope) as rows:
            return await _existing(rows, await _resolved(rows, preference_id))

    async def preference_versions(self, scope: Scope, preference_id: str) -> list[Preference]:
        """Every version as it was written, newest first. NotFound when there is none of that id."""
        async with self._store.reading(scope) as rows:
            current = await _existing(rows, await _resolved(rows, preference_id))
            versions = (await rows.preferences.versions([current.id]))[current.id]
            verdicts = await rows.preferences.verdicts(current.id)
        return all_as_written(current.id, current.category, current.key, versions, verdicts)

    async def restore_preference(self, scope: Scope, preference_id: str, version: int) -> Preference:
        """See the contract. To restore is to state: the value counts as stated from here on, also one that was
        inferred, and not as rejected. Nothing changes when it is the stated value already, so a repetition is
        harmless."""
        now = self._clock()
        async with self._store.writing(scope) as rows:
            current = await _existing(rows, await _resolved(rows, preference_id))
            versions = (await rows.preferences.versions([current.id]))[current.id]
            wanted = next((found for found in versions if found.version == version), None)
            if wanted is None:
                raise NotFound(f"the preference has no version {version}")
            shown = current.verdict != "rejected" and current.waiting_confidence is None
            if shown and current.stated and canonical(current.value) == canonical(wanted.value):
                return current
            await rows.preferences.lift_verdicts(current.id, [value_hash(wanted.value)], "rejected")
            restored = PreferenceVersion(
                version=writing.next_version(versions),
                entry_id=wanted.entry_id,
                value=wanted.value,
                confidence=wanted.confidence,
                stated=True,
                occurred_at=max(now, *(found.occurred_at for found in versions)),
                recorded_at=now,
                sources=wanted.sources,
                name=wanted.name,
            )
            await rows.preferences.copy_version(current.id, version, restored.version, restored.occurred_at, now)
            folded = fold([*versions, restored], await rows.preferences.verdicts(current.id))
            await rows.preferences.put(current.id, current.category, current.key, folded)
            await rows.record([NewEvent("preference.changed", current.id, restored.occurred_at)], now)
            return await _existing(rows, current.id)

    async def review_preferences(self, scope: Scope, below: float, limit: int = 50) -> list[Preference]:
        async with self._store.reading(scope) as rows:
            return await rows.preferences.to_review(below, page_size(limit))

    async def judge_preference(
        self, scope: Scope, preference_id: str, verdict: Verdict, value: OneValue | None = None
    ) -> Preference:
        """See the contract. The verdict is kept by a hash of the value, so that it holds also when what the value was
        learned from is forgotten."""
        now = self._clock()
        async with self._store.writing(scope) as rows:
            current = await _existing(rows, await _resolved(rows, preference_id))
            judged = current.value if value is None else value.value
            versions = (await rows.preferences.versions([current.id]))[current.id]
            if all(value_hash(version.value) != value_hash(judged) for version in versions):
                raise NotFound("the preference never had that value")
            if verdict_on(judged, await rows.preferences.verdicts(current.id)) == verdict:
                return current
            await rows.preferences.put_verdict(Judged(current.id, value_hash(judged), verdict, now))
            folded = fold(versions, await rows.preferences.verdicts(current.id))
            await rows.preferences.put(current.id, current.category, current.key, folded)
            await rows.record([NewEvent("preference.changed", current.id, current.occurred_at)], now)
            return await _existing(rows, current.id)

    async def merge_preferences(
        self, scope: Scope, keep_id: str, absorb_id: str, epoch: int | None = None
    ) -> Preference:
        """See the contract. InvalidInput for one and the same id; NotFound when either is unknown. Verdicts on values
        of both count; of two on one value the later."""
        if keep_id == absorb_id:
            raise InvalidInput("a preference cannot absorb itself")
        now = self._clock()
        async with self._store.writing(scope, epoch) as rows:
            aliases = await rows.preferences.aliases([keep_id, absorb_id])
            keep = await _existing(rows, aliases.get(keep_id, keep_id))
            absorb = await _existing(rows, aliases.get(absorb_id, absorb_id))
            if keep.id != absorb.id:
                await merge(rows, keep, absorb)
                await rows.record(
                    [
                        NewEvent("preference.changed", keep.id, max(keep.occurred_at, absorb.occurred_at)),
                        NewEvent("preference.forgotten", absorb.id, now),
                    ],
                    now,
                )
            return await _existing(rows, keep.id)


async def _resolved(rows: Rows, identifier: str) -> str:
    """The id of the preference that this one was merged into, or itself."""
    return (await rows.preferences.aliases([identifier])).get(identifier, identifier)


async def _existing(rows: Rows, identifier: str) -> Preference:
    preference = await rows.preferences.find(identifier)
    if preference is None:
        raise NotFound("there is no preference of that id")
    return preference


def _by_name(preference: Preference) -> tuple[str, str]:
    return preference.category, preference.key
