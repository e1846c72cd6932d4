"""Users who are cast into the stores (`benchmarks.seeding`) beside users who were written and digested, row by row.

    python -m benchmarks.prove_seeding [--users 100] [--messages 100] [--home FOLDER]

So many conversations are written twice over HTTP, for a user to be the mould and for one to compare with, and digested
by the workers; from each mould a third user is cast. What the stores hold of the second and of the third is compared:
every row with its ids, times, vectors and words, the graph, the running conversation; and what recalls of both answer.
Where a store is late, workers try again and in another order, so that the write path itself may not say the same twice:
there the cast is compared with its mould alone. What is not compared is printed, with why. Exit code 1 where anything
differs, or where the comparison sees no difference between users of other conversations.
"""

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

from benchmarks.proof import Proving, proving
from benchmarks.prove_scale import QUERIES
from benchmarks.seeding.casting import Mould
from benchmarks.seeding.columns import LEFT_OUT
from benchmarks.seeding.comparing import EXCLUDED, count_of, differences
from benchmarks.seeding.reading import Memory, read_memory
from benchmarks.seeding.settling import SESSION, looked_at_once, settle, write
from benchmarks.seeding.writing import seed
from ragpp.api import RecallRequest
from ragpp.client import AsyncMemoryClient
from ragpp.models import Scope
from ragpp_infra.backup.places import kept_alive
from ragpp_infra.cli.places import embedded
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.lifecycle import Lifecycle

TENANT: Final = "default"
KINDS: Final = ("mould", "written", "cast")
SHOWN: Final = 3


def scopes_of(kind: str, users: int) -> list[Scope]:
    """The users of one kind."""
    return [Scope(tenant_id=TENANT, user_id=f"{kind}-{number}") for number in range(users)]


async def answer(client: AsyncMemoryClient, scope: Scope, query: str) -> tuple[str, list[tuple[str, str, float]]]:
    """The context of a recall, and its memories: tier, text, score."""
    told = await client.recall(
        RecallRequest(user_id=scope.user_id, session_id=SESSION, query=query, deadline_ms=30_000)
    )
    return told.context, [(one.tier, one.text, round(one.score, 4)) for one in told.memories]


def compare(stack: Proving, memories: dict[str, list[Memory]]) -> None:
    """Check that each cast is its mould, and what was written wherever the write path said the same twice; and that
    other conversations are told apart."""
    moulds, written, casts = (memories[kind] for kind in KINDS)
    itself = [differences(*pair) for pair in zip(moulds, casts, strict=True)]
    stack.check(not any(itself), f"of {len(itself)} casts {sum(map(bool, itself))} differ from their moulds")
    twice = [differences(*pair) for pair in zip(moulds, written, strict=True)]
    found = [differences(*pair) for pair in zip(written, casts, strict=True)]
    compared = sum((count_of(one) for one in written), Counter[str]())
    print("  compared:", ", ".join(f"{place} {count:,}" for place, count in sorted(compared.items())))
    for user, differing in enumerate(found):
        for place, text in differing[:SHOWN]:
            print(f"  user {user}, {place}: {text[:300]}")
    alike = [cast for cast, written_twice in zip(found, twice, strict=True) if not written_twice]
    print(
        f"  {len(alike)} of {len(twice)} conversations were written and learned alike twice; of the others",
        f"{sum(map(len, twice))} rows differ between the two, and {sum(map(len, found))} between one and the cast",
    )
    stack.check(bool(alike) and not any(alike), f"of these {len(alike)} every cast is what was written")
    if len(found) > 1:
        others = len(differences(written[0], casts[1]))
        stack.check(others > 0, f"users of two conversations differ in {others} rows")


async def run(home: Path, users: int, messages: int) -> None:
    """Write, digest, cast, compare."""
    looked_at_once()
    with proving(home) as stack:
        place = embedded(Lifecycle(home))
        async with Home(home).client(timeout_s=120) as client, place.postgres() as connection:
            for kind in KINDS[:2]:
                names = [scope.user_id for scope in scopes_of(kind, users)]
                async with kept_alive(connection):
                    rate = await write(client, {name: number for number, name in enumerate(names)}, messages)
                took = await settle(connection, TENANT, names)
                print(f"{kind}: {users} × {messages} messages, {rate:.0f}/s acknowledged, learned {took:.0f} s later")
            moulds = [await read_memory(place, connection, one) for one in scopes_of("mould", users)]
            began = time.perf_counter()
            await seed(place, connection, [Mould(one) for one in moulds], scopes_of("cast", users))
            print(f"cast: {users * messages / (time.perf_counter() - began):.0f} messages/s")
            memories = {
                kind: [await read_memory(place, connection, one) for one in scopes_of(kind, users)] for kind in KINDS
            }
            compare(stack, memories)
            pairs = list(zip(scopes_of("written", users), scopes_of("cast", users), strict=True))
            asked = [(pair, QUERIES[number % len(QUERIES)]) for number, pair in enumerate(pairs)]
            answers = [[await answer(client, one, query) for one in pair] for pair, query in asked]
            same = sum(one == other for one, other in answers)
            stack.check(same == len(answers), f"{same} of {len(answers)} recalls answer the same")
        print("not compared:")
        for name, (fields, why) in EXCLUDED.items():
            print(f"  {name:30} {', '.join(fields)}: {why}")
        for name, why in LEFT_OUT.items():
            print(f"  {name:30} all of it: {why}")
        stack.verdict()


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    given = parser.parse_args()
    if given.home:
        asyncio.run(run(given.home.resolve(), given.users, given.messages))
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        asyncio.run(run(Path(folder), given.users, given.messages))


if __name__ == "__main__":
    main()
