"""What PostgreSQL and its driver answer, in the words of this project."""

import os
import signal
import time
from datetime import UTC, datetime

import asyncpg
import pytest

from infra.embedded.stack import Endpoints
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import StorageError, TierUnavailable
from ragpp.postgres import create_pool, ensure_open, foreign_errors
from services.episodic.app import migrate
from services.episodic.store import EpisodicStore
from services.episodic.tier import PostgresEpisodicTier
from services.procedural.store import ProceduralStore
from services.procedural.tier import PostgresProceduralTier
from tests.support.episodic import COUNTER, postgres_settings
from tests.support.marks import MARKS

pytestmark = pytest.mark.server


async def test_a_value_that_the_driver_refuses_is_no_outage(endpoints: Endpoints) -> None:
    connection = await asyncpg.connect(endpoints.postgres_app_dsn.get_secret_value())
    try:
        with pytest.raises(StorageError):
            async with foreign_errors("test"):
                await connection.fetchval("SELECT $1::int", 2**40)
    finally:
        await connection.close()
    with pytest.raises(TierUnavailable):
        async with foreign_errors("test"):
            await connection.fetchval("SELECT 1")


async def test_health_is_answered_in_time_also_when_the_server_hangs(endpoints: Endpoints) -> None:
    settings = postgres_settings(endpoints).model_copy(update={"pool_max": 1})
    await migrate(settings)
    pool = create_pool(settings)
    await ensure_open(pool)
    embedder = HashingEmbedder()
    tiers = (
        PostgresEpisodicTier(EpisodicStore(pool, MARKS), embedder, COUNTER, lambda: datetime.now(UTC)),
        PostgresProceduralTier(
            ProceduralStore(pool, MARKS), embedder=embedder, counter=COUNTER, clock=lambda: datetime.now(UTC)
        ),
    )
    backend: int = await pool.fetchval("SELECT pg_backend_pid()")
    os.kill(backend, signal.SIGSTOP)
    try:
        for tier in tiers:
            began = time.perf_counter()
            health = await tier.health_check()
            assert not health.ok
            assert health.detail
            assert time.perf_counter() - began < 10.0  # two seconds and a busy machine; a hang takes a minute
    finally:
        os.kill(backend, signal.SIGCONT)
        await pool.close()
