"""How long the episodic tier takes: a search by users of several sizes, and writes with ready embeddings.

Run it beside a stack: `python -m benchmarks.episodic_search [--sizes 100,1000,5000,20000]`, with POSTGRES_DSN and
POSTGRES_OWNER_DSN set. Texts are made of the words of a Zipf vocabulary, vectors are random: what is found has no
meaning, what it costs has. It writes a tenant of its own, and forgets it afterwards.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import numpy as np

from ragpp.clock import system_clock
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.models import EmbeddedChunk, Filters, Interaction, InteractionEntry, MemoryQuery, Scope, SearchMode
from ragpp.settings import PostgresSettings
from ragpp.text.tokens import TokenCounter
from ragpp_services.episodic.app import migrate, open_tier
from ragpp_services.episodic.tier import PostgresEpisodicTier

VOCABULARY = 20_000
MESSAGE_WORDS = 25
QUESTION_WORDS = 8
SESSION_MESSAGES = 30
BATCH = 250
DIMENSION = 384


class Texts:
    """Random messages and questions, the same with every run."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(7)

    def words(self, count: int) -> str:
        """`count` words, the common ones often."""
        ranks = self._random.zipf(1.3, count) % VOCABULARY
        return " ".join(f"w{rank:x}" for rank in ranks)

    def vector(self) -> tuple[float, ...]:
        """A random direction."""
        numbers = self._random.standard_normal(DIMENSION)
        return tuple((numbers / np.linalg.norm(numbers)).tolist())

    def entry(self, index: int) -> InteractionEntry:
        """The `index`-th message of a user, in a conversation of two."""
        content = self.words(MESSAGE_WORDS)
        chunk = EmbeddedChunk(ordinal=0, start=0, end=len(content), tokens=MESSAGE_WORDS, embedding=self.vector())
        interaction = Interaction(
            id=f"D{index}",
            session_id=f"s{index // SESSION_MESSAGES}",
            name=("Ann", "Bob")[index % 2],
            content=content,
            occurred_at=datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=index),
        )
        return InteractionEntry(interaction=interaction, chunks=(chunk,), tokens=MESSAGE_WORDS)


async def fill(tier: PostgresEpisodicTier, scope: Scope, texts: Texts, size: int) -> float:
    """Store `size` messages in batches; messages a second, the making of the entries not counted."""
    spent = 0.0
    for start in range(0, size, BATCH):
        entries = [texts.entry(index) for index in range(start, min(start + BATCH, size))]
        started = time.perf_counter()
        await tier.store(scope, entries)
        spent += time.perf_counter() - started
    return size / spent


async def timed(call: Callable[[int], Awaitable[object]], rounds: int) -> tuple[float, float]:
    """(p50, p95) in ms."""
    took = []
    for index in range(rounds + 5):
        started = time.perf_counter()
        await call(index)
        took.append((time.perf_counter() - started) * 1e3)
    warm = sorted(took[5:])
    return statistics.median(warm), warm[int(0.95 * len(warm))]


async def searches(tier: PostgresEpisodicTier, scope: Scope, texts: Texts, rounds: int) -> None:
    """A line for each kind of search."""

    async def search(mode: SearchMode, filters: Filters) -> None:
        queries = [
            MemoryQuery(
                scope=scope, text=texts.words(QUESTION_WORDS), embedding=texts.vector(), mode=mode, filters=filters
            )
            for _ in range(rounds + 5)
        ]
        p50, p95 = await timed(lambda index: tier.retrieve(queries[index]), rounds)
        kind = mode if filters == Filters() else f"{mode}, one session"
        print(f"    {kind:24} p50 {p50:7.2f} ms   p95 {p95:7.2f} ms")

    await search("hybrid", Filters())
    await search("dense", Filters())
    await search("lexical", Filters())
    await search("hybrid", Filters(session_id="s1"))


async def run(sizes: Sequence[int], rounds: int) -> None:
    settings = PostgresSettings()
    await migrate(settings)
    texts, tenant = Texts(), f"benchmark-{uuid4().hex}"
    async with open_tier(
        settings, embedder=HashingEmbedder(DIMENSION), counter=TokenCounter(), clock=system_clock
    ) as tier:
        for size in sizes:
            scope = Scope(tenant_id=tenant, user_id=f"u{size}")
            rate = await fill(tier, scope, texts, size)
            print(f"{size:,} messages of one user: stored at {rate:,.0f}/s")
            await searches(tier, scope, texts, rounds)
            singles = [texts.entry(size + index) for index in range(rounds + 5)]

            async def write(index: int, scope: Scope = scope, singles: Sequence[InteractionEntry] = singles) -> None:
                await tier.store(scope, [singles[index]])

            p50, p95 = await timed(write, rounds)
            print(f"    {'write of one message':24} p50 {p50:7.2f} ms   p95 {p95:7.2f} ms")
            await tier.forget(scope, [f"D{index}" for index in range(size + rounds + 5)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100,1000,5000,20000")
    parser.add_argument("--rounds", type=int, default=100)
    arguments = parser.parse_args()
    asyncio.run(run([int(size) for size in arguments.sizes.split(",")], arguments.rounds))


if __name__ == "__main__":
    main()
