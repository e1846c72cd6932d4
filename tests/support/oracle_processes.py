"""The oracle's workers as processes of their own: stopped by SIGSTOP, killed by SIGKILL, started again."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import asyncpg

from tests.support.oracle import Oracle, client_of
from tests.support.oracle_exclusions import OF_PROCESSES
from tests.support.oracle_playing import Moment, Stage
from tests.support.oracle_script import Disturb
from tests.support.real_gateway import open_gateway
from tests.support.services import ServiceProcess, running
from tests.support.stacks import StoreStack
from tests.support.waiting import eventually

DIGESTED_S: Final = 180.0
"""Longest wait for what is due: it may have to sit out the lease of a worker that was killed, and its start."""
AT_WORK_S: Final = 20.0
"""Longest wait for a worker to have something of the tenant in hand."""
LOOK_S: Final = 0.002
POINT_S: Final = 0.001
"""Between two of the points at which a worker is stopped or killed."""
_COUNT: Final = "SELECT count(*) FROM ledger.work WHERE tenant_id = $1 AND state = ANY ($2)"
_AT_WORK: Final = """
    SELECT split_part(lease_owner, ':', 2)::int FROM ledger.work
     WHERE tenant_id = $1 AND state = 'leased' ORDER BY stage = $2 DESC, event_id LIMIT 1"""


@dataclass
class ProcessWorkers:
    """Workers of a stack, one of which is disturbed at a time: the next that has something of the tenant in hand.
    `tally` counts what became of them; `relay`: a connection that sees the ledger."""

    relay: asyncpg.Connection
    processes: list[ServiceProcess]
    tally: Counter[str] = field(default_factory=Counter)
    _paused: list[ServiceProcess] = field(default_factory=list)
    _striking: asyncio.Task[None] | None = None
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def digest(self, tenant_id: str) -> None:
        """Return once nothing of the tenant waits. AssertionError with what the workers said when it takes too long."""

        async def nothing_waits() -> bool:
            async with self._asking:
                return not await self.relay.fetchval(_COUNT, tenant_id, ["pending", "leased"])

        try:
            await eventually(nothing_waits, within_s=DIGESTED_S, what="everything is digested")
        except AssertionError as late:
            raise AssertionError("\n".join([str(late), *(process.said() for process in self.processes)])) from late

    async def disturb(self, step: Disturb, tenant_id: str) -> str | None:
        """Stop or kill whoever next has work of the tenant in hand, of the stage before any other."""
        await self._leave_off()
        self._striking = asyncio.create_task(self._strike(step, tenant_id))
        return None

    async def go_on(self) -> None:
        """Let those that were stopped go on."""
        await self._leave_off()
        paused, self._paused = self._paused, []
        for process in paused:
            process.go_on()

    async def _leave_off(self) -> None:
        striking, self._striking = self._striking, None
        if striking is not None:
            striking.cancel()  # one that has failed says so
            with suppress(asyncio.CancelledError):
                await striking

    async def _strike(self, step: Disturb, tenant_id: str) -> None:
        deadline = time.monotonic() + AT_WORK_S
        while time.monotonic() < deadline:
            async with self._asking:
                pid = await self.relay.fetchval(_AT_WORK, tenant_id, step.stage)
            running = [process for process in self.processes if process not in self._paused]
            for process in running:
                if process.pid == pid:
                    await asyncio.sleep(step.at * POINT_S)
                    self._hit(process, step.how if len(running) > 1 else "kill")
                    return
            await asyncio.sleep(LOOK_S)

    def _hit(self, process: ServiceProcess, how: Literal["stop", "kill"]) -> None:
        if how == "stop":
            process.pause()
            self._paused.append(process)
            self.tally["worker processes stopped"] += 1
        else:
            process.kill()
            process.start()
            self.tally["worker processes killed"] += 1


@asynccontextmanager
async def open_process_oracle(stack: StoreStack, folder: Path, *, workers: int = 2) -> AsyncIterator[Oracle]:
    """An oracle whose workers are processes. The gateway is in this one, so that a person's acts have their moments."""
    clock = Moment()
    async with open_gateway(stack.endpoints(), folder, clock=clock) as gateway:
        homes = [folder / f"worker-{number}" for number in range(1, workers + 1)]
        for home in homes:
            home.mkdir(exist_ok=True)
        settings = {**gateway.settings, "LOG_LEVEL": "INFO"}
        processes = [ServiceProcess("ragpp_services.workers", settings, home) for home in homes]
        relay = await asyncpg.connect(gateway.settings["POSTGRES_RELAY_DSN"])
        with running(*processes):
            at_work = ProcessWorkers(relay, processes)
            ledger, episodic = gateway.worker.ledger, gateway.parts.episodic
            stage = Stage(client_of(gateway), ledger, episodic, at_work, clock, at_work.tally)
            try:
                yield Oracle(stack, gateway, stage, OF_PROCESSES)
            finally:
                await at_work.go_on()
                await relay.close()
