"""The values of the catalog: raw resources, the facts taken from them, the pages made of those, and answers.

`to_dict` and `from_dict` are the JSON of each: what was written is read back equal. Over 300 lines and one file all the
same: values that know each other, a table more than code.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, Literal, Self, get_args
from uuid import NAMESPACE_OID, uuid5

from pydantic import AfterValidator, Field, JsonValue

from ragpp.fields import (
    Confidence,
    Id,
    Label,
    Moment,
    StoredMetadata,
    StoredName,
    StoredStatement,
    Text,
    UserId,
    joined,
    storable,
)
from ragpp.models import Role, Scope, Value, Vector

OwnResourceType = Literal["conversation", "document", "config", "feedback"]
RESOURCE_TYPES: Final[tuple[OwnResourceType, ...]] = get_args(OwnResourceType)
ResourceType = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""One of RESOURCE_TYPES, or what an operator names besides; see `read_as`."""
Importance = Literal["low", "normal", "high"]
PRIORITIES: Final[dict[Importance, int]] = {"low": 2, "normal": 5, "high": 7}
"""The priority of an importance in a score, 0 to 10."""
Level = Literal["short_term", "episodic", "semantic", "procedural"]


class MemoryLevel(StrEnum):
    """The levels as document 003 has them; wherever a Level is taken a member is, too."""

    SHORT_TERM = "short_term"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


ItemKind = Literal["fact", "decision", "insight", "error", "plan", "preference", "solution"]
PASSAGE: Final = "passage"
"""Kind of what is no item, but stands in a resource as it is shown."""
CatalogVisibility = Literal["agent", "shared", "global"]
"""Who may see it: one agent of the user, all of the user's agents, or every user of the tenant."""
EVERYBODY: Final = ""
"""The user id under which lives what all users of a tenant share."""
MAX_RESOURCE_CHARS: Final = 1_000_000
MAX_CATEGORY_CHARS: Final = 64
DEFAULT_K: Final = 5
MAX_K: Final = 100
MAX_CANDIDATES: Final = 50
"""So many of what words and meaning find a language model chooses from, at most (document 002 §2.3)."""
DEFAULT_CONSOLIDATION_INTERVAL: Final = 10
"""So many new items have a page made anew at once, where the operator says nothing (document 002 §6.6)."""
SIMILARITY_THRESHOLD: Final = 0.5
"""From which on an item counts among those that were found (document 002 §2.2)."""
DEFAULT_VALUE: Final = 0.5
"""The value of an item for a goal that it was never used for."""
REPEATED: Final = "repeated"
"""In the metadata of an exchange that is a resource: stretches of its answer, as [start, end], that only repeat
memories and teach nothing."""
LABELS: Final = "labels"
"""In the same metadata: the `domain` and `task_type` of the work, which what is taken from the exchange has."""
WORK_LABELS: Final = ("domain", "task_type")
FINDING_ID: Final = "finding_id"
"""In an item's metadata: the finding that was made of the same words; a context shows one of the two."""

ResourceContent = Annotated[str, Field(min_length=1, max_length=16 * MAX_RESOURCE_CHARS), AfterValidator(storable)]
"""As it is stored: redaction may lengthen what it touches."""
CategoryName = Annotated[
    str, Field(min_length=1, max_length=MAX_CATEGORY_CHARS, pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")
]
Description = Annotated[str, Field(min_length=10, max_length=500), AfterValidator(storable)]


class RetrievalMode(StrEnum):
    """How items are found: by words and vectors, by a language model that chooses, or by the first and, where that is
    not sure, the second. Its values are what the API takes."""

    RAG = "rag"
    LLM = "llm"
    HYBRID = "hybrid"


class _Written(Value):
    """A value with the names of document 002 for its JSON."""

    def to_dict(self) -> dict[str, JsonValue]:
        """As JSON; `from_dict` reads it back equal."""
        return self.model_dump(mode="json")

    @classmethod
    def from_dict(cls, data: dict[str, JsonValue]) -> Self:
        """Raises ValueError (of pydantic) for what `to_dict` does not write."""
        return cls.model_validate(data)


def _occurred(told: Mapping[str, datetime]) -> datetime:
    """When what is told occurred, where nobody says it."""
    return told["created_at"]


class ResourceMessage(Value):
    """One message of a conversation that is a resource: `content[start:end]` of it says it, without the speaker's name.
    `interaction_id`: where it is an interaction of the episodic tier as well, on which the resource then rests."""

    role: Role = "user"
    name: StoredName | None = None
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    occurred_at: Moment | None = None
    interaction_id: Id | None = None


class Resource(_Written):
    """Raw source data. `occurred_at`: in the time of what it tells, what `as_of` goes by; else `created_at`.
    `agent_id`: of whom it is; the only one who sees it where it is visible to an `agent`. `is_stub`: its content is
    gone, and its items stay. `content_truncated`: a list shows the beginning of its content, or what was found of it.
    `vectors_dropped`: for its age it is found by its words alone."""

    resource_id: str
    resource_type: ResourceType
    content: str
    metadata: StoredMetadata = Field(default_factory=dict)
    messages: tuple[ResourceMessage, ...] = ()
    created_at: Moment
    occurred_at: Moment = Field(default_factory=_occurred)
    session_id: str | None = None
    agent_id: str | None = None
    visibility: CatalogVisibility = "shared"
    tokens: int = Field(default=0, ge=0)
    is_stub: bool = False
    content_truncated: bool = False
    vectors_dropped: bool = False


class GoalValue(Value):
    """An item's value for a goal, 0 to 1, as use has shown."""

    value: float = Field(default=DEFAULT_VALUE, ge=0, le=1)
    last_updated: Moment


def _key(told: Mapping[str, str | None]) -> str:
    return generate_memory_key(told["content"] or "", told["domain"], told["task_type"])


class MemoryItem(_Written):
    """One fact, with what it was taken from. `embedding`: of `content`, unit length; None where it was not asked for.
    `sources`: ids of the interactions that it rests on, none where its resource is no interaction's. `also_in`: other
    resources that say the same. `resource_type`: its source's, once it is stored. `replaced_by`: the id of an item that
    says otherwise and was said later, of those that it was read with. `kind` "passage": no item, but what a resource
    says, below the heading that it says it under; only a search finds it, where no item answers, and it goes with its
    resource. `access_count`: how many agents contributed it, by name."""

    item_id: str
    content: str
    embedding: Vector | None = None
    source_resource_id: str
    also_in: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    resource_type: ResourceType | None = None
    category: str | None = None
    confidence: float = Field(ge=0, le=1)
    importance: Importance = "normal"
    kind: ItemKind | Literal["passage"] = "fact"
    created_at: Moment
    occurred_at: Moment = Field(default_factory=_occurred)
    level: Level = "semantic"
    domain: str | None = None
    task_type: str | None = None
    key: str = Field(default_factory=_key)
    agent_id: str | None = None
    metadata: StoredMetadata = Field(default_factory=dict)
    visibility: CatalogVisibility = "shared"
    tokens: int = Field(default=0, ge=0)
    replaced_by: str | None = None
    goal_values: dict[str, GoalValue] = Field(default_factory=dict)
    access_count: int = Field(default=0, ge=0)

    def get_value(self, goal: str) -> float:
        """The item's value for `goal`, 0 to 1; DEFAULT_VALUE for one that it was never used for."""
        known = self.goal_values.get(goal)
        return DEFAULT_VALUE if known is None else known.value


class MemoryCategory(_Written):
    """A page of knowledge. `item_ids`: of the items in it, at most LISTED_ITEMS, none where pages are listed;
    `item_count` is of all. `updated_at`: when its page was made or edited last. `edited`: a person wrote the page as it
    is. `new_items`: how many came since it was made."""

    category_id: str
    name: str
    description: str
    markdown_content: str
    item_ids: tuple[str, ...] = ()
    item_count: int = Field(default=0, ge=0)
    new_items: int = Field(default=0, ge=0)
    updated_at: Moment
    edited: bool = False
    visibility: CatalogVisibility = "shared"


LISTED_ITEMS: Final = 1_000
DEFAULT_CATEGORIES: Final[Mapping[str, str]] = {
    "lead_preferences": "Captured preferences, requirements, and communication styles of leads",
    "product_knowledge": "Information about products, pricing, features, and comparisons",
    "objection_patterns": "Common objections encountered and successful response patterns",
    "conversation_insights": "Meta-learnings and patterns observed across conversations",
    "successful_approaches": "Documented approaches that led to positive outcomes",
}
"""Names and descriptions of those that are created on request (document 002 §8.3)."""


class RetrievalResult(_Written):
    """The items that were found, best first, each with its score in `confidence_scores` (0 to 1). `total_found`: how
    many are at least SIMILARITY_THRESHOLD similar to the question, shown or not. `similarities`: of each with the
    question, 0 to 1 on the same scale whatever the embedder (`ragpp.retrieval.Calibration`), 0 where it has no vector;
    none where it was found by a vector alone. `escalated`: a language model chose, since words and meaning were not
    sure. `escalation_reason`: why it was asked, or why not where one was wanted."""

    items: tuple[MemoryItem, ...]
    mode_used: RetrievalMode = RetrievalMode.RAG
    total_found: int = Field(ge=0)
    search_time_ms: float = Field(ge=0)
    confidence_scores: tuple[float, ...]
    similarities: tuple[float, ...] = ()
    escalated: bool = False
    escalation_reason: str | None = None


class MemoryStats(_Written):
    """How much there is, and when something was last done. `items_by_category`: of items in a category;
    `storage_bytes`: of the rows' contents and vectors."""

    total_resources: int = 0
    total_items: int = 0
    total_categories: int = 0
    vector_index_size: int = 0
    storage_bytes: int = 0
    resources_by_type: dict[str, int] = Field(default_factory=dict)
    items_by_category: dict[str, int] = Field(default_factory=dict)
    last_extraction_at: Moment | None = None
    last_consolidation_at: Moment | None = None


class ResourceEntry(Value):
    """A resource on its way in. `contributor`: whose it is of those that all users see, whose erasure takes it."""

    kind: Literal["resource"] = "resource"
    id: Id
    resource_type: ResourceType
    content: ResourceContent
    metadata: StoredMetadata = Field(default_factory=dict)
    messages: tuple[ResourceMessage, ...] = ()
    occurred_at: Moment
    session_id: Id | None = None
    agent_id: Id | None = None
    seen_by: Id | None = None
    contributor: UserId = ""
    redactions: int = Field(default=0, ge=0)


class ItemEntry(Value):
    """An item on its way in. `seen_by`: the only agent that may see it; never fewer than may see its resource see it.
    `category` None: the category whose description is nearest, if any is near. `by_hand`: somebody stored it, so a new
    extraction of its resource leaves it."""

    kind: Literal["item"] = "item"
    id: Id
    content: StoredStatement
    embedding: Vector | None = None
    source_resource_id: Id
    sources: tuple[Id, ...] = ()
    category: CategoryName | None = None
    confidence: Confidence = 0.8
    importance: Importance = "normal"
    item_kind: ItemKind = "fact"
    occurred_at: Moment
    level: Level = "semantic"
    domain: Label | None = None
    task_type: Label | None = None
    agent_id: Id | None = None
    seen_by: Id | None = None
    metadata: StoredMetadata = Field(default_factory=dict)
    by_hand: bool = False
    contributor: UserId = ""


CatalogInput = ResourceEntry | ItemEntry
"""The things that the catalog's `store` takes."""


class ItemText(Value):
    """A statement's words, and whose it is. `by_hand`: somebody stored it. `domain`, `task_type`: its labels."""

    id: str
    content: StoredStatement
    metadata: StoredMetadata = Field(default_factory=dict)
    domain: Label | None = None
    task_type: Label | None = None
    by_hand: bool = True


class CategoryText(Value):
    """The words of a category: its description and its page. `updated_at`: when the page was made or edited last."""

    id: str
    name: str
    description: str
    markdown: str
    updated_at: Moment


class CatalogTexts(Value):
    """Words of things of the catalog. `last`: the last id that was looked at, None where there is nothing behind."""

    resources: tuple[Resource, ...] = ()
    items: tuple[ItemText, ...] = ()
    categories: tuple[CategoryText, ...] = ()
    last: str | None = None


class ItemQuery(Value):
    """A question to the items. `embedding`: of `text`; None lets the tier embed it. `similarity_threshold`: what is
    less similar is left out. `as_of`: nothing that occurred later is seen."""

    text: Text
    embedding: Vector | None = None
    k: int = Field(default=DEFAULT_K, ge=1, le=MAX_K)
    category: CategoryName | None = None
    resource_id: Id | None = None
    similarity_threshold: Annotated[float, Field(ge=-1, le=1)] | None = None
    as_of: Moment | None = None


CatalogEventType = Literal[
    "memory.resource_stored",
    "memory.resource_deleted",
    "memory.items_extracted",
    "memory.item_deleted",
    "memory.category_created",
    "memory.category_updated",
    "memory.category_consolidated",
    "memory.category_deleted",
    "memory.retrieval_performed",
    "memory.entry_expired",
]


class MemoryEventType(StrEnum):
    """The types of events that document 002 has, by its names; where a CatalogEventType is taken a member is, too."""

    RESOURCE_STORED = "memory.resource_stored"
    ITEMS_EXTRACTED = "memory.items_extracted"
    CATEGORY_CREATED = "memory.category_created"
    CATEGORY_CONSOLIDATED = "memory.category_consolidated"
    RETRIEVAL_PERFORMED = "memory.retrieval_performed"
    RESOURCE_DELETED = "memory.resource_deleted"
    ITEM_DELETED = "memory.item_deleted"


class PageLine(Value):
    """A statement of a page that somebody wrote, and the items it rests on."""

    text: StoredStatement
    item_ids: tuple[Id, ...]


class PageSection(Value):
    """A titled part of such a page."""

    title: Label
    lines: tuple[PageLine, ...]


class CatalogEvent(_Written):
    """An event of the catalog, without its content. `event_id`: the ledger's, as text."""

    event_id: str
    event_type: str
    timestamp: datetime
    session_id: str | None = None
    correlation_id: str | None = None
    payload: dict[str, JsonValue] = Field(default_factory=dict)


def read_as(resource_type: str) -> OwnResourceType:
    """How a resource of that type is read: of one that an operator named, as a document."""
    return next((known for known in RESOURCE_TYPES if known == resource_type), "document")


def extracted_item_id(scope: Scope, resource_id: str, seen_by: str | None, content: str) -> str:
    """The id of an item that is taken from a resource: the same whenever the same is taken from it for the same eyes,
    so that taking it again changes nothing, and what a person deleted stays known."""
    said = (scope.tenant_id, scope.user_id, resource_id, "" if seen_by is None else f"={seen_by}", content)
    return f"item_{uuid5(NAMESPACE_OID, joined(*said))}"


def passage_id(resource_id: str, part: int) -> str:
    """The id of a passage of a resource, while that says what it says: it is found under it, and left out by it."""
    return f"{resource_id}#{part}"


def generate_memory_key(
    content: str, domain: str | None = None, task_type: str | None = None, agent_name: str | None = None
) -> str:
    """`{domain}:{task_type}:{first 16 hexadecimal digits of MD5 of content}`, `general` for what is not given; a colon
    or percent sign within a part is escaped as in addresses. `agent_name` is no part of it: all agents share what they
    learn. MD5 is a name here and protects nothing: whoever finds two keys equal compares their contents.
    Source: document 003, option 1.
    """
    del agent_name
    name = hashlib.md5(content.encode(), usedforsecurity=False).hexdigest()[:16]
    return ":".join((_part(domain), _part(task_type), name))


def _part(given: str | None) -> str:
    return (given or "general").replace("%", "%25").replace(":", "%3A")
