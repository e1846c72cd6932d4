"""A write with its digestion, and a recall, as traces: each with its spans as a tree, from a real run.

    python infra/scripts/show_traces.py

Starts an embedded stack of its own in a temporary folder, with its endpoint in this process, and ends it again.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from ragpp.api import MessageIn
from ragpp.testing.otlp import ReceivedSpan, Receiver, receiving, tree_of
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.lifecycle import Lifecycle

MESSAGE: Final = MessageIn(id="m-1", name="Maria", content="My sister Elena moved to Porto. I prefer trains to planes.")
PATIENCE_S: Final = 600.0
"""Workers leave the machine to those who answer: where it is busy, they take their time."""
QUESTION: Final = "Where does Elena live?"


async def act(home: Path, receiver: Receiver) -> None:
    """Write, wait until it is digested, recall twice, of which the second is shown: the first loads what later ones
    have."""
    async with Home(home).client() as client:
        await client.remember(user_id="demo", session_id="s1", messages=(MESSAGE,))
        digestion = await asyncio.to_thread(receiver.awaited, "digest observe", within_s=PATIENCE_S)
        for _ in range(2):
            await client.recall(user_id="demo", session_id="s1", query=QUESTION)
    write = await asyncio.to_thread(receiver.awaited, "POST /v1/interactions")
    recalls = await asyncio.to_thread(receiver.awaited, "POST /v1/recall", 2)
    print(f"The write, trace {write[-1].trace_id}\n")
    show(receiver, write[-1])
    print("\nIts digestion, a trace of its own, linked to the span of the write that recorded the message\n")
    show(receiver, digestion[-1])
    print(f"\nA recall, trace {recalls[-1].trace_id}\n")
    show(receiver, recalls[-1])


def show(receiver: Receiver, span: ReceivedSpan) -> None:
    """Print the trace of a span."""
    for line in tree_of(receiver.of_trace(span.trace_id)):
        print(f"  {line}")


def main() -> None:
    """Bring a stack up, show, and end it."""
    with tempfile.TemporaryDirectory(prefix="ragpp-traces-") as folder, receiving() as receiver:
        home = Path(folder) / "stack"
        environment = os.environ | {"RAGPP_HOME": str(home), "TRACING_ENDPOINT": receiver.url, "GATEWAY_PORT": "0"}
        try:
            command = [sys.executable, "-m", "ragpp_infra.cli.main", "up"]
            subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
            asyncio.run(act(home, receiver))
        finally:
            lifecycle = Lifecycle(home)
            lifecycle.bring_down(fast=True)
            for elsewhere in lifecycle.stack.folders_elsewhere():
                shutil.rmtree(elsewhere, ignore_errors=True)


if __name__ == "__main__":
    main()
