"""How the graph is, of all tenants together."""

import asyncio
from datetime import timedelta
from importlib.metadata import version
from time import perf_counter
from typing import Final

import neo4j

from ragpp.clock import Clock
from ragpp.health import SchemaState, StoreState
from ragpp.stores.neo4j import foreign_errors, graph_size
from ragpp_services.semantic.schema import COMPONENT, load_migrations

STATE_S: Final = 5.0
_CLOCK: Final = "RETURN datetime.realtime() AS moment"
_SCHEMA: Final = "MATCH (m:Migration {component: $component}) RETURN max(m.version) AS applied"


async def state_of(driver: neo4j.AsyncDriver, clock: Clock) -> StoreState:
    """Neo4j Community does not tell how large its files are. Raises TierUnavailable, StorageError."""
    async with foreign_errors("state"), asyncio.timeout(STATE_S), driver.session() as session:

        async def ask(statement: str, **given: object) -> list[neo4j.Record]:
            return [record async for record in await session.run(statement, given)]

        agent = (await driver.get_server_info()).agent
        began, before = perf_counter(), clock()
        (told,) = await ask(_CLOCK)
        took = perf_counter() - began
        (schema,) = await ask(_SCHEMA, component=COMPONENT)
    held = await graph_size(driver, timeout_s=STATE_S)
    return StoreState(
        product="Neo4j",
        version=agent.removeprefix("Neo4j/"),
        service_version=version("ragpp"),
        schemas=(SchemaState(part=COMPONENT, applied=schema["applied"] or 0, known=load_migrations()[-1].version),),
        store_time=told["moment"].to_native(),
        service_time=before + timedelta(seconds=took / 2),
        asked_ms=took * 1_000,
        holds={kind: count for kind, count in held.counts.items() if count},
    )
