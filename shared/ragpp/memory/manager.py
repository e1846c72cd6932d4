"""The memory of curated knowledge as document 002 §1 has it, over the gateway: what comes in, what is found again."""

import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Final, Self

from pydantic import JsonValue

from ragpp.api import RecalledMemory, RecallResponse
from ragpp.catalog import (
    Importance,
    MemoryCategory,
    MemoryItem,
    Resource,
    RetrievalMode,
    RetrievalResult,
)
from ragpp.client import AsyncMemoryClient
from ragpp.errors import (
    CategoryNotFoundError,
    ConfigurationError,
    ConsolidationError,
    ExtractionError,
    InvalidInput,
    ResourceNotFoundError,
)
from ragpp.jobs import Job
from ragpp.memory.config import MemoryConfig
from ragpp.memory.health import MemoryHealth, health_of
from ragpp.memory.layers import CategoryLayer, ItemLayer, ResourceLayer
from ragpp.memory.remembering import default_created, recall, remember
from ragpp.memory.stats import Stats
from ragpp.memory.whose import Whose

PATIENCE_S: Final = 120.0
_ELSEWHERE: Final = {
    "storage_dir": "The folder is the stack's: `ragpp up --home FOLDER`, or RAGPP_HOME.",
    "embedding_service": "The servers embed: set EMBEDDING_PROVIDER and EMBEDDING_MODEL for them.",
    "event_store": "The ledger keeps the events: read them with `ragpp catalog events`, or GET /v1/events.",
}
_log = logging.getLogger(__name__)


class MemoryManager:
    """Resources, the facts taken from them, and the pages made of those, each behind a layer of its own.

    `client`: of the gateway to use; else that of RAGPP_URL and RAGPP_API_KEY, else of the stack that `ragpp up` started
    in RAGPP_HOME or in `.ragpp`. `user_id`: whose memory; absent, the key's own user, or, with a key that has the scope
    `global`, what all users of the tenant share. `agent_id`: of whom what is stored is. `name`: of who asks, where
    several speak as one user. `patience_s`: longest wait for what the workers do. One manager serves many tasks at
    once, of one event loop.

    Raises ConfigurationError when no gateway is named, and for what document 002 has and the servers decide here.
    """

    def __init__(
        self,
        storage_dir: object = None,
        embedding_service: object = None,
        event_store: object = None,
        config: MemoryConfig | None = None,
        *,
        client: AsyncMemoryClient | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        name: str | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        given = {"storage_dir": storage_dir, "embedding_service": embedding_service, "event_store": event_store}
        refused = [name for name, value in given.items() if value is not None]
        if refused:
            raise ConfigurationError(
                f"no manager has a store of its own, and so no {', '.join(refused)}",
                suggestions=tuple(_ELSEWHERE[name] for name in refused),
            )
        self.config = config or MemoryConfig()
        self.config.check()
        self._closes = client is None
        self._whose = Whose(client or AsyncMemoryClient(), user_id, agent_id, patience_s, name)
        self._health: MemoryHealth | None = None
        self.resource_layer = ResourceLayer(self._whose)
        self.item_layer = ItemLayer(self._whose)
        self.category_layer = CategoryLayer(self._whose)

    async def __aenter__(self) -> Self:
        await self.check_health()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self, *, given: bool = False) -> None:
        """Close the connections, unless they are the caller's; with `given` those of a given client as well."""
        if self._closes or given:
            await self._whose.client.aclose()

    async def store_resource(
        self, content: str, resource_type: str, metadata: Mapping[str, JsonValue] | None = None
    ) -> Resource:
        """Keep `content` under a new id: see ResourceLayer.store."""
        if len(content) > self.config.max_resource_size:
            raise InvalidInput(
                f"content: has {len(content):,} characters; at most {self.config.max_resource_size:,}",
                suggestions=("Split it into several resources.",),
            )
        return await self.resource_layer.store(content, resource_type, metadata)

    async def extract_and_store(self, resource_id: str, category_hint: str | None = None) -> list[MemoryItem]:
        """Take the facts out of a resource, and answer them as items, each with its vector. Doing it again answers the
        same. `category_hint`: the category of all of them; a default one is created where it is not there. Where the
        extraction fails, that is logged as a warning, and there are none.

        Raises ResourceNotFoundError; CategoryNotFoundError; EmbeddingError; TierUnavailable when the workers do not get
        to it in time.
        """
        job = await self._extraction(resource_id, category_hint)
        try:
            result = await self._whose.done(job, ExtractionError)
        except ExtractionError as error:
            _log.warning("%s (%s): %s, %s", error.title, error.code, resource_id, error.message)
            return []
        if result.get("gone"):
            message = f"the resource {resource_id!r} was deleted before it was extracted from"
            raise ResourceNotFoundError(resource_id, message=message)
        if result.get("fallback") == ExtractionError.code:  # the workers gave up on it
            _log.warning("%s (%s): %s", ExtractionError.title, ExtractionError.code, resource_id)
        ids = result.get("item_ids")
        return await self._items(resource_id, [str(one) for one in ids] if isinstance(ids, list) else [])

    async def retrieve(
        self,
        query: str,
        mode: RetrievalMode | str = RetrievalMode.HYBRID,
        k: int | None = None,
        category_filter: str | None = None,
        escalation_threshold: float | None = None,
    ) -> RetrievalResult:
        """The best `k` items (1 to 100; `config.default_k` where it is not given), each with its score.

        `mode`: `llm` has a language model choose, `hybrid` has it choose where words and vectors are not sure: below
        `escalation_threshold` (0 to 1; `config.escalation_threshold`), or where the question wants reasoning. Where
        none is configured, or it fails, `hybrid` answers as `rag` does, with the reason in `escalation_reason`.

        Raises InvalidInput, a ValueError; CategoryNotFoundError; RetrievalError of `llm`; EmbeddingError.
        """
        threshold = self.config.escalation_threshold if escalation_threshold is None else escalation_threshold
        if not 0 <= threshold <= 1:
            raise InvalidInput(f"escalation_threshold: {threshold} is not between 0 and 1")
        return await self._whose.client.retrieve(
            user_id=self._whose.user_id,
            query=query,
            mode=mode,
            k=self.config.default_k if k is None else k,
            category_filter=category_filter,
            escalation_threshold=threshold,
        )

    async def recall(self, query: str, k: int | None = None) -> list[RecalledMemory]:
        """The best `k` memories (1 to 200; `config.default_k` where it is not given) of every tier, in one ranking.

        Raises InvalidInput, a ValueError, also where no `user_id` was given: the other tiers have nothing that all
        users share; TierUnavailable when one of them is missing and the others have nothing.
        """
        return list((await self.recall_whole(query, k)).memories)

    async def recall_whole(self, query: str, k: int | None = None) -> RecallResponse:
        """The answer that `recall` has its memories from: with the context, how each tier answered, and whether
        anything that was found is about the question (`relevance`). Raises as `recall` does."""
        return await recall(self._whose, query, self.config.default_k if k is None else k)

    async def remember(
        self, content: str, category: str | None = None, importance: Importance = "normal"
    ) -> MemoryItem:
        """Keep one fact, of 1 to 16,000 characters, and answer the item that it is now: another's, where that says the
        same. It becomes a small resource first, of which the item is. `category`: a default one is created where it is
        not there; None is the one whose description is nearest, if any is near.

        Raises CategoryNotFoundError, and nothing is stored; InvalidInput, a ValueError; EmbeddingError.
        """
        return await remember(self._whose, content, category, importance)

    async def get_category_content(self, category_name: str) -> str:
        """Its page, in Markdown. Raises CategoryNotFoundError."""
        category = await self._whose.client.category(category_name, user_id=self._whose.user_id)
        return category.markdown_content

    async def consolidate_category(self, category_name: str, force: bool = False) -> str:
        """Make its page of its items, and answer it; as it is where nothing is new, or where a person wrote it, unless
        `force`.

        Raises CategoryNotFoundError; ConsolidationError, and the page is as it was; TierUnavailable when the workers do
        not get to it in time.
        """
        whose = self._whose
        job = await whose.client.consolidate_category(category_name, user_id=whose.user_id, force=force)
        await whose.done(job, ConsolidationError)
        return await self.get_category_content(category_name)

    async def create_category(self, name: str, description: str) -> MemoryCategory:
        """An empty one: see CategoryLayer.create."""
        return await self.category_layer.create(name, description)

    async def list_categories(self) -> list[MemoryCategory]:
        """All of them, by name."""
        return await self.category_layer.list_all()

    async def delete_resource(self, resource_id: str, cascade: bool = True) -> bool:
        """Delete it and, with `cascade`, its items: see ResourceLayer.delete."""
        return await self.resource_layer.delete(resource_id, cascade)

    @property
    def whose(self) -> Whose:
        """The client, and whose memory it is about."""
        return self._whose

    async def rebuild_index(self) -> int:
        """Make what items are found by anew; returns of how many rows."""
        return await self.item_layer.rebuild_index()

    def get_stats(self) -> Stats:
        """How much there is, and when something was last done, as a MemoryStats: `await` it."""
        return Stats(self._whose)

    @property
    def is_healthy(self) -> bool:
        """True where all was well when `check_health` last looked, as `async with` does; before that, once the client
        has connected."""
        return self._whose.client.is_connected if self._health is None else self._health.ok

    async def check_health(self) -> MemoryHealth:
        """How storage, index and embedder are now."""
        self._health = await health_of(self._whose)
        return self._health

    async def _extraction(self, resource_id: str, category_hint: str | None) -> Job:
        """The job. What document 002 files under a default category before anybody created it is to be filed there."""
        client, user_id = self._whose.client, self._whose.user_id
        try:
            return await client.extract_resource(resource_id, user_id=user_id, category_hint=category_hint)
        except CategoryNotFoundError:
            if category_hint is None or not await default_created(self._whose, category_hint):
                raise
        return await client.extract_resource(resource_id, user_id=user_id, category_hint=category_hint)

    async def _items(self, resource_id: str, ids: list[str]) -> list[MemoryItem]:
        """Those of `ids` that are still there, in that order. One that another resource said before is under that."""
        known = {item.item_id: item for item in await self.item_layer.get_by_resource(resource_id)}
        for item_id in ids:
            if item_id not in known and (item := await self.item_layer.get(item_id)) is not None:
                known[item_id] = item
        return list({known[one].item_id: known[one] for one in ids if one in known}.values())
