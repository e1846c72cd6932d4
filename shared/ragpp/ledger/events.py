"""Recording what changed, in the transaction that changes it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import uuid4

from pydantic import JsonValue

from ragpp.fields import RESERVED
from ragpp.models import Scope
from ragpp.observability.correlation import current_request_id
from ragpp.observability.traces import traceparent
from ragpp.stores.postgres import Connection
from ragpp.stores.queries import load_queries

EventKind = Literal[
    "interaction.stored",
    "interaction.forgotten",
    "preference.changed",
    "preference.forgotten",
    "rule.changed",
    "rule.forgotten",
    "finding.changed",
    "finding.forgotten",
    "reflection.saved",
    "extract.requested",
    "reflect.requested",
    "maintain.requested",
    "erase.requested",
    "catalog.requested",
    "memory.resource_stored",
    "memory.resource_deleted",
    "memory.items_extracted",
    "memory.item_deleted",
    "memory.category_created",
    "memory.category_updated",
    "memory.category_consolidated",
    "memory.category_deleted",
    "memory.retrieval_performed",
    "memory.entry_expired",
]
RequestKind = Literal["extract.requested", "reflect.requested", "maintain.requested", "catalog.requested"]
Stage = Literal["observe", "short_term", "forget", "extract", "reflect", "maintain", "erase", "catalog"]

STAGES: Final[Mapping[EventKind, tuple[Stage, ...]]] = {
    "interaction.stored": ("observe", "short_term"),
    "interaction.forgotten": ("forget",),
    "extract.requested": ("extract",),
    "reflect.requested": ("reflect",),
    "maintain.requested": ("maintain",),
    "erase.requested": ("erase",),
    "catalog.requested": ("catalog",),
}
"""The stages of work that an event is for, by its kind; nothing for a kind that is not named.

observe: take entities, relationships and preferences from the interaction. short_term: see that it is in its
session, which the acknowledged write may have missed. forget: take it out of everything that was derived from it.
extract: find what a window of interactions shows together. reflect: consolidate a day, or what was just extracted.
maintain: decay, retention. These three begin when what was stored before them has been observed.
erase: take a session, a user, or interactions that were chosen out of every store. What comes after it waits for it.
catalog: extract a resource, make a category's page, or make vectors anew.
"""

DELETING: Final[frozenset[EventKind]] = frozenset(
    {"memory.resource_deleted", "memory.item_deleted", "memory.category_deleted", "memory.entry_expired"}
)
"""Kinds of events that tell of something in the catalog that is gone: recorded with one of them, the results of what
was done about the user's catalog go, which may name it."""
KEPT_UP: Final[frozenset[EventKind]] = frozenset(
    {"memory.resource_stored", "memory.category_created", "memory.category_updated"}
)
"""Kinds after which a user's catalog is looked after each day: somebody put something into it."""

REFLECTED_DAYS: Final = 9
"""How far back interactions are noted for the nightly reflection: seven local days that ended, in any time zone."""

SQL: Final = load_queries("ragpp.ledger", "queries.sql")


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A change that is about to be committed.

    `subject_id`: what changed. `payload`: what a consumer needs beside it; never content, which the subject's own
    store holds and forgets. `occurred_at`: in the time of the conversations. `session_id`, `correlation_id`: of an
    event of the catalog, where there is one; not kept of `interaction.stored`. Without one an event is correlated with
    the request that the caller works for.
    """

    kind: EventKind
    subject_id: str
    occurred_at: datetime
    payload: Mapping[str, JsonValue] = field(default_factory=dict)
    session_id: str | None = None
    correlation_id: str | None = None


async def lock_user(connection: Connection, scope: Scope) -> None:
    """Let one transaction at a time change this user's memory; held until it ends, harmless to repeat.

    Take it before any row of the user, or let `record`, which takes it too, be the last statement: either way two
    writers never wait for each other in a circle.
    """
    await connection.execute(SQL["lock_user"], *scope.user_key)


async def record(connection: Connection, scope: Scope, events: Sequence[NewEvent], *, now: datetime) -> list[int]:
    """Append `events` and the work they cause, in the caller's transaction (`ragpp.stores.postgres.tenant_tx`).

    Returns their ids in the same order: unique, growing, and for one user growing in the order of commit. `now` is when
    they are recorded; their work is due at once, by the database's clock. Raises what the driver raises: the
    transaction's owner maps it.
    """
    if not events:
        return []
    await lock_user(connection, scope)
    stages = [(kind, stage) for kind, of_kind in STAGES.items() for stage in of_kind]
    stored = any(event.kind == "interaction.stored" for event in events)
    sessions, correlations = [event.session_id for event in events], [event.correlation_id for event in events]
    more: tuple[object, ...] = (sessions, correlations, sorted(KEPT_UP))
    if stored:
        more = (now - timedelta(days=REFLECTED_DAYS),)
    rows = await connection.fetch(
        SQL["record" if stored else "record_others"],
        *scope.user_key,
        [event.kind for event in events],
        [event.subject_id for event in events],
        [json.dumps(dict(event.payload), ensure_ascii=False) for event in events],
        [event.occurred_at for event in events],
        now,
        [kind for kind, _ in stages],
        [stage for _, stage in stages],
        current_request_id(),
        traceparent(),
        *more,
    )
    if any(event.kind in DELETING for event in events):
        await connection.execute(SQL["drop_results"], *scope.user_key)
    await drop_metadata_keys(
        connection, scope, [event.subject_id for event in events if event.kind == "memory.resource_deleted"]
    )
    return [row["event_id"] for row in rows]


async def drop_metadata_keys(connection: Connection, scope: Scope, resource_ids: Sequence[str]) -> None:
    """Let events no longer name what the metadata of these resources, which go, was called."""
    if resource_ids:
        await connection.execute(SQL["drop_metadata_keys"], *scope.user_key, resource_ids)


async def request(
    connection: Connection,
    scope: Scope,
    kind: RequestKind,
    subject_id: str,
    payload: Mapping[str, JsonValue],
    occurred_at: datetime,
    *,
    now: datetime,
) -> int:
    """Ask for something to be done about a user, in the caller's transaction; returns the event's id.

    The same `kind` and `subject_id` asked for again is the same event, whose payload stays the first one's.
    """
    known: int | None = await connection.fetchval(SQL["requested"], *scope.user_key, kind, subject_id)
    if known is not None:
        return known
    await lock_user(connection, scope)  # whoever asks for the same at the same moment waits, and finds it here
    known = await connection.fetchval(SQL["requested"], *scope.user_key, kind, subject_id)
    if known is not None:
        return known
    (event_id,) = await record(connection, scope, [NewEvent(kind, subject_id, occurred_at, payload)], now=now)
    return event_id


async def request_anew(
    connection: Connection,
    scope: Scope,
    kind: RequestKind,
    subject_id: str,
    payload: Mapping[str, JsonValue],
    occurred_at: datetime,
    *,
    now: datetime,
) -> int:
    """As `request`, for what may be asked for again: the same `kind`, `subject_id` and `payload` is the same event only
    while that one waits for a worker."""
    asked = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()[:16]
    same = f"{subject_id}{RESERVED}{asked}{RESERVED}"
    await lock_user(connection, scope)  # whoever asks for the same at the same moment waits, and finds it here
    waiting: int | None = await connection.fetchval(
        SQL["waiting_request"], *scope.user_key, kind.partition(".")[0], same
    )
    if waiting is not None:
        return waiting
    return await request(connection, scope, kind, f"{same}{uuid4().hex}", payload, occurred_at, now=now)


async def pending(
    connection: Connection, scope: Scope, first_event: int | None = None, last_event: int | None = None
) -> int:
    """How many of the user's events are not yet digested, of all or of those between the two ids, ends included.

    What failed for good or was cancelled no longer waits: nobody would answer a reader who waits for it. Extraction,
    reflection and maintenance are not counted, nor is the catalog's work: they look again at what is digested.
    """
    count: int = await connection.fetchval(SQL["pending"], *scope.user_key, first_event, last_event)
    return count
