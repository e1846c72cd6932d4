"""All that the stores hold of one user, row by row, to see whether anybody changes any of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import asyncpg
import neo4j

from ragpp.fields import RESERVED
from ragpp.models import Scope
from ragpp.stores.neo4j import create_driver, scope_key
from ragpp.stores.redis import Client, Keys, create_client
from tests.support.semantic import neo4j_settings
from tests.support.short_term import redis_settings
from tests.support.stacks import StoreStack

_TABLES: Final = """
    SELECT format('%I.%I', namespace.nspname, class.relname) AS name
      FROM pg_class AS class JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
     WHERE class.relkind IN ('r', 'p') AND NOT class.relispartition AND namespace.nspname NOT IN ('audit', 'identity')
       AND (namespace.nspname, class.relname) <> ('ledger', 'marked_ids')
       AND 2 = (SELECT count(*) FROM pg_attribute
                 WHERE attrelid = class.oid AND attname IN ('tenant_id', 'user_id') AND NOT attisdropped)"""
"""Tables of what is a user's. What is noted of a request and of a key is the operator's: that one was refused, too,
and which memories it returned (`ledger.marked_ids`)."""
_GRAPH: Final = """
    MATCH (n) WHERE n.scope = $scope OR n.scope STARTS WITH $views
    RETURN labels(n) AS what, properties(n) AS properties
    UNION ALL MATCH (n)-[r]->() WHERE n.scope = $scope OR n.scope STARTS WITH $views
    RETURN [type(r)] AS what, properties(r) AS properties"""


class Stores:
    """The three stores as their operator sees them."""

    def __init__(self, rows: asyncpg.Connection, graph: neo4j.AsyncDriver, redis: Client, statement: str) -> None:
        self._rows, self._graph, self._redis, self._statement = rows, graph, redis, statement

    async def held_of(self, scope: Scope) -> list[str]:
        """Whatever is the user's, in every view, each with where it is; in an order that does not change."""
        rows = await self._rows.fetch(self._statement, *scope.user_key, RESERVED)
        whole, views = scope_key(scope), scope_key(scope.seen_by(""))
        records = (await self._graph.execute_query(_GRAPH, scope=whole, views=views)).records
        found = [f"{row['place']} {row['text']}" for row in rows]
        found += [f"{record['what']} {sorted(record['properties'].items())}" for record in records]
        return sorted([*found, *[entry async for entry in self._keys_of(scope)]])

    async def _keys_of(self, scope: Scope) -> AsyncIterator[str]:
        whole, views = (_tag(Keys("").user("", one).encode()) for one in (scope, scope.seen_by("")))
        async for key in self._redis.scan_iter(count=1_000):
            if _tag(key) == whole or _tag(key).startswith(views):
                yield f"{key.decode()} {await self._redis.dump(key)!r}"

    async def watched(self, scope: Scope) -> "Watched":
        """The user's data, watched from now on; AssertionError when there is none."""
        held = await self.held_of(scope)
        assert held
        return Watched(self, scope, held)

    @asynccontextmanager
    async def unchanged(self, scope: Scope) -> AsyncIterator[None]:
        """AssertionError when what is the user's is not the same afterwards."""
        watched = await self.watched(scope)
        async with watched.unchanged():
            yield


class Watched:
    """A user's data, read once between two that may have changed it."""

    def __init__(self, stores: Stores, scope: Scope, held: list[str]) -> None:
        self._stores, self._scope, self._held = stores, scope, held

    @asynccontextmanager
    async def unchanged(self) -> AsyncIterator[None]:
        """AssertionError, with what came and what went, when it is not what it was at the last reading."""
        before = self._held
        try:
            yield
        finally:
            self._held = await self._stores.held_of(self._scope)
        came = [held for held in self._held if held not in before]
        gone = [held for held in before if held not in self._held]
        assert before == self._held, f"came: {came}, gone: {gone}"


def _tag(key: bytes) -> bytes:
    """Whose a key is."""
    return key.partition(b"{")[2].partition(b"}")[0]


@asynccontextmanager
async def open_stores(stack: StoreStack) -> AsyncIterator[Stores]:
    rows = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    try:
        tables = [row["name"] for row in await rows.fetch(_TABLES)]
        whose = "t.tenant_id = $1 AND (t.user_id = $2 OR starts_with(t.user_id, $2 || $3))"
        parts = [f"SELECT '{table}' AS place, t::text AS text FROM {table} AS t WHERE {whose}" for table in tables]  # noqa: S608 - names of the catalog
        endpoints = stack.endpoints()
        async with (
            create_driver(neo4j_settings(endpoints)) as graph,
            create_client(redis_settings(endpoints)) as redis,
        ):
            yield Stores(rows, graph, redis, " UNION ALL ".join(parts))
    finally:
        await rows.close()
