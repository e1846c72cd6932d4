"""Doing a batch of work under its lease, so that one bad event never stops the others."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

import structlog

from ragpp.errors import Conflict, LedgerError, MemorySystemError, Outdated, TierUnavailable
from ragpp.errors.summaries import safe_summary, trace_of
from ragpp.ledger import Result, Work, WorkKey
from ragpp.observability import metrics, traces
from ragpp.observability.correlation import working_for
from ragpp.tiers import MemoryTier
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.again import extract_or_look_again
from ragpp_services.workers.stages.catalog.working import work_on_catalog
from ragpp_services.workers.stages.erase import erase
from ragpp_services.workers.stages.maintain import maintain
from ragpp_services.workers.stages.observe import observe
from ragpp_services.workers.stages.reflect import reflect
from ragpp_services.workers.stages.repair import forget, short_term
from ragpp_services.workers.stages.stage import Stage, is_down
from ragpp_services.workers.stages.views import in_built_views, in_each_view

LEASE_S: Final = 20.0
"""How long a killed worker delays its events; a living one renews after each third of it."""

FRESH_STARTS: Final = 3
"""So often a stage begins anew at once when something was forgotten meanwhile; then it waits a little."""
FINISH_PAUSES_S: Final = (0.1, 0.5, 2.0, 4.0)


def _all_tiers(parts: WorkerParts) -> Sequence[MemoryTier]:
    return tuple(parts.by_name().values())


def _learned_tiers(parts: WorkerParts) -> Sequence[MemoryTier]:
    return parts.episodic, parts.semantic, parts.procedural


STAGES: Final[Mapping[str, Stage]] = {
    "observe": Stage(in_built_views(observe), _all_tiers, embeds=True),
    "short_term": Stage(in_each_view(short_term), lambda parts: (parts.episodic, parts.short_term)),
    "forget": Stage(forget, _all_tiers),
    "extract": Stage(in_each_view(extract_or_look_again), _learned_tiers, embeds=True, batch=1),
    "reflect": Stage(in_each_view(reflect), _learned_tiers, embeds=True, batch=1),
    "maintain": Stage(in_built_views(maintain), _all_tiers, batch=8, at_once=1),
    "erase": Stage(erase, _all_tiers, batch=1, at_once=1),
    "catalog": Stage(work_on_catalog, lambda parts: (parts.episodic, parts.catalog), embeds=True, batch=1),
}
"""The stages. What takes long goes one at a time, so that its lease is its own. Few at once: two batches keep a process
busy; with four a fresh message of another user waited 2.4 s beside a backlog, not 0.9 (p95, `make prove-workers`)."""
_log = structlog.stdlib.get_logger(__name__)


async def digest(parts: WorkerParts, batch: Sequence[Work], owner: str) -> None:
    """Do `batch`, the work of one stage for any users that `owner` has leased, and finish or fail each of it in the
    ledger.

    What `owner` holds no longer when it is done is left to whoever does. Raises TierUnavailable when PostgreSQL itself
    is down; the lease then runs out and everything is handed out again.
    """
    by_user: dict[tuple[str, str], list[Work]] = defaultdict(list)
    for work in batch:
        by_user[work.scope.user_key].append(work)
    digesting = [asyncio.create_task(_digest_user(parts, of_user, owner)) for of_user in by_user.values()]
    keys = [work.key for work in batch]
    try:
        async with _lease(parts, keys, owner, digesting):
            # all of them end before the lease does, also when one of them raises
            ends = await asyncio.gather(*digesting, return_exceptions=True)
    except asyncio.CancelledError:  # the process ends: no attempt of theirs
        await parts.ledger.postpone(keys, owner, "the worker ended")
        raise
    for end in ends:
        if isinstance(end, Exception):
            raise end


async def _digest_user(parts: WorkerParts, batch: Sequence[Work], owner: str) -> None:
    """Do the work of one stage for one user.

    When the batch fails as a whole, its events are done one by one: the poisoned one fails alone, with its error.
    Only what a stage needs being down puts them back as they are.
    """
    name = batch[0].key.stage
    causes = [work.traceparent for work in batch if work.traceparent is not None]
    with (
        working_for([work.request_id for work in batch if work.request_id is not None]),
        traces.work(f"digest {name}", causes, stage=name, works=len(batch), attempt=batch[0].attempts),
    ):
        await _do_batch(parts, batch, owner)


async def _do_batch(parts: WorkerParts, batch: Sequence[Work], owner: str) -> None:
    stage = STAGES[batch[0].key.stage]
    began = time.perf_counter()
    try:
        results = await _on_what_is_left(parts, stage, batch)
    except MemorySystemError as error:
        await _after_failure(parts, stage, batch, owner, error)
    except Exception as error:  # noqa: BLE001 - a bug that one event triggers must not hold up the rest
        _log.error("work.crashed", stage=batch[0].key.stage, error=safe_summary(error), where=trace_of(error))
        await _after_failure(parts, stage, batch, owner, error)
    else:
        await _finish(parts, batch, owner, results)
        seconds = time.perf_counter() - began
        metrics.batch_worked(batch[0].key.stage, seconds)
        elapsed_ms = round(seconds * 1_000, 1)
        _log.info("work.done", stage=batch[0].key.stage, works=len(batch), elapsed_ms=elapsed_ms)


async def _on_what_is_left(parts: WorkerParts, stage: Stage, batch: Sequence[Work]) -> Mapping[WorkKey, Result] | None:
    """Do the work, and do it again when something was forgotten between its reading and its writing."""
    for _ in range(FRESH_STARTS):
        with suppress(Outdated):
            return await stage.work(parts, batch)
    return await stage.work(parts, batch)


async def _finish(
    parts: WorkerParts, works: Sequence[Work], owner: str, results: Mapping[WorkKey, Result] | None
) -> None:
    """Tell the ledger, again and again while the lease lasts: what is done would be done anew, and its user wait."""
    keys = [work.key for work in works]
    for pause_s in FINISH_PAUSES_S:
        try:
            await parts.ledger.finish(keys, owner, results)
        except TierUnavailable as error:
            _log.warning("work.not_finished", owner=owner, error=safe_summary(error))
            await asyncio.sleep(pause_s)
        else:
            break
    else:
        await parts.ledger.finish(keys, owner, results)
    metrics.work_ended(keys[0].stage, "done", len(keys))
    if keys[0].stage == "observe":
        now = parts.clock()
        for recorded_at in [work.recorded_at for work in works if work.recorded_at is not None]:
            metrics.digested((now - recorded_at).total_seconds())
    traces.note(status="done")


async def _after_failure(parts: WorkerParts, stage: Stage, batch: Sequence[Work], owner: str, error: Exception) -> None:
    if await _outage(parts, stage, error):
        await _postpone(parts, batch, owner, error)
    elif len(batch) == 1:
        await _fail(parts, batch[0], owner, error)
    else:
        await _one_by_one(parts, stage, batch, owner)


async def _one_by_one(parts: WorkerParts, stage: Stage, batch: Sequence[Work], owner: str) -> None:
    for position, work in enumerate(batch):
        try:
            results = await _on_what_is_left(parts, stage, [work])
        except Exception as error:  # noqa: BLE001 - as in `_digest_user`
            if await _outage(parts, stage, error):
                await _postpone(parts, batch[position:], owner, error)
                return
            await _fail(parts, work, owner, error)
        else:
            await _finish(parts, [work], owner, results)


async def _outage(parts: WorkerParts, stage: Stage, error: Exception) -> bool:
    """True where the error is of something that is down, or of somebody who goes on forgetting, which is nobody's
    fault: the event waits for it, however long.

    A retryable error while everything is up, such as a text that the embedder refuses or that takes it too long, is
    the event's own: it would come again for ever.
    """
    if isinstance(error, Outdated):
        return True
    return isinstance(error, MemorySystemError) and error.retryable and await is_down(parts, stage)


async def _postpone(parts: WorkerParts, batch: Sequence[Work], owner: str, error: Exception) -> None:
    await parts.ledger.postpone([work.key for work in batch], owner, safe_summary(error))
    metrics.work_ended(batch[0].key.stage, "postponed", len(batch))
    traces.note(status="postponed")


async def _fail(parts: WorkerParts, work: Work, owner: str, error: Exception) -> None:
    with suppress(LedgerError):  # the lease was lost: whoever holds it now decides
        text = safe_summary(error)
        state = await parts.ledger.fail(work.key, owner, text, retryable=not isinstance(error, ValueError | Conflict))
        metrics.work_ended(work.key.stage, "failed")
        traces.note(status="failed", code=error.code if isinstance(error, MemorySystemError) else type(error).__name__)
        _log.warning("work.failed", event_id=work.key.event_id, stage=work.key.stage, state=state, error=text)


@asynccontextmanager
async def _lease(
    parts: WorkerParts, keys: Sequence[WorkKey], owner: str, digesting: Sequence[asyncio.Task[None]]
) -> AsyncIterator[None]:
    """Hold `keys` while inside. When none of them is held any more, as by a process that was stopped for long, what is
    still being done about them is cancelled: another has it."""

    async def keep() -> None:
        while True:
            await asyncio.sleep(LEASE_S / 3)
            try:
                held = await parts.ledger.renew(keys, owner, LEASE_S)
            except MemorySystemError as error:
                _log.warning("lease.not_renewed", owner=owner, error=safe_summary(error))
                continue
            if not held:
                for task in digesting:
                    task.cancel()

    beat = asyncio.create_task(keep())
    try:
        yield
    finally:
        beat.cancel()
        with suppress(asyncio.CancelledError):
            await beat
