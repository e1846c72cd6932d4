"""Work that is handed out to be done, what became of it where it failed, and how much of it there is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from pydantic import JsonValue

from ragpp.ledger.results import Result
from ragpp.models import Scope

if TYPE_CHECKING:
    import asyncpg


class WorkKey(NamedTuple):
    """One thing to do: an event and what is done about it."""

    event_id: int
    stage: str


@dataclass(frozen=True, slots=True)
class Work:
    """A thing to do with the event it is about. `attempts` counts from 1, the one under way included. `owner` holds it.
    `told`: what came of it so far, as an earlier attempt has told, None where none has; `progress`: how far.
    `request_id`, `traceparent`: the request it is for, and the span that recorded it; None where there is none.
    `recorded_at`: when the event was, which is later than it occurred; None where the work was not leased."""

    key: WorkKey
    scope: Scope
    kind: str
    subject_id: str
    occurred_at: datetime
    attempts: int
    payload: Mapping[str, JsonValue] = field(default_factory=dict)
    owner: str = ""
    told: Result | None = None
    progress: int = 0
    request_id: str | None = None
    traceparent: str | None = None
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A thing that failed for good, and why."""

    key: WorkKey
    scope: Scope
    kind: str
    subject_id: str
    attempts: int
    error: str
    failed_at: datetime


@dataclass(frozen=True, slots=True)
class Lag:
    """How far the workers are behind. `counts` by (stage, state), without `done`. `oldest_by_stage`: when the oldest
    event that still waits for a stage was recorded, of those for which one does."""

    counts: Mapping[tuple[str, str], int]
    oldest_by_stage: Mapping[str, datetime]

    @property
    def waiting(self) -> int:
        """Works that are neither done nor failed."""
        return sum(count for (_, state), count in self.counts.items() if state != "failed")


def work_of(row: "asyncpg.Record", owner: str) -> Work:
    """A row of the ledger, held by `owner`."""
    return Work(
        key=WorkKey(row["event_id"], row["stage"]),
        scope=Scope(tenant_id=row["tenant_id"], user_id=row["user_id"]),
        kind=row["kind"],
        subject_id=row["subject_id"],
        occurred_at=row["occurred_at"],
        attempts=row["attempts"],
        payload=json.loads(row["payload"]),
        owner=owner,
        told=None if row["result"] is None else json.loads(row["result"]),
        progress=row["progress"] or 0,
        request_id=row["correlation_id"],
        traceparent=row["traceparent"],
        recorded_at=row["created_at"],
    )
