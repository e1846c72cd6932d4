"""The light view of the catalog (document 001): what an agent chooses its memories by."""

from typing import Final

from pydantic import Field

from ragpp.entries.values import CatalogEntry, Form
from ragpp.models import Value

MAX_INJECTION_TOKENS: Final = 2_000
"""Of what is put into a message, where nobody says otherwise (document 000)."""
MAX_OFFSET: Final = 5_000
"""How far a list of entries is leafed through; what is older is found by `search`."""


class EntryList(Value):
    """Entries without their contents. `next_offset`: where the next page begins, None on the last one. `complete`:
    whether all there are were looked at; not where there are over MAX_OFFSET items, or a `search` found as many as one
    may find."""

    memories: tuple[CatalogEntry, ...] = ()
    next_offset: int | None = Field(default=None, ge=0)
    complete: bool = True


class Offered(Value):
    """A memory for a message, in the `form` in which it is shown, with its `score`, its `relevance` alone (both 0 to
    1), and what these are the sum of."""

    entry: CatalogEntry
    form: Form
    text: str
    score: float = Field(ge=0, le=1)
    relevance: float = Field(ge=0, le=1)
    explain: dict[str, float] = Field(default_factory=dict)


class RelevantMemories(Value):
    """What matters for a message, best first, and as a section to be read: `formatted`, of that many `tokens`.
    `left_out`: ids of what was found and is not shown, with why."""

    memories: tuple[Offered, ...] = ()
    formatted: str = ""
    tokens: int = Field(default=0, ge=0)
    left_out: dict[str, str] = Field(default_factory=dict)
