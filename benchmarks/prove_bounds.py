"""The bounds of what one request may cost, and recalls that each tell how fresh they are.

    python -m benchmarks.prove_bounds [--home FOLDER] [--recalls 200] [--seconds 6]

Freshness: recalls are asked for while others write, and then with a PostgreSQL that hangs: they tell what is not yet
digested whenever PostgreSQL answers, and one that waits for a receipt still has the running conversation.

Bounds: one tenant sends what costs most, 8 MB of messages with 1,100 keys of metadata each or of millions of small
values, one at a time and many at once, and then as much as is allowed, again and again; what another tenant's recalls
take is compared with what they take in quiet, in the same run.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import asyncpg
import httpx
import psutil

from benchmarks.proof import Proving, conversation, proving, quantile
from ragpp.api import RecallRequest, RecallResponse, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.models import TierName
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.keys import run_keys
from ragpp_infra.embedded.stack import Stack

USER, SESSION, DEADLINE_MS = "ann", "s", 500
QUERY: Final = "Where does my sister Elena live?"
KINDS: Final[dict[str, tuple[TierName, ...] | None]] = {
    "all tiers": None,
    "short-term memory alone": ("short_term",),
    "the graph alone": ("semantic",),
}
ASKERS: Final = 4
PATIENCE_S: Final = 60.0
"""For what was said to be digested, so that the workers have nothing to do while recalls are timed."""
REFUSED_WITHIN_MS: Final = 500
REFUSED: Final = {413}
SLOWER_REFUSED, SLOWER_MANY, SLOWER_ALLOWED = 3.0, 6.0, 4.0
"""So many times as long, in its p95, may another tenant's recall take beside what is refused, beside MANY of those at
once, and beside what is allowed."""
MANY: Final = 20
"""So many bodies are sent at once, of which a key may have four under way."""


async def asked(client: AsyncMemoryClient, **fields: object) -> tuple[RecallResponse, float]:
    """An answer, and how many milliseconds it took over HTTP."""
    began = time.perf_counter()
    given = {"user_id": USER, "session_id": SESSION, "query": QUERY, "deadline_ms": DEADLINE_MS, **fields}
    answer = await client.recall(RecallRequest.model_validate(given))
    return answer, (time.perf_counter() - began) * 1_000


@asynccontextmanager
async def meanwhile(work: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """`work` over and over as long as the block runs."""

    async def again() -> None:
        while True:
            await work()

    running = asyncio.create_task(again())
    try:
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


@asynccontextmanager
async def hanging(home: Path) -> AsyncIterator[None]:
    """A PostgreSQL that takes connections and answers nothing: all its processes stopped, and going on afterwards."""
    connection = await asyncpg.connect(Stack(home).endpoints().postgres_owner_dsn.get_secret_value())
    first = psutil.Process(await connection.fetchval("SELECT pg_backend_pid()")).parent()
    await connection.close()
    if first is None:
        raise RuntimeError("PostgreSQL has no first process")
    processes = [first, *first.children(recursive=True)]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in reversed(processes):
            with suppress(psutil.NoSuchProcess):
                process.resume()


def told(answers: list[RecallResponse]) -> float:
    """The share of `answers` that say what is not yet digested."""
    return sum(answer.receipt_pending >= 0 for answer in answers) / len(answers)


async def fresh(stack: Proving, client: AsyncMemoryClient, seconds: float) -> None:
    """Recalls of ASKERS at once while messages are written and digested: each tells what is not."""
    written = 0

    async def write() -> None:
        nonlocal written
        written += 1
        messages = tuple(conversation(written, 5, f"w{written}-"))
        await client.remember(StoreRequest(user_id=USER, session_id=SESSION, messages=messages))

    for name, tiers in KINDS.items():
        answers: list[RecallResponse] = []

        async def ask(
            until: float, tiers: tuple[TierName, ...] | None = tiers, into: list[RecallResponse] = answers
        ) -> None:
            while time.perf_counter() < until:
                into.append((await asked(client, tiers=tiers))[0])

        async with meanwhile(write):
            ends = time.perf_counter() + seconds / len(KINDS)
            await asyncio.gather(*(ask(ends) for _ in range(ASKERS)))
        share = told(answers)
        stack.check(
            share == 1, f"{name}, while {written * 5} messages were written: {share:.1%} of {len(answers)} tell it"
        )


async def hung(stack: Proving, client: AsyncMemoryClient, home: Path, seconds: float) -> None:
    """With a PostgreSQL that hangs: what waits for a receipt has the conversation, in time, and says what it cannot."""
    said = tuple(conversation(99, 3, "last"))
    written = await client.remember(StoreRequest(user_id=USER, session_id="hung", messages=said))
    waiting = {"after": written.receipt, "session_id": "hung"}
    await asked(client, **waiting)
    answers: list[RecallResponse] = []
    async with hanging(home):
        ends = time.perf_counter() + seconds
        while time.perf_counter() < ends:
            answers.append((await asked(client, **waiting))[0])
    whole = [answer for answer in answers if all(message.content in answer.context for message in said)]
    states = sorted({answer.tiers["short_term"].status for answer in answers})
    stack.check(
        len(whole) == len(answers),
        f"PostgreSQL hangs: {len(whole)} of {len(answers)} recalls after a receipt have the conversation {states}",
    )
    most = quantile([answer.elapsed_ms for answer in answers], 0.9)
    stack.check(most <= DEADLINE_MS, f"PostgreSQL hangs: nine of ten in {most:.0f} ms of {DEADLINE_MS}")
    stack.check(told(answers) == 0, f"PostgreSQL hangs: {told(answers):.1%} of them claim to know what is not digested")
    for _ in range(20):
        answer, _ = await asked(client, **waiting, deadline_ms=5_000)
        if answer.receipt_pending >= 0:
            break
    stack.check(answer.receipt_pending >= 0, "PostgreSQL goes on: it is told again")


def costly(messages: int, keys: int, content: str) -> bytes:
    """A write of so many messages with so many keys of metadata each."""
    metadata = {f"k{number}": 1 for number in range(keys)}
    said = [{"content": f"{number} {content}", "metadata": metadata} for number in range(messages)]
    return json.dumps({"user_id": USER, "session_id": "large", "messages": said}).encode()


def small_values(beginning: str, one: str, ending: str) -> bytes:
    """8 MB of one small value over and over."""
    many = ",".join([one] * (8_000_000 // (len(one) + 1)))
    return f'{{"user_id": "{USER}", {beginning}{many}{ending}}}'.encode()


async def beside(stack: Proving, noisy: httpx.AsyncClient, quiet: AsyncMemoryClient, recalls: int) -> None:
    """Compare what another tenant's recalls take in quiet, beside what is refused and beside what is allowed."""
    await quiet.remember(StoreRequest(user_id=USER, session_id=SESSION, messages=tuple(conversation(1, 60, "m"))))
    patient_until = time.perf_counter() + PATIENCE_S
    while await quiet.pending(USER) and time.perf_counter() < patient_until:
        await asyncio.sleep(0.1)

    async def p95() -> float:
        taken = []
        for _ in range(recalls):
            taken.append((await asked(quiet, deadline_ms=5_000))[1])
            await asyncio.sleep(0.005)
        return quantile(taken, 0.95)

    def sending(path: str, body: bytes, at_once: int, sent: list[tuple[int, float]]) -> Callable[[], Awaitable[object]]:
        async def send() -> None:
            began = time.perf_counter()
            answer = await noisy.post(path, content=body)
            sent.append((answer.status_code, (time.perf_counter() - began) * 1_000))

        return lambda: asyncio.gather(*(send() for _ in range(at_once)))

    await p95()  # warms everything up
    alone = await p95()
    writes, recalls_of = "/v1/interactions", "/v1/recall"
    metadata = '"messages": [{"content": "x", "metadata": {"a": ['
    text = costly(1_000, 0, "The heron stood in the reeds. " * 270)
    bodies = {
        "8 MB of metadata": (writes, costly(550, 1_100, "x" * 2_500), 1, REFUSED, SLOWER_REFUSED),
        "8 MB of text": (writes, text, 1, REFUSED, SLOWER_REFUSED),
        "8 MB of empty messages": (writes, small_values('"messages": [', "{}", "]"), 1, REFUSED, SLOWER_REFUSED),
        "8 MB of empty lists": (writes, small_values(metadata, "[]", "]}}]"), 1, REFUSED, SLOWER_REFUSED),
        "8 MB of numbers": (writes, small_values(metadata, "1", "]}}]"), 1, REFUSED, SLOWER_REFUSED),
        "8 MB of a situation": (
            *(recalls_of, small_values('"query": "x", "situation": {"a": [', "[]", "]}")),
            *(1, REFUSED, SLOWER_REFUSED),
        ),
        f"8 MB of text {MANY} times at once": (writes, text, MANY, REFUSED | {429}, SLOWER_MANY),
        "as much as is allowed": (writes, costly(1_000, 19, "The heron stood."), 1, {201}, SLOWER_ALLOWED),
    }
    for name, (path, body, at_once, expected, slower) in bodies.items():
        sent: list[tuple[int, float]] = []
        async with meanwhile(sending(path, body, at_once, sent)):
            loaded = await p95()
            while not sent:
                await asyncio.sleep(0.1)
        statuses, slowest = {code for code, _ in sent}, max(ms for _, ms in sent)
        megabytes = len(body) / 1e6
        stack.check(statuses <= expected, f"{name}: {len(sent)} of {megabytes:.1f} MB are answered {statuses}")
        if expected == REFUSED:
            stack.check(slowest <= REFUSED_WITHIN_MS, f"{name}: refused within {slowest:.0f} ms at the latest")
        else:
            print(f"        answered within {slowest:.0f} ms at the latest")
        ratio = loaded / alone
        stack.check(
            ratio <= slower,
            f"{name}: another tenant's recalls take {ratio:.2f} times as long (p95 {alone:.1f} → {loaded:.1f} ms)",
        )


async def run(home: Path, recalls: int, seconds: float) -> None:
    """Fill a memory and measure."""
    with proving(home) as stack:
        folder = Home(home)
        made = run_keys(folder, Stack(home).endpoints(), ["create", "--tenant", "other", "--json"])
        async with folder.client(timeout_s=120) as client, folder.client(key=json.loads(made.stdout)["key"]) as other:
            await client.remember(
                StoreRequest(user_id=USER, session_id=SESSION, messages=tuple(conversation(1, 60, "m")))
            )
            await fresh(stack, client, seconds)
            await hung(stack, client, home, seconds)
            headers = {"authorization": f"Bearer {folder.key()}", "content-type": "application/json"}
            async with httpx.AsyncClient(
                base_url=str(folder.url()), headers=headers, timeout=120, trust_env=False
            ) as noisy:
                await beside(stack, noisy, other, recalls)
        stack.verdict()


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recalls", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=6.0, help="of recalls while others write, and while it hangs")
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    arguments = parser.parse_args()
    given = (arguments.recalls, arguments.seconds)
    if arguments.home:
        asyncio.run(run(arguments.home.resolve(), *given))
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        asyncio.run(run(Path(folder), *given))


if __name__ == "__main__":
    main()
