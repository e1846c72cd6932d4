"""One report at a time: whoever asks while one is being made is answered with that one."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from time import perf_counter
from typing import Final

from ragpp.api import CheckStatus, Growth, HealthCheck, HealthReport, ReportStatus, TierReport
from ragpp.errors import MemorySystemError
from ragpp.health import StoreState
from ragpp.ledger.scratch import ScratchLedger
from ragpp.models import Scope, TierName
from ragpp.retention import RetentionPolicy
from ragpp_services.gateway.health import scratch, states
from ragpp_services.gateway.health.checks import Checks, Wrong, cause_of
from ragpp_services.gateway.health.kept import KeptReports
from ragpp_services.gateway.health.observed import cache_uses, latency_of
from ragpp_services.gateway.health.trial import TARGETS_MS, Trial
from ragpp_services.gateway.parts import Parts

_WORST_FIRST: Final[Sequence[CheckStatus]] = ("failed", "skipped", "slow", "ok")
ENDING_S: Final = 5.0
_DAY: Final = timedelta(days=1)


class HealthReporter:
    """Makes reports. `retention`: the operator's policies by plan."""

    def __init__(self, ledger: ScratchLedger, kept: KeptReports, retention: Mapping[str, RetentionPolicy]) -> None:
        self._ledger, self._kept, self._retention = ledger, kept, dict(retention)
        self._making: asyncio.Task[HealthReport] | None = None

    async def make(self, parts: Parts) -> HealthReport:
        """Try everything and tell; some seconds, or a minute where the workers do nothing."""
        if self._making is None or self._making.done():
            self._making = asyncio.create_task(self._make(parts))
        return await asyncio.shield(self._making)

    async def close(self) -> None:
        """End a report that is being made, before what it tries out is closed. What it leaves the next one sweeps."""
        if self._making is not None and not self._making.done():
            self._making.cancel()
            await asyncio.wait({self._making}, timeout=ENDING_S)

    async def last(self) -> HealthReport | None:
        """The latest, None where none was made."""
        return await self._kept.last()

    async def _make(self, parts: Parts) -> HealthReport:
        began, clock_began = parts.clock(), perf_counter()
        checks, scope = Checks(), scratch.new_scope()
        found = await states.reach(checks, parts.by_name())
        states.look_at(checks, found, parts.version, parts.audit.folder)
        try:
            await Trial(parts, self._ledger, checks, scope).run()
        finally:
            await self._sweep(parts, checks, scope)
        before = await self._kept.to_compare(began - _DAY)
        report = HealthReport(
            status=_status(checks.made),
            began_at=began,
            took_ms=1_000 * (perf_counter() - clock_began),
            version=parts.version,
            alerts=_alerts(checks.made),
            checks=tuple(checks.made),
            tiers={name: _tier(name, checks.made, found.get(name), before) for name in parts.by_name()},
            caches=cache_uses(),
            retention=self._retention,
        )
        await self._kept.keep(report)
        return report

    async def _sweep(self, parts: Parts, checks: Checks, scope: Scope) -> None:
        async def swept() -> int:
            failed = await scratch.erase(parts, scope)
            if failed:
                raise Wrong(f"not yet erased: {'; '.join(f'{tier}: {why}' for tier, why in failed.items())}")
            left = await scratch.left(parts, scope)
            if left:
                raise Wrong(f"after the erasure there is {left}")
            if not await scratch.sweep(parts, self._ledger, scope):
                raise Wrong("a worker is still at what was written")
            tombstones = await self._ledger.tombstones(scope, scratch.SOURCES)
            if tombstones:
                raise Wrong(f"{tombstones} rows of the ledger are left")
            try:
                return await scratch.sweep_left_behind(parts, self._ledger, parts.clock())
            except MemorySystemError as error:
                raise Wrong(f"of an earlier report something is left: {cause_of(error)}") from error

        await checks.make(
            "sweep",
            swept,
            timeout_s=60.0,
            told=lambda earlier: "nothing is left" + (f", nor of {earlier} earlier reports" if earlier else ""),
        )


def _status(made: Sequence[HealthCheck]) -> ReportStatus:
    if any(check.status == "failed" and check.name not in {"sweep", "disk", "memory", "clock"} for check in made):
        return "failing"
    return "healthy" if all(check.status == "ok" for check in made) else "degraded"


def _alerts(made: Sequence[HealthCheck]) -> tuple[str, ...]:
    wrong = [check for check in made if check.status in {"failed", "slow"}]
    wrong.sort(key=lambda check: _WORST_FIRST.index(check.status))
    return tuple(f"{check.name}: {check.cause}" for check in wrong)


def _tier(
    name: TierName, made: Sequence[HealthCheck], state: StoreState | None, before: HealthReport | None
) -> TierReport:
    statuses = [check.status for check in made if check.tier == name]
    return TierReport(
        status=min(statuses, key=_WORST_FIRST.index, default="ok"),
        target_ms=TARGETS_MS[name],
        state=state,
        observed=latency_of(name, TARGETS_MS[name]),
        growth=_growth(name, state, before),
    )


def _growth(name: TierName, state: StoreState | None, before: HealthReport | None) -> Growth | None:
    earlier = before.tiers.get(name) if before is not None else None
    if state is None or before is None or earlier is None or earlier.state is None:
        return None
    then, kinds = earlier.state, {*state.holds, *earlier.state.holds}
    more = {kind: state.holds.get(kind, 0) - then.holds.get(kind, 0) for kind in sorted(kinds)}
    tells = state.bytes is not None and then.bytes is not None
    return Growth(
        since=before.began_at,
        kinds={kind: count for kind, count in more.items() if count},
        bytes=(state.bytes or 0) - (then.bytes or 0) if tells else None,
    )
