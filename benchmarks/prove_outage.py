"""Recalls keep answering while a store is down, and are whole again after `ragpp up`.

    python -m benchmarks.prove_outage [--home FOLDER] [--seconds 6]

For Neo4j, Valkey and PostgreSQL in turn: recalls run all the time, the store is killed by SIGKILL in their midst, and
some seconds later `ragpp up` brings it back. Every recall must be answered within its deadline; those of the outage
are `partial` and name what is missing.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.proof import ProcessName, Proving, conversation, proving, quantile
from ragpp.api import RecallRequest, RecallResponse, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.errors import MemorySystemError
from ragpp_infra.embedded.home import Home

DEADLINE_MS = 500
USER = "outage"
GONE: dict[ProcessName, set[str]] = {
    "neo4j": {"semantic"},
    "valkey": {"short_term"},
    "postgres": {"episodic", "procedural", "catalog"},
}


@dataclass(frozen=True)
class Sample:
    """One recall: when it was sent, what came back, and how long it took over HTTP."""

    at: float
    wall_ms: float
    response: RecallResponse | None
    error: str = ""


async def traffic(client: AsyncMemoryClient, samples: list[Sample], stopping: asyncio.Event) -> None:
    """Recall until told to stop, some twenty a second."""
    while not stopping.is_set():
        at = time.perf_counter()
        request = RecallRequest(
            user_id=USER, session_id="s", query="Where does my sister Elena live?", deadline_ms=DEADLINE_MS
        )
        try:
            response = await client.recall(request)
            samples.append(Sample(at, (time.perf_counter() - at) * 1_000, response))
        except MemorySystemError as error:
            samples.append(Sample(at, (time.perf_counter() - at) * 1_000, None, f"{error.code} {error.message}"))
        await asyncio.sleep(0.05)


async def outage(stack: Proving, client: AsyncMemoryClient, name: ProcessName, seconds: float) -> None:
    """Kill `name` under traffic, bring it back, and judge what the recalls said."""
    samples: list[Sample] = []
    stopping = asyncio.Event()
    running = asyncio.create_task(traffic(client, samples, stopping))
    await asyncio.sleep(2)
    killed = time.perf_counter()
    await asyncio.to_thread(stack.kill, name)
    await asyncio.sleep(seconds)
    reviving = time.perf_counter()
    await asyncio.to_thread(stack.ragpp, "up")
    revived = time.perf_counter()
    whole = await _first_whole(samples, revived)
    await asyncio.sleep(1)
    stopping.set()
    await running
    during = [sample for sample in samples if killed + 0.2 <= sample.at < reviving]
    _judge(stack, name, samples, during)
    last = samples[-10:]
    stack.check(
        all(sample.response is not None and sample.response.status == "complete" for sample in last),
        f"{name}: complete again {max(0.0, whole - revived):.1f} s after `ragpp up`, which took "
        f"{revived - reviving:.1f} s",
    )


async def _first_whole(samples: Sequence[Sample], since: float, *, patience_s: float = 30) -> float:
    """When the first complete recall after `since` was sent."""
    while time.perf_counter() - since < patience_s:
        for sample in samples:
            if sample.at >= since and sample.response is not None and sample.response.status == "complete":
                return sample.at
        await asyncio.sleep(0.1)
    return float("inf")


def _judge(stack: Proving, name: ProcessName, samples: Sequence[Sample], during: Sequence[Sample]) -> None:
    errors = [sample.error for sample in samples if sample.response is None]
    stack.check(not errors, f"{name}: all {len(samples)} recalls were answered {errors[:2] or ''}")
    answers = [sample.response for sample in during if sample.response is not None]
    partial = [answer for answer in answers if answer.status == "partial"]
    stack.check(
        bool(answers) and len(partial) == len(answers),
        f"{name}: {len(partial)} of {len(answers)} recalls during the outage are partial",
    )
    named = [{tier for tier, status in answer.tiers.items() if status.status != "ok"} for answer in partial]
    stack.check(
        bool(named) and all(GONE[name] == tiers for tiers in named),
        f"{name}: they name {sorted(set().union(*named)) if named else 'nothing'}",
    )
    stack.check(
        all(answer.memories or answer.context for answer in answers), f"{name}: each still carries the other tiers"
    )
    server = [answer.elapsed_ms for answer in answers]
    wall = [sample.wall_ms for sample in during]
    stack.check(
        bool(server) and max(server) <= DEADLINE_MS,
        f"{name}: within the deadline of {DEADLINE_MS} ms: p50 {quantile(server, 0.5):.0f}, p95 "
        f"{quantile(server, 0.95):.0f}, max {max(server, default=0):.0f} ms; over HTTP p95 {quantile(wall, 0.95):.0f}, "
        f"max {max(wall, default=0):.0f} ms",
    )


async def run(home: Path, seconds: float) -> None:
    """The three outages, one after the other."""
    with proving(home) as stack:
        async with Home(home).client(timeout_s=10) as client:
            messages = tuple(conversation(1, 60, "m"))
            await client.remember(StoreRequest(user_id=USER, session_id="s", messages=messages))
            while await client.pending(USER):
                await asyncio.sleep(0.1)
            for name in GONE:
                await outage(stack, client, name, seconds)
        stack.verdict()


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    parser.add_argument("--seconds", type=float, default=6.0, help="how long each store stays down")
    arguments = parser.parse_args()
    if arguments.home:
        asyncio.run(run(arguments.home.resolve(), arguments.seconds))
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        asyncio.run(run(Path(folder), arguments.seconds))


if __name__ == "__main__":
    main()
