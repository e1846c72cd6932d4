"""The scans that a search ranks: of all items that a scope sees, or of what segments point to."""

from collections.abc import Collection, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ragpp.stores.segments import Segmented
from ragpp.stores.vector_values import asked_terms, halfvec
from ragpp_services.catalog.items.asking import Asked
from ragpp_services.catalog.items.narrowing import Narrowing
from ragpp_services.catalog.items.ranking import AroundColumns, ItemColumns
from ragpp_services.catalog.statements import Statements


class ItemScans:
    """Scans of one user's items."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def scan(
        self,
        narrowing: Narrowing,
        as_of: datetime | None,
        embedding: npt.NDArray[np.float32] | None,
        terms: Collection[int],
        chosen: tuple[Sequence[int], Segmented] | None = None,
        *,
        of_view: bool = False,
    ) -> ItemColumns:
        """Every item that the scope sees, compared with `embedding` and `terms`, where these are given; by an index
        where its view shows few. Of `chosen` ordinals and segments only those and what lies in no segment."""
        arguments = (
            as_of,
            None if embedding is None else halfvec(embedding),
            asked_terms(terms) if terms else None,
            narrowing.category,
            narrowing.resource_id,
            narrowing.start,
            narrowing.end,
            narrowing.session_id,
            narrowing.agent_id,
            narrowing.domain,
            narrowing.task_type,
            narrowing.min_confidence,
            list(narrowing.exclude),
            narrowing.kind,
            None if narrowing.tags is None else list(narrowing.tags),
            *narrowing.metadata,
        )
        if chosen is None:
            row = await self._run.seen_row("scan_view_items" if of_view else "scan_items", *arguments)
        else:
            ordinals, segmented = chosen
            row = await self._run.seen_row("scan_chosen_items", *arguments, ordinals, *segmented.gap_columns)
        return ItemColumns(0) if row is None else ItemColumns(**row)

    async def around(self, asked: Asked, ordinals: Sequence[int] | None = None) -> AroundColumns:
        """The question's terms in the resources that the scope sees, and their passages, where these are wanted; in the
        resources of the items with these `ordinals` and in those without items, where these are given."""
        if not asked.terms and not asked.wants_passages:
            return AroundColumns()
        narrowing = asked.narrowing
        arguments = (
            asked.as_of,
            asked_terms(asked.terms),
            None if asked.embedding is None else halfvec(asked.embedding),
            asked.wants_passages,
            narrowing.resource_id,
            narrowing.start,
            narrowing.end,
            narrowing.session_id,
            narrowing.agent_id,
            list(narrowing.exclude),
            *narrowing.metadata,
        )
        if ordinals is None:
            row = await self._run.seen_row("scan_around_items", *arguments)
        else:
            row = await self._run.seen_row("scan_around_chosen_items", *arguments, ordinals)
        return AroundColumns() if row is None else AroundColumns(**row)
