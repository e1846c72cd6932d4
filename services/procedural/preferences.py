"""The preferences' half of the tier."""

from ragpp.cursors import decode_cursor, encode_cursor
from ragpp.errors import Conflict, NotFound
from ragpp.ledger import NewEvent
from ragpp.models import Page, Preference, PreferenceEntry, Scope
from services.procedural import writing
from services.procedural.core import Core, page_size
from services.procedural.naming import preference_id as id_of
from services.procedural.store import Rows
from services.procedural.versions import PreferenceVersion, as_written, fold


class PreferenceVerbs(Core):
    """What `ragpp.tiers.ProceduralTier` says about preferences."""

    async def set_preference(self, scope: Scope, entry: PreferenceEntry) -> Preference:
        """See the contract. Conflict for an entry that was forgotten, or whose sources all were."""
        await self.identify()
        vectors = await self.vectors_of([entry])
        async with self._store.writing(scope) as rows:
            [stored] = await writing.apply(rows, scope, [entry], vectors, self._clock())
            if (await rows.applied([stored.id]))[stored.id].subject_id is None:
                raise Conflict("the id belongs to an entry that was forgotten")
            return await _existing(rows, id_of(scope, entry.category, entry.key))

    async def list_preferences(
        self, scope: Scope, category: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Preference]:
        """See the contract."""
        after = None
        if cursor is not None:
            category_after, key_after = decode_cursor(cursor, str, str)
            after = (str(category_after), str(key_after))
        size = page_size(limit)
        async with self._store.reading(scope) as rows:
            found = await rows.preferences_page(category, after, size + 1)
        items = tuple(found[:size])
        following = encode_cursor(items[-1].category, items[-1].key) if len(found) > size else None
        return Page[Preference](items=items, next_cursor=following)

    async def get_preference(self, scope: Scope, preference_id: str) -> Preference:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await _existing(rows, preference_id)

    async def preference_versions(self, scope: Scope, preference_id: str) -> list[Preference]:
        """Every version as it was written, newest first. NotFound when there is none of that id."""
        async with self._store.reading(scope) as rows:
            current = await _existing(rows, preference_id)
            versions = (await rows.preference_versions([preference_id]))[preference_id]
        return [as_written(current.id, current.category, current.key, version) for version in reversed(versions)]

    async def restore_preference(self, scope: Scope, preference_id: str, version: int) -> Preference:
        """See the contract. To restore is to state: the value counts as stated from here on, also one that was
        inferred. Nothing changes when it is the stated value already, so a repetition is harmless."""
        now = self._clock()
        async with self._store.writing(scope) as rows:
            current = await _existing(rows, preference_id)
            versions = (await rows.preference_versions([preference_id]))[preference_id]
            wanted = next((found for found in versions if found.version == version), None)
            if wanted is None:
                raise NotFound(f"the preference has no version {version}")
            if current.stated and current.value == wanted.value and current.waiting is None:
                return current
            restored = PreferenceVersion(
                version=writing.next_version(versions),
                entry_id=wanted.entry_id,
                value=wanted.value,
                confidence=wanted.confidence,
                stated=True,
                occurred_at=max(now, *(found.occurred_at for found in versions)),
                recorded_at=now,
                sources=wanted.sources,
            )
            await rows.copy_preference_version(preference_id, version, restored.version, restored.occurred_at, now)
            await rows.put_preference(preference_id, current.category, current.key, fold([*versions, restored]))
            await rows.record([NewEvent("preference.changed", preference_id, restored.occurred_at)], now)
            return await _existing(rows, preference_id)


async def _existing(rows: Rows, identifier: str) -> Preference:
    preference = await rows.preference(identifier)
    if preference is None:
        raise NotFound("there is no preference of that id")
    return preference
