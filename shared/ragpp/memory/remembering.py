"""A single fact kept with a source of its own, and a question to every tier."""

from contextlib import suppress
from typing import Final

from ragpp.api import RecallResponse
from ragpp.api.items import MAX_STATEMENT_CHARS
from ragpp.catalog import DEFAULT_CATEGORIES, Importance, MemoryItem, ResourceType
from ragpp.errors import CategoryExistsError, CategoryNotFoundError, InvalidInput, MemorySystemError, TierUnavailable
from ragpp.memory.whose import Whose

SOURCE_TYPE: Final[ResourceType] = "conversation"
"""Where somebody learned what is to be remembered."""


async def remember(whose: Whose, content: str, category: str | None, importance: Importance) -> MemoryItem:
    """See MemoryManager.remember. Where the item is not kept, its source is not either."""
    if len(content) > MAX_STATEMENT_CHARS:
        raise InvalidInput(
            f"content: has {len(content):,} characters; at most {MAX_STATEMENT_CHARS:,}",
            suggestions=("Remember several facts, or keep it with store_resource and extract_and_store.",),
        )
    if category is not None:
        await _there(whose, category)
    kept = await whose.client.store_resource(
        user_id=whose.user_id,
        agent_id=whose.agent_id,
        resource_type=SOURCE_TYPE,
        content=content,
        metadata={"stored_by": "remember"},
    )
    source = kept.resource.resource_id
    item = {"content": content, "source_resource_id": source, "category": category, "importance": importance}
    try:
        stored = await whose.client.store_items(user_id=whose.user_id, agent_id=whose.agent_id, items=[item])
    except MemorySystemError:
        with suppress(MemorySystemError):  # why it was not kept is what is told
            await whose.client.forget_resource(source, user_id=whose.user_id)
        raise
    return stored.items[0]


async def recall(whose: Whose, query: str, k: int) -> RecallResponse:
    """See MemoryManager.recall_whole."""
    if whose.user_id is None:
        raise InvalidInput(
            "user_id: every tier but the catalog is asked about one user",
            suggestions=("Name the user, as in MemoryManager(user_id=…), or ask the catalog alone.",),
        )
    answer = await whose.client.recall(user_id=whose.user_id, query=query, name=whose.name, limit=k)
    if answer.status == "partial" and not answer.memories:
        raise TierUnavailable("a tier of the memory did not answer in time, and the others have nothing")
    return answer


async def default_created(whose: Whose, category: str) -> bool:
    """Create `category` where it is a default one that is not there. False where it is none."""
    if category not in DEFAULT_CATEGORIES:
        return False
    with suppress(CategoryExistsError):  # another task was faster
        await whose.client.create_category(
            user_id=whose.user_id, name=category, description=DEFAULT_CATEGORIES[category]
        )
    return True


async def _there(whose: Whose, category: str) -> None:
    try:
        await whose.client.category(category, user_id=whose.user_id)
    except CategoryNotFoundError:
        if not await default_created(whose, category):
            raise
