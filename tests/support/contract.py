"""Every tier as the contract suite has it: how it is opened, what it holds, and the same tier over HTTP."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

import httpx

from ragpp.models import Entry, MemoryQuery, Scope, TierName
from ragpp.testing.tiers import InMemoryTier
from ragpp.tierkit.remote import remote_tier, tier_app
from ragpp.tiers import CatalogTier, EpisodicTier, MemoryTier, ProceduralTier, SemanticTier, ShortTermTier
from ragpp_infra.embedded.stack import Endpoints
from tests.support.catalog import catalog_entry, catalog_query, catalog_tier, with_book
from tests.support.episodic import episodic_entry, episodic_query, episodic_tier
from tests.support.procedural import procedural_entry, procedural_query, procedural_tier
from tests.support.semantic import semantic_entry, semantic_query, semantic_tier
from tests.support.short_term import short_term_entry, short_term_query, short_term_tier

CREDENTIAL = "contract-credential"
TierT = TypeVar("TierT", bound=MemoryTier)


class MakeEntry(Protocol):
    def __call__(self, text: str, *, id: str | None = None) -> Entry: ...


RestingOn = Callable[[str, str], Entry]


@dataclass(frozen=True)
class Subject:
    """A tier under test, with entries that it holds and queries that find them. `resting_on`: an entry of a text that
    rests on a source; None where nothing does."""

    name: TierName
    tier: MemoryTier
    protocol: type[MemoryTier]
    entry: MakeEntry
    query: Callable[[Scope, str], MemoryQuery]
    resting_on: RestingOn | None


@dataclass(frozen=True)
class Way:
    """How to open one tier, and what it holds."""

    name: TierName
    protocol: type[MemoryTier]
    open_tier: Callable[[Endpoints], AbstractAsyncContextManager[MemoryTier]]
    entry: MakeEntry
    query: Callable[[Scope, str], MemoryQuery]
    resting_on: RestingOn | None = None
    prepared: Callable[[MemoryTier], MemoryTier] = lambda tier: tier
    """The opened tier with what its entries need beside them."""


@asynccontextmanager
async def in_memory_tier(_endpoints: Endpoints) -> AsyncIterator[InMemoryTier]:
    yield InMemoryTier()


OPEN = {
    "in_memory": Way("episodic", MemoryTier, in_memory_tier, episodic_entry, episodic_query),
    "short_term": Way(
        "short_term",
        ShortTermTier,
        short_term_tier,
        short_term_entry,
        short_term_query,
        lambda text, source: short_term_entry(text, id=source),
    ),
    "episodic": Way("episodic", EpisodicTier, episodic_tier, episodic_entry, episodic_query),
    "semantic": Way(
        "semantic",
        SemanticTier,
        semantic_tier,
        semantic_entry,
        semantic_query,
        lambda text, source: semantic_entry(text, sources=(source,)),
    ),
    "procedural": Way(
        "procedural",
        ProceduralTier,
        procedural_tier,
        procedural_entry,
        procedural_query,
        lambda text, source: procedural_entry(text, sources=(source,)),
    ),
    "catalog": Way(
        "catalog",
        CatalogTier,
        catalog_tier,
        catalog_entry,
        catalog_query,
        lambda text, source: catalog_entry(text, sources=(source,)),
        with_book,
    ),
}


@asynccontextmanager
async def reached(
    way: str, name: TierName, protocol: type[TierT], tier: AbstractAsyncContextManager[TierT]
) -> AsyncIterator[TierT]:
    """The tier that is opened by `tier`, `local` or as another process has it over `http`."""
    if way == "local":
        async with tier as local:
            yield local
        return
    app = tier_app(protocol, lambda: tier, CREDENTIAL)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app),
            base_url="http://tier",
            headers={"authorization": f"Bearer {CREDENTIAL}"},
        ) as client,
    ):
        yield remote_tier(protocol, name, client)


@asynccontextmanager
async def both_ways(
    name: TierName, protocol: type[TierT], opening: Callable[[], AbstractAsyncContextManager[TierT]]
) -> AsyncIterator[dict[str, TierT]]:
    """A tier in process and another over HTTP, by the way that they are `reached`."""
    async with (
        reached("local", name, protocol, opening()) as local,
        reached("http", name, protocol, opening()) as remote,
    ):
        yield {"local": local, "http": remote}
