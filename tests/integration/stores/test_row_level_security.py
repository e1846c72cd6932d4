"""No table, and no partition of one, shows a tenant's rows to whoever has not set that tenant."""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final
from uuid import uuid4

import asyncpg
import pytest

from ragpp.models import Scope
from ragpp.stores import segments
from ragpp.stores.postgres import as_tenant
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.catalog.tier import PostgresCatalogTier
from ragpp_services.episodic.tier import PostgresEpisodicTier
from ragpp_services.gateway.store import migrate as migrate_gateway
from tests.support.asking import connected
from tests.support.catalog import catalog_tier, conversation, item
from tests.support.each import each
from tests.support.episodic import episodic_entry, episodic_tier, postgres_settings
from tests.support.procedural import procedural_entry, procedural_tier
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server

NO_TENANTS_DATA = {
    "public.migrations",
    "episodic.embedding",
    "catalog.embedding",
    "ledger.lineage",
}
"""Tables without rows of tenants: the versions of the schemas, which model made the vectors, and what the stores are
called."""

READ_FOR_THE_APP = {"identity.keys", "procedural.embedding_model"}
"""Tables that the app reaches through a function that runs as their owner."""

RELATIONS = """
    SELECT namespace.nspname || '.' || quote_ident(class.relname) AS name, class.relrowsecurity AS enabled,
           class.relforcerowsecurity AS forced, class.relispartition AS partition, class.oid AS oid
      FROM pg_class AS class JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
     WHERE class.relkind IN ('r', 'p', 'm', 'f', 'v')
       AND namespace.nspname NOT IN ('pg_catalog', 'information_schema') AND namespace.nspname NOT LIKE 'pg\\_%'
     ORDER BY name"""


async def segment(tier: PostgresEpisodicTier | PostgresCatalogTier, scope: Scope) -> None:
    """Let the scope's first row be in a segment."""
    store = tier._store
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "ROWS", 1)
        async with store.segments_writing(scope) as rows:
            missing = await rows.missing(scope.user_id, 1)
            assert missing is not None
            read = await rows.read_missing(missing)
            assert await rows.insert(missing, read.version, read.source())


@pytest.fixture(scope="module")
async def tenants(endpoints: Endpoints) -> tuple[str, str]:
    """Two tenants with rows in every store."""
    await migrate_gateway(postgres_settings(endpoints))
    scopes = [new_scope() for _ in range(2)]
    async with (
        episodic_tier(endpoints) as episodic,
        procedural_tier(endpoints) as procedural,
        catalog_tier(endpoints) as catalog,
    ):
        for scope in scopes:
            for number in range(40):  # enough users that no partition stays empty
                user = scope.model_copy(update={"user_id": f"u{number}"})
                await episodic.store(user, [episodic_entry("the launch code. it is 1931")])
                await episodic.store(user, [episodic_entry("another time")])
                await episodic.index_sentences(user)
                said = conversation(("Ann", "the launch code is 1931"), id="r", ids=("m1",))
                await catalog.create_category(user, "codes", "What is kept secret")
                await catalog.store(user, [said, item("the launch code is 1931", "r", category="codes")])
            await segment(episodic, user)
            await segment(catalog, user)
            await procedural.store(scope, [procedural_entry("the launch code")])
    return scopes[0].tenant_id, scopes[1].tenant_id


@pytest.fixture
async def app(endpoints: Endpoints, tenants: tuple[str, str]) -> AsyncIterator[asyncpg.Connection]:
    assert tenants
    async with connected(endpoints.postgres_app_dsn) as connection:
        yield connection


@pytest.fixture
async def owner(endpoints: Endpoints, tenants: tuple[str, str]) -> AsyncIterator[asyncpg.Connection]:
    assert tenants
    async with connected(endpoints.postgres_owner_dsn) as connection:
        yield connection


async def visible(connection: asyncpg.Connection, name: str) -> int:
    """How many rows of the relation can be seen; none where reading is forbidden."""
    try:
        count: int = await connection.fetchval(f"SELECT count(*) FROM {name}")  # noqa: S608 - a name of the catalog
    except asyncpg.InsufficientPrivilegeError:
        return 0
    return count


async def tables(connection: asyncpg.Connection) -> list[asyncpg.Record]:
    found = [row for row in await connection.fetch(RELATIONS) if row["name"] not in NO_TENANTS_DATA]
    assert len([row for row in found if row["partition"]]) >= 32
    return found


async def test_every_table_and_partition_enforces_its_policy_also_on_its_owner(owner: asyncpg.Connection) -> None:
    open_ones = [row["name"] for row in await tables(owner) if not (row["enabled"] and row["forced"])]
    assert open_ones == []


async def test_without_a_tenant_the_app_sees_nothing(app: asyncpg.Connection) -> None:
    for row in await tables(app):
        assert await visible(app, row["name"]) == 0, row["name"]


async def test_with_an_empty_tenant_the_app_sees_nothing(app: asyncpg.Connection) -> None:
    await app.execute("SELECT set_config('ragpp.tenant_id', '', false)")
    for row in await tables(app):
        assert await visible(app, row["name"]) == 0, row["name"]


async def test_a_tenant_set_for_a_transaction_is_gone_after_it(
    app: asyncpg.Connection, tenants: tuple[str, str]
) -> None:
    async with as_tenant(app, tenants[0]):
        assert await visible(app, "episodic.interactions") == 80
    for row in await tables(app):
        assert await visible(app, row["name"]) == 0, row["name"]


async def test_a_tenant_sees_its_own_rows_and_nobody_elses(app: asyncpg.Connection, tenants: tuple[str, str]) -> None:
    seen = set()
    for tenant in tenants:
        await app.execute("SELECT set_config('ragpp.tenant_id', $1, false)", tenant)
        for row in await tables(app):
            if row["partition"] or not await visible(app, row["name"]):
                continue
            seen.add(row["name"])
            owners = await app.fetch(f"SELECT DISTINCT tenant_id FROM {row['name']}")  # noqa: S608 - as above
            assert [one["tenant_id"] for one in owners] == [tenant], row["name"]
    assert seen >= {"episodic.interactions", "episodic.chunks", "episodic.sentences", "ledger.events", "ledger.work"}
    layers = ("resources", "resource_chunks", "resource_turns", "items", "categories")
    assert seen >= {f"catalog.{layer}" for layer in layers}
    assert seen >= {f"{tier}.{table}" for tier in ("episodic", "catalog") for table in ("segments", "segment_terms")}


@pytest.mark.parametrize("tenant", ["'; ROLLBACK; --", "\\x41\\'", "%s$1", "Łódź 東京 \U0001f511", "a\tb"])
async def test_a_tenant_is_named_as_it_is_whatever_signs_it_has(app: asyncpg.Connection, tenant: str) -> None:
    async with as_tenant(app, tenant):
        assert await app.fetchval("SELECT current_setting('ragpp.tenant_id')") == tenant
    assert await app.fetchval("SELECT current_setting('ragpp.tenant_id')") == ""


async def test_what_was_written_for_a_tenant_is_not_kept_where_an_error_comes_after(
    app: asyncpg.Connection, tenants: tuple[str, str]
) -> None:
    with suppress(LookupError):
        async with as_tenant(app, tenants[0]):
            await app.execute("DELETE FROM episodic.sentences")
            raise LookupError
    async with as_tenant(app, tenants[0]):
        assert await visible(app, "episodic.sentences") > 0


async def test_a_tenant_nobody_has_sees_nothing(app: asyncpg.Connection) -> None:
    await app.execute("SELECT set_config('ragpp.tenant_id', $1, false)", uuid4().hex)
    for row in await tables(app):
        assert await visible(app, row["name"]) == 0, row["name"]


async def test_no_partition_can_be_read_past_its_parent(app: asyncpg.Connection, tenants: tuple[str, str]) -> None:
    await app.execute("SELECT set_config('ragpp.tenant_id', $1, false)", tenants[0])
    for row in await tables(app):
        if row["partition"]:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await app.fetchval(f"SELECT count(*) FROM {row['name']}")  # noqa: S608 - as above


async def test_the_owner_sees_no_tenants_rows(owner: asyncpg.Connection) -> None:
    for row in await tables(owner):
        if row["name"] not in READ_FOR_THE_APP:
            nobodys = 0
            if row["name"] == "audit.accesses":  # keys that there are none of are nobody's
                nobodys = await owner.fetchval("SELECT count(*) FROM audit.accesses WHERE tenant_id = ''")
            assert await visible(owner, row["name"]) == nobodys, row["name"]


async def test_a_row_cannot_be_written_for_another_tenant(app: asyncpg.Connection, tenants: tuple[str, str]) -> None:
    await app.execute("SELECT set_config('ragpp.tenant_id', $1, false)", tenants[0])
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await app.execute(
            """INSERT INTO ledger.events (tenant_id, user_id, kind, subject_id, payload, occurred_at)
               VALUES ($1, 'u', 'k', 's', '{}', now())""",
            tenants[1],
        )
    assert await app.execute("DELETE FROM episodic.interactions WHERE tenant_id = $1", tenants[1]) == "DELETE 0"


WAYS_OUT: Final = (
    "SET ROLE ragpp_owner",
    "SET ROLE ragpp_relay",
    "SET ROLE postgres",
    "SET SESSION AUTHORIZATION postgres",
    "ALTER TABLE episodic.interactions DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE episodic.interactions NO FORCE ROW LEVEL SECURITY",
    "DROP POLICY own_tenant ON episodic.interactions",
    "CREATE POLICY mine ON episodic.interactions USING (true)",
    "ALTER ROLE ragpp_app BYPASSRLS",
    "GRANT ragpp_owner TO ragpp_app",
    "TRUNCATE episodic.interactions",
    "UPDATE episodic.interactions SET content = ''",
    "DROP TABLE episodic.interactions",
    "SELECT * FROM episodic.embedding",
    "UPDATE episodic.embedding SET model = ''",
    "CREATE TABLE public.mine (x int)",
    "CREATE TABLE episodic.mine (x int)",
    "SELECT * FROM catalog.embedding",
    "TRUNCATE catalog.items",
    "DROP POLICY own_tenant ON catalog.resources",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT pg_read_file('PG_VERSION')",
)


async def test_the_app_cannot_help_itself(app: asyncpg.Connection) -> None:
    async def refused(statement: str) -> None:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await app.execute(statement)

    await each(WAYS_OUT, refused)


async def test_switching_row_security_off_is_an_error_and_no_way_in(app: asyncpg.Connection) -> None:
    await app.execute("SET row_security = off")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await app.fetch("SELECT * FROM episodic.interactions")


async def test_the_roles_that_serve_have_no_rights_beyond_their_grants(owner: asyncpg.Connection) -> None:
    rows = await owner.fetch(
        """SELECT rolname FROM pg_roles
            WHERE rolname IN ('ragpp_app', 'ragpp_relay')
              AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication
                   OR EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid)
                   OR EXISTS (SELECT FROM pg_class WHERE relowner = pg_roles.oid))"""
    )
    assert rows == []
