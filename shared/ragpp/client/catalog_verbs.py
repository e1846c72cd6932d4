"""The catalog's routes, as methods.

Everywhere `user_id` None is the user that the key is bound to, or, with a key of the scope `global`, what all users of
the tenant share.
"""

# mypy: disable-error-code="empty-body"
# what `@route` decorates is a signature alone

from collections.abc import Mapping
from typing import Literal

from ragpp.api import (
    AccessIn,
    CategoryIn,
    CategoryItemsIn,
    CategoryPageIn,
    CleanupIn,
    ConsolidateIn,
    DefaultsIn,
    EntryIn,
    EntryList,
    EpisodeEndIn,
    EpisodeIn,
    ExtractResourceIn,
    Forgotten,
    ItemSearchIn,
    ItemsIn,
    RebuildIn,
    RelevantMemories,
    ResourceIn,
    RetrieveRequest,
    StoredItems,
    StoredResource,
)
from ragpp.catalog import (
    CatalogEvent,
    CatalogEventType,
    ItemKind,
    Level,
    MemoryCategory,
    MemoryEventType,
    MemoryItem,
    MemoryLevel,
    MemoryStats,
    Resource,
    RetrievalResult,
)
from ragpp.client.faces import Face
from ragpp.client.route import route
from ragpp.entries.usage import EntryStatistics
from ragpp.entries.values import CatalogEntry
from ragpp.episodes import Episode, EpisodeAccess, ValueUpdate
from ragpp.fields import TokenizerName
from ragpp.filtering import MetadataFilter
from ragpp.jobs import Job
from ragpp.models import Page

Include = Literal["vector"]


def _wants_no_model(given: Mapping[str, object]) -> bool:
    """The gateway has asked its language model as often as is worth it."""
    request = given["request"]
    return isinstance(request, RetrieveRequest) and request.mode != "llm"


class CatalogVerbs(Face):
    """Resources, items, categories, and questions to them; how calls are made is the subclass's."""

    @route("POST", "/v1/resources", body=ResourceIn)
    def store_resource(self, request: ResourceIn) -> StoredResource:
        """Keep raw data; with `extract` a job takes items from it. Conflict when its id is known with other content."""

    @route("GET", "/v1/resources")
    def resources(
        self,
        user_id: str | None = None,
        *,
        resource_type: str | None = None,
        session_id: str | None = None,
        search: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Resource]:
        """Resources, the one stored last first, or those with the words of `search`, best first; their content cut."""

    @route("GET", "/v1/resources/{resource_id}")
    def resource(self, resource_id: str, *, user_id: str | None = None) -> Resource:
        """All of it. ResourceNotFoundError when there is none of that id."""

    @route("DELETE", "/v1/resources/{resource_id}")
    def forget_resource(self, resource_id: str, *, user_id: str | None = None, cascade: bool = True) -> Forgotten:
        """Delete it with its items, or, not `cascade`, leave a stub that keeps them. ResourceNotFoundError."""

    @route("POST", "/v1/resources/{resource_id}/extract", after_id=ExtractResourceIn)
    def extract_resource(self, resource_id: str, request: ExtractResourceIn | None = None) -> Job:
        """Take items from it; see `ended_job`. ResourceNotFoundError, CategoryNotFoundError."""

    @route("POST", "/v1/items", body=ItemsIn)
    def store_items(self, request: ItemsIn) -> StoredItems:
        """Keep items, all or none. ResourceNotFoundError for a source, CategoryNotFoundError for a category that is not
        there; Conflict when an id is known with other content."""

    @route("GET", "/v1/items")
    def items(
        self,
        user_id: str | None = None,
        *,
        category: str | None = None,
        resource_id: str | None = None,
        domain: str | None = None,
        task_type: str | None = None,
        level: Level | MemoryLevel | None = None,
        goal: str | None = None,
        include: Include | None = None,
        filter: MetadataFilter | Mapping[str, object] | None = None,  # noqa: A002 - as the route calls it
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[MemoryItem]:
        """Items, the latest first; with their vectors where `include` is "vector". With any of `domain`, `task_type`,
        `level` and `goal` by what they are worth for the goal, best first."""

    @route("POST", "/v1/learning/episodes", body=EpisodeIn, repeat=False)
    def begin_episode(self, request: EpisodeIn) -> Episode:
        """Begin a run of use towards a goal."""

    @route("POST", "/v1/learning/episodes/{episode_id}/access", after_id=AccessIn, repeat=False)
    def record_access(self, episode_id: str, request: AccessIn) -> EpisodeAccess:
        """Tell what was used in it. NotFound for an episode that is not there or has ended, and for no item."""

    @route("POST", "/v1/learning/episodes/{episode_id}/end", after_id=EpisodeEndIn, repeat=False)
    def end_episode(self, episode_id: str, request: EpisodeEndIn) -> Page[ValueUpdate]:
        """End it with a reward; how the values moved. NotFound for an episode that is not there or has ended."""

    @route("GET", "/v1/items/{item_id}")
    def item(self, item_id: str, *, user_id: str | None = None, include: Include | None = None) -> MemoryItem:
        """NotFound when there is none of that id."""

    @route("DELETE", "/v1/items/{item_id}")
    def forget_item(self, item_id: str, *, user_id: str | None = None) -> Forgotten:
        """Delete it; it is not taken from the same resources again. NotFound."""

    @route("GET", "/api/memory/catalog")
    def entries(
        self,
        user_id: str | None = None,
        *,
        view: str | None = None,
        ci: str | None = None,
        type: ItemKind | None = None,  # noqa: A002 - the document's
        tags: str | None = None,
        search: str | None = None,
        offset: int = 0,
        limit: int = 50,
    ) -> EntryList:
        """Light entries, the latest first, or those that answer `search` best; with one of `tags`, which commas
        divide. `view`: as this agent sees them, its own and the shared ones."""

    @route("POST", "/api/memory/catalog", body=EntryIn)
    def store_entry(self, request: EntryIn) -> CatalogEntry:
        """Keep a memory; the entry that it is now. Conflict for an id that is known with other content."""

    @route("GET", "/api/memory/catalog/statistics")
    def entry_statistics(self, user_id: str | None = None, *, ci: str | None = None) -> EntryStatistics:
        """How many entries there are, of how many tokens, since when, and when they were cleaned up last."""

    @route("POST", "/api/memory/cleanup", body=CleanupIn)
    def cleanup(self, request: CleanupIn) -> Job:
        """Let go of what has to go, or see what would; see `ended_job`, whose result says what and why."""

    @route("GET", "/api/memory/relevant")
    def relevant(
        self,
        user_id: str | None = None,
        *,
        ci: str | None = None,
        message: str = "",
        goal: str | None = None,
        max_tokens: int | None = None,
        tokenizer: TokenizerName | None = None,
    ) -> RelevantMemories:
        """The memories that matter for a message, packed into a budget of tokens."""

    @route("GET", "/api/memory/catalog/{memory_id}")
    def entry(
        self, memory_id: str, *, user_id: str | None = None, view: str | None = None, include: Include | None = None
    ) -> CatalogEntry:
        """One with its content. NotFound; Conflict where several are called that elsewhere. `view`: as `entries`."""

    @route("DELETE", "/api/memory/catalog/{memory_id}")
    def forget_entry(self, memory_id: str, *, user_id: str | None = None, view: str | None = None) -> Forgotten:
        """Delete it; it is not taken from the same resources again. NotFound; Conflict as `entry`. In an agent's `view`
        what that agent contributed."""

    @route("POST", "/v1/items/search", body=ItemSearchIn)
    def search_items(self, request: ItemSearchIn) -> RetrievalResult:
        """The items most similar to a vector, best first. InvalidInput for one of another dimension."""

    @route("POST", "/v1/categories", body=CategoryIn, repeat=False)
    def create_category(self, request: CategoryIn) -> MemoryCategory:
        """CategoryExistsError when there is one of that name."""

    @route("POST", "/v1/categories/defaults", body=DefaultsIn)
    def create_default_categories(self, request: DefaultsIn) -> Page[MemoryCategory]:
        """Create those of them that are not there; answers all of them."""

    @route("GET", "/v1/categories")
    def categories(
        self, user_id: str | None = None, *, cursor: str | None = None, limit: int = 50
    ) -> Page[MemoryCategory]:
        """Categories by name, each with its page."""

    @route("GET", "/v1/categories/{name}")
    def category(self, name: str, *, user_id: str | None = None) -> MemoryCategory:
        """By name or id. CategoryNotFoundError."""

    @route("PUT", "/v1/categories/{name}", after_id=CategoryPageIn)
    def edit_category(self, name: str, request: CategoryPageIn) -> MemoryCategory:
        """Let its page be this, until consolidation is forced. CategoryNotFoundError."""

    @route("DELETE", "/v1/categories/{name}")
    def delete_category(self, name: str, *, user_id: str | None = None) -> Forgotten:
        """Its items stay, without a category. CategoryNotFoundError."""

    @route("POST", "/v1/categories/{name}/items", after_id=CategoryItemsIn)
    def put_in_category(self, name: str, request: CategoryItemsIn) -> MemoryCategory:
        """Move these items into it. CategoryNotFoundError."""

    @route("POST", "/v1/categories/{name}/consolidate", after_id=ConsolidateIn)
    def consolidate_category(self, name: str, request: ConsolidateIn | None = None) -> Job:
        """Make its page of its items; see `ended_job`. CategoryNotFoundError."""

    @route("POST", "/v1/retrieve", body=RetrieveRequest, repeat=_wants_no_model)
    def retrieve(self, request: RetrieveRequest) -> RetrievalResult:
        """The items that answer a question best. CategoryNotFoundError for a `category_filter` that is not there,
        RetrievalError for a `mode` that is not to be had."""

    @route("GET", "/v1/memory/stats")
    def memory_stats(self, user_id: str | None = None) -> MemoryStats:
        """How much the catalog has, and when something was done last."""

    @route("POST", "/v1/memory/rebuild", body=RebuildIn)
    def rebuild_index(self, request: RebuildIn) -> Job:
        """Make vectors and words of what is stored anew; see `ended_job`."""

    @route("GET", "/v1/events")
    def events(
        self,
        user_id: str | None = None,
        *,
        event_type: CatalogEventType | MemoryEventType | None = None,
        subject_id: str | None = None,
        session_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[CatalogEvent]:
        """The catalog's events, newest first."""
