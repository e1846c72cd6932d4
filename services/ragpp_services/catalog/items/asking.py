"""A search's question to the rows, and their answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ragpp.ranking import choosing
from ragpp.stores.packed_columns import microseconds_of
from ragpp_services.catalog.items.narrowing import Narrowing
from ragpp_services.catalog.items.ranking import AroundColumns, ItemColumns


@dataclass(frozen=True, slots=True)
class Scanned:
    """The columns of what is to be ranked, with what is around it and the passages. `chosen`: how it was, None where it
    is all that there is."""

    columns: ItemColumns
    around: AroundColumns
    chosen: choosing.Chosen | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its vector and terms, where it has these, and for how many items; `passages`: and for passages."""

    narrowing: Narrowing
    as_of: datetime | None
    embedding: npt.NDArray[np.float32] | None
    terms: Sequence[int]
    limit: int
    passages: bool = False

    @property
    def wants_passages(self) -> bool:
        """True where any may be shown."""
        return self.passages and self.narrowing.leaves_passages

    @property
    def can_be_chosen(self) -> bool:
        """True where segments know all that it is narrowed to."""
        return self.narrowing.is_of_time and (self.embedding is not None or bool(self.terms))

    def of_view(self, view: str | None) -> choosing.Asked:
        """As segments are asked."""
        narrowing = self.narrowing
        return choosing.Asked(
            vector=self.embedding,
            terms=self.terms,
            view=view,
            as_of=None if self.as_of is None else microseconds_of(self.as_of),
            start=None if narrowing.start is None else microseconds_of(narrowing.start),
            end=None if narrowing.end is None else microseconds_of(narrowing.end),
            limit=choosing.candidates_for(self.limit, len(narrowing.exclude)),
        )
