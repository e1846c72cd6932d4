"""The oracle's workers as processes of their own: stopped by SIGSTOP, killed by SIGKILL, started again."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import asyncpg

from infra.embedded.stack import Stack
from tests.support.oracle import Oracle, client_of
from tests.support.oracle_playing import Moment, Stage
from tests.support.oracle_script import Disturb
from tests.support.real_gateway import open_gateway
from tests.support.services import ServiceProcess, running
from tests.support.waiting import eventually

DIGESTED_S: Final = 180.0
"""Longest wait for what is due: it may have to sit out the lease of a worker that was killed, and its start."""
AT_WORK_S: Final = 2.0
"""Longest wait for a worker to have something of the tenant in hand."""
POINT_S: Final = 0.004
"""Between two of the points at which a worker is stopped or killed."""
_COUNT: Final = "SELECT count(*) FROM ledger.work WHERE tenant_id = $1 AND state = ANY ($2)"


@dataclass
class ProcessWorkers:
    """Workers of a stack, one of which is disturbed at a time. `relay`: a connection that sees the ledger."""

    relay: asyncpg.Connection
    processes: list[ServiceProcess]
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    _paused: list[ServiceProcess] = field(default_factory=list)

    async def digest(self, tenant_id: str) -> None:
        """Return once nothing of the tenant waits. AssertionError with what the workers said when it takes too long."""

        async def nothing_waits() -> bool:
            return not await self._works(tenant_id, "pending", "leased")

        try:
            await eventually(nothing_waits, within_s=DIGESTED_S, what="everything is digested")
        except AssertionError as late:
            raise AssertionError("\n".join([str(late), *(process.said() for process in self.processes)])) from late

    async def disturb(self, step: Disturb, tenant_id: str) -> str | None:
        """Stop or kill one of the workers, when any has something of the tenant in hand."""
        try:
            await eventually(lambda: self._works(tenant_id, "leased"), within_s=AT_WORK_S, what="a worker is at work")
        except AssertionError:
            return None
        await asyncio.sleep(step.at * POINT_S)
        process = self.chance.choice(self.processes)
        if step.how == "stop":
            process.pause()
            self._paused.append(process)
            return "workers stopped"
        await asyncio.to_thread(process.kill)
        process.start()
        return "workers killed"

    async def go_on(self) -> None:
        """Let those that were stopped go on."""
        paused, self._paused = self._paused, []
        for process in paused:
            process.go_on()

    async def _works(self, tenant_id: str, *states: str) -> int:
        return int(await self.relay.fetchval(_COUNT, tenant_id, list(states)))


@asynccontextmanager
async def open_process_oracle(stack: Stack, folder: Path, *, workers: int = 2) -> AsyncIterator[Oracle]:
    """An oracle whose workers are processes. The gateway is in this one, so that a person's acts have their moments."""
    clock = Moment()
    async with open_gateway(stack.endpoints(), folder, clock=clock) as gateway:
        homes = [folder / f"worker-{number}" for number in range(1, workers + 1)]
        for home in homes:
            home.mkdir(exist_ok=True)
        settings = {**gateway.settings, "LOG_LEVEL": "INFO"}
        processes = [ServiceProcess("services.workers", settings, home) for home in homes]
        relay = await asyncpg.connect(gateway.settings["POSTGRES_RELAY_DSN"])
        with running(*processes):
            at_work = ProcessWorkers(relay, processes)
            try:
                yield Oracle(stack, gateway, Stage(client_of(gateway), gateway.worker.ledger, at_work, clock))
            finally:
                await at_work.go_on()
                await relay.close()
