"""Each container of a running `docker compose` is killed in turn and comes back, and nothing acknowledged is lost.

    python -m benchmarks.prove_containers [--url http://127.0.0.1:8700] [--key KEY] [NAME ...]

To be run in the folder of docker-compose.yml by root on the engine's own host: a container is killed by ending its main
process from outside, since Docker does not start again what was ended by its own `kill`. Meanwhile messages are written
and asked for. Told are, for each, the seconds until it ran again, until a recall was complete and a write acknowledged,
and until it was healthy; then how many of the acknowledged messages are lost, and where containers have written: every
change of a file system must be on a volume or in memory. Exit code 1 when anything is not as it is to be.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import uuid4

from ragpp.api import MessageIn
from ragpp.client import AsyncMemoryClient
from ragpp.errors import MemorySystemError, NotFound

USER: Final = f"containers-{uuid4().hex[:8]}"
PATIENCE_S: Final = 180.0
POLL_S: Final = 0.1


def docker(*arguments: str) -> str:
    """The command's output. Raises CalledProcessError."""
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=True).stdout.strip()


def containers() -> list[str]:
    """The names of those of the project that run and are to stay, by name."""
    listed = docker("compose", "ps", "--format", "{{.Name}}").split()
    return sorted(name for name in listed if json.loads(docker("inspect", "-f", "{{json .State}}", name)).get("Health"))


@dataclass
class Watched:
    """One container from its end until it is well, in seconds; None what did not come about."""

    name: str
    running: float | None = None
    whole: float | None = None
    healthy: float | None = None
    recalls: Counter[str] = field(default_factory=Counter)
    writes: Counter[str] = field(default_factory=Counter)

    @property
    def well(self) -> bool:
        return None not in {self.running, self.whole, self.healthy}

    def told(self) -> str:
        seconds = (
            f"{what} {'never' if at is None else f'{at:.1f} s'}"
            for what, at in (("running", self.running), ("whole", self.whole), ("healthy", self.healthy))
        )
        return f"{self.name:24} {', '.join(seconds)}; recalls {dict(self.recalls)}, writes {dict(self.writes)}"


async def killed(client: AsyncMemoryClient, name: str, acknowledged: list[str]) -> Watched:
    """End the main process of `name`, and write and ask until it is well again or PATIENCE_S are over."""
    state = json.loads(docker("inspect", "-f", "{{json .State}}", name))
    started, watched, began = state["StartedAt"], Watched(name), time.monotonic()
    if state["Pid"] <= 0:  # told of one that does not run: a signal to 0 would end this process and those beside it
        return watched
    os.kill(state["Pid"], signal.SIGKILL)
    while not watched.well and time.monotonic() - began < PATIENCE_S:
        recall, write = await _recalled(client), await _written(client, name, acknowledged)
        watched.recalls[recall] += 1
        watched.writes[write] += 1
        state = json.loads(docker("inspect", "-f", "{{json .State}}", name))
        seconds = time.monotonic() - began
        if watched.running is None and state["Running"] and state["StartedAt"] != started:
            watched.running = seconds
        if watched.running is not None and watched.whole is None and (recall, write) == ("complete", "acknowledged"):
            watched.whole = seconds
        if watched.running is not None and watched.healthy is None and state["Health"]["Status"] == "healthy":
            watched.healthy = seconds
        await asyncio.sleep(POLL_S)
    return watched


async def _recalled(client: AsyncMemoryClient) -> str:
    try:
        return (await client.recall(user_id=USER, session_id="s", query="Where was the heron?")).status
    except MemorySystemError as error:
        return error.code


async def _written(client: AsyncMemoryClient, name: str, acknowledged: list[str]) -> str:
    message = MessageIn(id=uuid4().hex, name="Ann", content=f"While {name} was away there was a heron by the river.")
    try:
        await client.remember(user_id=USER, session_id="s", messages=(message,))
    except MemorySystemError as error:
        return error.code
    acknowledged.append(str(message.id))
    return "acknowledged"


async def lost(client: AsyncMemoryClient, ids: Sequence[str]) -> list[str]:
    """Those of `ids` that are not there."""
    missing = []
    for one in ids:
        try:
            await client.interaction(USER, one)
        except NotFound:
            missing.append(one)
    return missing


def written_beside_volumes(name: str) -> list[str]:
    """Changes in the container's own layer that are no place where something is mounted, nor above one."""
    mounts = [line.split()[1] for line in docker("exec", name, "cat", "/proc/mounts").splitlines()]
    changed = [line.partition(" ")[2] for line in docker("diff", name).splitlines()]
    return [path for path in changed if not any(f"{mount}/".startswith(f"{path}/") for mount in mounts)]


async def main() -> int:
    """Run it; 0 when all is as it is to be."""
    parser = argparse.ArgumentParser(description="Kill each container of a running `docker compose` in turn.")
    parser.add_argument("--url", default="http://127.0.0.1:8700")
    parser.add_argument("--key", default=os.environ.get("RAGPP_API_KEY"), help="RAGPP_API_KEY, unless given")
    parser.add_argument("names", nargs="*", help="containers; all that run, unless given")
    given = parser.parse_args()
    names, acknowledged, failures = given.names or containers(), list[str](), list[str]()
    async with AsyncMemoryClient(given.url, given.key, timeout_s=10.0) as client:
        for name in names:
            watched = await killed(client, name, acknowledged)
            print(watched.told(), flush=True)
            failures += [] if watched.well else [f"{name} is not well"]
        missing = await lost(client, acknowledged)
        print(f"{len(acknowledged)} messages acknowledged, {len(missing)} lost")
        failures += [f"{len(missing)} messages are lost"] if missing else []
        deadline = time.monotonic() + PATIENCE_S
        while (pending := await client.pending(USER)) and time.monotonic() < deadline:
            await asyncio.sleep(POLL_S)
        print(f"{pending} of them not digested")
        failures += [f"{pending} messages are not digested"] if pending else []
    for name in names:
        elsewhere = written_beside_volumes(name)
        failures += [f"{name} has written {', '.join(elsewhere)}"] if elsewhere else []
    print(
        f"{len(names)} containers looked at: what they have written is on volumes and in memory" if not failures else ""
    )
    for failure in failures:
        print(f"FAILED: {failure}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
