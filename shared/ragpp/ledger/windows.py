"""Which windows were looked at, and which are to be looked at again since something in them was forgotten."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from pydantic import JsonValue

from ragpp.clock import Clock
from ragpp.ledger.events import SQL, RequestKind, Stage, lock_user, request
from ragpp.ledger.relaying import relay_tx
from ragpp.models import Scope
from ragpp.stores.postgres import Connection, Pool

AGAIN: Final = "again"
"""In the payload of an extraction that looks again at windows of before."""


@dataclass(frozen=True, slots=True)
class Window:
    """The window that an extraction or a reflection looked at: from `start`, inclusive, to `end`. `day`: the local one
    that a reflection is of. `payload` names the same window again, wherever the user's settings have moved to."""

    event_id: int
    stage: Stage
    start: datetime
    end: datetime
    day: date | None
    payload: Mapping[str, JsonValue]

    def holds(self, moments: Collection[datetime]) -> bool:
        """True where any of `moments` lies in it."""
        return any(self.start <= moment < self.end for moment in moments)


@dataclass(frozen=True, slots=True)
class Again:
    """Why windows are to be looked at again. `gone`: when what was forgotten had been said; `since`: the first moment
    that windows must reach beyond; `number`: the last of what was noted."""

    gone: tuple[datetime, ...]
    since: datetime
    number: int


class WindowNotes:
    """The part of the relay's ledger that remembers windows. `pool`: of the relay's role."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool, self._clock = pool, clock

    async def note_window(self, scope: Scope, window: Window) -> None:
        """Remember that `window` is looked at, before anything is learned from it; once for its event, and not once
        that was erased."""
        async with relay_tx(self._pool, "note window") as connection:
            await lock_user(connection, scope)
            await connection.execute(
                SQL["note_window"],
                *scope.user_key,
                window.event_id,
                window.stage,
                window.start,
                window.end,
                window.day,
                json.dumps(dict(window.payload)),
            )

    async def windows(self, scope: Scope) -> list[Window]:
        """All that were noted, in the order of their events."""
        async with relay_tx(self._pool, "windows") as connection:
            rows = await connection.fetch(SQL["windows"], *scope.user_key)
        return [
            Window(
                event_id=row["event_id"],
                stage=row["stage"],
                start=row["start_at"],
                end=row["end_at"],
                day=row["day"],
                payload=json.loads(row["payload"]),
            )
            for row in rows
        ]

    async def drop_window(self, scope: Scope, window: Window) -> None:
        """Remember a window no longer in which nothing is left."""
        async with relay_tx(self._pool, "drop window") as connection:
            await connection.execute(SQL["drop_window"], *scope.user_key, window.event_id, window.stage)

    async def look_again(self, scope: Scope, gone: Collection[datetime]) -> bool:
        """Ask for the windows to be looked at again that what was said at `gone`, and is forgotten, was part of or
        before; once for all that is forgotten until somebody begins. Whether it was asked for."""
        kind: RequestKind = "extract.requested"
        async with relay_tx(self._pool, "look again") as connection:
            await lock_user(connection, scope)
            await connection.execute(SQL["look_again"], *scope.user_key, True, sorted(set(gone)))
            await connection.execute(SQL["looked_at_by_none"], *scope.user_key)
            row = await connection.fetchrow(SQL["to_look_again"], *scope.user_key, "extract")
            if row is None or row["number"] is None:
                return False
            subject = f"{AGAIN}:{row['number']}"
            await request(connection, scope, kind, subject, {AGAIN: True}, row["latest"], now=self._clock())
        return True

    async def again(self, scope: Scope) -> Again | None:
        """The note of what is to be looked at again; None when there is none."""
        async with relay_tx(self._pool, "again") as connection:
            rows = await connection.fetch(SQL["again"], *scope.user_key)
        if not rows:
            return None
        gone = tuple(row["at"] for row in rows if row["gone"])
        return Again(gone=gone, since=rows[0]["at"], number=max(row["number"] for row in rows))

    async def looked_again(self, scope: Scope, again: Again) -> None:
        """Note no longer what was in `again`; what was noted since stays."""
        async with relay_tx(self._pool, "looked again") as connection:
            await connection.execute(SQL["looked_again"], *scope.user_key, again.number)


async def note_dropped(connection: Connection, scope: Scope, moments: Collection[datetime]) -> None:
    """Note when what was dropped had first been taught, in the caller's transaction, so that windows from there on are
    looked at again."""
    await connection.execute(SQL["look_again"], *scope.user_key, False, sorted(set(moments)))
