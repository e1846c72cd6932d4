"""What a view of a memory has from another: what people set, judged and deleted there, which no message says."""

from collections.abc import Sequence

from ragpp.models import Scope
from ragpp_services.procedural.core import Core
from ragpp_services.procedural.naming import ProceduralEntry
from ragpp_services.procedural.preferences import writing


class InheritVerbs(Core):
    """The verb by which a view begins."""

    async def inherit(self, scope: Scope, of: str | None, beside: Sequence[str] = ()) -> int:
        """See the contract. Raises Outdated when something was forgotten meanwhile."""
        await self.check_identity()
        async with self._store.reading(scope.seen_by(of)) as rows:
            epoch = await rows.epoch()
            found = await rows.set_by_hand([scope.seen_by(view).view_key[1] for view in beside], scope.view_key[1])
        entries: list[ProceduralEntry] = [*found]
        vectors = await self.vectors_of(entries)
        async with self._store.writing(scope, epoch) as rows:
            await rows.inherit(scope.seen_by(of))
            known = await rows.applied({entry.id for entry in found})  # set here as well, or begun before
            new = [(entry, vector) for entry, vector in zip(found, vectors, strict=True) if entry.id not in known]
            await writing.apply(rows, scope, [one for one, _ in new], [vector for _, vector in new], self._clock())
            await rows.inherited(scope.seen_by(of), [one.id for one, _ in new])
        return len(new)
