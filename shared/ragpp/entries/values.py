"""The light view of an item of the catalog, under the item's id, and what somebody says of one."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import Field, JsonValue

from ragpp.catalog import DEFAULT_VALUE, PRIORITIES, CatalogVisibility, ItemKind, Level
from ragpp.fields import Id, Label, Moment, Text, TokenizerName
from ragpp.models import Value, Vector

MOST_SUMMARY: Final = 50
MOST_ABSTRACT: Final = 200
"""Characters (documents 000 and 001)."""
ValueBand = Literal["high", "medium", "low"]
ENTRY: Final = "entry"
"""In an item's metadata: what was given of its entry and cannot be told from its words (`GivenEntry`)."""
PATTERNS: Final[Mapping[ItemKind, str]] = {
    "decision": r"(decided|chose|selected|will use)",
    "insight": r"(learned|discovered|realized|found that)",
    "error": r"(error|failed|exception|bug)",
    "plan": r"(will|plan to|next step|todo)",
}
"""By kind what proposes it, case ignored (document 001, `extraction_patterns`)."""
MAX_ENTRIES: Final = 1_001
"""That are read at once."""
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


class Description(Value):
    """A statement in short. `summary`: at most MOST_SUMMARY characters; `abstract`: at most MOST_ABSTRACT;
    `keywords`: the words that tell most, most telling first, in lower case; `topics`: phrases of them; `key_points`:
    whole sentences, in their order; `tokens`: of each form that it has, where they were counted, in those of
    `tokenizer`, or of the embedding model where that is None."""

    summary: Annotated[str, Field(max_length=MOST_SUMMARY)]
    abstract: Annotated[str, Field(max_length=MOST_ABSTRACT)]
    keywords: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    key_points: tuple[str, ...] = ()
    tokens: dict[Form, int] = Field(default_factory=dict)
    tokenizer: TokenizerName | None = None


class GivenEntry(Value):
    """The fields of an entry that somebody gives, in place of what its words tell; None where nothing was said.
    `expires_unsaid`: the moment at which it expires is that of the installation's limits."""

    summary: str | None = None
    tags: Tags | None = None
    priority: Priority | None = None
    expires: Moment | None = None
    expires_unsaid: bool = False
    references: References = ()
    external_id: Id | None = None


class CatalogEntry(Value):
    """An item as an agent chooses by it. `ci`: the agent whose it is; `agents`: all that contributed it. `size`: tokens
    of the content. `tier`: the band of `relevance`. `relevance`: what it has been worth, 0 to 1, DEFAULT_VALUE before
    it was used. `priority`: 0 to 10. `external_id`: what it is called where it was imported from. `content`,
    `relevance_vector` (the embedding, unit length): only where they were asked for."""

    memory_id: str
    timestamp: Moment
    ci: str | None = None
    agents: tuple[str, ...] = ()
    type: ItemKind = "fact"
    summary: Annotated[str, Field(max_length=MOST_SUMMARY)]
    abstract: Annotated[str, Field(max_length=MOST_ABSTRACT)]
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    key_points: tuple[str, ...] = ()
    size: int = Field(default=0, ge=0)
    tier: ValueBand = "medium"
    priority: Priority = PRIORITIES["normal"]
    relevance: float = Field(default=DEFAULT_VALUE, ge=0, le=1)
    expires: Moment | None = None
    references: tuple[str, ...] = ()
    external_id: str | None = None
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


class EntryQuery(Value):
    """Which entries: those that answer `text` best, the latest without one; of the agent `ci`, of `kind`, with one of
    `tags` (lower case) at least; of `ids` alone, own or external, where these are given. `contents`, `vectors`: with
    them. `offset`: how many are left out before the first. Of the latest alone: `visibility`, what one agent alone sees
    or what all of the user's do; `imported`, what is called something elsewhere; `before`, those whose `place` is
    lower. `whole`: with what only a file of them wants."""

    text: Text = ""
    embedding: Vector | None = None
    ci: Id | None = None
    kind: ItemKind | None = None
    tags: tuple[str, ...] = ()
    ids: tuple[Id, ...] | None = None
    contents: bool = False
    vectors: bool = False
    whole: bool = False
    as_of: Moment | None = None
    visibility: Literal["agent", "shared"] | None = None
    imported: bool = False
    before: int | None = None
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=MAX_ENTRIES)] = 50


class FoundEntry(Value):
    """An entry with what it takes to be shown. `score`: of the search that found it, 0 to 1, `similarity`: with the
    question, both None without one; `values`: what it is worth by goal; `tokens`: of the texts of its forms, in those
    of `tokenizer`; `replaced_by`: the id of one that says otherwise and later, of those that it was found with;
    `asked`: the id that it was asked for by; `place`: of two the one that came later has the greater. `metadata`,
    `category`, `level`, `domain`, `task_type`: of the item, where it was asked for as a whole."""

    entry: CatalogEntry
    score: float | None = None
    similarity: float | None = None
    values: dict[str, float] = Field(default_factory=dict)
    tokens: dict[Form, int] = Field(default_factory=dict)
    tokenizer: TokenizerName | None = None
    replaced_by: str | None = None
    asked: str | None = None
    place: int = 0
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    category: str | None = None
    level: Level = "semantic"
    domain: str | None = None
    task_type: str | None = None
