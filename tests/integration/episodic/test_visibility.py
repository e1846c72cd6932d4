"""Messages to an agent from before there was visibility are that agent's, and its views wait to be built."""

import pytest

from ragpp.stores.migrations import load_migrations
from ragpp_infra.embedded.stack import Endpoints
from tests.support.asking import undone
from tests.support.episodic import NOON

pytestmark = pytest.mark.server

SAID = """
INSERT INTO older.interactions (tenant_id, user_id, id, ordinal, event_id, session_id, agent_id, role, content,
                                content_hash, occurred_at, message_type, metadata, tokens, redactions, stored_at)
VALUES ($1, 'u', 'm' || $2::bigint, $2, $2, 's', $3, 'user', 'said', '\\x01', $4, 'conversation', '{}', 1, 0, $4)"""
CHUNK = """
INSERT INTO older.chunks (tenant_id, user_id, turn, part, occurred_at, session_key, traits, start, "end", tokens,
                          embedding, lexical)
VALUES ($1, 'u', $2, 0, $3, 1, 0, 0, 4, 1, '[1]', '{1:1}/1048576')"""
REPEATS = "INSERT INTO older.repetitions VALUES ($1, 'u', 3, 0, 4, $2)"
VIEWS = "SELECT view, latest, built FROM older_ledger.views WHERE tenant_id = $1 AND user_id = 'u' ORDER BY view"
READ = {
    "interactions": "SELECT seen_by FROM older.interactions WHERE tenant_id = $1 ORDER BY ordinal",
    "chunks": "SELECT seen_by FROM older.chunks WHERE tenant_id = $1 ORDER BY turn",
    "repetitions": "SELECT seen_by FROM older.repetitions WHERE tenant_id = $1 ORDER BY repeats",
}
OPEN = "".join(
    f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;"
    for table in ("older.interactions", "older.chunks", "older.repetitions", "older_ledger.views")
)
"""The owner, as who this runs, sees rows of all tenants only while row-level security does not bind it."""


def _copied(sql: str) -> str:
    """The SQL of a migration, for a copy of the schemas."""
    return sql.replace("episodic", "older").replace("ledger", "older_ledger")


async def test_stored_messages_with_an_agent_are_that_agents(endpoints: Endpoints) -> None:
    """The migration of rows of the version before, on a copy of the schema that is rolled back."""
    ledger = [one.sql for one in load_migrations("ledger", "ragpp.ledger")]
    *before, visibility = [one.sql for one in load_migrations("episodic", "ragpp_services.episodic")[:7]]
    async with undone(endpoints.postgres_owner_dsn) as connection:
        for sql in (*ledger, *before):
            await connection.execute(_copied(sql))
        await connection.execute(OPEN)
        for tenant in ("t1", "t2"):
            for number, agent in enumerate((None, "sales", "care"), start=1):
                await connection.execute(SAID, tenant, number, agent, NOON)
                await connection.execute(CHUNK, tenant, number, NOON)
                if number < 3:
                    await connection.execute(REPEATS, tenant, number)
        await connection.execute(_copied(visibility))
        assert await connection.fetch("SELECT FROM older.chunks") == []
        await connection.execute(OPEN)
        for tenant in ("t1", "t2"):
            seen = {
                table: [row["seen_by"] for row in await connection.fetch(statement, tenant)]
                for table, statement in READ.items()
            }
            assert seen == {
                "interactions": [None, "sales", "care"],
                "chunks": [None, "sales", "care"],
                "repetitions": [None, "sales"],
            }
            views = await connection.fetch(VIEWS, tenant)
            assert [tuple(row) for row in views] == [("", 3, False), ("care", 3, False), ("sales", 2, False)]
