"""One user with a hundred thousand interactions and as many items: searches over HTTP, over all rows and by segments.

    python -m benchmarks.prove_large [--rows 100000] [--questions 40] [--rounds 3] [--home FOLDER]

The rows are put into the tiers' tables without being digested (what that takes, `prove-workers` tells). Each question
is asked over HTTP with segments forbidden, and again once they are made, while they are made with writes beside them.
Shown are p50 and p95, how many of the first ten of the one are among those of the other, how long the segments took,
what they weigh, and that a broken one is counted and changes no answer. Exit code 1 where a claim does not hold.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import asyncpg
import numpy as np

from benchmarks.proof import Proving, proving, quantile
from benchmarks.scan_lab import questions, statements, vectors_of
from ragpp.api import MessageIn, RecallRequest, RetrieveRequest, StoreRequest
from ragpp.catalog import ItemEntry, ResourceEntry, RetrievalMode
from ragpp.client import AsyncMemoryClient
from ragpp.clock import system_clock
from ragpp.embedding import FloatMatrix
from ragpp.embedding.factory import make_embedder
from ragpp.models import EmbeddedChunk, Interaction, InteractionEntry, Scope
from ragpp.settings import EmbeddingSettings, ForgettingSettings, PostgresSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import create_pool
from ragpp.stores.segments import ROWS
from ragpp.text.readers import Tokenizers
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack
from ragpp_services.catalog.items.writing import new_item
from ragpp_services.catalog.resources.indexing import Said, indexed
from ragpp_services.catalog.resources.rows import NewResource
from ragpp_services.catalog.store import CatalogStore
from ragpp_services.episodic.app import open_tier
from ragpp_services.episodic.indexing import new_interactions
from ragpp_services.episodic.store import EpisodicStore

FIRST: Final = 10
AT_ONCE: Final = 1_000
OF_SESSION: Final = 40
OF_RESOURCE: Final = 50
USER: Final = "large"
SCOPE: Final = Scope(tenant_id="default", user_id=USER)
START: Final = datetime(2025, 1, 1, tzinfo=UTC)
NEVER: Final = {"POSTGRES_SEGMENTS_FROM_ROWS": "1000000000"}
ALLOWED_MS: Final = 100.0
AGREEING: Final = 0.95
TABLES: Final = {"episodic": "chunks", "catalog": "items"}


@dataclass
class Asked:
    """The times that questions took, in ms, and the first ids that each was answered with, by tier."""

    ms: dict[str, list[float]] = field(default_factory=lambda: {tier: [] for tier in TABLES})
    first: dict[str, list[list[str]]] = field(default_factory=lambda: {tier: [] for tier in TABLES})

    def row(self, tier: str) -> str:
        return f"p50 {statistics.median(self.ms[tier]):6.1f}  p95 {quantile(self.ms[tier], 0.95):6.1f} ms"


@asynccontextmanager
async def stores(settings: PostgresSettings) -> AsyncIterator[tuple[EpisodicStore, CatalogStore]]:
    """The tiers' stores on a pool of their own."""
    pool = create_pool(settings)
    marks = SourceMarks(ForgettingSettings().key)
    try:
        yield EpisodicStore(pool, marks), CatalogStore(pool, marks)
    finally:
        await pool.close()


async def is_filled(settings: PostgresSettings) -> bool:
    """True where a folder that was kept has its rows."""
    async with stores(settings) as (episodic, _), episodic.reader(SCOPE) as reader:
        return await reader.holdings(None, None) > 0


async def fill(settings: PostgresSettings, texts: Sequence[str], vectors: FloatMatrix) -> None:
    """Each of the texts as an interaction, OF_SESSION a session, and as an item, OF_RESOURCE a resource."""
    counter, tokenizers = TokenCounter(), Tokenizers()
    reader = tokenizers.named()
    async with stores(settings) as (episodic, catalog):
        for start in range(0, len(texts), AT_ONCE):
            part = range(start, min(start + AT_ONCE, len(texts)))
            entries = [_interaction(place, texts[place], vectors[place]) for place in part]
            new = new_interactions(
                entries, [entry.chunks for entry in entries], [vectors[place][None] for place in part]
            )
            async with episodic.writer(SCOPE) as writer:
                await writer.insert(new, list(part), START)
            async with catalog.writing(SCOPE) as rows:
                resources = [_resource(first, texts[first : first + OF_RESOURCE]) for first in part[::OF_RESOURCE]]
                await rows.resources.insert(
                    [
                        NewResource(one, indexed("document", Said(one.content, ()), {}, counter, reader))
                        for one in resources
                    ],
                    [0] * len(resources),
                    START,
                )
                items = [new_item(_item(place, texts[place]), vectors[place], tokenizers) for place in part]
                await rows.items.insert(items, [0] * len(items), START, [])
    async with open_tier(
        settings, embedder=make_embedder(EmbeddingSettings()), counter=counter, clock=system_clock
    ) as tier:
        while await tier.index_sentences(SCOPE, AT_ONCE):
            pass


def _interaction(place: int, text: str, vector: np.ndarray) -> InteractionEntry:
    chunk = EmbeddedChunk(ordinal=0, start=0, end=len(text), tokens=12, embedding=tuple(vector.tolist()))
    said = Interaction(
        id=f"i{place}",
        session_id=f"s{place // OF_SESSION}",
        role="user" if place % 2 else "assistant",
        name=("Ann", "Bo")[place % 2],
        content=text,
        occurred_at=START + timedelta(minutes=place),
    )
    return InteractionEntry(interaction=said, chunks=(chunk,))


def _resource(first: int, texts: Sequence[str]) -> ResourceEntry:
    return ResourceEntry(
        id=f"r{first}", resource_type="document", content="\n".join(texts), occurred_at=START + timedelta(minutes=first)
    )


def _item(place: int, text: str) -> ItemEntry:
    return ItemEntry(
        id=f"item{place}",
        content=text,
        source_resource_id=f"r{place - place % OF_RESOURCE}",
        occurred_at=START + timedelta(minutes=place),
    )


async def ask(client: AsyncMemoryClient, wanted: Sequence[str], rounds: int) -> Asked:
    """Every question of both tiers, in turn."""
    asked = Asked()
    for text in [*wanted] * rounds:
        began = time.perf_counter()
        recalled = await client.recall(
            RecallRequest(user_id=USER, query=text, tiers=("episodic",), limit=FIRST, deadline_ms=10_000)
        )
        asked.ms["episodic"].append(1_000 * (time.perf_counter() - began))
        asked.first["episodic"].append([one.id for one in recalled.memories[:FIRST]])
        began = time.perf_counter()
        found = await client.retrieve(RetrieveRequest(user_id=USER, query=text, k=FIRST, mode=RetrievalMode.RAG))
        asked.ms["catalog"].append(1_000 * (time.perf_counter() - began))
        asked.first["catalog"].append([one.item_id for one in found.items])
    return asked


async def segments_of(owner: asyncpg.Connection, tier: str) -> int:
    """How many segments there are; the owner's own row-level security is off for it, inside the transaction."""
    async with owner.transaction():
        await owner.execute(f"ALTER TABLE {tier}.segments NO FORCE ROW LEVEL SECURITY")
        count: int = await owner.fetchval(f"SELECT count(*) FROM {tier}.segments")  # noqa: S608 - a constant
        await owner.execute(f"ALTER TABLE {tier}.segments FORCE ROW LEVEL SECURITY")
    return count


async def write_until(client: AsyncMemoryClient, done: asyncio.Event) -> list[float]:
    """Messages written one after another until then; ms of each."""
    taken: list[float] = []
    while not done.is_set():
        message = MessageIn(id=f"w{len(taken)}", content=f"Note {len(taken)}: the ferry was late again.")
        began = time.perf_counter()
        await client.remember(StoreRequest(user_id=USER, session_id="now", messages=(message,)))
        taken.append(1_000 * (time.perf_counter() - began))
    return taken


async def build(client: AsyncMemoryClient, owner: asyncpg.Connection, rows: int) -> None:
    """Ask once, and wait for the segments that this sets off, writing meanwhile."""
    whole = rows // ROWS
    began, done = time.perf_counter(), asyncio.Event()
    await ask(client, ["Where is the boiler?"], 1)
    writing = asyncio.create_task(write_until(client, done))
    deadline = time.monotonic() + 600
    took = dict[str, float]()
    while len(took) < len(TABLES) and time.monotonic() < deadline:
        for tier in TABLES.keys() - took:
            if await segments_of(owner, tier) >= whole:
                took[tier] = time.perf_counter() - began
        await asyncio.sleep(0.2)
    done.set()
    taken = await writing
    print(f"segments made in {', '.join(f'{tier} {seconds:.1f} s' for tier, seconds in took.items())}")
    print(f"{len(taken)} writes meanwhile: p50 {statistics.median(taken):.1f}, p95 {quantile(taken, 0.95):.1f} ms")
    for tier, table in TABLES.items():
        sizes = await owner.fetchrow(
            "SELECT pg_size_pretty(sum(pg_total_relation_size(relid)) FILTER (WHERE is_row)) AS rows, "
            "pg_size_pretty(sum(pg_total_relation_size(relid)) FILTER (WHERE NOT is_row)) AS segments "
            "FROM (SELECT relid, relname LIKE $2 AS is_row FROM pg_stat_user_tables WHERE schemaname = $1 "
            "AND (relname LIKE $2 OR relname LIKE 'segment%')) AS sized",
            tier,
            f"{table}\\_%",
        )
        print(f"{tier}: {dict(sizes or {})}")


def agreement(one: Sequence[Sequence[str]], other: Sequence[Sequence[str]]) -> float:
    """Share of the first ten of the one that is among those of the other."""
    return statistics.fmean(len({*a} & {*b}) / max(1, len(a)) for a, b in zip(one, other, strict=True))


async def breaks(stack: Proving, client: AsyncMemoryClient, owner: asyncpg.Connection, wanted: Sequence[str]) -> None:
    """Break a segment of each tier and ask: the answers stay, and health tells of it."""
    before = await ask(client, wanted[:3], 1)
    for tier in TABLES:
        async with owner.transaction():
            await owner.execute(f"ALTER TABLE {tier}.segments NO FORCE ROW LEVEL SECURITY")
            await owner.execute(f"UPDATE {tier}.segments SET bits = '\\x00' WHERE first = 0")  # noqa: S608 - a constant
            await owner.execute(f"ALTER TABLE {tier}.segments FORCE ROW LEVEL SECURITY")
    after = await ask(client, wanted[:3], 1)
    for tier in TABLES:
        same = agreement(before.first[tier], after.first[tier])
        stack.check(same >= AGREEING, f"{tier}: with a broken segment {same:.3f} of the answers are the same")
    told = [health.detail for tier, health in (await client.ready()).tiers.items() if tier in TABLES]
    stack.check(sum("index failures" in one for one in told) == len(TABLES), f"health tells: {'; '.join(told)}")


async def run(home: Path, rows: int, count: int, rounds: int) -> None:
    random = np.random.default_rng(7)
    texts, wanted = statements(rows, random), questions(count, random)
    os.environ.update(NEVER)
    with proving(home) as stack:
        endpoints = Stack(home).endpoints()
        settings = PostgresSettings(
            dsn=endpoints.postgres_app_dsn,
            owner_dsn=endpoints.postgres_owner_dsn,
            query_timeout_s=120,
            idle_transaction_s=19,
        )
        owner = await asyncpg.connect(endpoints.postgres_owner_dsn.get_secret_value())
        os.environ["FORGETTING_KEY"] = Home(home).passwords().forgetting_key
        if not await is_filled(settings):
            began = time.perf_counter()
            embedder = make_embedder(EmbeddingSettings())
            vectors = await vectors_of(embedder, texts)
            await embedder.close()
            print(f"{rows:,} texts embedded in {time.perf_counter() - began:.0f} s", flush=True)
            began = time.perf_counter()
            await fill(settings, texts, vectors)
            for tier, table in TABLES.items():
                await owner.execute(f"VACUUM ANALYZE {tier}.{table}")
            print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)
        async with stores(settings) as (episodic, catalog):
            async with episodic.segments_writing(SCOPE) as segments:
                await segments.drop(USER)
            async with catalog.segments_writing(SCOPE) as segments:
                await segments.drop(USER)
        async with Home(home).client(timeout_s=60) as client:
            await ask(client, wanted[:5], 1)
            exact = await ask(client, wanted, rounds)
        for tier in TABLES:
            print(f"{tier:9} all rows     {exact.row(tier)}", flush=True)
        await owner.close()
        stack.ragpp("down")
        del os.environ["POSTGRES_SEGMENTS_FROM_ROWS"]
        stack.up()
        endpoints = Stack(home).endpoints()
        owner = await asyncpg.connect(endpoints.postgres_owner_dsn.get_secret_value())
        async with Home(home).client(timeout_s=60) as client:
            await build(client, owner, rows)
            await ask(client, wanted[:5], 1)
            chosen = await ask(client, wanted, rounds)
            for tier in TABLES:
                same = agreement(exact.first[tier], chosen.first[tier])
                print(f"{tier:9} by segments  {chosen.row(tier)}  first ten {same:.3f}")
                stack.check(same >= AGREEING, f"{tier}: {same:.3f} of the first ten are those of a scan of all rows")
                p95 = quantile(chosen.ms[tier], 0.95)
                stack.check(p95 < ALLOWED_MS, f"{tier}: p95 {p95:.1f} ms is below {ALLOWED_MS:.0f}")
            await breaks(stack, client, owner, wanted)
        await owner.close()
        stack.verdict()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--home", type=Path, help="keep the stack's data there; a temporary folder otherwise")
    given = parser.parse_args()
    if given.home is not None:
        asyncio.run(run(given.home.resolve(), given.rows, given.questions, given.rounds))
        return
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder), given.rows, given.questions, given.rounds))


if __name__ == "__main__":
    main()
