"""Recording what changed, in the transaction that changes it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from pydantic import JsonValue

from ragpp.models import Scope
from ragpp.postgres import Connection
from ragpp.queries import load_queries

EventKind = Literal[
    "interaction.stored",
    "interaction.forgotten",
    "preference.changed",
    "preference.forgotten",
    "rule.changed",
    "rule.forgotten",
]
Stage = Literal["observe", "short_term", "forget"]

STAGES: Final[Mapping[EventKind, tuple[Stage, ...]]] = {
    "interaction.stored": ("observe", "short_term"),
    "interaction.forgotten": ("forget",),
}
"""What is to be done about an event, by its kind; nothing for a kind that is not named.

observe: take entities, relationships and preferences from the interaction. short_term: see that it is in its
session, which the acknowledged write may have missed. forget: take it out of everything that was derived from it.
"""

SQL: Final = load_queries("ragpp.ledger", "queries.sql")


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A change that is about to be committed.

    `subject_id`: what changed. `payload`: what a consumer needs beside it; never content, which the subject's own
    store holds and forgets. `occurred_at`: in the time of the conversations.
    """

    kind: EventKind
    subject_id: str
    occurred_at: datetime
    payload: Mapping[str, JsonValue] = field(default_factory=dict)


async def lock_user(connection: Connection, scope: Scope) -> None:
    """Let one transaction at a time change this user's memory; held until it ends, harmless to repeat.

    Take it before any row of the user, or let `record`, which takes it too, be the last statement: either way two
    writers never wait for each other in a circle.
    """
    await connection.execute(SQL["lock_user"], *scope.user_key)


async def record(connection: Connection, scope: Scope, events: Sequence[NewEvent], *, now: datetime) -> list[int]:
    """Append `events` and the work they cause, in the caller's transaction (`ragpp.postgres.tenant_tx`).

    Returns their ids in the same order: unique, growing, and for one user growing in the order of commit. `now` is
    when the work falls due. Raises what the driver raises: the transaction's owner maps it.
    """
    if not events:
        return []
    await lock_user(connection, scope)
    stages = [(kind, stage) for kind, of_kind in STAGES.items() for stage in of_kind]
    rows = await connection.fetch(
        SQL["record"],
        *scope.user_key,
        [event.kind for event in events],
        [event.subject_id for event in events],
        [json.dumps(dict(event.payload), ensure_ascii=False) for event in events],
        [event.occurred_at for event in events],
        now,
        [kind for kind, _ in stages],
        [stage for _, stage in stages],
    )
    return [row["event_id"] for row in rows]


async def pending(
    connection: Connection, scope: Scope, first_event: int | None = None, last_event: int | None = None
) -> int:
    """How many of the user's events still wait for a worker, of all or of those between the two ids, ends included.

    What failed for good no longer waits: nobody would answer a reader who waits for it.
    """
    count: int = await connection.fetchval(SQL["pending"], *scope.user_key, first_event, last_event)
    return count
