"""The catalog's own promises, on PostgreSQL."""

import re
from collections.abc import AsyncIterator

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pgvector.asyncpg import register_vector

from ragpp.models import Scope
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.catalog.statements import SQL
from ragpp_services.catalog.tier import PostgresCatalogTier
from tests.support.catalog import catalog_tier, item, resource
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
async def tier(endpoints: Endpoints) -> AsyncIterator[PostgresCatalogTier]:
    async with catalog_tier(endpoints) as opened:
        yield opened


@pytest.fixture
def scope() -> Scope:
    return new_scope()


@pytest.mark.usefixtures("tier")
async def test_every_statement_can_be_prepared(endpoints: Endpoints) -> None:
    connection = await asyncpg.connect(endpoints.postgres_app_dsn.get_secret_value())
    try:
        for name, statement in SQL.items():
            try:
                await connection.prepare(statement)
            except asyncpg.PostgresError as error:
                pytest.fail(f"{name}: {error}")
    finally:
        await connection.close()


@pytest.mark.usefixtures("tier")
async def test_every_statement_finds_its_rows_by_an_index(endpoints: Endpoints) -> None:
    connection = await asyncpg.connect(endpoints.postgres_app_dsn.get_secret_value())
    try:
        await connection.execute("SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan")
        read_whole = []
        for name, statement in SQL.items():
            types = [one.name for one in (await connection.prepare(statement)).get_parameters()]
            await connection.execute(f"PREPARE looked_at AS {statement}")
            given = ", ".join(f"NULL::{kind}" for kind in types)
            plan = await connection.fetch(f"EXPLAIN EXECUTE looked_at{f'({given})' if given else ''}")
            await connection.execute("DEALLOCATE looked_at")
            if any("Seq Scan" in row[0] for row in plan):
                read_whole.append(name)
        assert read_whole == []
    finally:
        await connection.close()


async def test_a_scan_reads_the_partitions_of_the_user_and_of_all_users(
    tier: PostgresCatalogTier, scope: Scope, endpoints: Endpoints
) -> None:
    await tier.store(scope, [resource(id="r"), item("granite", "r")])
    connection = await asyncpg.connect(endpoints.postgres_app_dsn.get_secret_value())
    try:
        await register_vector(connection)
        await connection.execute("SELECT set_config('ragpp.tenant_id', $1, false)", scope.tenant_id)
        given = (scope.tenant_id, [scope.user_id, ""], *[None] * 13, [])
        plan = await connection.fetch(f"EXPLAIN {SQL['scan_items']}", *given)
    finally:
        await connection.close()
    partitions = {found[1] for row in plan if (found := re.search(r" on (items_\d+)", row[0]))}
    assert 1 <= len(partitions) <= 2


TEXTS = ("Basic is $99", "basic is $99", "Pro is $299", "pro is $299", "granite umbrella")


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(TEXTS), st.booleans()), max_size=12), st.data())
async def test_after_anything_went_the_items_are_those_of_what_is_left_stored_anew(
    tier: PostgresCatalogTier, said: list[tuple[int, str, bool]], data: st.DataObject
) -> None:
    scope, anew = new_scope(), new_scope()
    entries = [
        item(text, f"r{of}", id=f"i{n}", sources=(f"m{n}",), category="pricing" if filed else None)
        for n, (of, text, filed) in enumerate(said)
    ]
    for one in (scope, anew):
        await tier.create_category(one, "pricing", "What the plans cost")
    await tier.store(scope, [resource(id=f"r{n}") for n in range(4)])
    for entry in entries:
        await tier.store(scope, [entry])
    gone, left = set[str](), {f"r{n}" for n in range(4)}
    for number in range(data.draw(st.integers(0, 4))):
        if data.draw(st.booleans()):
            of = data.draw(st.sampled_from(sorted(left)))
            left.discard(of)
            await tier.delete_resource(scope, of)
            gone |= {entry.id for entry in entries if entry.source_resource_id == of}
        elif entries:
            place = data.draw(st.integers(0, len(entries) - 1), label=f"{number}")
            await tier.forget_sources(scope, [f"m{place}"])
            gone.add(f"i{place}")
        if not left:
            break
    await tier.store(anew, [resource(id=identifier) for identifier in sorted(left)])
    for entry in entries:
        if entry.id not in gone:
            await tier.store(anew, [entry])
    assert await told(tier, scope) == await told(tier, anew)


async def told(tier: PostgresCatalogTier, scope: Scope) -> list[tuple[object, ...]]:
    """Of every item what does not depend on when it came."""
    items = (await tier.list_items(scope, limit=1_000)).items
    return [
        (one.item_id, one.content, one.source_resource_id, one.also_in, one.sources, one.category, one.replaced_by)
        for one in items
    ]
