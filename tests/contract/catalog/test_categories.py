"""The catalog's promises about categories and their pages, in process and over HTTP."""

import asyncio

import pytest

from ragpp.errors import CategoryExistsError, CategoryNotFoundError, InvalidInput
from ragpp.tiers import CatalogTier
from tests.support.catalog_reading import everybody
from tests.support.categories import EMPTY, PRICES, filled, item, resource, shows
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


async def test_a_category_is_read_by_its_name_and_its_id_and_begins_without_items(tier: CatalogTier) -> None:
    scope = new_scope()
    created = await tier.create_category(scope, "prices", PRICES)
    assert (created.name, created.description, created.markdown_content) == ("prices", PRICES, EMPTY)
    assert (created.item_ids, created.item_count, created.new_items) == ((), 0, 0)
    assert (created.edited, created.visibility) == (False, "shared")
    assert created.category_id.startswith("cat_")
    assert await tier.get_category(scope, "prices") == created
    assert await tier.get_category(scope, created.category_id) == created


async def test_a_name_is_there_once_also_when_two_create_it_at_once(tier: CatalogTier) -> None:
    scope = new_scope()
    made = await asyncio.gather(
        *(tier.create_category(scope, "prices", PRICES) for _ in range(3)), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in made) == [
        "CategoryExistsError",
        "CategoryExistsError",
        "MemoryCategory",
    ]
    with pytest.raises(CategoryExistsError):
        await tier.create_category(scope, "prices", PRICES)
    assert await tier.create_category(new_scope(), "prices", PRICES)


async def test_a_name_that_is_no_snake_case_and_a_description_too_short_are_refused(tier: CatalogTier) -> None:
    scope = new_scope()
    for name, description in (("Prices", PRICES), ("a" * 65, PRICES), ("prices", "too short"), ("prices", "x" * 501)):
        with pytest.raises(InvalidInput):
            await tier.create_category(scope, name, description)
    assert (await tier.list_categories(scope)).items == ()


async def test_a_category_that_is_not_there_is_answered_with_those_that_are(tier: CatalogTier) -> None:
    scope = new_scope()
    await tier.create_category(scope, "prices", PRICES)
    for reading in (
        tier.get_category(scope, "costs"),
        tier.edit_category(scope, "costs", "x"),
        tier.put_in_category(scope, "costs", ["item_0"]),
        tier.consolidate(scope, "costs", force=True),
    ):
        with pytest.raises(CategoryNotFoundError) as raised:
            await reading
        assert any("prices" in suggestion for suggestion in raised.value.suggestions)
    assert await tier.delete_category(scope, "costs") is False


async def test_categories_are_listed_by_name_page_by_page_each_once(tier: CatalogTier) -> None:
    scope = new_scope()
    for name in ("c", "a", "b"):
        await tier.create_category(scope, name, PRICES)
    await tier.create_category(everybody(scope), "b", "What all of our users may read of b")
    await tier.create_category(everybody(scope), "d", "What all of our users may read of d")
    listed: list[tuple[str, str]] = []
    cursor = None
    while True:
        page = await tier.list_categories(scope, cursor, 2)
        listed += [(one.name, one.visibility) for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert listed == [("a", "shared"), ("b", "shared"), ("b", "global"), ("c", "shared"), ("d", "global")]


async def test_a_users_own_category_hides_that_of_all_users_and_nobody_changes_theirs(tier: CatalogTier) -> None:
    scope = new_scope()
    other = scope.model_copy(update={"user_id": "another"})
    of_all = await tier.create_category(everybody(scope), "prices", "What everybody may know of prices")
    own = await tier.create_category(scope, "prices", PRICES)
    assert (await tier.get_category(scope, "prices")).category_id == own.category_id
    assert (await tier.get_category(other, "prices")).category_id == of_all.category_id
    assert (await tier.get_category(scope, of_all.category_id)).visibility == "global"
    for changing in (
        tier.edit_category(other, "prices", "mine"),
        tier.consolidate(other, "prices", force=True),
    ):
        with pytest.raises(CategoryNotFoundError):
            await changing
    assert await tier.delete_category(other, "prices") is False
    await tier.edit_category(everybody(scope), "prices", "Ours")
    assert (await tier.get_category(other, "prices")).markdown_content == "Ours"
    assert (await tier.get_category(scope, "prices")).markdown_content == EMPTY


async def test_an_item_moves_with_all_that_say_the_same_and_the_page_that_it_leaves_is_due(tier: CatalogTier) -> None:
    scope = new_scope()
    await filled(tier, scope, ["The Basic plan is at $99", "The Basic plan is at $99", "Lions sleep for twenty hours"])
    await tier.create_category(scope, "plans", "Which plans there are to choose from")
    await tier.consolidate(scope, "prices")
    await tier.consolidate(scope, "plans")

    plans = await tier.put_in_category(scope, "plans", ["item_1", "item_of_nobody"])

    assert (plans.item_ids, plans.item_count, plans.new_items) == (("item_0",), 1, 1)
    assert (await tier.get_item(scope, "item_0")).category == "plans"
    assert (await tier.get_category(scope, "prices")).item_ids == ("item_2",)
    assert await tier.due_categories(scope) == ["plans", "prices"]
    assert shows(await tier.consolidate(scope, "prices"), "$99", "Lions") == [False, True]
    assert (await tier.consolidate(scope, "plans")).markdown_content.endswith("*Items: 1 | Resources: 2*")
    assert await tier.due_categories(scope) == []


async def test_items_that_meet_in_a_category_become_one(tier: CatalogTier) -> None:
    scope = new_scope()
    await filled(tier, scope, ["The Basic plan is at $99"])
    await tier.create_category(scope, "plans", "Which plans there are to choose from")
    await tier.store(scope, [resource("res_b"), item("item_b", "The Basic plan is at $99", "res_b", "plans")])
    assert (await tier.put_in_category(scope, "prices", ["item_b"])).item_ids == ("item_0",)
    assert (await tier.get_item(scope, "item_b")).item_id == "item_0"


async def test_a_deleted_category_leaves_its_items_without_one(tier: CatalogTier) -> None:
    scope = new_scope()
    await filled(tier, scope, ["The Basic plan is at $99"])
    assert await tier.delete_category(scope, "prices") is True
    assert await tier.delete_category(scope, "prices") is False
    assert (await tier.get_item(scope, "item_0")).category is None
    with pytest.raises(CategoryNotFoundError):
        await tier.get_category(scope, "prices")
    again = await tier.create_category(scope, "prices", PRICES)
    assert (again.item_count, again.markdown_content) == (0, EMPTY)


async def test_with_a_category_of_all_users_each_users_items_leave_it_but_those_in_his_own(tier: CatalogTier) -> None:
    scope = new_scope()
    of_all, owner = everybody(scope), scope.model_copy(update={"user_id": "owner"})
    await tier.create_category(of_all, "prices", "What everybody may know of prices")
    await tier.create_category(owner, "prices", PRICES)
    for user in (of_all, scope, owner):
        name = user.user_id or "all"
        await tier.store(user, [resource(f"res_{name}"), item(f"item_{name}", f"{name} pays $99", f"res_{name}")])
    assert await tier.delete_category(of_all, "prices") is True
    assert (await tier.get_item(scope, f"item_{scope.user_id}")).category is None
    assert (await tier.get_item(scope, "item_all")).category is None
    assert (await tier.get_item(owner, "item_owner")).category == "prices"


async def test_an_erased_users_category_of_all_users_goes_and_leaves_everybodys_items(tier: CatalogTier) -> None:
    scope = new_scope()
    of_all, reader = everybody(scope), scope.model_copy(update={"user_id": "reader"})
    await tier.create_category(of_all, "prices", "What everybody may know of prices", scope.user_id)
    await tier.create_category(of_all, "people", "Who of us may be asked about what")
    for user in (of_all, reader):
        name = user.user_id or "all"
        await tier.store(user, [resource(f"res_{name}"), item(f"item_{name}", f"{name} pays $99", f"res_{name}")])
    (last,) = await tier.store(scope, [resource("mine")])
    assert (await tier.holdings(scope))["categories"] == 1
    while await tier.erase(scope, (last.event_id or 0) + 1):
        pass
    assert await tier.holdings(scope) == {}
    assert [one.name for one in (await tier.list_categories(reader)).items] == ["people"]
    assert (await tier.get_item(reader, "item_reader")).category is None
    assert (await tier.get_item(of_all, "item_all")).category is None


async def test_a_category_is_due_from_so_many_new_items_on(tier: CatalogTier) -> None:
    scope = new_scope()
    await filled(tier, scope, ["The Basic plan is at $99", "Lions sleep for twenty hours"])
    assert await tier.due_categories(scope) == ["prices"]
    assert await tier.due_categories(scope, 2) == ["prices"]
    assert await tier.due_categories(scope, 3) == []
    await tier.consolidate(scope, "prices")
    assert await tier.due_categories(scope) == []


async def test_stats_count_what_the_scope_sees(tier: CatalogTier) -> None:
    scope = new_scope()
    nothing = await tier.stats(scope)
    assert (nothing.total_resources, nothing.total_items, nothing.storage_bytes) == (0, 0, 0)
    assert (nothing.last_extraction_at, nothing.last_consolidation_at) == (None, None)
    await filled(tier, scope, ["The Basic plan is at $99", "The Basic plan is at $99", "Lions sleep for twenty hours"])
    await tier.store(scope, [resource("res_private", seen_by="sales")])
    await tier.store(scope, [item("item_private", "The discount is 40 percent", "res_private", None, seen_by="sales")])
    await tier.put_extracted(scope, "res_2", [item("item_x", "Whales sing", "res_2", None)])
    await tier.consolidate(scope, "prices")
    whole, shared = await tier.stats(scope), await tier.stats(scope.seen_by(""))
    assert (whole.total_resources, whole.total_items, whole.total_categories) == (4, 4, 1)
    assert (shared.total_resources, shared.total_items, shared.vector_index_size) == (3, 3, 3)
    assert whole.resources_by_type == {"document": 4}
    assert whole.items_by_category == {"prices": 2}
    assert whole.last_extraction_at is not None
    assert whole.last_consolidation_at is not None
    assert 100_000 > whole.storage_bytes > shared.storage_bytes > 3 * 2 * 384
    other = await tier.stats(scope.model_copy(update={"user_id": "another"}))
    assert (other.total_resources, other.storage_bytes) == (0, 0)
    await tier.store(everybody(scope), [resource("res_all")])
    other = await tier.stats(scope.model_copy(update={"user_id": "another"}))
    assert (other.total_resources, other.storage_bytes) == (1, 0)
