"""The schedule's reads of all users, and its requests for what is due: once, however many workers ask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from pydantic import JsonValue

from ragpp.clock import Clock
from ragpp.jobs import UserSettings
from ragpp.ledger.events import SQL, NewEvent, RequestKind, lock_user, record, request
from ragpp.ledger.relaying import relay_tx
from ragpp.models import Scope
from ragpp.stores.postgres import Connection, Pool

AT_ONCE: Final = 500
"""Users whose requests one tick makes, at most; the next one goes on."""
STEP: Final = timedelta(microseconds=1)
"""Windows are half open: they end just after their last interaction."""
LAST: Final = datetime.max.replace(tzinfo=UTC)
MOST_WAITING: Final = 50_000
"""Users that one tick looks at for a nightly reflection."""


@dataclass(frozen=True, slots=True)
class Settled:
    """How long what is extracted together is waited for: until nothing came since `quiet_since`, or `interactions`
    have come, or the first of them came before `first_since`."""

    quiet_since: datetime
    interactions: int
    first_since: datetime


@dataclass(frozen=True, slots=True)
class Unreflected:
    """A user who said something at `first` for which no nightly reflection was asked yet."""

    scope: Scope
    first: datetime
    settings: UserSettings


@dataclass(frozen=True, slots=True)
class KeptUp:
    """Whose memory is looked after each day. `stored_at`: when something of theirs was last stored, to the hour;
    `catalog`: whether anything was put into the catalog. Of what all users of a tenant share the scope has no user."""

    scope: Scope
    stored_at: datetime
    catalog: bool = False


class ScheduleLedger:
    """The schedule's side of the ledger. `pool`: of the relay's role.

    Raises, from any method: TierUnavailable when PostgreSQL does not answer.
    """

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool, self._clock = pool, clock

    async def prune(self, before: datetime, limit: int) -> int:
        """Delete events recorded before that moment, `limit` at most and the oldest first, with their work: those about
        which nothing is left to be done and nothing failed. Returns how many there were; none of the last ten days."""
        async with relay_tx(self._pool, "prune") as connection:
            deleted = await connection.execute(SQL["prune"], before, limit)
        return _count(deleted)

    async def prune_forgotten(self, before: datetime, limit: int) -> int:
        """Delete the marks of what was forgotten before that moment, `limit` at most and the oldest first; returns how
        many there were."""
        async with relay_tx(self._pool, "prune forgotten") as connection:
            deleted = await connection.execute(SQL["prune_forgotten"], before, limit)
        return _count(deleted)

    async def prune_audit(self, before: datetime, deletions_before: datetime, limit: int) -> int:
        """Delete entries of the audit from before that moment, `limit` at most, those that tell of a deletion from
        before `deletions_before`; and which memories marks are of that were returned then for the first time. Returns
        how many entries there were."""
        async with relay_tx(self._pool, "prune audit") as connection:
            await connection.execute(SQL["prune_marked_ids"], before, limit)
            pruned: int = await connection.fetchval(SQL["prune_audit"], before, deletions_before, limit)
        return pruned

    async def users_to_extract(self, settled: Settled) -> list[Scope]:
        """AT_ONCE users at most whose messages have settled, those that wait longest first."""
        async with relay_tx(self._pool, "users to extract") as connection:
            rows = await connection.fetch(
                SQL["users_to_extract"], settled.quiet_since, settled.interactions, settled.first_since, AT_ONCE
            )
        return [Scope(tenant_id=row["tenant_id"], user_id=row["user_id"]) for row in rows]

    async def request_extract(self, scope: Scope, settled: Settled) -> int | None:
        """Ask for the extraction of what was stored since the last one, in one transaction with beginning to note anew;
        returns the event's id, None when somebody else has asked for it."""
        async with relay_tx(self._pool, "request extract") as connection:
            await lock_user(connection, scope)
            row = await connection.fetchrow(
                SQL["take_debounce"],
                *scope.user_key,
                settled.quiet_since,
                settled.interactions,
                settled.first_since,
            )
            if row is None:
                return None
            now = self._clock()
            window: Mapping[str, JsonValue] = {
                "start": row["occurred_from"].isoformat(),
                "end": (min(row["occurred_to"], LAST - STEP) + STEP).isoformat(),
            }
            subject = f"settled:{now.isoformat()}"
            event = NewEvent("extract.requested", subject, row["occurred_to"], window)
            (event_id,) = await record(connection, scope, [event], now=now)
            return event_id

    async def unreflected(self, latest: datetime) -> list[Unreflected]:
        """Users who said something until `latest` for which no nightly reflection was asked, the oldest first."""
        async with relay_tx(self._pool, "users to reflect") as connection:
            rows = await connection.fetch(SQL["users_to_reflect"], latest, MOST_WAITING)
        return [
            Unreflected(
                Scope(tenant_id=row["tenant_id"], user_id=row["user_id"]),
                row["first_quarter"],
                UserSettings.model_validate({"time_zone": row["time_zone"], "reflect_at": row["reflect_at"]}),
            )
            for row in rows
        ]

    async def quarters(self, scope: Scope) -> list[datetime]:
        """The quarters of an hour in which the user said something for which no nightly reflection was asked."""
        async with relay_tx(self._pool, "quarters") as connection:
            rows = await connection.fetch(SQL["quarters"], *scope.user_key)
        return [row["quarter"] for row in rows]

    async def request_reflections(
        self, scope: Scope, days: Mapping[date, datetime], time_zone: str, quarters: Sequence[datetime]
    ) -> int:
        """Ask for a reflection on each of `days`, which has the moment at which it ends, and note `quarters` no longer;
        returns how many are asked for, none when somebody else has asked since the quarters were read.

        A day on which a reflection has begun is asked for anew: what was noted since may have come too late for it.
        """
        async with relay_tx(self._pool, "request reflections") as connection:
            await lock_user(connection, scope)
            if not await connection.fetch(SQL["drop_quarters"], *scope.user_key, quarters):
                return 0
            for day, end in days.items():
                payload: Mapping[str, JsonValue] = {
                    "kind": "daily",
                    "date": day.isoformat(),
                    "time_zone": time_zone,
                }
                subject = await _not_begun(connection, scope, f"daily:{day.isoformat()}")
                await request(connection, scope, "reflect.requested", subject, payload, end, now=self._clock())
        return len(days)

    async def users_to_maintain(self, today: date) -> list[KeptUp]:
        """AT_ONCE users at most who were not looked after `today`."""
        async with relay_tx(self._pool, "users to maintain") as connection:
            rows = await connection.fetch(SQL["users_to_maintain"], today, AT_ONCE)
        return [
            KeptUp(Scope(tenant_id=row["tenant_id"], user_id=row["user_id"]), row["stored_at"], row["catalog"])
            for row in rows
        ]

    async def users_with_unbuilt_views(self, limit: int = 1_000) -> list[Scope]:
        """Whose views wait to be built."""
        async with relay_tx(self._pool, "unbuilt views") as connection:
            rows = await connection.fetch(SQL["unbuilt"], limit)
        return [Scope(tenant_id=row["tenant_id"], user_id=row["user_id"]) for row in rows]

    async def request_views(self, scope: Scope, today: date) -> None:
        """Ask for the user's views to be built, once a day."""
        kind: RequestKind = "maintain.requested"
        async with relay_tx(self._pool, "request views") as connection:
            now = self._clock()
            await request(connection, scope, kind, f"views:{today.isoformat()}", {"task": "views"}, now, now=now)

    async def request_maintenance(self, scope: Scope, tasks: Sequence[str], today: date) -> None:
        """Ask for `tasks` to be done about the user, each once a day."""
        kind: RequestKind = "maintain.requested"
        async with relay_tx(self._pool, "request maintenance") as connection:
            await lock_user(connection, scope)
            if await connection.execute(SQL["maintained"], *scope.user_key, today) == "UPDATE 0":
                return  # the user was erased since
            now = self._clock()
            for task in tasks:
                subject = f"{task}:{today.isoformat()}"
                await request(connection, scope, kind, subject, {"task": task}, now, now=now)


def _count(deleted: str) -> int:
    """How many rows a DELETE says that it took."""
    return int(deleted.rsplit(" ", 1)[-1])


async def _not_begun(connection: Connection, scope: Scope, subject: str) -> str:
    """The first of `subject`, `subject:2`, `subject:3`, ... for which nobody asked for a reflection, or which still
    waits for its turn."""
    kind: RequestKind = "reflect.requested"
    named, number = subject, 1
    while await connection.fetchval(SQL["request_state"], *scope.user_key, kind, named) not in (None, "pending"):
        number += 1
        named = f"{subject}:{number}"
    return named
