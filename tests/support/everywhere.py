"""Everything that the stores hold, to look for a word in it."""

from collections.abc import Awaitable, Callable, Collection
from typing import cast

import asyncpg

from ragpp.stores.neo4j import create_driver
from ragpp.stores.redis import Client, create_client
from tests.support.semantic import neo4j_settings
from tests.support.short_term import redis_settings
from tests.support.stacks import StoreStack

_TABLES = """
    SELECT format('%I.%I', namespace.nspname, class.relname) AS name
      FROM pg_class AS class JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
     WHERE class.relkind = 'r' AND namespace.nspname NOT IN ('pg_catalog', 'information_schema')"""
_OF_TENANTS = """
    SELECT format('%I.%I', namespace.nspname, class.relname) AS name
      FROM pg_class AS class JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
     WHERE class.relkind IN ('r', 'p') AND NOT class.relispartition
       AND EXISTS (SELECT FROM pg_attribute
                    WHERE attrelid = class.oid AND attname = 'tenant_id' AND NOT attisdropped)"""
_GRAPH = """
    MATCH (n) WHERE $scope IS NULL OR n.scope STARTS WITH $scope
    RETURN labels(n) AS what, n {.*, embedding: null, sketch: null} AS properties
    UNION ALL MATCH (n)-[r]->() WHERE $scope IS NULL OR n.scope STARTS WITH $scope
    RETURN [type(r)] AS what, properties(r) AS properties"""


async def places_of(
    stack: StoreStack, words: Collection[str], *, hint: str, tenant_id: str | None = None
) -> dict[str, set[str]]:
    """Where each of `words`, all of which contain `hint`, is found in whatever case: tables, labels and keys.
    `tenant_id`: only in what is stored as this tenant's, whose id has nothing that is escaped in keys."""
    found: dict[str, set[str]] = {}
    texts = [
        *await _postgres(stack, hint, tenant_id),
        *await _neo4j(stack, tenant_id),
        *await _redis(stack, tenant_id),
    ]
    for place, text in texts:
        lower = text.casefold()
        if hint.casefold() in lower:
            for word in words:
                if word.casefold() in lower:
                    found.setdefault(word, set()).add(place)
    return found


async def _postgres(stack: StoreStack, hint: str, tenant_id: str | None) -> list[tuple[str, str]]:
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    try:
        texts = []
        for (table,) in await connection.fetch(_TABLES if tenant_id is None else _OF_TENANTS):
            whose = "$2::text IS NULL" if tenant_id is None else "t.tenant_id = $2"
            rows = await connection.fetch(
                f"SELECT t::text AS text FROM {table} AS t WHERE {whose} AND t::text ILIKE '%' || $1 || '%'",  # noqa: S608 - of the catalog
                hint,
                tenant_id,
            )
            texts += [(table, row["text"]) for row in rows]
        return texts
    finally:
        await connection.close()


async def _neo4j(stack: StoreStack, tenant_id: str | None) -> list[tuple[str, str]]:
    scope = None if tenant_id is None else f"user-graph:{tenant_id}/"
    async with create_driver(neo4j_settings(stack.endpoints())) as driver:
        records = (await driver.execute_query(_GRAPH, scope=scope)).records
    return [(":".join(record["what"]), repr(record["properties"])) for record in records]


async def _redis(stack: StoreStack, tenant_id: str | None) -> list[tuple[str, str]]:
    settings = redis_settings(stack.endpoints())
    of_tenant = "" if tenant_id is None else f"{tenant_id}/*"
    async with create_client(settings) as client:
        keys = [key async for key in client.scan_iter(match=f"{settings.key_prefix}*{of_tenant}", count=1_000)]
        return [(key.decode().split("{")[0], f"{key.decode()} {await _value(client, key)}") for key in keys]


async def _value(client: Client, key: bytes) -> str:
    kind = cast("bytes", await client.type(key)).decode()
    readers: dict[str, Callable[[bytes], Awaitable[object]]] = {
        "string": client.get,
        "hash": client.hgetall,
        "set": client.smembers,
        "list": lambda name: client.lrange(name, 0, -1),
        "zset": lambda name: client.zrange(name, 0, -1),
    }
    return repr(await readers[kind](key)) if kind in readers else ""
