"""The cost of metrics and traces to a recall: three gateways on the same stores, one as it is by default, one that
counts nothing, and one with an endpoint for traces, asked in turn.

    python -m benchmarks.prove_observability [--messages 500] [--recalls 300] [--home FOLDER]

The traced one is asked twice: in a trace that is recorded, and in one that its caller does not record. A recall that is
counted may be COUNTED times as slow in its p50 as one that is not, a recorded one RECORDED_MORE times as slow as by
default. What a step costs where nobody records is measured in this process.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from benchmarks.proof import conversation, proving, quantile
from ragpp.api import StoreRequest
from ragpp.observability import traces
from ragpp.testing.otlp import receiving
from ragpp_infra.embedded.environment import environment_of
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack

BATCH: Final = 50
WARMING: Final = 20
COUNTED: Final = 1.05
RECORDED_MORE: Final = 1.15
STEPS: Final = 100_000
READY_S: Final = 300.0
USER: Final = "traced"
QUERIES: Final = ("Where does Elena live?", "Who works at Porto Hospital?", "What does the user like to drink?")
RECORDED: Final = {"traceparent": f"00-{'1' * 32}-{'1' * 16}-01"}
UNRECORDED: Final = {"traceparent": f"00-{'1' * 32}-{'1' * 16}-00"}


@contextmanager
def gateway_with(home: Home, name: str, **given: str) -> Iterator[str]:
    """A further gateway on the stores of `home`, with these settings; its address."""
    port = home.choose_port(name)
    settings = environment_of(home, Stack(home.path).endpoints(), port) | given
    settings["GATEWAY_AUDIT_SPOOL"] = str(home.path / f"audit-spool-{name}.jsonl")
    with (home.logs / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "ragpp_services.all_in_one"], env=os.environ | settings, stdout=log, stderr=log
        )
    try:
        url, began = f"http://127.0.0.1:{port}", time.monotonic()
        with httpx.Client(timeout=10, trust_env=False) as client:
            while not _answers(client, f"{url}/health/ready"):
                if time.monotonic() - began > READY_S:
                    raise TimeoutError(f"not ready after {READY_S:.0f} s; see {log.name}")
                time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def _answers(client: httpx.Client, url: str) -> bool:
    try:
        return client.get(url).status_code == 200
    except httpx.TransportError:
        return False


async def measure(urls: Mapping[str, tuple[str, dict[str, str]]], key: str, recalls: int) -> dict[str, list[float]]:
    """Milliseconds of complete recalls, by the way they were asked, each in turn."""
    taken: dict[str, list[float]] = {name: [] for name in urls}
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60, trust_env=False) as client:
        for number in range(recalls + WARMING):
            body = {"user_id": USER, "query": QUERIES[number % len(QUERIES)], "deadline_ms": 10_000}
            for name, (url, headers) in urls.items():
                began = time.perf_counter()
                answer = await client.post(f"{url}/v1/recall", json=body, headers=headers)
                if number >= WARMING and answer.json()["status"] == "complete":
                    taken[name].append((time.perf_counter() - began) * 1_000)
    return taken


def step_ns() -> float:
    """The time of a step that nobody records, with what it notes, in ns."""
    began = time.perf_counter_ns()
    for _ in range(STEPS):
        with traces.step("ask", tier="episodic") as span:
            span.note(status="ok", hits=3)
    return (time.perf_counter_ns() - began) / STEPS


async def run(folder: Path, total: int, recalls: int) -> list[str]:
    """Fill a memory, ask, print; what did not hold."""
    with proving(folder) as stack, receiving() as receiver:
        home, said = Home(folder), conversation(7, total, "m")
        async with home.client() as client:
            for start in range(0, total, BATCH):
                await client.remember(StoreRequest(user_id=USER, messages=tuple(said[start : start + BATCH])))
        stack.stop_workers()
        with (
            gateway_with(home, "traced", TRACING_ENDPOINT=receiver.url) as traced,
            gateway_with(home, "uncounted", METRICS_ENABLED="false") as uncounted,
        ):
            asked = {
                "neither": (uncounted, {}),
                "metrics": (home.url() or "", {}),
                "traces, recorded": (traced, RECORDED),
                "traces, not recorded": (traced, UNRECORDED),
            }
            taken = await measure(asked, home.key() or "", recalls)
            spans = len(receiver.awaited("POST /v1/recall", recalls)) and len(receiver.spans)
        for name, ms in taken.items():
            print(f"{name:20} recall p50 {quantile(ms, 0.5):6.2f} ms, p95 {quantile(ms, 0.95):6.2f} ms of {len(ms)}")
        print(f"{spans / (recalls + WARMING):.1f} spans a recall; a step that nobody records: {step_ns():.0f} ns")
        p50 = {name: quantile(ms, 0.5) for name, ms in taken.items()}
        counted, recorded = p50["metrics"] / p50["neither"], p50["traces, recorded"] / p50["metrics"]
        stack.check(counted <= COUNTED, f"a counted recall takes {counted:.3f} times as long, at most {COUNTED}")
        stack.check(recorded <= RECORDED_MORE, f"a recorded one {recorded:.3f} times that, at most {RECORDED_MORE}")
        return stack.failures


def main() -> None:
    """Exit with 1 where either costs more."""
    parser = argparse.ArgumentParser(description="What metrics and traces cost a recall.")
    parser.add_argument("--messages", type=int, default=500)
    parser.add_argument("--recalls", type=int, default=300)
    parser.add_argument("--home", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragpp-proof-") as folder:
        failures = asyncio.run(run((given.home or Path(folder) / "home").resolve(), given.messages, given.recalls))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
