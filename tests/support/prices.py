"""A catalog of prices, said by resources with numbers, and who makes its pages wait."""

import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from ragpp.catalog import ItemEntry, ResourceEntry
from ragpp.models import Scope
from ragpp.settings import ForgettingSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import Connection, Pool, as_tenant
from ragpp_services.catalog.store import CatalogStore
from ragpp_services.catalog.tier import PostgresCatalogTier

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PRICES = "What our products cost, and what is in each plan"
SAID = ("The Basic plan is at $99", "The Basic plan is at $199", "Whales sing at night", "Ada lives in Oslo")


def noon() -> datetime:
    return NOON


@asynccontextmanager
async def rows_of(pool: Pool, scope: Scope) -> AsyncIterator[Connection]:
    """A connection that sees the tenant's rows."""
    async with pool.acquire() as connection, as_tenant(connection, scope.tenant_id):
        yield connection


def store_on(pool: Pool) -> CatalogStore:
    return CatalogStore(pool, SourceMarks(ForgettingSettings().key))


def resource(number: int) -> ResourceEntry:
    return ResourceEntry(id=f"res_{number}", resource_type="document", content=f"Text {number}.", occurred_at=NOON)


def item(number: int, place: int, content: str, category: str | None = "prices") -> ItemEntry:
    return ItemEntry(
        id=f"item_{number}_{place}",
        content=content,
        source_resource_id=f"res_{number}",
        category=category,
        occurred_at=NOON + timedelta(hours=number, minutes=place),
        by_hand=True,
    )


async def say(tier: PostgresCatalogTier, scope: Scope, number: int, texts: Sequence[str]) -> None:
    """A resource with that number, and an item in the category `prices` of each text."""
    entries = [item(number, place, text) for place, text in enumerate(texts)]
    await tier.store(scope, [resource(number), *entries])


class Held:
    """Contradicts nothing, and makes whoever asks wait until it is `let_go`."""

    def __init__(self) -> None:
        self.asked, self.let_go = threading.Event(), threading.Event()

    def __call__(self, _earlier: str, _later: str) -> bool:
        self.asked.set()
        assert self.let_go.wait(30)
        return False
