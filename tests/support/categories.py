"""A category of prices, with items that a page is made of."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from ragpp.catalog import ItemEntry, MemoryCategory, ResourceEntry
from ragpp.models import Scope
from ragpp.tiers import CatalogTier

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PRICES = "What our products cost, and what is in each plan"
EMPTY = "# Prices\n\n*No items yet.*"


def resource(identifier: str, *, seen_by: str | None = None) -> ResourceEntry:
    return ResourceEntry(
        id=identifier,
        resource_type="document",
        content=f"What {identifier} says.",
        metadata={"title": f"Title of {identifier}"},
        occurred_at=NOON,
        agent_id=seen_by,
        seen_by=seen_by,
    )


def item(
    identifier: str, content: str, resource_id: str, category: str | None = "prices", *, seen_by: str | None = None
) -> ItemEntry:
    return ItemEntry(
        id=identifier,
        content=content,
        source_resource_id=resource_id,
        category=category,
        occurred_at=NOON + timedelta(hours=len(identifier)),
        agent_id=seen_by,
        seen_by=seen_by,
        by_hand=True,
    )


def shows(category: MemoryCategory, *texts: str) -> list[bool]:
    return [text in category.markdown_content for text in texts]


async def filled(tier: CatalogTier, scope: Scope, texts: Sequence[str]) -> list[str]:
    """A category `prices` with an item of each text, each from a resource of its own; ids of the items."""
    await tier.create_category(scope, "prices", PRICES)
    await tier.store(scope, [resource(f"res_{number}") for number in range(len(texts))])
    entries = [item(f"item_{number}", text, f"res_{number}") for number, text in enumerate(texts)]
    return [stored.id for stored in await tier.store(scope, entries)]
