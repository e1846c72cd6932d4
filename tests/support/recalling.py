"""Recalls over tiers in memory, among them some that hang, are slow or away."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from ragpp.embedding import Embedder, SecondEncoder
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.models import Interaction, InteractionEntry, Memory, MemoryQuery, Scope, TierName
from ragpp.testing.tiers import InMemoryTier
from ragpp.text.readers import Tokenizers
from ragpp_services.gateway.recall import Recaller
from tests.support.embedding import LostEmbedder
from tests.support.tokens import TOKENIZERS

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Words:
    def count(self, text: str) -> int:
        return len(text.split())

    def truncate(self, text: str, max_tokens: int) -> str:
        return " ".join(text.split()[:max_tokens])


class Episodic(InMemoryTier):
    """With a backlog that shrinks by one each time it is asked for."""

    def __init__(self, backlog: int = 0) -> None:
        super().__init__("episodic")
        self.backlog = backlog

    async def pending(self, scope: Scope, first_event: int | None = None, last_event: int | None = None) -> int:
        del scope, first_event, last_event
        self._reach()
        self.backlog = max(0, self.backlog - 1)
        return self.backlog


class HangingLedger(Episodic):
    """A PostgreSQL that takes questions and answers none."""

    async def pending(self, scope: Scope, first_event: int | None = None, last_event: int | None = None) -> int:
        del scope, first_event, last_event
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        return await Hanging.retrieve(Hanging("episodic"), query)


class SlowLedger(Episodic):
    """One that counts only many turns of the event loop later."""

    async def pending(self, scope: Scope, first_event: int | None = None, last_event: int | None = None) -> int:
        await turns()
        return await super().pending(scope, first_event, last_event)


class Reached(InMemoryTier):
    """A tier that is asked over a network: its answer takes some turns of the event loop."""

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        await turns(5)
        return await super().retrieve(query)


async def turns(count: int = 100) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


class Hanging(InMemoryTier):
    """A tier that never answers."""

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        del query
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


def recaller(
    episodic: Episodic,
    *others: InMemoryTier,
    embedder: Embedder | None = None,
    tokenizers: Tokenizers | None = None,
    second: SecondEncoder | None = None,
) -> Recaller:
    tiers: dict[TierName, InMemoryTier] = {tier.name: tier for tier in (episodic, *others)}
    return Recaller(
        tiers,
        episodic,  # type: ignore[arg-type]  # the double has the verbs that a recall uses
        embedder or HashingEmbedder(),
        lambda _text: (),
        tokenizers or TOKENIZERS,
        lambda: NOW,
        deadline_ms=200,
        token_budget=200,
        second=second,
    )


def measured() -> LostEmbedder:
    """One that passes for the model whose similarities were measured."""
    embedder = LostEmbedder()
    embedder.model = "sentence-transformers/all-MiniLM-L6-v2"  # type: ignore[misc]  # final where it is no double
    return embedder


async def filled(tier: InMemoryTier, scope: Scope, contents: Sequence[str]) -> None:
    entries = [
        InteractionEntry(interaction=Interaction(id=f"m{number}", content=content, name="Ada", occurred_at=NOW))
        for number, content in enumerate(contents)
    ]
    await tier.store(scope, entries)
