"""A ledger in a database of its own, whose time a test moves."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import get_args
from uuid import uuid4

import asyncpg

from ragpp.ledger import EventKind, NewEvent, Stage, Work, WorkKey, WorkLedger, pending, record
from ragpp.ledger.erasing import ErasureLedger
from ragpp.ledger.jobs import JobLedger
from ragpp.ledger.leasing import LOOK_AGAIN_S
from ragpp.ledger.schedule import ScheduleLedger
from ragpp.ledger.work import LONGEST_DELAY_S
from ragpp.models import Scope
from ragpp.stores.migrations import load_migrations, migrate_as_owner
from ragpp.stores.postgres import Connection, Pool, create_pool, ensure_open, tenant_tx
from ragpp_infra.embedded.stack import Endpoints
from ragpp_infra.provisioning.endpoints import in_database
from tests.support.episodic import NOON, postgres_settings
from tests.support.marks import MARKS


class Time:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, seconds: float) -> None:
        """Let so much time go by."""
        self.now += timedelta(seconds=seconds)


class Bench:
    """A ledger that holds this test's work alone. `time` is the clock of those who record and of the schedule; what is
    leased and what is due is counted by the database's, which goes on by itself: `pass_` moves both."""

    def __init__(self, app: Pool, relay: Pool) -> None:
        self.time = Time()
        self.app, self.relay = app, relay
        self.ledger = WorkLedger(relay, self.time, jitter=lambda: 0.5)
        self.jobs = JobLedger(app, self.time, MARKS)
        self.erasures = ErasureLedger(relay, MARKS)
        self.schedule = ScheduleLedger(relay, self.time)

    async def record(self, scope: Scope, *subjects: str, kind: EventKind = "interaction.stored") -> list[int]:
        """Events about `subjects`, in one transaction."""
        async with tenant_tx(self.app, scope) as connection:
            events = [NewEvent(kind, subject, NOON, {"subject": subject}) for subject in subjects]
            return await record(connection, scope, events, now=self.time())

    async def pending(self, scope: Scope, first: int | None = None, last: int | None = None) -> int:
        """How many of them are not digested."""
        async with tenant_tx(self.app, scope) as connection:
            return await pending(connection, scope, first, last)

    async def pass_(self, seconds: float) -> None:
        """Let so much time go by: what the database counts from is moved back."""
        self.time.pass_(seconds)
        async with self.relay.acquire() as connection:
            span = timedelta(seconds=seconds)
            await connection.execute(
                "UPDATE ledger.work SET due_at = due_at - $1::interval, lease_until = lease_until - $1::interval", span
            )
            await connection.execute("UPDATE ledger.holders SET held_until = held_until - $1::interval", span)
        await self._line_moves(seconds)

    async def _line_moves(self, seconds: float) -> None:
        async with self.relay.acquire() as connection, connection.transaction():
            await connection.fetch("SELECT FROM ledger.rounds ORDER BY stage FOR UPDATE")  # after who leases just now
            await connection.execute(
                "UPDATE ledger.queues SET due_at = due_at - $1::interval, turn = turn - $1::interval",
                timedelta(seconds=seconds),
            )

    async def lease(self, owner: str = "a", *, stage: str = "observe", limit: int = 100, users: int = 4) -> list[Work]:
        """For a minute. Who was looked at in vain is looked at again at once."""
        await self._line_moves(LOOK_AGAIN_S)
        return await self.ledger.lease(stage, limit=limit, owner=owner, lease_s=60, users=users)

    async def clear(self) -> None:
        """Leave no work due for the next test."""
        await self.pass_(10 * LONGEST_DELAY_S)
        for stage in get_args(Stage):
            while works := await self.lease("end", stage=stage, limit=1_000):
                await self.ledger.finish(keys(works), "end")


def keys(works: Sequence[Work]) -> list[WorkKey]:
    """The key of each work."""
    return [work.key for work in works]


@asynccontextmanager
async def ledger_pools(endpoints: Endpoints) -> AsyncIterator[tuple[Pool, Pool]]:
    """Connections of the app's and of the relay's role, to a database of its own that is up to date."""
    name = f"ledger_{uuid4().hex}"
    owner = await asyncpg.connect(endpoints.postgres_owner_dsn.get_secret_value())
    await owner.execute(f"CREATE DATABASE {name}")

    addresses = {
        "dsn": in_database(endpoints.postgres_app_dsn, name),
        "owner_dsn": in_database(endpoints.postgres_owner_dsn, name),
        "relay_dsn": in_database(endpoints.postgres_relay_dsn, name),
    }
    settings = postgres_settings(endpoints).model_copy(update=addresses)
    await migrate_as_owner(settings, load_migrations("ledger", "ragpp.ledger"))
    app = create_pool(settings)
    relay = create_pool(settings, dsn=in_database(endpoints.postgres_relay_dsn, name).get_secret_value(), vectors=False)
    await ensure_open(app)
    await ensure_open(relay)
    yield app, relay
    await app.close()
    await relay.close()
    await owner.execute(f"DROP DATABASE {name}")
    await owner.close()


async def until_someone_waits_for(connection: Connection, kind: str = "advisory") -> None:
    async with asyncio.timeout(60):
        waiting = 0
        while not waiting:
            waiting = await connection.fetchval(
                "SELECT count(*) FROM pg_locks WHERE locktype = $1 AND NOT granted", kind
            )
