"""Questions to a store, over a connection of their own."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager

import asyncpg
import neo4j
import redis
from pydantic import SecretStr

from ragpp_infra.embedded.stack import Endpoints


@asynccontextmanager
async def connected(dsn: SecretStr) -> AsyncIterator[asyncpg.Connection]:
    """A connection to PostgreSQL, which is closed afterwards."""
    connection = await asyncpg.connect(dsn.get_secret_value())
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def undone(dsn: SecretStr) -> AsyncIterator[asyncpg.Connection]:
    """A connection in a transaction that is rolled back."""
    async with connected(dsn) as connection:
        transaction = connection.transaction()
        await transaction.start()
        try:
            yield connection
        finally:
            await transaction.rollback()


async def of_postgres(dsn: SecretStr, *statements: str) -> object:
    """The value of the last of `statements`."""
    async with connected(dsn) as connection:
        for statement in statements[:-1]:
            await connection.execute(statement)
        return await connection.fetchval(statements[-1])


def in_postgres(dsn: SecretStr, *statements: str) -> object:
    """The same, waited for."""
    with ThreadPoolExecutor(1) as pool:  # a test may itself run in an event loop
        return pool.submit(asyncio.run, of_postgres(dsn, *statements)).result()


def in_neo4j(endpoints: Endpoints, statement: str) -> list[neo4j.Record]:
    """The records that a statement gives."""
    auth = (endpoints.neo4j_user, endpoints.neo4j_password.get_secret_value())
    with neo4j.GraphDatabase.driver(endpoints.neo4j_uri, auth=auth) as driver:
        return driver.execute_query(statement).records


@contextmanager
def in_redis(endpoints: Endpoints) -> Iterator[redis.Redis]:
    """A client of the application's account."""
    client = redis.Redis.from_url(endpoints.redis_url.get_secret_value())
    try:
        yield client
    finally:
        client.close()
