"""The oracle's workers in this process: stopped at any of their store calls and statements, or cancelled there."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import uuid4

from ragpp.errors import LedgerError, Outdated, TierUnavailable
from ragpp.ledger import Work
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.running.digest import LEASE_S, STAGES, digest
from tests.support.oracle_script import Disturb
from tests.support.real_gateway import RealGateway
from tests.support.stopping import Stop, run_with

BRIEF_S: Final = 0.2
"""How long a worker that is to be disturbed holds its lease: so soon another one may take over."""


@dataclass
class LocalWorkers:
    """`gateway` has the worker that does the work; `disturbed`: one of its own connections, whose calls have points."""

    gateway: RealGateway
    disturbed: WorkerParts | None = None
    _stopped: list[tuple[asyncio.Task[object], Stop]] = field(default_factory=list)

    async def digest(self, tenant_id: str) -> None:
        """As RealGateway.digest."""
        await self.gateway.digest(tenant_id)

    async def disturb(self, step: Disturb, tenant_id: str) -> str | None:
        """Begin what is due of the stage, or of any, and stop or kill its worker at the point."""
        if self.disturbed is None:
            return None
        for stage in dict.fromkeys((step.stage, *STAGES)):
            works = await self._lease(stage, tenant_id)
            if works:
                return await self._hold(self.disturbed, step, stage, works)
        return None

    async def go_on(self) -> None:
        """Let the stopped ones go on, and end as they may."""
        stopped, self._stopped = self._stopped, []
        for task, stop in stopped:
            stop.go.set()
            (end,) = await asyncio.gather(task, return_exceptions=True)
            if isinstance(end, BaseException) and not isinstance(end, Outdated | TierUnavailable | LedgerError):
                raise end

    async def _lease(self, stage: str, tenant_id: str) -> Sequence[Work]:
        """Works of the stage of one user of the tenant; those of others are done in passing."""
        ledger, owner = self.gateway.worker.ledger, f"dies-{uuid4().hex}"
        works = await ledger.lease(stage, limit=STAGES[stage].batch, owner=owner, lease_s=BRIEF_S, users=1)
        foreign = [work for work in works if work.scope.tenant_id != tenant_id]
        if foreign:
            await ledger.renew([work.key for work in foreign], owner, LEASE_S)
            await digest(self.gateway.worker, foreign, owner)
        return [work for work in works if work.scope.tenant_id == tenant_id]

    async def _hold(self, parts: WorkerParts, step: Disturb, stage: str, works: Sequence[Work]) -> str:
        stop = Stop(step.at)
        running: asyncio.Task[object] = asyncio.create_task(run_with(stop, STAGES[stage].work(parts, works)))
        reached = asyncio.create_task(stop.reached.wait())
        await asyncio.wait({running, reached}, return_when=asyncio.FIRST_COMPLETED)
        reached.cancel()
        if running.done():
            await asyncio.gather(running, return_exceptions=True)
            return "workers that died before they said that they were done"
        if step.how == "kill":
            running.cancel()
            stop.go.set()  # what rolls back behind it has points of its own
            await asyncio.gather(running, return_exceptions=True)
            return "workers killed"
        self._stopped.append((running, stop))
        return "workers stopped"
