"""Everything that the stores hold, to look for a word in it."""

from collections.abc import Awaitable, Callable, Collection
from typing import cast

import asyncpg

from infra.embedded.stack import Stack
from ragpp.neo4j import create_driver
from ragpp.redis import Client, create_client
from ragpp.settings import RedisSettings
from tests.support.semantic import neo4j_settings

_TABLES = """
    SELECT format('%I.%I', namespace.nspname, class.relname) AS name
      FROM pg_class AS class JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
     WHERE class.relkind = 'r' AND namespace.nspname NOT IN ('pg_catalog', 'information_schema')"""
_GRAPH = """
    MATCH (n) RETURN labels(n) AS what, n {.*, embedding: null, sketch: null} AS properties
    UNION ALL MATCH ()-[r]->() RETURN [type(r)] AS what, properties(r) AS properties"""


async def places_of(stack: Stack, words: Collection[str], *, hint: str) -> dict[str, set[str]]:
    """Where each of `words`, all of which contain `hint`, is found in whatever case: tables, labels and keys."""
    found: dict[str, set[str]] = {}
    for place, text in [*await _postgres(stack, hint), *await _neo4j(stack), *await _redis(stack)]:
        lower = text.casefold()
        if hint.casefold() in lower:
            for word in words:
                if word.casefold() in lower:
                    found.setdefault(word, set()).add(place)
    return found


async def _postgres(stack: Stack, hint: str) -> list[tuple[str, str]]:
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    try:
        texts = []
        for (table,) in await connection.fetch(_TABLES):
            rows = await connection.fetch(
                f"SELECT t::text AS text FROM {table} AS t WHERE t::text ILIKE '%' || $1 || '%'",  # noqa: S608 - of the catalog
                hint,
            )
            texts += [(table, row["text"]) for row in rows]
        return texts
    finally:
        await connection.close()


async def _neo4j(stack: Stack) -> list[tuple[str, str]]:
    async with create_driver(neo4j_settings(stack.endpoints())) as driver:
        records = (await driver.execute_query(_GRAPH)).records
    return [(":".join(record["what"]), repr(record["properties"])) for record in records]


async def _redis(stack: Stack) -> list[tuple[str, str]]:
    settings = RedisSettings(url=stack.endpoints().redis_url)
    async with create_client(settings) as client:
        keys = [key async for key in client.scan_iter(match=f"{settings.key_prefix}*", count=1_000)]
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
