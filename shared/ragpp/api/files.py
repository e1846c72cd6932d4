"""Memories from files and into files (document 001), and an agent's way from the one to the other."""

from typing import Annotated, Final, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from ragpp.api.entries import EntryIn
from ragpp.catalog import ItemKind, Level
from ragpp.entries.usage import AgentSource, ComparedUse, SourceComparison
from ragpp.fields import Listed, Moment, NewId, StoredMetadata
from ragpp.models import Page, Value

MAX_IMPORTED: Final = 100
"""Memories of one request."""
ImportOutcome = Literal["kept", "known", "same", "expired", "refused", "absent"]
"""kept · known: kept before, under that id · same: another says it, and it is that one now · expired: past its
`expires`, and not taken · refused: with why · absent: the catalog does not have it, and nothing was to be kept."""


class EntriesIn(Value):
    """Memories to keep, each by itself: what is wrong with what one says, or with who may keep it, keeps no other from
    being kept. `dry_run`: keep none, and tell what would become of each."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "memories": [
                    {
                        "id": "mem_1234567890_abc123",
                        "timestamp": "2026-08-29T13:45:00Z",
                        "ci_source": "ergon-ci",
                        "type": "decision",
                        "summary": "Chose Redux for state management",
                        "content": "We chose Redux, since its middleware logs every action.",
                        "tokens": 245,
                        "relevance_tags": ["redux", "state", "architecture"],
                        "priority": 7,
                    }
                ],
            }
        }
    )

    user_id: NewId | None = None
    memories: Annotated[Listed[EntryIn], Field(min_length=1, max_length=MAX_IMPORTED)]
    dry_run: bool = False

    @model_validator(mode="after")
    def _of_one_user(self) -> Self:
        if any(one.user_id not in {None, self.user_id} for one in self.memories):
            raise ValueError("a memory names another user than the request")
        return self


class ImportedEntry(Value):
    """The outcome of one entry. `memory_id`: of the memory that it is now, None where it is none; `reason`: why not."""

    outcome: ImportOutcome
    memory_id: str | None = None
    reason: str | None = None


class ImportedEntries(Value):
    """The outcome of each entry, in the order of the request; how many secrets were removed."""

    results: tuple[ImportedEntry, ...]
    redactions: int = Field(default=0, ge=0)


class ExportedMemory(Value):
    """A memory as a file has it."""

    id: str
    timestamp: Moment
    ci_source: str | None
    type: ItemKind
    summary: str
    content: str
    tokens: int = Field(ge=0)
    relevance_tags: tuple[str, ...] = ()
    priority: int = Field(ge=0, le=10)
    expires: Moment | None = None
    references: tuple[str, ...] = ()
    category: str | None = None
    level: Level = "semantic"
    domain: str | None = None
    task_type: str | None = None
    metadata: StoredMetadata = Field(default_factory=dict)


class ExportedMemories(Page[ExportedMemory]):
    """Memories for a file, the latest first."""


class SourceIn(Value):
    """Where an agent's memories come from: `file`, those that were imported alone, as document 001 chooses among them;
    `parallel`, as `catalog`, and what the file would have given is compared with it; `catalog`."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "source": "parallel"}})

    user_id: NewId | None = None
    source: AgentSource


class SourceReport(Value):
    """How what a file would have given an agent differs from what the catalog gave it, over the turns since it was last
    set to `parallel`. `memories`: those given most differently first."""

    ci: str
    source: AgentSource
    compared: SourceComparison
    memories: tuple[ComparedUse, ...] = ()
    next_offset: int | None = None
