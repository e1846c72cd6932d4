"""A user with a large memory is erased while others write: what the report says, how long it takes, and who notices.

    python -m benchmarks.prove_erasure [--messages 10000] [--writers 8] [--seconds 30] [--home FOLDER]

The user's messages are digested first. Then the writers write for users of their own, one message at a time, before the
erasure and during it; the time of each acknowledgement is measured over HTTP. At the end no store of the live stack has
the user's word.
"""

import argparse
import asyncio
import json
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from benchmarks.proof import Proving, conversation, proving, quantile
from ragpp.api import MessageIn, RecallRequest, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.jobs import Job
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack
from tests.support.everywhere import places_of

USER = "qzleaving"
WORD = "Qzwildermut"
"""In every tenth message of the user's, and nowhere else."""
BATCH = 50
PACE_S = 0.1
"""A writer writes so often."""
SLOWER = 2.0
"""So much slower, in its p95, may an acknowledgement be beside an erasure, and FLOOR_MS at least."""
FLOOR_MS = 50.0


@dataclass
class Latency:
    """Milliseconds of the writers' acknowledgements, by what went on beside them."""

    phase: str = "before"
    taken: dict[str, list[float]] = field(default_factory=lambda: {"before": [], "during": []})

    def p95(self, phase: str) -> float:
        """The 95th percentile of that phase, in ms."""
        return quantile(self.taken[phase] or [0.0], 0.95)


async def fill(client: AsyncMemoryClient, total: int) -> float:
    """Give the user a memory, and have it digested; returns the seconds."""
    began = time.perf_counter()
    said = conversation(3, total, "m")
    for number in range(0, total, 10):
        said[number] = said[number].model_copy(update={"content": f"My friend {WORD} lives in Porto. {number}"})
    for start in range(0, total, BATCH):
        part = tuple(said[start : start + BATCH])
        await client.remember(StoreRequest(user_id=USER, session_id=f"s{start // 500}", messages=part))
    while await client.pending(USER):
        await asyncio.sleep(0.5)
    return time.perf_counter() - began


async def write(client: AsyncMemoryClient, number: int, latency: Latency, stopping: asyncio.Event) -> int:
    """Write for a user of its own until told to stop; how many messages were acknowledged."""
    count = 0
    while not stopping.is_set():
        message = MessageIn(id=f"w{count}", content=f"Remember that number {count} was about the winter market.")
        began, phase = time.perf_counter(), latency.phase
        await client.remember(StoreRequest(user_id=f"writer-{number}", session_id="s", messages=(message,)))
        latency.taken[phase].append((time.perf_counter() - began) * 1_000)
        count += 1
        await asyncio.sleep(PACE_S)
    return count


async def run(home: Path, total: int, writers: int, seconds: float) -> None:
    """Fill, erase beside the writers, and look everywhere."""
    with proving(home) as stack:
        async with Home(home).client(timeout_s=60) as client:
            print(f"{total} messages of the user's stored and digested in {await fill(client, total):.0f} s")
            latency, stopping = Latency(), asyncio.Event()
            writing = [asyncio.create_task(write(client, number, latency, stopping)) for number in range(writers)]
            await asyncio.sleep(seconds)
            latency.phase = "during"
            began = time.perf_counter()
            asked = await client.erase_user(USER)
            job = await client.ended_job(asked.id, timeout_s=600)
            took = time.perf_counter() - began
            stopping.set()
            written = await asyncio.gather(*writing)
            await judge(stack, client, job, total)
            print(json.dumps(job.result, indent=2))
            print(f"erased in {took:.1f} s; {sum(written)} messages of {writers} others were acknowledged meanwhile")
            before, during = latency.p95("before"), latency.p95("during")
            stack.check(
                during <= max(SLOWER * before, FLOOR_MS),
                f"others' acknowledgements: p95 {before:.1f} ms before, {during:.1f} ms during the erasure",
            )
            for number, count in enumerate(written):
                page = await client.interactions(f"writer-{number}", limit=1)
                stack.check(
                    page.items[0].id == f"w{count - 1}", f"the last of {count} messages of writer-{number} is there"
                )
        stack.verdict()


async def judge(stack: Proving, client: AsyncMemoryClient, job: Job, total: int) -> None:
    """Check that the report is true."""
    stack.check(job.state == "done", f"the job is {job.state}")
    stores = cast("dict[str, dict[str, dict[str, int]]]", (job.result or {}).get("stores", {}))
    found = stores.get("episodic", {}).get("found", {})
    stack.check(found == {"interactions": total}, f"the report found {found} in the episodic tier")
    left = {store: counts["found_again"] for store, counts in stores.items() if counts.get("found_again")}
    stack.check(not left, f"nothing was found again {left or ''}")
    answer = await client.recall(RecallRequest(user_id=USER, query=f"Where does {WORD} live?"))
    stack.check(not answer.memories, f"a recall finds {len(answer.memories)} memories")
    places = await places_of(Stack(stack.home), [WORD], hint=WORD)
    stack.check(not places, f"no live store has the word {places or ''}")


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=30.0, help="how long the writers are measured before")
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    arguments = parser.parse_args()
    given = (arguments.messages, arguments.writers, arguments.seconds)
    if arguments.home:
        asyncio.run(run(arguments.home.resolve(), *given))
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        asyncio.run(run(Path(folder), *given))


if __name__ == "__main__":
    main()
