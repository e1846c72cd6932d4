"""The cost of a key that is bound to an agent beside one that is bound to none: recalls of one memory, in turn.

    python -m benchmarks.prove_views [--messages 2000] [--agents 2] [--recalls 200] [--home FOLDER]

A user talks with several agents: of the messages a part to each alone, as large a part for all. Another says as much
for all agents alone, so there are no views. Both are digested, one after the other, and timed. Then recalls are asked
for in turn, with a key that is bound to none and with an agent's.
"""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path

from benchmarks.proof import Proving, conversation, proving, quantile
from ragpp.api import RecallRequest, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.models import Visibility
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.keys import run_keys
from ragpp_infra.embedded.stack import Stack

BATCH = 25
QUERIES = ("Where does Elena live?", "Who works at Porto Hospital?", "What does the user like to drink?")
SLOWER = 1.5
"""So much slower, in its p95, may an agent's recall be."""
PEOPLE = {"with views": True, "without": False}


def agents_key(home: Path, agent: str) -> str:
    """A new key that is bound to the agent."""
    made = run_keys(Home(home), Stack(home).endpoints(), ["create", "--agent", agent, "--json"])
    return str(json.loads(made.stdout)["key"])


async def fill(client: AsyncMemoryClient, user_id: str, total: int, agents: int, *, apart: bool) -> float:
    """Let the user say as much, and have it digested; returns the seconds."""
    said = conversation(7, total, "m")
    began = time.perf_counter()
    for start in range(0, total, BATCH):
        number = (start // BATCH) % (agents + 1)
        visibility: Visibility = "agent" if apart and number < agents else "shared"
        agent_id = f"agent-{number}" if number < agents else None
        await client.remember(
            StoreRequest(
                user_id=user_id,
                session_id=f"s{start // 500}",
                agent_id=agent_id,
                visibility=visibility,
                messages=tuple(said[start : start + BATCH]),
            )
        )
    while await client.pending(user_id):
        await asyncio.sleep(0.2)
    return time.perf_counter() - began


async def measure(clients: dict[str, AsyncMemoryClient], user_id: str, recalls: int) -> dict[str, list[float]]:
    """Milliseconds of recalls by whose key asked, each in turn."""
    taken: dict[str, list[float]] = {whose: [] for whose in clients}
    for number in range(recalls + 10):
        for whose, client in clients.items():
            began = time.perf_counter()
            answer = await client.recall(RecallRequest(user_id=user_id, query=QUERIES[number % len(QUERIES)]))
            if number >= 10 and answer.status == "complete":  # the first ones warm everything up
                taken[whose].append((time.perf_counter() - began) * 1_000)
    return taken


async def run(home: Path, total: int, agents: int, recalls: int) -> None:
    """Fill both memories and measure."""
    with proving(home) as stack:
        folder = Home(home)
        async with folder.client() as everyone, folder.client(key=agents_key(home, "agent-0")) as agent:
            for user_id, apart in PEOPLE.items():
                took = await fill(everyone, user_id, total, agents, apart=apart)
                print(f"{user_id}: {total} messages stored and digested in {took:.1f} s")
            for user_id in PEOPLE:
                taken = await measure({"nobody's": everyone, "an agent's": agent}, user_id, recalls)
                judge(stack, user_id, taken, recalls)
            seen = await agent.interactions("with views", limit=200)
            hidden = [one.id for one in seen.items if one.visibility == "agent" and one.agent_id != "agent-0"]
            stack.check(not hidden, f"an agent's key is shown nothing of another's in {len(seen.items)} messages")
        stack.verdict()


def judge(stack: Proving, user_id: str, taken: dict[str, list[float]], recalls: int) -> None:
    """Print the times, and what of them is a claim."""
    for whose, times in taken.items():
        stack.check(len(times) == recalls, f"{user_id}, {whose} key: {len(times)} complete recalls")
        print(f"        p50 {quantile(times, 0.5):.1f} ms, p95 {quantile(times, 0.95):.1f} ms")
    ratio = quantile(taken["an agent's"], 0.95) / quantile(taken["nobody's"], 0.95)
    stack.check(ratio <= SLOWER, f"{user_id}: an agent's recall takes {ratio:.2f} times as long (p95)")


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--agents", type=int, default=2)
    parser.add_argument("--recalls", type=int, default=200)
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    arguments = parser.parse_args()
    given = (arguments.messages, arguments.agents, arguments.recalls)
    if arguments.home:
        asyncio.run(run(arguments.home.resolve(), *given))
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        asyncio.run(run(Path(folder), *given))


if __name__ == "__main__":
    main()
