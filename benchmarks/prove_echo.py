"""An assistant is fed its own contexts 500 times: what is known must not grow.

    python -m benchmarks.prove_echo                  # starts the embedded stack, or attaches to it
    python -m benchmarks.prove_echo --times 50

Through the API, with the worker of the stack. Each round recalls, and stores the context together with a sentence that
repeats what was said, as the assistant's message. Afterwards the graph, preferences, rules and findings are those of
before, and what was said itself still ranks first.
"""

import argparse
import asyncio
import time
import uuid
from datetime import UTC, datetime, timedelta

from benchmarks.stack import running_gateway
from benchmarks.waiting import digested
from ragpp.api import MessageIn, RecallRequest, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp_infra.cli.inspect_command import Known, known_of

SAID = (
    "My sister Elena lives in Lisbon.",
    "I prefer tea over coffee.",
    "I work at Harbour Clinic.",
    "I decided to sell the boat.",
)
REPLY = "Maria, your sister Elena lives in Lisbon and you work at Harbour Clinic."
QUERY = "Where does Maria's sister Elena live, and what does Maria drink?"
DIGITS = 12
BEGIN = datetime(2024, 3, 4, 9, tzinfo=UTC)


def learned(known: Known) -> Known:
    """Without reports: a reflection may run meanwhile, and reads what was said. Decay that was persisted meanwhile is
    the same but for its last digit."""
    told = tuple(one.model_copy(update={"confidence": round(one.confidence, DIGITS)}) for one in known.relationships)
    return known.model_copy(update={"reflections": (), "relationships": told})


async def feed(client: AsyncMemoryClient, user: str, times: int) -> list[str]:
    """Recall and give back; returns the ids that a last recall ranks first."""
    for number in range(times):
        answer = await client.recall(RecallRequest(user_id=user, query=QUERY, deadline_ms=5_000))
        content = f"Here is what I remember:\n\n{answer.context}\n\n{REPLY}"
        message = MessageIn(role="assistant", content=content, occurred_at=BEGIN + timedelta(hours=1 + number))
        await client.remember(StoreRequest(user_id=user, session_id=f"s{number % 7}", messages=(message,)))
    await digested(client, user)
    last = await client.recall(RecallRequest(user_id=user, query=QUERY, deadline_ms=5_000, tiers=("episodic",)))
    return [memory.id for memory in last.memories[:3]]


async def run(times: int) -> bool:
    """True where nothing grew."""
    user = f"echo-{uuid.uuid4().hex[:8]}"
    end = BEGIN + timedelta(hours=times + 2)
    async with running_gateway() as client:
        messages = tuple(
            MessageIn(id=f"m{number}", name="Maria", content=text, occurred_at=BEGIN + timedelta(minutes=number))
            for number, text in enumerate(SAID)
        )
        await client.remember(StoreRequest(user_id=user, session_id="s0", messages=messages))
        await digested(client, user)
        before = learned(await known_of(client, user, as_of=end))
        started = time.perf_counter()
        first = await feed(client, user, times)
        seconds = time.perf_counter() - started
        after = learned(await known_of(client, user, as_of=end))
    for kind in ("entities", "relationships", "preferences", "rules", "findings"):
        same = getattr(before, kind) == getattr(after, kind)
        print(
            f"{kind:<14} before {len(getattr(before, kind)):>3}   after {len(getattr(after, kind)):>3}   same: {same}"
        )
    ranked = "m0" in first
    print(f"{times} contexts in {seconds:.0f} s; what was said ranks among the first three: {ranked} {first}")
    return ranked and before.model_copy(update={"review": after.review}) == after


def main() -> None:
    """Parse the command line and run; exits with 1 when something grew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=500)
    if not asyncio.run(run(parser.parse_args().times)):
        raise SystemExit("something was learned from memory")


if __name__ == "__main__":
    main()
