"""A catalog in which somebody writes at the worst moment."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final, cast

from ragpp.entries.values import CatalogEntry, EntryQuery, FoundEntry
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from ragpp_services.gateway.catalog.caching import CandidateCache
from ragpp_services.gateway.catalog.candidates import Message
from ragpp_services.gateway.catalog.finding import candidates_for

NOON: Final = datetime(2026, 3, 8, 12, tzinfo=UTC)
Write = Callable[[], Awaitable[object]]


def message(text: str = "What is on the shelf?", *, agent: str | None = None, goal: str | None = None) -> Message:
    return Message(text, agent, goal, 2_000)


class Watched:
    """Another catalog, with how often it was searched. `before`, `after`: done once, between reading the version and
    the search, or behind the search before its answer is there."""

    def __init__(self, tier: CatalogTier, *, before: Write | None = None, after: Write | None = None) -> None:
        self._tier, self._before, self._after = tier, before, after
        self.searches = 0

    async def content_version(self, scope: Scope) -> str:
        version = await self._tier.content_version(scope)
        write, self._before = self._before, None
        if write is not None:
            await write()
        return version

    async def find_entries(self, scope: Scope, query: EntryQuery) -> list[FoundEntry]:
        self.searches += 1
        found = await self._tier.find_entries(scope, query)
        write, self._after = self._after, None
        if write is not None:
            await write()
        return found


class Shelf:
    """A catalog of entries by their ids, with a version that every write changes."""

    def __init__(self, *contents: str) -> None:
        self.version, self.contents = 1, list(contents)

    async def write(self, content: str) -> None:
        self.contents.append(content)
        self.version += 1

    async def content_version(self, scope: Scope) -> str:
        assert scope.tenant_id
        return f"{self.version}"

    async def find_entries(self, scope: Scope, query: EntryQuery) -> list[FoundEntry]:
        assert scope.tenant_id
        assert query.contents
        entries = [
            CatalogEntry(memory_id=f"item_{place}", timestamp=NOON, summary="", abstract="", content=content)
            for place, content in enumerate(self.contents)
        ]
        return [FoundEntry(entry=entry) for entry in entries]


async def told(
    catalog: CatalogTier | Watched | Shelf,
    cache: CandidateCache,
    scope: Scope,
    asked: Message | None = None,
    now: datetime = NOON,
) -> list[str | None]:
    """The texts of the candidates for a message."""
    found = await candidates_for(cast("CatalogTier", catalog), cache, scope, asked or message(), now)
    return [one.found.entry.content for one in found]
