"""Pages of categories on PostgreSQL: what races, what fails, what goes, and what is made anew."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import ConsolidationError
from ragpp.models import Scope
from ragpp.stores.postgres import Pool
from ragpp_services.catalog import forgetting
from ragpp_services.catalog.categories import moving
from ragpp_services.catalog.categories.consolidation import Consolidation
from ragpp_services.catalog.categories.tier import Categories
from ragpp_services.catalog.pages import resolved
from ragpp_services.catalog.tier import PostgresCatalogTier
from ragpp_services.catalog.vectors import Vectors
from tests.support.prices import PRICES, SAID, Held, item, noon, resource, rows_of, say, store_on
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


@pytest.fixture
async def scope(tier: PostgresCatalogTier) -> Scope:
    """With a category of prices."""
    made = new_scope()
    await tier.create_category(made, "prices", PRICES)
    return made


def categories_with(pool: Pool, contradicts: Callable[[str, str], bool]) -> Categories:
    """The categories' part of the tier, with another reading of what contradicts what."""
    store = store_on(pool)
    return Categories(store, Vectors(store, HashingEmbedder()), noon, contradicts)


async def page_of(tier: PostgresCatalogTier, scope: Scope) -> str:
    return (await tier.get_category(scope, "prices")).markdown_content


@asynccontextmanager
async def while_a_page_is_made(pool: Pool, scope: Scope) -> AsyncIterator[asyncio.Task[str]]:
    """Something happens after a page's items were read and before it is written; the task gives the page."""
    held = Held()

    async def consolidate() -> str:
        return (await categories_with(pool, held).consolidate(scope, "prices", force=True)).markdown_content

    making = asyncio.create_task(consolidate())
    try:
        assert await asyncio.to_thread(held.asked.wait, 30)
        yield making
    finally:
        held.let_go.set()
        await asyncio.wait([making])


async def test_what_is_forgotten_while_a_page_is_made_is_not_in_it(
    tier: PostgresCatalogTier, pool: Pool, scope: Scope
) -> None:
    await say(tier, scope, 1, ["The Basic plan is at $99"])
    await say(tier, scope, 2, ["The Basic plan is at $199"])
    async with while_a_page_is_made(pool, scope) as making:
        await tier.delete_resource(scope, "res_1")
    for page in (making.result(), await page_of(tier, scope)):
        assert ("$99" in page, "$199" in page) == (False, True)
        assert resolved(page).resource_ids == ("res_2",)


async def test_what_all_users_shared_and_is_forgotten_while_a_users_page_is_made_is_not_in_it(
    tier: PostgresCatalogTier, pool: Pool, scope: Scope
) -> None:
    of_all = scope.model_copy(update={"user_id": ""})
    await tier.create_category(of_all, "prices", PRICES)
    await say(tier, of_all, 1, ["The Basic plan is at $99"])
    await say(tier, scope, 2, ["The Basic plan is at $199"])
    async with while_a_page_is_made(pool, scope) as making:
        await tier.delete_resource(of_all, "res_1")
    for page in (making.result(), await page_of(tier, scope)):
        assert ("$99" in page, "$199" in page) == (False, True)


async def test_what_comes_while_a_page_is_made_does_not_hold_it_up_and_counts_as_new(
    tier: PostgresCatalogTier, pool: Pool, scope: Scope
) -> None:
    await say(tier, scope, 1, ["The Basic plan is at $99", "The Basic plan is at $199"])
    async with while_a_page_is_made(pool, scope) as making:
        await say(tier, scope, 2, ["Lions sleep for twenty hours"])
    made = await tier.get_category(scope, "prices")
    assert (making.result(), made.item_count, made.new_items) == (made.markdown_content, 3, 1)
    assert ("Lions" in made.markdown_content, "$199" in made.markdown_content) == (False, True)


async def test_a_page_of_very_many_items_shows_the_latest_and_counts_none_as_new(
    tier: PostgresCatalogTier, pool: Pool, scope: Scope
) -> None:
    for number in (3, 1, 2):
        await say(tier, scope, number, [SAID[number]])
    pages = Consolidation(store_on(pool), noon, lambda _earlier, _later: False, most=2)
    made = await pages.consolidate(scope, "prices")
    assert [text in made.markdown_content for text in SAID] == [False, False, True, True]
    assert (made.item_count, made.new_items) == (3, 0)
    await tier.delete_resource(scope, "res_3")
    made = await pages.consolidate(scope, "prices")
    assert [text in made.markdown_content for text in SAID] == [False, True, True, False]


async def test_what_a_person_writes_while_a_page_is_made_is_read_before_it_is_replaced(
    tier: PostgresCatalogTier, pool: Pool, scope: Scope
) -> None:
    await say(tier, scope, 1, ["The Basic plan is at $99", "The Basic plan is at $199"])
    held = Held()
    making = asyncio.create_task(categories_with(pool, held).consolidate(scope, "prices"))
    assert await asyncio.to_thread(held.asked.wait, 30)
    await tier.edit_category(scope, "prices", "Ask Ada.")
    held.let_go.set()
    assert (await making).markdown_content == "Ask Ada."


async def test_a_page_that_cannot_be_made_leaves_the_one_there_was(
    tier: PostgresCatalogTier, pool: Pool, scope: Scope
) -> None:
    await say(tier, scope, 1, ["The Basic plan is at $99"])
    before = await tier.consolidate(scope, "prices")
    await say(tier, scope, 2, ["The Basic plan is at $199"])

    def fails(_earlier: str, _later: str) -> bool:
        raise ValueError("no such amount")

    with pytest.raises(ConsolidationError) as raised:
        await categories_with(pool, fails).consolidate(scope, "prices")
    assert isinstance(raised.value.__cause__, ValueError)
    after = await tier.get_category(scope, "prices")
    assert (after.markdown_content, after.updated_at, after.new_items) == (
        before.markdown_content,
        before.updated_at,
        1,
    )


async def test_a_page_is_asked_for_once_when_ten_items_came_and_again_when_ten_came_since(
    tier: PostgresCatalogTier, pool: Pool, scope: Scope
) -> None:

    async def asked() -> list[dict[str, object]]:
        async with rows_of(pool, scope) as connection:
            rows = await connection.fetch(
                "SELECT payload FROM ledger.events WHERE user_id = $1 AND kind = 'catalog.requested' ORDER BY event_id",
                scope.user_id,
            )
        return [json.loads(row["payload"]) for row in rows]

    words = "amber birch cedar dune ember fjord grove heath islet jetty knoll lagoon"
    different = [f"{word} {word[::-1]} stands alone" for word in words.split()]
    await say(tier, scope, 1, different[:9])
    assert await asked() == []
    await say(tier, scope, 2, different[9:11])
    await say(tier, scope, 3, different[11:])
    [first] = await asked()
    assert (first["task"], first["category"], first["force"]) == ("consolidate", "prices", False)
    await tier.consolidate(scope, "prices")
    await say(tier, scope, 4, [f"{text} and {text[::-1]}" for text in different[:10]])
    assert len(await asked()) == 2


KINDS = ("say", "delete", "forget", "consolidate", "edit")
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 5), st.integers(0, 3)), min_size=3, max_size=12)


@settings(max_examples=12)
@given(STEPS)
async def test_whatever_comes_and_goes_a_page_rests_on_what_there_is_as_if_the_rest_had_never_been(
    tier: PostgresCatalogTier, steps: list[tuple[str, int, int]]
) -> None:
    scope, number = new_scope(), 0
    await tier.create_category(scope, "prices", PRICES)
    there: dict[int, dict[int, str]] = {}
    for kind, which, other in steps:
        chosen = sorted(there)[which % len(there)] if there else None
        if kind == "say":
            texts = [SAID[which % 4], SAID[other]][: 1 + which % 2]
            await say(tier, scope, number, texts)
            there[number] = dict(enumerate(texts))
            number += 1
        elif kind == "delete" and chosen is not None:
            await tier.delete_resource(scope, f"res_{chosen}")
            del there[chosen]
        elif kind == "forget" and chosen is not None and there[chosen]:
            place = min(there[chosen])
            said = there[chosen][place]
            await tier.forget(scope, [f"item_{chosen}_{place}"])
            there = {
                resource: {at: text for at, text in items.items() if text != said} for resource, items in there.items()
            }
        elif kind == "consolidate":
            await tier.consolidate(scope, "prices", force=other == 0)
        elif kind == "edit" and other == 0:
            await tier.edit_category(scope, "prices", await page_of(tier, scope))
        parts = resolved(page := await page_of(tier, scope))
        assert parts.dangling == ()
        assert set(parts.resource_ids) <= {f"res_{one}" for one in there}
        if not (await tier.get_category(scope, "prices")).edited:
            left = {text for items in there.values() for text in items.values()}
            assert [text for text in SAID if text in page and text not in left] == []
    remade = await tier.consolidate(scope, "prices", force=True)

    fresh = new_scope()
    await tier.create_category(fresh, "prices", PRICES)
    for one, items in there.items():
        await tier.store(fresh, [resource(one), *(item(one, place, text) for place, text in items.items())])
    never = await tier.consolidate(fresh, "prices", force=True)
    assert (remade.markdown_content, remade.item_ids) == (never.markdown_content, never.item_ids)


async def test_of_a_category_that_goes_the_items_leave_it_some_at_a_time(
    tier: PostgresCatalogTier, pool: Pool, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "EMPTIED_AT_ONCE", 2)
    for number, text in enumerate((*SAID, SAID[0])):
        await say(tier, scope, number, [text])
    async with store_on(pool).writing(scope) as rows:
        assert await moving.empty(rows, "prices")
    assert (await tier.get_category(scope, "prices")).item_ids == ("item_2_0", "item_3_0")
    assert await tier.delete_category(scope, "prices")
    items = (await tier.list_items(scope)).items
    assert [(one.category, one.also_in) for one in items] == [(None, ())] * 3 + [(None, ("res_4",))]


async def test_with_an_erased_category_what_came_later_leaves_it_and_the_rest_waits_to_be_erased(
    tier: PostgresCatalogTier, pool: Pool, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "ERASED_AT_ONCE", 2)
    await say(tier, scope, 0, SAID[:3])
    (later,) = await tier.store(scope, [resource(1)])
    assert later.event_id is not None
    await tier.store(scope, [item(1, 0, SAID[3])])
    await tier.erase(scope, later.event_id)
    async with rows_of(pool, scope) as connection:
        rows = await connection.fetch("SELECT id, category FROM catalog.items ORDER BY ordinal")
    assert [(row["id"], row["category"]) for row in rows] == [("item_0_2", "prices"), ("item_1_0", None)]
    while await tier.erase(scope, later.event_id):
        pass
    assert await tier.holdings(scope) == {"resources": 1, "items": 1}


async def test_an_erasure_leaves_nothing_of_what_it_took_on_a_page_that_stays(tier: PostgresCatalogTier) -> None:
    scope = new_scope()
    stored = await tier.store(scope, [resource(1), item(1, 0, SAID[0], None)])
    await tier.create_category(scope, "prices", PRICES)
    await tier.put_in_category(scope, "prices", ["item_1_0"])
    await say(tier, scope, 2, [SAID[1]])
    page = (await tier.consolidate(scope, "prices")).markdown_content
    assert (SAID[0] in page, SAID[1] in page) == (True, True)
    while await tier.erase(scope, max(one.event_id or 0 for one in stored) + 1):
        pass
    page = await page_of(tier, scope)
    assert (SAID[0] in page, SAID[1] in page) == (False, True)
    assert resolved(page).resource_ids == ("res_2",)
