"""A ledger on a clock that a test moves."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import get_args

from infra.embedded.stack import Endpoints
from ragpp.ledger import EventKind, NewEvent, Stage, Work, WorkKey, WorkLedger, pending, record
from ragpp.ledger.jobs import JobLedger
from ragpp.ledger.schedule import ScheduleLedger
from ragpp.ledger.work import LONGEST_DELAY_S
from ragpp.migrations import load_migrations, migrate_as_owner
from ragpp.models import Scope
from ragpp.postgres import Pool, create_pool, tenant_tx
from tests.support.episodic import NOON, postgres_settings


class Time:
    """A clock that stands until it is moved. It begins long ago, so that no other test's work is due."""

    def __init__(self) -> None:
        self.now = NOON - timedelta(days=36_500)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, seconds: float) -> None:
        """Let so much time go by."""
        self.now += timedelta(seconds=seconds)


class Bench:
    """A ledger that holds this test's work alone: everyone else's falls due a hundred years later."""

    def __init__(self, app: Pool, relay: Pool) -> None:
        self.time = Time()
        self.app, self.relay = app, relay
        self.ledger = WorkLedger(relay, self.time, jitter=lambda: 0.5)
        self.jobs = JobLedger(app, self.time)
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

    async def lease(self, owner: str = "a", *, stage: str = "observe", limit: int = 100) -> list[Work]:
        """For a minute."""
        return await self.ledger.lease(stage, limit=limit, owner=owner, lease_s=60)

    async def clear(self) -> None:
        """Leave no work due for the next test."""
        self.time.pass_(10 * LONGEST_DELAY_S)
        for stage in get_args(Stage):
            while works := await self.ledger.lease(stage, limit=1_000, owner="end", lease_s=60):
                await self.ledger.finish(keys(works), "end")


def keys(works: Sequence[Work]) -> list[WorkKey]:
    """Of each work."""
    return [work.key for work in works]


@asynccontextmanager
async def ledger_pools(endpoints: Endpoints) -> AsyncIterator[tuple[Pool, Pool]]:
    """Connections of the app's and of the relay's role, to a schema that is up to date."""
    settings = postgres_settings(endpoints)
    await migrate_as_owner(settings, load_migrations("ledger", "ragpp.ledger"))
    app = create_pool(settings)
    relay = create_pool(settings, dsn=endpoints.postgres_relay_dsn.get_secret_value(), vectors=False)
    yield app, relay
    await app.close()
    await relay.close()
