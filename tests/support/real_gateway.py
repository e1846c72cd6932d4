"""The whole gateway on the real stores, in this process, with the hashing embedder; and its workers, run on demand."""

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

import asyncpg
import httpx
import pytest
from fastapi import FastAPI

from ragpp.client import AsyncMemoryClient
from ragpp.clock import Clock, system_clock
from ragpp.embedding.factory import make_embedder
from ragpp.entries.kinds import Kinds
from ragpp.extraction.pipeline import blank_pipeline
from ragpp.extraction.spacy_extractor import SpacyExtractor
from ragpp.ledger import WorkLedger
from ragpp.ledger.erasing import ErasureLedger
from ragpp.ledger.pins import PinBoard
from ragpp.ledger.views import ViewBoard
from ragpp.settings import EmbeddingSettings, PostgresSettings, RedisSettings
from ragpp.stores.postgres import Pool, as_tenant, create_pool, ensure_open
from ragpp.stores.redis import create_client
from ragpp.tierkit.deployment import Tools
from ragpp.tiers import Tiers
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services import all_in_one
from ragpp_services.gateway import app as gateway_app
from ragpp_services.gateway import results
from ragpp_services.gateway.keys import create_key
from ragpp_services.gateway.parts import Parts
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.running.digest import LEASE_S, STAGES, digest
from tests.support.marks import KEY, MARKS
from tests.support.scopes import new_scope
from tests.support.short_term import PATIENCE_S

T = TypeVar("T")


PATIENT: Final = {
    "GATEWAY_DEADLINE_MS": "20000",
    "GATEWAY_IDENTITY_TIMEOUT_S": "60",
    "NEO4J_QUERY_TIMEOUT_S": "60",
}
"""Settings of services that a machine may stop for some seconds, with their stores or without."""
STILL: Final = {"POSTGRES_IDLE_TRANSACTION_S": "19.5", "POSTGRES_QUERY_TIMEOUT_S": "60"}
"""The same of one whose transactions nobody waits for: what a stopped worker holds is let go of later."""


def settings_of(endpoints: Endpoints, folder: Path) -> dict[str, str]:
    """The environment that the services of the tests run with."""
    return {
        "POSTGRES_DSN": endpoints.postgres_app_dsn.get_secret_value(),
        "POSTGRES_OWNER_DSN": endpoints.postgres_owner_dsn.get_secret_value(),
        "POSTGRES_RELAY_DSN": endpoints.postgres_relay_dsn.get_secret_value(),
        "REDIS_URL": endpoints.redis_url.get_secret_value(),
        "REDIS_TIMEOUT_S": str(PATIENCE_S),
        "NEO4J_URI": endpoints.neo4j_uri,
        "NEO4J_USER": endpoints.neo4j_user,
        "NEO4J_PASSWORD": endpoints.neo4j_password.get_secret_value(),
        "FORGETTING_KEY": KEY,
        "EMBEDDING_PROVIDER": "hashing",
        "GATEWAY_AUDIT_SPOOL": str(folder / "audit-spool.jsonl"),
        "WORKER_SCHEDULE": "false",
        **PATIENT,
    }


@contextmanager
def environment(settings: dict[str, str]) -> Iterator[None]:
    """`settings` in the environment while inside."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@dataclass(frozen=True)
class RealGateway:
    """The running gateway. `parts` are its own; `worker` digests what the ledger holds, which `relay` connects to."""

    app: FastAPI
    parts: Parts
    worker: WorkerParts
    settings: dict[str, str]
    relay: Pool

    async def key(self, tenant_id: str, *scopes: str, user_id: str | None = None, agent_id: str | None = None) -> str:
        """A new key of `tenant_id`, to read, write and forget unless `scopes` say otherwise; one of an agent to share,
        too."""
        usual = {"read", "write", "forget"} if agent_id is None else {"read", "write", "forget", "share"}
        wanted = frozenset(scopes or usual)
        made = await create_key(
            self.settings["POSTGRES_OWNER_DSN"], tenant_id, wanted, user_id=user_id, agent_id=agent_id
        )
        return str(made["key"])

    def client(self, key: str | None) -> httpx.AsyncClient:
        """A client with `key`; what the application raises is answered, as a server would."""
        headers = {"authorization": f"Bearer {key}"} if key else {}
        return httpx.AsyncClient(transport=self._transport(), base_url="http://gateway", headers=headers, timeout=120)

    @asynccontextmanager
    async def newcomer(self) -> AsyncIterator[httpx.AsyncClient]:
        """A client of a tenant of its own, that may read, write and forget."""
        async with self.client(await self.key(new_scope().tenant_id)) as api:
            yield api

    def memory(self, key: str) -> AsyncMemoryClient:
        """The same as an application has it."""
        return AsyncMemoryClient("http://gateway", key, transport=self._transport())

    def _transport(self) -> httpx.ASGITransport:
        return httpx.ASGITransport(app=self.app, raise_app_exceptions=False)

    async def digest(self, *tenant_ids: str) -> None:
        """Do the ledger's work until nothing of these tenants is left."""
        owner = f"test-{uuid4().hex}"
        while await self._pending(tenant_ids):
            for stage in await self.worker.ledger.due(STAGES):
                works = await self.worker.ledger.lease(stage, limit=1_000, owner=owner, lease_s=LEASE_S)
                if works:
                    await digest(self.worker, works, owner)

    async def run_out(self, tenant_id: str) -> None:
        """Let the leases of the tenant's work end, as they do some seconds after their owner has died."""
        ended = "UPDATE ledger.work SET lease_until = now() WHERE tenant_id = $1 AND state = 'leased'"
        await self.relay.execute(ended, tenant_id)
        await self.relay.execute("UPDATE ledger.queues SET due_at = now() WHERE tenant_id = $1", tenant_id)

    async def audited(self, tenant_id: str) -> list[asyncpg.Record]:
        """The audit entries of `tenant_id`, as the application sees them."""
        await self.parts.audit.flush()
        connection = await asyncpg.connect(self.settings["POSTGRES_DSN"])
        try:
            async with as_tenant(connection, tenant_id):
                return list(await connection.fetch("SELECT * FROM audit.accesses ORDER BY at"))
        finally:
            await connection.close()

    async def lose_short_term(self) -> None:
        """Delete every key, as a Redis without its disk would after a restart."""
        redis = RedisSettings()
        async with create_client(redis) as client:
            async for key in client.scan_iter(match=f"{redis.key_prefix}*", count=1_000):
                await client.delete(key)

    async def _pending(self, tenant_ids: Sequence[str]) -> int:
        statement = "SELECT count(*) FROM ledger.work WHERE tenant_id = ANY ($1) AND state IN ('pending', 'leased')"
        return int(await self.relay.fetchval(statement, tenant_ids))


@asynccontextmanager
async def open_gateway(
    endpoints: Endpoints, folder: Path, *, clock: Clock = system_clock, more: Mapping[str, str] | None = None
) -> AsyncIterator[RealGateway]:
    """Migrate, open the tiers once, and put the gateway and a worker on them. `clock`: of the tiers, and of what a
    person sets; `more`: settings besides."""
    settings = {**settings_of(endpoints, folder), **STILL, **(more or {})}
    async with AsyncExitStack() as stack:
        stack.enter_context(environment(settings))
        # the contents of a job's result are left out where a tier is late, as on a machine that stands still
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(results, "PATIENCE_S", PATIENCE_S)
        await all_in_one.migrate_all()

        opened: list[Tiers] = []

        @asynccontextmanager
        async def tiers(tools: Tools) -> AsyncIterator[Tiers]:
            async with all_in_one.open_tiers(replace(tools, clock=clock)) as local:
                opened.append(local)
                yield local

        app = gateway_app.create_app(lambda: gateway_app.open_parts(tiers))
        await stack.enter_async_context(app.router.lifespan_context(app))
        parts: Parts = replace(app.state.parts, clock=clock)
        app.state.parts = parts
        pool = create_pool(PostgresSettings(), dsn=settings["POSTGRES_RELAY_DSN"], vectors=False)
        await ensure_open(pool)
        stack.push_async_callback(pool.close)
        embedder = make_embedder(EmbeddingSettings())
        worker = WorkerParts(
            **vars(opened[0]),
            ledger=WorkLedger(pool, system_clock),
            erasures=ErasureLedger(pool, MARKS),
            pins=PinBoard(pool, system_clock),
            views=ViewBoard(pool),
            extractor=SpacyExtractor(),
            reader=SpacyExtractor(load=blank_pipeline),
            embedder=embedder,
            kinds=Kinds(embedder),
            clock=system_clock,
        )
        yield RealGateway(app, parts, worker, settings, pool)


async def done(gateway: RealGateway, tenant: str, asked: Coroutine[object, None, T]) -> T:
    """The answer of `asked`, while a worker does what it waits for."""
    task = asyncio.create_task(asked)
    while not task.done():
        await gateway.digest(tenant)
        await asyncio.wait({task}, timeout=0.05)
    return task.result()
