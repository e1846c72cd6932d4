"""The light view of the catalog (document 001): what an agent chooses its memories by."""

from typing import Annotated, ClassVar, Final

from pydantic import AfterValidator, AliasChoices, ConfigDict, Field, JsonValue

from ragpp.api.items import MAX_STATEMENT_CHARS
from ragpp.catalog import CatalogVisibility, CategoryName, ItemKind, Level
from ragpp.entries.values import ENTRY, MAX_TAGS, CatalogEntry, Form, Priority, References
from ragpp.fields import GivenTime, Id, Metadata, NewId, NewLabel, Said, Text, Whole
from ragpp.models import Value

MAX_INJECTION_TOKENS: Final = 2_000
"""Tokens of what is put into a message, where nobody says otherwise (document 000)."""
MAX_OFFSET: Final = 5_000
"""How far a list of entries is leafed through; what is older is found by `search`."""

NewTags = Annotated[tuple[NewLabel, ...], Field(max_length=MAX_TAGS)]


class EntryList(Value):
    """Entries without their contents. `next_offset`: where the next page begins, None on the last one. `complete`:
    whether all there are were looked at; not where there are over MAX_OFFSET items, or a `search` found as many as one
    may find."""

    memories: tuple[CatalogEntry, ...] = ()
    next_offset: int | None = Field(default=None, ge=0)
    complete: bool = True


class Offered(Value):
    """A memory for a message, under the `handle` and in the `form` in which it is shown, with its `score`, its
    `relevance` alone (both 0 to 1), and what these are the sum of. The handle is of this answer alone: it begins no
    turn."""

    handle: str
    entry: CatalogEntry
    form: Form
    text: str
    score: float = Field(ge=0, le=1)
    relevance: float = Field(ge=0, le=1)
    explain: dict[str, float] = Field(default_factory=dict)


class RelevantMemories(Value):
    """The memories that matter for a message, best first, and as a section to be read: `formatted`, of that many
    `tokens`. `left_out`: ids of what was found and is not shown, with why."""

    memories: tuple[Offered, ...] = ()
    formatted: str = ""
    tokens: int = Field(default=0, ge=0)
    left_out: dict[str, str] = Field(default_factory=dict)


class CleanupIn(Value):
    """Whose catalog; with `dry_run` it is only told what would go."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "dry_run": True}})

    user_id: NewId | None = None
    dry_run: bool = False


def _unreserved(metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """`metadata` itself; ValueError where it has what the entry's own fields are kept under."""
    if ENTRY in metadata:
        raise ValueError(f"`{ENTRY}` is reserved")
    return metadata


class EntryIn(Value):
    """A memory to keep, in either spelling of document 001. `id`, also `memory_id`: one that begins with `item_` is the
    item's; any other is what it is called elsewhere, by which it is found as well. `ci`, also `ci_source`: the agent
    whose it is. `tags`, also `relevance_tags`: absent, its keywords. `size`, also `tokens`, is counted anew. `type`:
    absent, what the words tell. `expires`: when it goes. `source_resource_id`: what it is from; absent, it is a source
    of its own. `metadata`: anything, but under `entry`, which is reserved."""

    model_config = ConfigDict(
        populate_by_name=True,
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "memory_id": "mem_1234567890_abc123",
                "ci": "ergon-ci",
                "type": "decision",
                "summary": "Chose Redux for state management",
                "content": "After evaluating the options we chose Redux, since its middleware logs every action.",
                "tags": ["redux", "state", "architecture"],
                "priority": 7,
            }
        },
    )
    id_prefix: ClassVar[str] = "item_"

    user_id: NewId | None = None
    id: Annotated[NewId | None, Field(validation_alias=AliasChoices("memory_id", "id"))] = None
    content: Annotated[Said, Field(min_length=1, max_length=MAX_STATEMENT_CHARS)]
    timestamp: GivenTime | None = None
    ci: Annotated[NewId | None, Field(validation_alias=AliasChoices("ci", "ci_source"))] = None
    type: ItemKind | None = None
    summary: Annotated[Text, Field(max_length=MAX_STATEMENT_CHARS)] | None = None
    size: Annotated[Whole | None, Field(ge=0, validation_alias=AliasChoices("size", "tokens"))] = None
    tags: Annotated[NewTags | None, Field(validation_alias=AliasChoices("tags", "relevance_tags"))] = None
    priority: Priority | None = None
    expires: GivenTime | None = None
    references: References = ()
    visibility: CatalogVisibility | None = None
    category: CategoryName | None = None
    level: Level = "semantic"
    domain: NewLabel | None = None
    task_type: NewLabel | None = None
    source_resource_id: Id | None = None
    metadata: Annotated[Metadata, AfterValidator(_unreserved)] = Field(default_factory=dict)
