"""Items of the catalog: facts to keep, and questions to them."""

from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field

from ragpp.catalog import (
    DEFAULT_K,
    MAX_CANDIDATES,
    MAX_K,
    CatalogVisibility,
    CategoryName,
    Importance,
    ItemKind,
    Level,
    MemoryItem,
    RetrievalMode,
)
from ragpp.fields import Confidence, GivenTime, Id, Listed, Metadata, NewId, NewLabel, Said, Whole
from ragpp.models import Page, Value, Vector

MAX_ITEMS: Final = 1_000
"""Items of one request."""
MAX_STATEMENT_CHARS: Final = 16_000
"""Some 4,000 tokens: memories of document 001 have hundreds."""
MAX_DIMENSION: Final = 8_192
Embedding = Annotated[Vector, Field(min_length=1, max_length=MAX_DIMENSION)]


class ItemIn(Value):
    """A fact to keep, with the resource that it is from. `embedding`: of `content`, by the model of this installation;
    absent, it is made here. `category`: absent, the one whose description is nearest, if any is near. `occurred_at`:
    absent, the time of receipt."""

    id_prefix: ClassVar[str] = "item_"

    id: NewId | None = None
    content: Annotated[Said, Field(min_length=1, max_length=MAX_STATEMENT_CHARS)]
    source_resource_id: Id
    category: CategoryName | None = None
    confidence: Confidence = 0.8
    importance: Importance = "normal"
    kind: ItemKind = "fact"
    occurred_at: GivenTime | None = None
    level: Level = "semantic"
    domain: NewLabel | None = None
    task_type: NewLabel | None = None
    metadata: Metadata = Field(default_factory=dict)
    embedding: Embedding | None = None


class ItemsIn(Value):
    """Items to keep: all of them, or none."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "items": [
                    {
                        "content": "Pro costs $299 a month.",
                        "source_resource_id": "res_550e8400-e29b-41d4-a716-446655440000",
                        "category": "product_knowledge",
                        "importance": "high",
                    }
                ],
            }
        }
    )

    user_id: NewId | None = None
    agent_id: NewId | None = None
    visibility: CatalogVisibility | None = None
    items: Annotated[Listed[ItemIn], Field(min_length=1, max_length=MAX_ITEMS)]


class StoredItems(Page[MemoryItem]):
    """The items as they are kept, in the order of the request: one that says what another says is that one.
    `forgotten`: ids of items that were deleted before, which are not stored again. `redactions`: how many secrets and
    personal data were taken out, `redacted`: of which kinds."""

    redactions: int = Field(default=0, ge=0)
    redacted: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()


class ItemSearchIn(Value):
    """A vector, of the model of this installation, to find items by."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "embedding": [0.6, 0.8], "k": 5}})

    user_id: Id | None = None
    embedding: Embedding
    k: Whole = Field(default=DEFAULT_K, ge=1, le=MAX_K)


class RetrieveRequest(Value):
    """A question to the items. `similarity_threshold`: what is less similar is left out. `as_of`: what occurred later
    is not seen. `mode`: `rag` searches by words and meaning; `llm` has a language model choose of the best
    `max_candidates` that these find; `hybrid` has it choose where they are not sure, below `escalation_threshold`, or
    where the question wants reasoning."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"user_id": "u1", "query": "What pricing options are available?", "k": 3}}
    )

    user_id: Id | None = None
    query: Annotated[Said, Field(min_length=1, max_length=10_000)]
    mode: RetrievalMode = RetrievalMode.HYBRID
    k: Whole = Field(default=DEFAULT_K, ge=1, le=MAX_K)
    category_filter: CategoryName | None = None
    similarity_threshold: Annotated[float, Field(ge=-1, le=1)] | None = None
    as_of: GivenTime | None = None
    escalation_threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    max_candidates: Whole = Field(default=MAX_CANDIDATES, ge=1, le=MAX_CANDIDATES)


class RebuildIn(Value):
    """Whose catalog is to be indexed anew."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1"}})

    user_id: NewId | None = None
