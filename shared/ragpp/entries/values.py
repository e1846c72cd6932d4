"""The light view of an item of the catalog, under the item's id, and what somebody says of one."""

from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import Field, JsonValue

from ragpp.catalog import DEFAULT_VALUE, PRIORITIES, CatalogVisibility, ItemKind
from ragpp.fields import Id, Label, Moment
from ragpp.models import Value, Vector

MOST_SUMMARY: Final = 50
MOST_ABSTRACT: Final = 200
"""Characters (documents 000 and 001)."""
ValueBand = Literal["high", "medium", "low"]
ENTRY: Final = "entry"
"""In an item's metadata: what was given of its entry and cannot be told from its words (`GivenEntry`)."""
MAX_TAGS: Final = 32
MAX_REFERENCES: Final = 100
MAX_PRIORITY: Final = 10
Priority = Annotated[int, Field(ge=0, le=MAX_PRIORITY)]
Tags = Annotated[tuple[Label, ...], Field(max_length=MAX_TAGS)]
References = Annotated[tuple[Id, ...], Field(max_length=MAX_REFERENCES)]


class Form(StrEnum):
    """How much of an entry is shown."""

    FULL = "full"
    ABSTRACT = "abstract"
    SUMMARY = "summary"


class GivenEntry(Value):
    """What somebody says of an entry, in place of what its words tell; None where nothing was said."""

    summary: str | None = None
    tags: Tags | None = None
    priority: Priority | None = None
    expires: Moment | None = None
    references: References = ()


class CatalogEntry(Value):
    """An item as an agent chooses by it. `ci`: the agent whose it is. `size`: tokens of the content. `tier`: the band
    of `relevance`. `relevance`: what it has been worth, 0 to 1, DEFAULT_VALUE before it was used. `priority`: 0 to 10.
    `content`, `relevance_vector` (the embedding, unit length): only where they were asked for."""

    memory_id: str
    timestamp: Moment
    ci: str | None = None
    type: ItemKind = "fact"
    summary: Annotated[str, Field(max_length=MOST_SUMMARY)]
    abstract: Annotated[str, Field(max_length=MOST_ABSTRACT)]
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    key_points: tuple[str, ...] = ()
    size: int = Field(default=0, ge=0)
    tier: ValueBand = "medium"
    priority: Priority = PRIORITIES["normal"]
    relevance: float = Field(default=DEFAULT_VALUE, ge=0, le=1)
    expires: Moment | None = None
    references: tuple[str, ...] = ()
    visibility: CatalogVisibility = "shared"
    content: str | None = None
    relevance_vector: Vector | None = None

    def to_dict(self) -> dict[str, JsonValue]:
        """As JSON; `from_dict` reads it back equal."""
        return self.model_dump(mode="json")

    @classmethod
    def from_dict(cls, data: dict[str, JsonValue]) -> Self:
        """Raises ValueError (of pydantic) for what `to_dict` does not write."""
        return cls.model_validate(data)
