"""How the graph is, of all tenants together."""

import asyncio
from datetime import datetime

import neo4j

from ragpp.clock import Clock
from ragpp.health import SchemaState, StoreState
from ragpp.stores.neo4j import foreign_errors, graph_size, ping
from ragpp.stores.state import STATE_S, read_clock, store_state
from ragpp_services.semantic.schema import COMPONENT, applied_migrations, load_migrations


async def state_of(driver: neo4j.AsyncDriver, clock: Clock) -> StoreState:
    """Neo4j Community does not tell how large its files are. Raises TierUnavailable, StorageError."""
    version = await ping(driver, timeout_s=STATE_S)
    async with foreign_errors("state"), asyncio.timeout(STATE_S), driver.session() as session:

        async def now() -> datetime:
            record = await (await session.run("RETURN datetime.realtime() AS moment")).single(strict=True)
            moment: datetime = record["moment"].to_native()
            return moment

        reading = await read_clock(clock, now)
    applied = max(await applied_migrations(driver), default=0)
    schema = SchemaState(part=COMPONENT, applied=applied, known=load_migrations()[-1].version)
    return store_state("Neo4j", version, reading, await graph_size(driver, timeout_s=STATE_S), [schema])
