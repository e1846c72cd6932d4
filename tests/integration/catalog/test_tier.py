"""The catalog's own promises, on PostgreSQL."""

import asyncio
import re

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pgvector.asyncpg import register_vector
from pydantic import SecretStr

from ragpp.catalog import ItemQuery
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import EmbeddingMismatch, InvalidInput, TierUnavailable
from ragpp.models import Scope
from ragpp.settings import PostgresSettings
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.catalog import forgetting
from ragpp_services.catalog.app import open_tier
from ragpp_services.catalog.statements import SQL
from ragpp_services.catalog.tier import PostgresCatalogTier
from tests.support.asking import connected
from tests.support.catalog import catalog_tier, item, resource
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


@pytest.mark.usefixtures("tier")
async def test_every_statement_can_be_prepared(endpoints: Endpoints) -> None:
    async with connected(endpoints.postgres_app_dsn) as connection:
        for name, statement in SQL.items():
            try:
                await connection.prepare(statement)
            except asyncpg.PostgresError as error:
                pytest.fail(f"{name}: {error}")


@pytest.mark.usefixtures("tier")
async def test_every_statement_finds_its_rows_by_an_index(endpoints: Endpoints) -> None:
    async with connected(endpoints.postgres_app_dsn) as connection:
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


async def test_a_scan_reads_the_partitions_of_the_user_and_of_all_users(
    tier: PostgresCatalogTier, scope: Scope, endpoints: Endpoints
) -> None:
    await tier.store(scope, [resource(id="r"), item("granite", "r")])
    async with connected(endpoints.postgres_app_dsn) as connection:
        await register_vector(connection)
        await connection.execute("SELECT set_config('ragpp.tenant_id', $1, false)", scope.tenant_id)
        given = (scope.tenant_id, [scope.user_id, ""], *[None] * 13, [], *[None] * 4)
        plan = await connection.fetch(f"EXPLAIN {SQL['scan_items']}", *given)
    partitions = {found[1] for row in plan if (found := re.search(r" on (items_\d+)", row[0]))}
    assert 1 <= len(partitions) <= 2


TEXTS = ("Basic is $99", "basic is $99", "Pro is $299", "pro is $299", "granite umbrella")


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(TEXTS), st.booleans()), max_size=12), st.data())
async def test_after_anything_went_or_moved_the_items_are_those_of_what_is_left_stored_anew(
    tier: PostgresCatalogTier, said: list[tuple[int, str, bool]], data: st.DataObject
) -> None:
    scope, anew = new_scope(), new_scope()
    left = {
        f"i{n}": item(text, f"r{of}", id=f"i{n}", sources=(f"m{n}",), category="pricing" if filed else "other")
        for n, (of, text, filed) in enumerate(said)
    }
    resources = [f"r{n}" for n in range(4)]
    for one in (scope, anew):
        await tier.create_category(one, "pricing", "What the plans cost")
        await tier.create_category(one, "other", "Whatever else there is")
    await tier.store(scope, [resource(id=identifier) for identifier in resources])
    for entry in left.values():
        await tier.store(scope, [entry])
    for _ in range(data.draw(st.integers(0, 5), label="how often")):
        if not left:
            break
        chosen = left[data.draw(st.sampled_from(sorted(left)), label="of")]
        leader = (await tier.get_item(scope, chosen.id)).item_id
        whole = [one for one in left if (await tier.get_item(scope, one)).item_id == leader]
        way = data.draw(st.sampled_from(["resource", "turn", "item", "move"]), label="what")
        if way == "resource":
            await tier.delete_resource(scope, chosen.source_resource_id)
            resources.remove(chosen.source_resource_id)
            of = chosen.source_resource_id
            left = {one: entry for one, entry in left.items() if entry.source_resource_id != of}
        elif way == "turn":
            await tier.forget_sources(scope, chosen.sources)
            del left[chosen.id]
        elif way == "item":
            assert await tier.forget(scope, [chosen.id]) == 1
            left = {one: entry for one, entry in left.items() if one not in whole}
        else:
            target = "other" if chosen.category == "pricing" else "pricing"
            await tier.put_in_category(scope, target, [chosen.id])
            left |= {one: left[one].model_copy(update={"category": target}) for one in whole}
    await tier.store(anew, [resource(id=identifier) for identifier in resources])
    for entry in left.values():
        await tier.store(anew, [entry])
    assert await told(tier, scope) == await told(tier, anew)


async def told(tier: PostgresCatalogTier, scope: Scope) -> list[tuple[object, ...]]:
    """The fields of every item that do not depend on when it came."""
    items = (await tier.list_items(scope, limit=1_000)).items
    return [
        (one.item_id, one.content, one.source_resource_id, one.also_in, one.sources, one.category, one.replaced_by)
        for one in items
    ]


async def test_an_erasure_takes_a_part_at_a_time_and_leaves_no_item_without_its_resource(
    tier: PostgresCatalogTier, scope: Scope
) -> None:
    await tier.store(scope, [resource(id="r1"), resource(id="r2")])
    words = [f"word{n} and word{n + 1}" for n in range(700)]
    for of, said in (("r1", words[:600]), ("r2", words[600:])):
        entries = [item(text, of, id=f"{of}-{n}", by_hand=False) for n, text in enumerate(said)]
        assert len(await tier.put_extracted(scope, of, entries)) == len(said)
    steps = [await tier.holdings(scope)]
    while await tier.erase(scope, 2**62):
        steps.append(await tier.holdings(scope))
        for one in (await tier.list_items(scope, limit=1_000)).items:
            assert await tier.get_resource(scope, one.source_resource_id)
    assert steps == [{"resources": 2, "items": 700}, {"resources": 2, "items": 200}]
    assert await tier.holdings(scope) == {}


async def test_a_resource_of_very_many_items_goes_with_all_of_them_a_part_at_a_time(
    tier: PostgresCatalogTier, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "FORGOTTEN_AT_ONCE", 40)
    await tier.store(scope, [resource(id="r1"), resource(id="r2")])
    entries = [item(f"word{n} and word{n + 1}", "r1", id=f"i{n}", by_hand=False) for n in range(100)]
    await tier.put_extracted(scope, "r1", entries)
    await tier.store(scope, [item("a fact of another", "r2", id="kept")])
    assert await tier.delete_resource(scope, "r1")
    assert await tier.holdings(scope) == {"resources": 1, "items": 1}
    assert all(one.forgotten for one in await tier.store(scope, [item("again", "r2", id=f"i{n}") for n in (0, 50, 99)]))
    assert not await tier.delete_resource(scope, "r1")


async def test_writers_at_once_agree_on_what_is_one(tier: PostgresCatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r")])
    texts = ["Basic is $99", "basic is $99", "BASIC is $99"]
    stored = await asyncio.gather(*(tier.store(scope, [item(text, "r")]) for text in texts))
    assert len({one.id for (one,) in stored}) == 1
    assert len((await tier.list_items(scope)).items) == 1


@pytest.mark.usefixtures("tier")
async def test_a_tier_of_another_model_does_not_open(endpoints: Endpoints) -> None:
    with pytest.raises(EmbeddingMismatch):
        async with catalog_tier(endpoints, embedder=HashingEmbedder(dimension=8)):
            pass


@pytest.mark.parametrize("embedding", [(0.0,) * 384, (1.0,) * 8])
async def test_a_vector_of_no_use_is_refused(
    tier: PostgresCatalogTier, scope: Scope, embedding: tuple[float, ...]
) -> None:
    entry = item("granite", "r").model_copy(update={"embedding": embedding})
    with pytest.raises(InvalidInput):
        await tier.store(scope, [resource(id="r"), entry])
    with pytest.raises(InvalidInput):
        await tier.search_items(scope, ItemQuery(text="granite", embedding=embedding))
    assert await tier.holdings(scope) == {}


async def test_a_vector_of_any_length_is_kept_at_length_one(tier: PostgresCatalogTier, scope: Scope) -> None:
    (vector,) = (await HashingEmbedder().embed(["granite umbrella"])).tolist()
    longer = tuple(7 * number for number in vector)
    entry = item("granite umbrella", "r", id="i").model_copy(update={"embedding": longer})
    await tier.store(scope, [resource(id="r"), entry, item("Granite umbrella", "r", id="same")])
    assert (await tier.get_item(scope, "same")).item_id == "i"
    kept = (await tier.get_item(scope, "i", vector=True)).embedding
    assert kept == pytest.approx(vector, abs=1e-3)


@pytest.mark.usefixtures("tier")
async def test_a_tier_without_its_database_says_so(scope: Scope) -> None:
    settings = PostgresSettings(dsn=SecretStr("postgresql://nobody:x@127.0.0.1:1/none"))
    async with open_tier(settings, embedder=HashingEmbedder(), counter=TokenCounter()) as lost:
        with pytest.raises(TierUnavailable):
            await lost.list_items(scope)
        assert not (await lost.health_check()).ok
