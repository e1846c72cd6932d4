"""Work as jobs: what a tenant may ask for, look at, retry and cancel, and how far behind the workers are."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from ragpp.catalog import EVERYBODY
from ragpp.clock import Clock
from ragpp.errors import Conflict, NotFound
from ragpp.fields import RESERVED
from ragpp.jobs import Job, JobState, LagReport, StageLag, UserSettings
from ragpp.ledger.erasing import RESOURCES_TO_DO, TO_DO, Erasure, request_erasure
from ragpp.ledger.events import SQL, RequestKind, Stage, lock_user, request, request_anew
from ragpp.ledger.windows import AGAIN
from ragpp.ledger.work import read_settings
from ragpp.models import Page, Scope
from ragpp.stores.cursors import decode_cursor, encode_cursor
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import Connection, Pool, tenant_transaction, tenant_tx

if TYPE_CHECKING:
    import asyncpg

_ID: Final = re.compile(r"([0-9]{1,18})\.([a-z_]{1,32})")
FORGETTING: Final = frozenset({"forget", "erase"})
"""Stages that are never given up and cannot be cancelled; nor can looking again (`ledger.must_be_done`)."""
_UNTOLD: Final = frozenset({TO_DO, RESOURCES_TO_DO})
_UNKNOWN: Final = "there is no job of that id"
_WHY_NOT: Final[Mapping[JobState, tuple[str, str]]] = {
    "pending": ("it waits for a worker already", "Wait for it, or see GET /v1/lag for how far the workers are."),
    "leased": ("a worker is doing it", "Wait until it ends; then it can be asked for again or retried."),
    "done": ("it is done", "Ask for a new one if it is to be done again."),
    "failed": ("it has failed", "Retry it, or leave it."),
    "cancelled": ("it was cancelled", "Retry it, if it is to be done after all."),
}


class JobLedger:
    """A tenant's side of what is to be done. `pool`: of the app's role. `marks`: by which the record of an erased user
    is known.

    Raises, from any method: TierUnavailable when PostgreSQL does not answer.
    """

    def __init__(self, pool: Pool, clock: Clock, marks: SourceMarks) -> None:
        self._pool, self._clock, self._marks = pool, clock, marks

    async def request(
        self, scope: Scope, kind: RequestKind, subject_id: str, payload: Mapping[str, JsonValue], occurred_at: datetime
    ) -> Job:
        """Ask for an extraction, a reflection or maintenance. The same `kind` and `subject_id` is the same job. What is
        asked for in an agent's view is known by it."""
        if scope.view is not None:
            payload, subject_id = {**payload, "agent_id": scope.view}, f"{subject_id}{RESERVED}{scope.view}"
        async with tenant_tx(self._pool, scope) as connection:
            event_id = await request(connection, scope, kind, subject_id, payload, occurred_at, now=self._clock())
            return await _read(connection, scope.tenant_id, f"{event_id}.{kind.partition('.')[0]}")

    async def request_anew(
        self, scope: Scope, kind: RequestKind, subject_id: str, payload: Mapping[str, JsonValue], occurred_at: datetime
    ) -> Job:
        """Ask for what may be asked for again: the same `kind`, `subject_id` and `payload` is the same job only while
        that one waits for a worker."""
        if scope.view is not None:
            payload = {**payload, "agent_id": scope.view}
        async with tenant_tx(self._pool, scope) as connection:
            event_id = await request_anew(connection, scope, kind, subject_id, payload, occurred_at, now=self._clock())
            return await _read(connection, scope.tenant_id, f"{event_id}.{kind.partition('.')[0]}")

    async def erase(self, scope: Scope, erasure: Erasure) -> Job:
        """Ask for something to be forgotten for good; see `request_erasure`. The job's result is the report."""
        async with tenant_tx(self._pool, scope) as connection:
            event_id = await request_erasure(connection, scope, erasure, now=self._clock())
            return await _read(connection, scope.tenant_id, f"{event_id}.erase")

    async def jobs(
        self,
        tenant_id: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        stage: Stage | None = None,
        state: JobState | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Job]:
        """The tenant's jobs, or a user's, or those of a user that a key of `agent_id` asked for, newest first. Raises
        InvalidInput for a cursor of another list."""
        after = decode_cursor(cursor, int, str) if cursor is not None else (None, None)
        async with tenant_transaction(self._pool, tenant_id) as connection:
            await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
            rows = await connection.fetch(SQL["jobs"], tenant_id, user_id, stage, state, *after, limit + 1, agent_id)
        shown = rows[:limit]
        more = len(rows) > limit
        return Page[Job](
            items=tuple(map(_job, shown)),
            next_cursor=encode_cursor(shown[-1]["event_id"], shown[-1]["stage"]) if more else None,
        )

    async def job(
        self,
        tenant_id: str,
        job_id: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        key_id: str | None = None,
    ) -> Job:
        """One job. Raises NotFound for another tenant's, and another user's where `user_id` is given, or one that no
        key of `agent_id` asked for, where that is, or no erasure that this key asked for, where `key_id` is; the report
        of the user's own erasure is the user's, and what was done to what all users share is theirs, too."""
        async with tenant_transaction(self._pool, tenant_id) as connection:
            job = await _read(connection, tenant_id, job_id, agent_id=agent_id, key_id=key_id)
        if user_id is not None and job.user_id not in {user_id, EVERYBODY, self.erased_name(tenant_id, user_id)}:
            raise NotFound(_UNKNOWN)
        return job

    def erased_name(self, tenant_id: str, user_id: str) -> str:
        """Under which the record of a user's erasure is kept."""
        return self._marks.of_user(Scope(tenant_id=tenant_id, user_id=user_id))

    async def retry(
        self, tenant_id: str, job_id: str, *, user_id: str | None = None, agent_id: str | None = None
    ) -> Job:
        """Give a failed or cancelled job another round of attempts. Raises NotFound as `job` does, Conflict when it is
        neither."""
        async with self._changed(tenant_id, job_id, user_id, agent_id) as (connection, event_id, stage):
            changed = await connection.fetchval(SQL["retry_job"], tenant_id, event_id, stage)
            job = await _read(connection, tenant_id, job_id)
            if not changed:
                raise _refused("retried", job.state)
            return job

    async def cancel(
        self, tenant_id: str, job_id: str, *, user_id: str | None = None, agent_id: str | None = None
    ) -> Job:
        """Let a job that waits never be done. Raises NotFound as `job` does, Conflict when it no longer waits, and for
        a job that forgets, which must be done."""
        async with self._changed(tenant_id, job_id, user_id, agent_id) as (connection, event_id, stage):
            changed = await connection.execute(SQL["cancel_job"], tenant_id, event_id, stage)
            job = await _read(connection, tenant_id, job_id)
            if changed == "UPDATE 0":
                if job.stage in FORGETTING or job.subject_id.startswith(f"{AGAIN}:"):
                    raise Conflict(
                        "a job that forgets cannot be cancelled",
                        suggestions=("What was asked to be forgotten is; nothing is lost by waiting until it is.",),
                    )
                raise _refused("cancelled", job.state)
            return job

    async def lag(self, tenant_id: str, user_id: str | None = None) -> LagReport:
        """How far the workers are behind with the tenant, or with a user; costs as much as the backlog."""
        now = self._clock()
        async with tenant_transaction(self._pool, tenant_id) as connection:
            await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
            rows = await connection.fetch(SQL["tenant_lag"], tenant_id, user_id)
            progress = await connection.fetch(SQL["tenant_progress"], tenant_id, user_id)
        last = {row["stage"]: row["last_success_at"] for row in progress}
        stages = tuple(
            _stage_lag(stage, rows, last.get(stage)) for stage in sorted({r["stage"] for r in rows} | {*last})
        )
        oldest = min((stage.oldest_at for stage in stages if stage.oldest_at is not None), default=None)
        return LagReport(
            pending=sum(stage.waiting for stage in stages),
            failed=sum(stage.failed for stage in stages),
            oldest_pending_s=None if oldest is None else max(0.0, (now - oldest).total_seconds()),
            stages=stages,
        )

    async def settings(self, scope: Scope) -> UserSettings:
        """How the user's memory is looked after; the defaults where nothing was set."""
        async with tenant_tx(self._pool, scope) as connection:
            return await read_settings(connection, scope)

    async def set_settings(self, scope: Scope, settings: UserSettings) -> UserSettings:
        """Keep `settings` in the place of those that the user has."""
        async with tenant_tx(self._pool, scope) as connection:
            await connection.execute(
                SQL["set_user_settings"],
                *scope.user_key,
                settings.time_zone,
                settings.reflect_at,
                settings.plan,
                self._clock(),
            )
        return settings

    @asynccontextmanager
    async def _changed(
        self, tenant_id: str, job_id: str, user_id: str | None, agent_id: str | None
    ) -> AsyncIterator[tuple[Connection, int, str]]:
        event_id, stage = _parsed(job_id)
        async with tenant_transaction(self._pool, tenant_id) as connection:
            job = await _read(connection, tenant_id, job_id, user_id, agent_id)
            await lock_user(connection, Scope(tenant_id=tenant_id, user_id=job.user_id))  # against who leases just now
            yield connection, event_id, stage


def _refused(what: str, state: JobState) -> Conflict:
    why, suggestion = _WHY_NOT[state]
    return Conflict(f"the job cannot be {what}: {why}", suggestions=(suggestion,))


def _parsed(job_id: str) -> tuple[int, str]:
    match = _ID.fullmatch(job_id)
    if match is None:
        raise NotFound(_UNKNOWN)
    return int(match[1]), match[2]


async def _read(
    connection: Connection,
    tenant_id: str,
    job_id: str,
    user_id: str | None = None,
    agent_id: str | None = None,
    key_id: str | None = None,
) -> Job:
    row = await connection.fetchrow(SQL["job"], tenant_id, *_parsed(job_id))
    if row is None or user_id not in {None, row["user_id"]} or agent_id not in {None, row["asked_by"]}:
        raise NotFound(_UNKNOWN)
    if key_id not in {None, row["asked_with"]}:
        raise NotFound(_UNKNOWN)
    return _job(row)


def _job(row: "asyncpg.Record") -> Job:
    return Job(
        id=f"{row['event_id']}.{row['stage']}",
        user_id=row["user_id"],
        stage=row["stage"],
        kind=row["kind"],
        subject_id=row["subject_id"].partition(RESERVED)[0],
        state=row["state"],
        attempts=row["attempts"],
        created_at=row["created_at"],
        due_at=row["due_at"],
        updated_at=row["updated_at"],
        error=row["last_error"],
        result=_shown(row) if row["result"] is not None else None,
    )


def _shown(row: "asyncpg.Record") -> dict[str, JsonValue]:
    """Without what one attempt of an erasure leaves to the next alone; with how far it is while it is being done."""
    result: dict[str, JsonValue] = {name: one for name, one in json.loads(row["result"]).items() if name not in _UNTOLD}
    if row["progress"] is not None and row["state"] != "done":
        result["interactions_done" if row["stage"] == "erase" else "done"] = row["progress"]
    return result


def _stage_lag(stage: str, rows: "list[asyncpg.Record]", last_success_at: datetime | None) -> StageLag:
    waiting = [row for row in rows if row["stage"] == stage and row["state"] != "failed"]
    return StageLag(
        stage=stage,
        waiting=sum(row["works"] for row in waiting),
        failed=sum(row["works"] for row in rows if row["stage"] == stage and row["state"] == "failed"),
        oldest_at=min((row["oldest_at"] for row in waiting), default=None),
        last_success_at=last_success_at,
    )
