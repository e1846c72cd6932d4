"""Memories looked for by key, by domain, by kind of task or by value are found by an index of that."""

import re
from typing import Final

import pytest

from ragpp.catalog import generate_memory_key
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.episodes import EpisodeEnd, Used, Valued
from ragpp.models import Scope
from ragpp.stores.postgres import as_tenant
from ragpp.text.readers import Tokenizers
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.catalog.items.writing import new_item
from ragpp_services.catalog.statements import SQL
from ragpp_services.catalog.tier import PostgresCatalogTier
from tests.support.asking import connected
from tests.support.catalog import NOON, item, resource
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
ITEMS: Final = 3_000
DOMAINS: Final = 60
TASKS: Final = 50
CONDITION: Final = re.compile(r"Index Cond: (.*)")


def said(number: int) -> str:
    return f"Hint {number} holds."


@pytest.fixture(scope="module")
async def scope(tier: PostgresCatalogTier, endpoints: Endpoints) -> Scope:
    """A user with ITEMS, each of one of DOMAINS and one of TASKS, some of which are worth something."""
    made, tokenizers = new_scope(), Tokenizers()
    await tier.store(made, [resource(id="r")])
    vectors = await HashingEmbedder().embed([said(number) for number in range(ITEMS)])
    entries = [
        item(said(number), "r", id=f"i{number}").model_copy(
            update={"domain": f"d{number % DOMAINS}", "task_type": f"t{number % TASKS}"}
        )
        for number in range(ITEMS)
    ]
    new = [new_item(entry, vector, tokenizers) for entry, vector in zip(entries, vectors, strict=True)]
    async with tier._store.writing(made) as rows:
        await rows.items.insert(new, [0] * ITEMS, NOON, [])
        everything = {f"i{number}": 0.3 if number % 2 else -0.3 for number in range(0, ITEMS, 3)}
        await rows.values.move("valid", everything, NOON)
    async with connected(endpoints.postgres_owner_dsn) as owner:
        for table in ("items", "goal_values"):
            await owner.execute(f"ANALYZE catalog.{table}")
    return made


async def conditions(endpoints: Endpoints, scope: Scope, name: str, *arguments: str) -> str:
    """The conditions on the indexes of which a statement's plan makes use; `arguments`: as they are written."""
    async with connected(endpoints.postgres_app_dsn) as connection, as_tenant(connection, scope.tenant_id):
        await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        await connection.execute(f"PREPARE asked AS {SQL[name]}")
        seen = (f"'{scope.tenant_id}'", f"ARRAY['{scope.user_id}', '']", "NULL")
        plan = await connection.fetch(f"EXPLAIN EXECUTE asked ({', '.join((*seen, *arguments))})")
        await connection.execute("DEALLOCATE asked")
    return " ".join(found[1] for row in plan if (found := CONDITION.search(row[0])))


async def test_a_memory_is_found_by_its_key(endpoints: Endpoints, scope: Scope) -> None:
    key = generate_memory_key(said(7), "d7", "t7")
    asked = await conditions(endpoints, scope, "item_of_content", f"'{key}'", f"'{said(7)}'")
    assert f"memory_key = '{key}'" in asked


@pytest.mark.parametrize(
    ("domain", "task_type", "wanted"),
    [
        ("'d7'", "NULL", ["domain = 'd7'"]),
        ("NULL", "'t7'", ["task_type = 't7'"]),
        ("'d7'", "'t7'", ["domain = 'd7'", "task_type = 't7'"]),
    ],
)
async def test_memories_of_a_domain_or_a_kind_of_task_are_found_by_it(
    endpoints: Endpoints, scope: Scope, domain: str, task_type: str, wanted: list[str]
) -> None:
    narrowed = (f"'{scope.user_id}'", "NULL", domain, task_type, "NULL", "10")
    asked = await conditions(endpoints, scope, "items_without_value", *narrowed)
    assert all(one in asked for one in wanted), asked


async def test_what_proved_best_for_a_goal_is_found_by_its_value(endpoints: Endpoints, scope: Scope) -> None:
    narrowed = (f"'{scope.user_id}'", "'valid'", "0.5", "1", "NULL", "NULL", "NULL", "10")
    asked = await conditions(endpoints, scope, "items_worth", *narrowed)
    assert "goal = 'valid'" in asked
    assert "value > '0.5'" in asked


async def test_of_many_those_of_a_domain_come_by_their_value(tier: PostgresCatalogTier, scope: Scope) -> None:
    for wanted in (Valued(domain="d7", goal="valid", limit=200), Valued(task_type="t7", goal="valid", limit=200)):
        found = await tier.valued_items(scope, wanted)
        worth = [one.get_value("valid") for one in found]
        assert worth == sorted(worth, reverse=True)
        assert len(found) == ITEMS // (DOMAINS if wanted.domain else TASKS)
    episode = await tier.begin_episode(scope, "valid", "d7")
    access = await tier.record_access(scope, episode.episode_id, Used(content=said(7), task_type="t7"))
    assert access is not None
    assert access.item_id == "i7"
    await tier.end_episode(scope, episode.episode_id, EpisodeEnd(final_reward=1.0))
