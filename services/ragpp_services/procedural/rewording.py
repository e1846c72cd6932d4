"""Other words in the place of what preferences, rules and findings say, in every version and under the same id."""

from collections.abc import Sequence
from itertools import count
from typing import Final, cast

from ragpp.learned import ProceduralText
from ragpp.models import Page, Scope
from ragpp.stores.cursors import decode_cursor, page_of, page_size
from ragpp_services.procedural.naming import preference_id, preference_line
from ragpp_services.procedural.store import ProceduralStore, Rows
from ragpp_services.procedural.vectors import Vectors

_NAMED: Final = {"preference", "preference_version"}


class Rewording:
    """Reads what a user's rows say, and puts other words there, in one transaction."""

    def __init__(self, store: ProceduralStore, vectors: Vectors) -> None:
        self._store, self._vectors = store, vectors

    async def texts(self, scope: Scope, cursor: str | None = None, limit: int = 50) -> Page[ProceduralText]:
        """See the contract."""
        size = page_size(limit)
        after = None if cursor is None else decode_cursor(cursor, str, str, int)
        async with self._store.reading(scope) as rows:
            found = await rows.rewording.page(after, size + 1)
        return page_of(Page[ProceduralText], found, size, lambda one: (one.id, one.kind, one.number))

    async def reword(self, scope: Scope, texts: Sequence[ProceduralText], epoch: int | None = None) -> None:
        """See the contract."""
        if not texts:
            return
        await self._vectors.check_identity()
        embeddings = [await self._vectors.embed(_line(one)) for one in texts]
        async with self._store.writing(scope, epoch) as rows:
            await rows.raise_epoch()
            versions = await rows.preferences.versions([one.id for one in texts if one.kind == "preference_version"])
            values = {(one, version.version): version.value for one, some in versions.items() for version in some}
            for one, embedding in zip(texts, embeddings, strict=True):
                await rows.rewording.put(one, embedding)
                if one.kind == "preference_version" and (one.id, one.number) in values:
                    await rows.rewording.judge(one.id, values[one.id, one.number], one.words["value"])
            for one in texts:
                if one.kind in {"preference", "rule"}:
                    await rows.rewording.unhash(one.kind, one.id)
            for one in texts:  # last: what was read is by the ids that there were
                if one.kind == "preference":
                    await _rename(rows, scope, one)


async def _rename(rows: Rows, scope: Scope, one: ProceduralText) -> None:
    """Give a preference the name that it is to have, or where another has that, one with a number; its id follows from
    the name."""
    known = (await rows.preferences.names([one.id])).get(one.id)
    category, key = str(one.words["category"]), str(one.words["key"])
    if known is None or known == (category, key):
        return
    for number in count(1):
        name = key if number == 1 else f"{key} {number}"
        other = preference_id(scope, category, name)
        if await rows.preferences.find(other) is None:
            await rows.rewording.rename(one.id, other, category, name)
            return


def _line(one: ProceduralText) -> str:
    """The text that a row is embedded as; of a report, which has no vector, any."""
    if one.kind in _NAMED:
        return preference_line(str(one.words["category"]), str(one.words["key"]), one.words["value"])
    return cast("str", one.words.get("text") or one.kind)
