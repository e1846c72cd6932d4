"""The light view of the catalog (document 001): what an agent chooses its memories by."""

from typing import Final

from pydantic import Field

from ragpp.entries.values import CatalogEntry
from ragpp.models import Value

MAX_OFFSET: Final = 5_000
"""How far a list of entries is leafed through; what is older is found by `search`."""


class EntryList(Value):
    """Entries without their contents. `next_offset`: where the next page begins, None on the last one. `complete`:
    whether all there are were looked at; not where there are over MAX_OFFSET items, or a `search` found as many as one
    may find."""

    memories: tuple[CatalogEntry, ...] = ()
    next_offset: int | None = Field(default=None, ge=0)
    complete: bool = True
