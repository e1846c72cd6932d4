"""How fast the semantic tier learns and answers: `python -m benchmarks.semantic_retrieve --home .ragpp`.

Fills a stack's graph with users who each have some 50 entities and 120 relationships, with the hashing embedder, and
prints observations a second, p50 and p95 of a retrieval in milliseconds, and retrievals a second of eight callers.
"""

import argparse
import asyncio
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from uuid import uuid4

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.models import MemoryQuery, Observation, RelationshipEntry, Scope
from ragpp.settings import Neo4jSettings
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.stack import Stack
from ragpp_services.semantic.app import migrate, open_tier
from ragpp_services.semantic.tier import Neo4jSemanticTier

START = datetime(2024, 1, 1, tzinfo=UTC)
TYPES = ("LIKES", "VISITED", "OWNS", "RELATED_TO", "WORKS_AT")
OBSERVATIONS = 60
THINGS = 48


def observations(user: int, rng: random.Random) -> list[Observation]:
    """Observations of 60 messages of one user: two relationships each, of the user or a friend to one of 48 things."""
    taught = []
    for number in range(OBSERVATIONS):
        at = START + timedelta(days=number)
        relationships = tuple(
            RelationshipEntry(
                id=f"r{number}-{index}",
                source=rng.choice(("Noor", "Noor", "Sami")),
                type=rng.choice(TYPES),
                target=f"thing {user % 7} {rng.randrange(THINGS)}",
                target_label="PRODUCT",
                context=f"We talked about the thing again on day {number}, and how it all began.",
                occurred_at=at,
            )
            for index in range(2)
        )
        taught.append(
            Observation(event_id=f"e{number}", interaction_id=f"m{number}", occurred_at=at, relationships=relationships)
        )
    return taught


async def fill(tier: Neo4jSemanticTier, scopes: list[Scope], batch: int) -> float:
    """Teach every user; returns observations a second with four writers."""
    rng = random.Random(1)
    waiting = list(enumerate(scopes))
    started = perf_counter()

    async def writer() -> None:
        while waiting:
            user, scope = waiting.pop()
            taught = observations(user, rng)
            for first in range(0, len(taught), batch):
                await tier.observe(scope, taught[first : first + batch])

    await asyncio.gather(*(writer() for _ in range(4)))
    return len(scopes) * OBSERVATIONS / (perf_counter() - started)


async def ask(tier: Neo4jSemanticTier, scopes: list[Scope], queries: int, callers: int) -> tuple[list[float], float]:
    """Milliseconds of each retrieval, sorted, and retrievals a second."""
    rng, embedder = random.Random(2), HashingEmbedder()
    texts = [f"What did Noor say about thing {rng.randrange(7)} {rng.randrange(THINGS)}?" for _ in range(50)]
    vectors = [tuple(row.tolist()) for row in await embedder.embed(texts)]
    took: list[float] = []

    async def caller(count: int) -> None:
        for _ in range(count):
            index = rng.randrange(len(texts))
            query = MemoryQuery(scope=rng.choice(scopes), text=texts[index], embedding=vectors[index])
            started = perf_counter()
            await tier.retrieve(query)
            took.append((perf_counter() - started) * 1_000)

    started = perf_counter()
    await asyncio.gather(*(caller(queries // callers) for _ in range(callers)))
    return sorted(took), len(took) / (perf_counter() - started)


async def main(home: Path, users: int, queries: int, batch: int) -> None:
    stack = Stack(home)
    stack.up(only={"neo4j"})
    endpoints, embedder = stack.endpoints(), HashingEmbedder()
    settings = Neo4jSettings(
        uri=endpoints.neo4j_uri, user=endpoints.neo4j_user, password=endpoints.neo4j_password, query_timeout_s=30
    )
    await migrate(settings, embedder=embedder)
    scopes = [Scope(tenant_id="benchmark", user_id=uuid4().hex) for _ in range(users)]
    async with open_tier(settings, embedder=embedder, counter=TokenCounter()) as tier:
        print(f"observe: {await fill(tier, scopes, batch):,.0f} observations/s in batches of {batch}")
        await ask(tier, scopes, queries, 1)
        for callers in (1, 8):
            took, rate = await ask(tier, scopes, queries, callers)
            p50, p95 = took[len(took) // 2], took[int(len(took) * 0.95)]
            print(f"retrieve, {callers} at a time: p50 {p50:.1f} ms, p95 {p95:.1f} ms, {rate:,.0f}/s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, default=Path(".ragpp"))
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--batch", type=int, default=20)
    arguments = parser.parse_args()
    asyncio.run(main(arguments.home, arguments.users, arguments.queries, arguments.batch))
