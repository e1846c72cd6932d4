"""Rules that language models suggested before there were proposals are proposed, unless a person touched them."""

import pytest

from ragpp.stores.migrations import load_migrations
from ragpp_infra.embedded.stack import Endpoints
from tests.support.asking import undone
from tests.support.procedural import NOON

pytestmark = pytest.mark.server

RULE = """INSERT INTO older.rules (tenant_id, user_id, id, text, triggers, priority, active, version, occurred_at,
                                   updated_at, sources, embedding)
          VALUES ($1, 'u', $2, $2, '{}', 5, $3, 1, $4, $4, '{m}', '[1]')"""
VERSION = """INSERT INTO older.rule_versions (tenant_id, user_id, rule_id, version, text, triggers, priority, active,
                                              occurred_at, recorded_at, sources, embedding, acted)
             VALUES ($1, 'u', $2, 1, $2, '{}', 5, $3, $4, $4, '{m}', '[1]', $5)"""
ENTRY = "INSERT INTO older.applied VALUES ($1, 'u', $2, 'rule', $2, '\\x01', 1)"
READ = """SELECT r.id, r.active, r.proposed, v.active AS held, v.proposed AS suggested, v.judged,
                 a.content_hash IS NULL AS unhashed
            FROM older.rules AS r
            JOIN older.rule_versions AS v ON (v.tenant_id, v.rule_id) = (r.tenant_id, r.id)
            JOIN older.applied AS a ON (a.tenant_id, a.subject_id) = (r.tenant_id, r.id) ORDER BY r.id"""


async def test_a_suggestion_that_nobody_touched_becomes_a_proposal(endpoints: Endpoints) -> None:
    """The migration of rows of the version before, on a copy of the schema that is rolled back."""
    *before, proposed = (
        one.sql.replace("procedural", "older") for one in load_migrations("procedural", "ragpp_services.procedural")[:6]
    )
    rules = (
        ("learned-m-off", False, False),
        ("learned-m-own", True, True),
        ("learned-m-s", True, False),
        ("learned-t", True, False),
        ("r", True, True),
    )
    async with undone(endpoints.postgres_owner_dsn) as connection:
        for sql in before:
            await connection.execute(sql)
        for tenant in ("t1", "t2"):
            await connection.execute("SELECT set_config('ragpp.tenant_id', $1, true)", tenant)
            for identifier, active, acted in rules:
                await connection.execute(RULE, tenant, identifier, active, NOON)
                await connection.execute(VERSION, tenant, identifier, active, NOON, acted)
                await connection.execute(ENTRY, tenant, identifier)
        await connection.execute("SELECT set_config('ragpp.tenant_id', '', true)")
        await connection.execute(proposed)
        assert await connection.fetch(READ) == []
        for tenant in ("t1", "t2"):
            await connection.execute("SELECT set_config('ragpp.tenant_id', $1, true)", tenant)
            assert [tuple(row) for row in await connection.fetch(READ)] == [
                ("learned-m-off", False, False, False, False, False, False),
                ("learned-m-own", True, False, True, False, False, False),
                ("learned-m-s", False, True, False, True, False, True),
                ("learned-t", True, False, True, False, False, False),
                ("r", True, False, True, False, False, False),
            ]
