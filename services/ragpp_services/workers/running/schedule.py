"""Work that is due without anybody asking: extraction when a user is quiet, reflection each night, upkeep each day.

Whether something is due is decided by pure functions of the clock and of what the ledger holds. However many workers
run, one of them keeps the schedule; a tick that comes twice all the same asks for nothing twice.
"""

import asyncio
import time as elapsed
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final, Protocol

import structlog

from ragpp.catalog import EVERYBODY
from ragpp.clock import Clock
from ragpp.errors import MemorySystemError, TierUnavailable
from ragpp.errors.summaries import safe_summary
from ragpp.ledger.schedule import AT_ONCE, KeptUp, ScheduleLedger, Settled, Unreflected
from ragpp_services.workers.learning.days import known_zone
from ragpp_services.workers.parts import LearningPolicy, SchedulePolicy, Tick, WorkerParts

SCHEDULE: Final = "schedule"
HELD_S: Final = 20.0
"""How long the schedule waits for a worker that keeps it and no longer says so."""
LOOKED_S: Final = 5.0
"""How often a worker asks for it: another takes over within the two together."""
PRUNED_AT_ONCE: Final = 10_000
BACKUP_BEGUN: Final = timedelta(days=1)
"""How much longer than the marks the deletions in the audit are kept: a backup carries both, and takes a while."""
MOST_DAYS: Final = 7
"""Nights that are made up for after the workers were down."""
DECAY_DAYS: Final = 120
"""How long after the last message decay is persisted and what faded archived; by then everything has faded."""
SENTENCES_DAY: Final = 1
"""On which day of a month those who have said nothing for that long have their sentences looked after, which every task
of an upkeep does besides: all that is left of them is from before there were sentences."""
_log = structlog.stdlib.get_logger(__name__)


def settled_at(policy: SchedulePolicy, now: datetime) -> Settled:
    """The conditions at `now` for a user's window to be extracted."""
    return Settled(now - policy.quiet, policy.interactions, now - policy.every)


def night_after(day: date, zone: tzinfo, hour: int) -> datetime:
    """When the reflection on a local day is due: at `hour` of the next day, on the clocks of `zone`.

    An hour that the clocks skip is the moment at which they do; of one that comes twice it is the first.
    """
    return datetime.combine(day + timedelta(days=1), time(hour), zone)


def night_of(moment: datetime, zone: tzinfo, hour: int) -> datetime:
    """When the reflection on the local day of `moment` is due."""
    return night_after(moment.astimezone(zone).date(), zone, hour)


def end_of(day: date, zone: tzinfo) -> datetime:
    """The first moment of the next local day."""
    return datetime.combine(day + timedelta(days=1), time.min, zone)


def days_due(moments: Iterable[datetime], zone: tzinfo, hour: int, now: datetime) -> list[date]:
    """The local days, oldest first, on which one of `moments` lies and whose night has come by `now`; of those that
    ended more than MOST_DAYS ago none."""
    today = now.astimezone(zone).date()
    days = sorted({moment.astimezone(zone).date() for moment in moments})
    return [day for day in days if (today - day).days <= MOST_DAYS and night_after(day, zone, hour) <= now]


def upkeep_day(now: datetime, maintain_at: int) -> date:
    """The day in UTC whose upkeep is due at `now`: the day before until `maintain_at`."""
    return (now - timedelta(hours=maintain_at)).date()


def upkeep_tasks(user: KeptUp, now: datetime, learning: LearningPolicy) -> Sequence[str]:
    """The tasks of the daily upkeep of a user's memory; of what all users share there is the catalog alone."""
    tasks = []
    if user.scope.user_id == EVERYBODY:
        pass
    elif now - user.stored_at < timedelta(days=DECAY_DAYS):
        tasks.append("decay")
    elif now.day == SENTENCES_DAY:
        tasks.append("sentences")
    if user.catalog:
        tasks.append("catalog")
    of_entries = learning.entries is not None and user.catalog and now.toordinal() % learning.cleanup_days == 0
    if learning.retention or of_entries:
        tasks.append("retention")
    return tasks


class PrunedGraph(Protocol):
    """The graph, as far as the schedule has to do with it."""

    async def prune_forgotten(self, before: datetime, limit: int) -> int:
        """As `ragpp.tiers.SemanticTier` says."""
        ...


class Scheduler:
    """Asks the ledger for what is due, and has what is old pruned, in the `graph`, too. Raises, from any method:
    TierUnavailable when PostgreSQL, or for pruning Neo4j, does not answer."""

    def __init__(
        self,
        ledger: ScheduleLedger,
        policy: SchedulePolicy,
        learning: LearningPolicy,
        clock: Clock,
        graph: PrunedGraph,
    ) -> None:
        self._ledger, self._policy, self._learning, self._clock = ledger, policy, learning, clock
        self._graph = graph

    async def tick(self, what: Tick) -> int:
        """Look once; returns how much was asked for."""
        ticks = {"extract": self.extract, "reflect": self.reflect, "maintain": self.maintain, "prune": self.prune}
        tick = ticks[what]
        asked = await tick()
        if asked:
            _log.info("schedule.asked", what=what, asked=asked)
        return asked

    async def extract(self) -> int:
        """Ask for an extraction for whoever is quiet, said much, or waits for long."""
        settled = settled_at(self._policy, self._clock())
        asked = 0
        for user in await self._ledger.users_to_extract(settled):
            with _apart():
                asked += await self._ledger.request_extract(user, settled) is not None
        return asked

    async def reflect(self) -> int:
        """Ask for the nightly reflections that are due, those included that nobody asked for while all were down."""
        now = self._clock()
        asked = users = 0
        for user in await self._ledger.unreflected(now):
            if users >= AT_ONCE:
                break
            zone, hour = _zone(user), user.settings.reflect_at
            if night_of(user.first, zone, hour) > now:
                continue
            users += 1
            with _apart():
                said = [at for at in await self._ledger.quarters(user.scope) if night_of(at, zone, hour) <= now]
                due = {day: end_of(day, zone) for day in days_due(said, zone, hour, now)}
                asked += await self._ledger.request_reflections(user.scope, due, str(zone), said)
        return asked

    async def maintain(self) -> int:
        """Ask for the upkeep of everybody's memory, once a day."""
        now = self._clock()
        today = upkeep_day(now, self._policy.maintain_at)
        asked = 0
        for user in await self._ledger.users_to_maintain(today):
            with _apart():
                tasks = upkeep_tasks(user, now, self._learning)
                await self._ledger.request_maintenance(user.scope, tasks, today)
                asked += len(tasks)
        for scope in await self._ledger.users_with_unbuilt_views():
            with _apart():
                await self._ledger.request_views(scope, now.date())
        return asked

    async def prune(self) -> int:
        """Let finished work of long ago go, with its events, the marks of what was forgotten long ago, and entries of
        the audit; a part of it, the next tick goes on."""
        now = self._clock()
        pruned = 0
        if self._policy.keep is not None:
            pruned += await self._ledger.prune(now - self._policy.keep, PRUNED_AT_ONCE)
        forgotten_before = now - self._policy.keep_marks
        pruned += await self._ledger.prune_forgotten(forgotten_before, PRUNED_AT_ONCE)
        if self._policy.keep_audit is not None:
            before = now - self._policy.keep_audit
            told_before = min(before, forgotten_before - BACKUP_BEGUN)
            pruned += await self._ledger.prune_audit(before, told_before, PRUNED_AT_ONCE)
        return pruned + await self._graph.prune_forgotten(forgotten_before, PRUNED_AT_ONCE)


@contextmanager
def _apart() -> Iterator[None]:
    """Log what goes wrong with one user's memory, so that it keeps nobody else's from its turn. A store that is down is
    everybody's."""
    try:
        yield
    except TierUnavailable:
        raise
    except Exception as error:  # noqa: BLE001 - as above
        _log.error("schedule.user_left_out", error=safe_summary(error))


async def keep_schedule(parts: WorkerParts, ledger: ScheduleLedger, owner: str) -> None:
    """Tick as often as the policy says while `owner` keeps the schedule, and ask for it while it does not; ends by
    being cancelled, which leaves it to whoever asks next."""
    scheduler = Scheduler(ledger, parts.due, parts.learning, parts.clock, parts.semantic)
    next_at: dict[Tick, float] = dict.fromkeys(parts.due.ticks, 0.0)
    pause_s = min([LOOKED_S, *parts.due.ticks.values()])
    try:
        while True:
            try:
                if await parts.ledger.hold(SCHEDULE, owner, HELD_S):
                    for what, every_s in parts.due.ticks.items():
                        if elapsed.monotonic() >= next_at[what]:
                            next_at[what] = elapsed.monotonic() + every_s
                            await scheduler.tick(what)
            except MemorySystemError as error:  # the next tick asks again
                _log.warning("schedule.waiting", error=safe_summary(error))
            except Exception as error:  # noqa: BLE001 - a schedule that ends would leave undone what nobody asks for
                _log.error("schedule.crashed", error=safe_summary(error))
            await asyncio.sleep(pause_s)
    finally:
        with suppress(MemorySystemError):
            await parts.ledger.let_go(SCHEDULE, owner)


def _zone(user: Unreflected) -> tzinfo:
    zone = known_zone(user.settings.time_zone)
    if str(zone) != user.settings.time_zone:
        _log.warning("schedule.unknown_zone", time_zone=user.settings.time_zone)
    return zone
