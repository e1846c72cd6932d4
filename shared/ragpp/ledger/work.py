"""Handing out what is to be done: leased, in order, retried, and visible when it failed."""

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Final, Literal

from ragpp.clock import Clock
from ragpp.errors import LedgerError
from ragpp.jobs import UserSettings
from ragpp.ledger.events import SQL, RequestKind, lock_user, request, request_anew
from ragpp.ledger.handed import Failure, Lag, Work, WorkKey, work_of
from ragpp.ledger.leasing import MAX_ATTEMPTS, SUSPECT_AFTER, USERS_AT_ONCE, take_turn
from ragpp.ledger.relaying import relay_tx
from ragpp.ledger.results import Result, as_json
from ragpp.ledger.windows import WindowNotes
from ragpp.models import Scope
from ragpp.stores.postgres import Connection, Pool

__all__ = ["MAX_ATTEMPTS", "SUSPECT_AFTER", "Failure", "Lag", "Result", "Work", "WorkKey", "WorkLedger", "WorkState"]

WorkState = Literal["pending", "leased", "done", "failed", "cancelled"]

ROUNDS: Final = 4
"""So often it is looked on where all who were looked at have to wait for something else."""
FIRST_DELAY_S: Final = 1.0
LONGEST_DELAY_S: Final = 300.0
"""Delays double from the first to the longest: 16 attempts take some 39 minutes, 1.5 times or half that
by jitter."""

POSTPONE_S: Final = 2.0
"""How soon work is tried again that met a store which is down: soon after it is back, it is digested."""

MAX_ERROR_CHARS: Final = 2_000

SESSIONS_TIMEOUT_S: Final = 120.0
"""Longest the reading of all recent sessions may take: it is rare, and nobody waits for its answer."""

_RANDOM: Final = random.SystemRandom()


class WorkLedger(WindowNotes):
    """The relay's side of the ledger: what is due is leased to an owner, who finishes or fails it.

    Leases are counted by the database's clock. One that ends unfinished was an attempt and is given out again, so a
    killed owner only delays. Effects must be idempotent: an owner that is slower than its lease does what another does
    too.

    Raises, from any method: TierUnavailable when PostgreSQL does not answer.
    """

    def __init__(self, pool: Pool, clock: Clock, *, jitter: Callable[[], float] = _RANDOM.random) -> None:
        """`pool`: of the relay's role. `jitter`: a number in [0, 1), which spreads retries between 0.5 and 1.5 of
        their delay."""
        super().__init__(pool, clock)
        self._jitter = jitter

    async def due(self, stages: Collection[str]) -> list[str]:
        """Those of `stages` for which somebody waits whom nobody works for; cheap however long the backlog is."""
        async with self._transaction("due") as connection:
            rows = await connection.fetch(SQL["stages_due"], list(stages))
        return [row["stage"] for row in rows]

    async def lease(
        self, stage: str, *, limit: int, owner: str, lease_s: float, users: int = USERS_AT_ONCE
    ) -> list[Work]:
        """At most `limit` due works of `stage` of at most `users` users, held by `owner` for `lease_s` seconds by the
        database's clock; empty when nobody waits whom nobody works for.

        Tenants take turns, and the users of each; no lease takes more than half of the users who wait, unless it is
        one. A user's events come in their order, but for those put back for a later attempt, and never to two owners at
        once. What ended badly SUSPECT_AFTER times is given out alone.
        What ran out of attempts is failed here, in passing; a forgetting or an erasure is not. What was recorded after
        an erasure of its user was asked for is handed out once that is done.
        """
        for _ in range(ROUNDS):
            async with self._transaction("lease") as connection:
                turn = await take_turn(connection, stage, limit=limit, owner=owner, lease_s=lease_s, users=users)
            if turn.works or not turn.more:
                break
        return [work_of(row, owner) for row in turn.works]

    async def renew(self, keys: Sequence[WorkKey], owner: str, lease_s: float) -> list[WorkKey]:
        """Hold `keys` for another `lease_s` seconds from now; returns those that `owner` still holds."""
        return await self._held("renew", keys, owner, lease_s)

    async def finish(
        self, keys: Sequence[WorkKey], owner: str, results: Mapping[WorkKey, Result] | None = None
    ) -> list[WorkKey]:
        """Mark `keys` done, with what came of those in `results`; returns those that `owner` still held. The others
        are given out again or are done. When the stage last succeeded for each user is noted in passing."""
        found = results or {}
        texts = [as_json(found[key]) if key in found else None for key in keys]
        return await self._held("finish", keys, owner, texts)

    async def request(
        self,
        scope: Scope,
        kind: RequestKind,
        subject_id: str,
        payload: Result,
        occurred_at: datetime,
        *,
        anew: bool = False,
    ) -> int:
        """Ask for something to be done; returns the event's id. The same `kind` and `subject_id` asked for again is the
        same event; `anew`: only until somebody begins with it."""
        ask = request_anew if anew else request
        async with self._transaction("request") as connection:
            return await ask(connection, scope, kind, subject_id, payload, occurred_at, now=self._clock())

    async def follow_up(
        self, work: Work, kind: RequestKind, subject_id: str, payload: Result, occurred_at: datetime
    ) -> None:
        """As `request`, for what `work` leads to; nothing once its event was erased."""
        async with self._transaction("follow up") as connection:
            await lock_user(connection, work.scope)
            if await connection.fetchval(SQL["is_known"], *work.key):
                await request(connection, work.scope, kind, subject_id, payload, occurred_at, now=self._clock())

    async def category_hint(self, scope: Scope, resource_id: str) -> str | None:
        """The category that somebody asked for, who had the resource extracted last."""
        async with self._transaction("category hint") as connection:
            hint: str | None = await connection.fetchval(SQL["category_hint"], *scope.user_key, resource_id)
        return hint

    async def user_settings(self, scope: Scope) -> UserSettings:
        """How the user's memory is looked after; the defaults where nothing was set."""
        async with self._transaction("user settings") as connection:
            return await read_settings(connection, scope)

    async def fail(self, key: WorkKey, owner: str, error: str, *, retryable: bool) -> WorkState:
        """Put `key` back for a later attempt, or mark it failed; returns what it became.

        The n-th attempt is followed by a delay of min(FIRST_DELAY_S · 2ⁿ⁻¹, LONGEST_DELAY_S) · (0.5 … 1.5); after
        MAX_ATTEMPTS, or when not `retryable`, it has failed for good and stays visible with its `error`; but for a
        forgetting or an erasure, which are never given up.
        Raises LedgerError when `owner` no longer holds it.
        """
        async with self._transaction("fail") as connection:
            state: WorkState | None = await connection.fetchval(
                SQL["fail"],
                *key,
                owner,
                error.replace("\x00", "")[:MAX_ERROR_CHARS],
                retryable,
                MAX_ATTEMPTS,
                FIRST_DELAY_S,
                LONGEST_DELAY_S,
                0.5 + self._jitter(),
            )
        if state is None:
            raise LedgerError(f"{owner} no longer holds event {key.event_id} for {key.stage}")
        return state

    async def postpone(self, keys: Sequence[WorkKey], owner: str, why: str) -> list[WorkKey]:
        """Put `keys` back for an outage that is not theirs: due in POSTPONE_S · (0.5 … 1.5) seconds, the attempt not
        counted, however often. Returns those that `owner` still held."""
        delay_s = POSTPONE_S * (0.5 + self._jitter())
        return await self._held("postpone", keys, owner, delay_s, why.replace("\x00", "")[:MAX_ERROR_CHARS])

    async def hold(self, name: str, owner: str, seconds: float) -> bool:
        """True where `owner` is the one that does `name`, what one worker at a time does, for the next `seconds`: it
        was, or nobody else is any more."""
        async with self._transaction("hold") as connection:
            return await connection.fetchval(SQL["hold"], name, owner, seconds) is not None

    async def let_go(self, name: str, owner: str) -> None:
        """Leave `name` to another at once, if `owner` does it."""
        async with self._transaction("let go") as connection:
            await connection.execute(SQL["let_go"], name, owner)

    async def lag(self) -> Lag:
        """The lag: the works that wait and those that failed; costs as much as the backlog."""
        async with self._transaction("lag") as connection:
            rows = await connection.fetch(SQL["lag"])
        waiting = sorted((row["oldest_at"], row["stage"]) for row in rows if row["state"] != "failed")
        return Lag(
            counts={(row["stage"], row["state"]): row["works"] for row in rows},
            oldest_by_stage={stage: oldest_at for oldest_at, stage in reversed(waiting)},
        )

    async def sessions_since(self, moment: datetime) -> list[Scope]:
        """The sessions in which something was stored since `moment`, each as a scope; reads every event since."""
        async with self._transaction("sessions") as connection:
            rows = await connection.fetch(SQL["sessions_since"], moment, timeout=SESSIONS_TIMEOUT_S)
        return [Scope(tenant_id=row["tenant_id"], user_id=row["user_id"], session_id=row["session_id"]) for row in rows]

    async def failures(self, limit: int = 100) -> list[Failure]:
        """The works that failed for good, oldest event first."""
        async with self._transaction("failures") as connection:
            rows = await connection.fetch(SQL["failures"], limit)
        return [
            Failure(
                key=WorkKey(row["event_id"], row["stage"]),
                scope=Scope(tenant_id=row["tenant_id"], user_id=row["user_id"]),
                kind=row["kind"],
                subject_id=row["subject_id"],
                attempts=row["attempts"],
                error=row["last_error"] or "",
                failed_at=row["updated_at"],
            )
            for row in rows
        ]

    async def _held(
        self, statement: str, keys: Sequence[WorkKey], owner: str, *values: float | str | list[str | None]
    ) -> list[WorkKey]:
        if not keys:
            return []
        async with self._transaction(statement) as connection:
            rows = await connection.fetch(
                SQL[statement], [key.event_id for key in keys], [key.stage for key in keys], owner, *values
            )
        return sorted(WorkKey(row["event_id"], row["stage"]) for row in rows)

    def _transaction(self, what: str) -> AbstractAsyncContextManager[Connection]:
        return relay_tx(self._pool, what)


async def read_settings(connection: Connection, scope: Scope) -> UserSettings:
    """The user's settings, in the caller's transaction."""
    row = await connection.fetchrow(SQL["user_settings"], *scope.user_key)
    return UserSettings.model_validate({} if row is None else dict(row))
