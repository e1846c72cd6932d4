"""What a view of a memory has from another: what people set, judged and deleted there, which no message says."""

from collections.abc import Sequence

from ragpp.models import PreferenceEntry, RuleEntry, Scope
from services.procedural import writing
from services.procedural.core import Core
from services.procedural.naming import ProceduralEntry


class InheritVerbs(Core):
    """The verb by which a view begins."""

    async def inherit(self, scope: Scope, of: str | None, beside: Sequence[str] = ()) -> int:
        """See the contract."""
        await self.identify()
        async with self._store.reading(scope.seen_by(of)) as rows:
            found = await rows.set_by_hand([scope.seen_by(view).view_key[1] for view in beside], scope.view_key[1])
        set_by_hand: list[PreferenceEntry | RuleEntry] = [*found]
        entries: list[ProceduralEntry] = [*found]
        vectors = await self.vectors_of(entries)
        async with self._store.writing(scope) as rows:
            await rows.inherit(scope.seen_by(of))
            await writing.apply(rows, scope, set_by_hand, vectors, self._clock())
        return len(found)
