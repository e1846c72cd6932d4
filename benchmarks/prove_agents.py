"""A hundred agents of one user with a thousand entries each: what a turn takes over HTTP.

    python -m benchmarks.prove_agents [--agents 100] [--entries 1000] [--turns 200] [--home FOLDER]

The rows are put into the catalog's tables as the tier writes them. Each turn is another agent's: relevant memories,
pre-prompt, memory-request, pre-message and post-response are timed; a share of the exchanges goes to post-message, of
which the workers tell how long each extraction took. No turn may be given more than its budget. Exit code 1 where a
claim does not hold.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

import asyncpg
import numpy as np

from benchmarks.proof import Proving, proving, quantile
from benchmarks.scan_lab import questions, statements, vectors_of
from ragpp.catalog import ItemEntry, ResourceEntry
from ragpp.client import AsyncMemoryClient
from ragpp.embedding import FloatMatrix
from ragpp.embedding.factory import make_embedder
from ragpp.models import Scope
from ragpp.settings import EmbeddingSettings, ForgettingSettings, PostgresSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import create_pool
from ragpp.text.readers import Tokenizers
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack
from ragpp_services.catalog.items.writing import new_item
from ragpp_services.catalog.resources.indexing import Said, indexed
from ragpp_services.catalog.resources.rows import NewResource
from ragpp_services.catalog.store import CatalogStore

USER: Final = "team"
SCOPE: Final = Scope(tenant_id="default", user_id=USER)
OF_RESOURCE: Final = 50
START: Final = datetime(2026, 1, 1, tzinfo=UTC)
ALLOWED_MS: Final = 50.0
EXTRACTION_MS: Final = 500.0
EXCHANGES: Final = 40
EXCHANGE: Final = (
    "Which queue do we take for the orders of {number}?",
    "We decided to use Kafka for the orders of {number}, since replays matter. The next step is to move the invoices, "
    "which costs 1{number} euros a month. We learned that the old queue lost messages on Mondays.",
)
T = TypeVar("T")


async def fill(settings: PostgresSettings, texts: Sequence[str], vectors: FloatMatrix, entries: int) -> None:
    """Each of the texts as an entry, `entries` an agent, which it alone sees."""
    counter, tokenizers, pool = TokenCounter(), Tokenizers(), create_pool(settings)
    reader = tokenizers.named()
    store = CatalogStore(pool, SourceMarks(ForgettingSettings().key))
    for start in range(0, len(texts), entries):
        agent = f"agent{start // entries}"
        part = range(start, start + entries)
        async with store.writing(SCOPE) as rows:
            resources = [
                ResourceEntry(
                    id=f"r{first}",
                    resource_type="document",
                    content="\n".join(texts[first : first + OF_RESOURCE]),
                    occurred_at=START,
                    agent_id=agent,
                    seen_by=agent,
                )
                for first in part[::OF_RESOURCE]
            ]
            made = [
                NewResource(one, indexed("document", Said(one.content, ()), {}, counter, reader)) for one in resources
            ]
            await rows.resources.insert(made, [0] * len(made), START)
            items = [
                ItemEntry(
                    id=f"item{place}",
                    content=texts[place],
                    source_resource_id=f"r{place - place % OF_RESOURCE}",
                    occurred_at=START + timedelta(minutes=place),
                    agent_id=agent,
                    seen_by=agent,
                )
                for place in part
            ]
            new = [new_item(one, vectors[place], tokenizers) for one, place in zip(items, part, strict=True)]
            await rows.items.insert(new, [0] * len(new), START, [])
    await pool.close()


class Timed:
    """The times that each kind of call took, in ms."""

    def __init__(self) -> None:
        self.ms: dict[str, list[float]] = {}

    async def call(self, name: str, asked: Awaitable[T]) -> T:
        """Its answer, timed."""
        began = time.perf_counter()
        answer = await asked
        self.ms.setdefault(name, []).append(1_000 * (time.perf_counter() - began))
        return answer


async def turns(stack: Proving, client: AsyncMemoryClient, wanted: Sequence[str], agents: int, count: int) -> Timed:
    """`count` turns, each of another agent."""
    timed, counter, over = Timed(), Tokenizers().named(), 0
    for turn in range(count):
        text, ci = wanted[turn % len(wanted)], f"agent{(turn * 37) % agents}"
        found = await timed.call("relevant", client.relevant(USER, ci=ci, message=text))
        over += found.tokens > 2_000 or counter.count(found.formatted) > 2_000
        await timed.call("relevant again", client.relevant(USER, ci=ci, message=text))
        # other messages, each of which is searched for anew
        catalog = await timed.call("pre-prompt", client.pre_prompt(user_id=USER, ci=ci, prompt=f"Please: {text}"))
        chosen = [one.handle for one in catalog.recommendation] or ["m1", "m2"]
        given = await timed.call("memory-request", client.memory_request(user_id=USER, ci=ci, memory_ids=tuple(chosen)))
        over += counter.count(catalog.formatted) + given.tokens > catalog.token_budget.limit
        injection = await timed.call("pre-message", client.pre_message(user_id=USER, ci=ci, message=f"Now: {text}"))
        over += injection.tokens > 2_000
        said = given.memories[0].text if given.memories else "I do not know."
        await timed.call(
            "post-response",
            client.post_response(user_id=USER, ci=ci, response=said, memories_used=tuple(chosen)),
        )
    stack.check(over == 0, f"{over} of {count} turns were given more than their budget")
    return timed


async def extractions(client: AsyncMemoryClient, agents: int) -> tuple[Timed, list[float]]:
    """How long exchanges took to be taken in, and to be read by the workers, in ms."""
    timed, taken = Timed(), list[float]()
    for number in range(EXCHANGES):
        message, answer = (text.format(number=number + 100) for text in EXCHANGE)
        job = await timed.call(
            "post-message",
            client.post_message(user_id=USER, ci=f"agent{number % agents}", message=message, response=answer),
        )
        ended = await client.ended_job(job.id, timeout_s=60)
        ms = (ended.result or {}).get("extraction_time_ms")
        if isinstance(ms, int | float):
            taken.append(ms)
        else:
            print(f"exchange {number} is {ended.state}: {ended.error or ended.result}")
    return timed, taken


async def run(home: Path, agents: int, entries: int, count: int) -> None:
    random = np.random.default_rng(11)
    texts, wanted = statements(agents * entries, random), questions(60, random)
    with proving(home) as stack:
        endpoints = Stack(home).endpoints()
        settings = PostgresSettings(
            dsn=endpoints.postgres_app_dsn, owner_dsn=endpoints.postgres_owner_dsn, query_timeout_s=120
        )
        os.environ["FORGETTING_KEY"] = Home(home).passwords().forgetting_key
        async with Home(home).client(timeout_s=60) as client:
            filled = bool((await client.entries(USER, limit=1)).memories)
        if not filled:
            began = time.perf_counter()
            embedder = make_embedder(EmbeddingSettings())
            vectors = await vectors_of(embedder, texts)
            await embedder.close()
            await fill(settings, texts, vectors, entries)
            owner = await asyncpg.connect(endpoints.postgres_owner_dsn.get_secret_value())
            for table in ("items", "resources", "resource_chunks"):
                await owner.execute(f"VACUUM ANALYZE catalog.{table}")
            await owner.close()
            print(f"{len(texts):,} entries kept in {time.perf_counter() - began:.0f} s", flush=True)
        async with Home(home).client(timeout_s=60) as client:
            await turns(stack, client, wanted, agents, 10)
            timed = await turns(stack, client, wanted, agents, count)
            posted, taken = await extractions(client, agents)
        for name, ms in {**timed.ms, **posted.ms, "extraction": taken}.items():
            print(f"{name:15} p50 {statistics.median(ms):6.1f}  p95 {quantile(ms, 0.95):6.1f} ms  of {len(ms)}")
        for name in ("relevant", "pre-prompt"):
            p95 = quantile(timed.ms[name], 0.95)
            stack.check(p95 < ALLOWED_MS, f"{name}: p95 {p95:.1f} ms is below {ALLOWED_MS:.0f}")
        stack.check(len(taken) == EXCHANGES, f"{len(taken)} of {EXCHANGES} exchanges were read")
        p95 = quantile(taken, 0.95)
        stack.check(p95 < EXTRACTION_MS, f"extraction: p95 {p95:.1f} ms is below {EXTRACTION_MS:.0f}")
        stack.verdict()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=100)
    parser.add_argument("--entries", type=int, default=1_000)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--home", type=Path, help="keep the stack's data there; a temporary folder otherwise")
    given = parser.parse_args()
    if given.home is not None:
        asyncio.run(run(given.home.resolve(), given.agents, given.entries, given.turns))
        return
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder), given.agents, given.entries, given.turns))


if __name__ == "__main__":
    main()
