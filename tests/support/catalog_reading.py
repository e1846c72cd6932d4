"""A test's readings of a catalog: items that a search finds, and all of a scope."""

from ragpp.catalog import EVERYBODY, ItemQuery, MemoryItem
from ragpp.models import Scope
from ragpp.tiers import CatalogTier


def everybody(scope: Scope) -> Scope:
    """The scope of what all users of the tenant share."""
    return scope.model_copy(update={"user_id": EVERYBODY})


async def searched(tier: CatalogTier, scope: Scope, text: str) -> list[str]:
    return [one.content for one in (await tier.search_items(scope, ItemQuery(text=text, k=50))).items]


async def listed(tier: CatalogTier, scope: Scope) -> list[MemoryItem]:
    return list((await tier.list_items(scope, limit=1_000)).items)
