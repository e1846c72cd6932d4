"""What the catalog promises about categories and their pages, in process and over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from ragpp.catalog import ItemEntry, MemoryCategory, PageLine, PageSection, ResourceEntry, ResourceMessage
from ragpp.errors import CategoryExistsError, CategoryNotFoundError, ConsolidationError, InvalidInput, Outdated
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.catalog.pages import resolved
from tests.support.catalog import catalog_tier
from tests.support.contract import reached
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PRICES = "What our products cost, and what is in each plan"
EMPTY = "# Prices\n\n*No items yet.*"


@pytest.fixture(scope="module", params=["local", "http"])
async def tier(request: pytest.FixtureRequest, endpoints: Endpoints) -> AsyncIterator[CatalogTier]:
    async with reached(request.param, "catalog", CatalogTier, catalog_tier(endpoints)) as opened:
        yield opened


def resource(identifier: str, *, seen_by: str | None = None) -> ResourceEntry:
    return ResourceEntry(
        id=identifier,
        resource_type="document",
        content=f"What {identifier} says.",
        metadata={"title": f"Title of {identifier}"},
        occurred_at=NOON,
        agent_id=seen_by,
        seen_by=seen_by,
    )


def item(
    identifier: str, content: str, resource_id: str, category: str | None = "prices", *, seen_by: str | None = None
) -> ItemEntry:
    return ItemEntry(
        id=identifier,
        content=content,
        source_resource_id=resource_id,
        category=category,
        occurred_at=NOON + timedelta(hours=len(identifier)),
        agent_id=seen_by,
        seen_by=seen_by,
        by_hand=True,
    )


def everybody(scope: Scope) -> Scope:
    return scope.model_copy(update={"user_id": ""})


def shows(category: MemoryCategory, *texts: str) -> list[bool]:
    return [text in category.markdown_content for text in texts]


async def filled(tier: CatalogTier, scope: Scope, texts: Sequence[str]) -> list[str]:
    """A category `prices` with an item of each text, each from a resource of its own; ids of the items."""
    await tier.create_category(scope, "prices", PRICES)
    await tier.store(scope, [resource(f"res_{number}") for number in range(len(texts))])
    entries = [item(f"item_{number}", text, f"res_{number}") for number, text in enumerate(texts)]
    return [stored.id for stored in await tier.store(scope, entries)]


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


async def test_a_page_says_each_item_with_its_source_and_counts_what_comes_after_it(tier: CatalogTier) -> None:
    scope = new_scope()
    ids = await filled(tier, scope, ["The Basic plan is at $99", "Lions sleep for twenty hours"])
    before = await tier.get_category(scope, "prices")
    assert (before.item_ids, before.item_count, before.new_items) == (tuple(ids), 2, 2)

    made = await tier.consolidate(scope, "prices")

    assert (made.item_count, made.new_items, made.edited) == (2, 0, False)
    assert shows(made, "- The Basic plan is at $99 [^", "- Lions sleep for twenty hours [^") == [True, True]
    assert '"Title of res_0" (res_0)' in made.markdown_content
    assert made.markdown_content.endswith("*Items: 2 | Resources: 2*")
    assert resolved(made.markdown_content).dangling == ()
    assert await tier.consolidate(scope, "prices") == made
    await tier.store(scope, [item("item_9", "Whales sing", "res_0")])
    assert (await tier.get_category(scope, "prices")).new_items == 1
    assert shows(await tier.consolidate(scope, "prices"), "Whales sing") == [True]


async def test_a_page_and_its_counts_rest_on_what_all_agents_see(tier: CatalogTier) -> None:
    scope = new_scope()
    await filled(tier, scope, ["The Basic plan is at $99"])
    await tier.store(scope, [resource("res_private", seen_by="sales")])
    await tier.store(scope, [item("item_private", "The discount is 40 percent", "res_private", seen_by="sales")])
    for view in (None, "sales", ""):
        seen = await tier.get_category(scope.seen_by(view), "prices")
        assert (seen.item_count, seen.item_ids) == (1, ("item_0",))
    made = await tier.consolidate(scope.seen_by("sales"), "prices", force=True)
    assert shows(made, "Basic plan", "40 percent", "res_private") == [True, False, False]


async def test_a_users_page_has_what_all_users_share_and_theirs_has_nothing_of_his(tier: CatalogTier) -> None:
    scope = new_scope()
    of_all = everybody(scope)
    await tier.create_category(of_all, "prices", "What everybody may know of prices")
    await tier.store(of_all, [resource("res_all"), item("item_all", "The list price is $120", "res_all")])
    await filled(tier, scope, ["The Basic plan is at $99"])
    own = await tier.consolidate(scope, "prices")
    theirs = await tier.consolidate(of_all, "prices")
    assert (own.item_count, theirs.item_count) == (2, 1)
    assert shows(own, "$99", "$120") == [True, True]
    assert shows(theirs, "$99", "$120") == [False, True]


async def test_a_page_that_a_person_edited_is_made_anew_only_when_that_is_forced(tier: CatalogTier) -> None:
    scope = new_scope()
    await filled(tier, scope, ["The Basic plan is at $99"])
    mine = "# Ours\n\nAsk Ada.[^a]\n\n[^a]: She knows.\n"
    edited = await tier.edit_category(scope, "prices", mine)
    assert (edited.markdown_content, edited.edited, edited.new_items) == (mine, True, 0)
    await tier.store(scope, [item("item_9", "Whales sing", "res_0")])
    assert await tier.due_categories(scope) == []
    assert (await tier.consolidate(scope, "prices")).markdown_content == mine
    forced = await tier.consolidate(scope, "prices", force=True)
    assert shows(forced, "Whales sing", "Ask Ada") == [True, False]
    assert not forced.edited
    with pytest.raises(InvalidInput):
        await tier.edit_category(scope, "prices", "x" * 200_001)


async def test_of_sections_that_a_model_wrote_the_lines_that_rest_on_items_are_the_page(tier: CatalogTier) -> None:
    scope = new_scope()
    one, two = await filled(tier, scope, ["The Basic plan is at $99", "Lions sleep for twenty hours"])
    lines = (
        PageLine(text="Basic costs $99", item_ids=(one,)),
        PageLine(text="Sources say otherwise", item_ids=("item_of_nobody",)),
        PageLine(text="Both are known", item_ids=(one, two)),
    )
    made = await tier.consolidate(scope, "prices", sections=[PageSection(title="Plans", lines=lines)])
    assert shows(made, "## Plans", "- Basic costs $99 [^1]\n", "- Both are known [^1] [^2]\n", "otherwise") == [
        True,
        True,
        True,
        False,
    ]
    invented = [PageSection(title="Plans", lines=lines[1:2])]
    with pytest.raises(ConsolidationError):
        await tier.consolidate(scope, "prices", force=True, sections=invented)
    assert await tier.get_category(scope, "prices") == made


async def test_a_page_that_was_written_of_what_was_read_before_a_forgetting_is_refused(tier: CatalogTier) -> None:
    scope = new_scope()
    one, two = await filled(tier, scope, ["The Basic plan is at $99", "Lions sleep for twenty hours"])
    epoch = await tier.epoch(scope)
    await tier.forget(scope, [two])
    lines = (PageLine(text="Lions sleep and Basic costs $99", item_ids=(one,)),)
    with pytest.raises(Outdated):
        await tier.consolidate(scope, "prices", sections=[PageSection(title="Plans", lines=lines)], epoch=epoch)
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


async def test_what_goes_leaves_the_page_at_once_and_the_page_is_due(tier: CatalogTier) -> None:
    scope = new_scope()
    ids = await filled(tier, scope, ["The Basic plan is at $99", "Lions sleep for twenty hours", "Whales sing"])
    await tier.consolidate(scope, "prices")
    assert await tier.delete_resource(scope, "res_0")
    left = await tier.get_category(scope, "prices")
    assert shows(left, "$99", "res_0", "Lions", "Whales") == [False, False, True, True]
    assert left.markdown_content.endswith("*Items: 2 | Resources: 2*")
    assert await tier.forget(scope, [ids[1]]) == 1
    left = await tier.get_category(scope, "prices")
    assert shows(left, "Lions", "Whales") == [False, True]
    assert resolved(left.markdown_content).dangling == ()
    assert await tier.due_categories(scope) == ["prices"]
    await tier.delete_resource(scope, "res_2")
    assert (await tier.get_category(scope, "prices")).markdown_content == EMPTY


async def test_a_line_in_the_words_of_what_is_gone_goes_though_another_says_the_same(tier: CatalogTier) -> None:
    scope = new_scope()
    await filled(tier, scope, ["The Basic plan is at $99", "The Basic plan is at $99"])
    await tier.consolidate(scope, "prices")
    await tier.delete_resource(scope, "res_0")
    assert (await tier.get_category(scope, "prices")).markdown_content == EMPTY
    made = await tier.consolidate(scope, "prices")
    assert shows(made, "$99", "(res_1)", "res_0") == [True, True, False]
    assert made.item_ids == ("item_1",)


async def test_a_persons_page_loses_what_rests_on_the_gone_alone_and_does_not_bring_it_back(tier: CatalogTier) -> None:
    scope = new_scope()
    await filled(tier, scope, ["The Basic plan is at $99", "Lions sleep for twenty hours"])
    mine = (
        "# Prices\n\nOurs to keep.\n\n- Basic is cheap [^1]\n- Lions and plans [^1] [^2]\n\n"
        "[^1]: Extracted from document (res_0)\n[^2]: Extracted from document (res_1)\n"
    )
    await tier.edit_category(scope, "prices", mine)
    await tier.delete_resource(scope, "res_0")
    left = await tier.get_category(scope, "prices")
    assert shows(left, "Ours to keep", "cheap", "- Lions and plans [^1]\n", "res_0") == [True, False, True, False]
    assert left.edited
    again = await tier.edit_category(scope, "prices", mine)
    assert shows(again, "Ours to keep", "cheap", "res_0") == [True, False, False]


@pytest.mark.parametrize("edited", [False, True])
async def test_of_a_resource_that_leaves_a_stub_no_page_tells_the_title(tier: CatalogTier, edited: bool) -> None:
    scope = new_scope()
    await filled(tier, scope, ["The Basic plan is at $99", "Lions sleep for twenty hours"])
    page = await tier.consolidate(scope, "prices")
    if edited:
        await tier.edit_category(scope, "prices", page.markdown_content)
    await tier.delete_resource(scope, "res_0", cascade=False)
    left = await tier.get_category(scope, "prices")
    assert shows(left, "$99", "(res_0)", "Title of res_0", "Title of res_1") == [True, True, False, True]
    assert left.edited == edited


async def test_what_a_forgotten_message_said_leaves_a_page_that_a_person_edited(
    tier: CatalogTier,
) -> None:
    scope = new_scope()
    said = "Ada: The launch code is 1931.\nBen: Lions sleep for twenty hours.\n"
    messages = (
        ResourceMessage(name="Ada", start=5, end=29, interaction_id="m1"),
        ResourceMessage(name="Ben", start=35, end=64, interaction_id="m2"),
    )
    talk = ResourceEntry(id="res_talk", resource_type="conversation", content=said, messages=messages, occurred_at=NOON)
    for name in ("prices", "plans"):
        await tier.create_category(scope, name, PRICES)
    code = item("item_code", "The launch code is 1931", "res_talk", "plans").model_copy(update={"sources": ("m1",)})
    other = item("item_lions", "Lions sleep for twenty hours", "res_talk").model_copy(update={"sources": ("m2",)})
    await tier.store(scope, [talk, code.model_copy(update={"by_hand": False}), other])
    plans = await tier.consolidate(scope, "plans")
    await tier.edit_category(scope, "plans", f"Ours to keep.\n\n{plans.markdown_content}")
    await tier.consolidate(scope, "prices")

    assert await tier.forget_sources(scope, ["m1"]) == ["res_talk"]

    assert shows(await tier.get_category(scope, "plans"), "Ours to keep", "1931", "Launch") == [True, False, False]
    assert shows(await tier.consolidate(scope, "prices"), "Lions sleep", "(res_talk)") == [True, True]


async def test_what_is_no_longer_extracted_leaves_the_page(tier: CatalogTier) -> None:
    scope = new_scope()
    await tier.create_category(scope, "prices", PRICES)
    await tier.store(scope, [resource("res_a")])
    first, second = (
        item(f"item_{number}", text, "res_a").model_copy(update={"by_hand": False})
        for number, text in enumerate(("The Basic plan is at $99", "Lions sleep for twenty hours"))
    )
    await tier.put_extracted(scope, "res_a", [first, second])
    await tier.consolidate(scope, "prices")
    await tier.put_extracted(scope, "res_a", [second])
    assert shows(await tier.get_category(scope, "prices"), "$99") == [False]
    made = await tier.consolidate(scope, "prices")
    assert shows(made, "$99", "Lions") == [False, True]


async def test_what_all_users_shared_leaves_the_pages_of_each(tier: CatalogTier) -> None:
    scope = new_scope()
    of_all = everybody(scope)
    await filled(tier, scope, ["The Basic plan is at $99"])
    await tier.create_category(of_all, "prices", "What everybody may know of prices")
    await tier.store(of_all, [resource("res_all"), item("item_all", "The list price is $120", "res_all")])
    await tier.consolidate(scope, "prices")
    await tier.delete_resource(of_all, "res_all")
    assert shows(await tier.get_category(scope, "prices"), "$99", "$120") == [True, False]
    assert await tier.due_categories(scope) == ["prices"]


async def test_an_erased_users_part_of_what_all_users_share_leaves_the_pages_of_others(tier: CatalogTier) -> None:
    scope, other = new_scope(), "another"
    of_all = everybody(scope)
    await tier.create_category(of_all, "prices", "What everybody may know of prices")
    shared = item("item_all", "The list price is $120", "res_all")
    await tier.store(
        of_all,
        [
            resource("res_all").model_copy(update={"contributor": other}),
            shared.model_copy(update={"contributor": other}),
        ],
    )
    await filled(tier, scope, ["The Basic plan is at $99"])
    await tier.consolidate(scope, "prices")
    await tier.consolidate(of_all, "prices")
    while await tier.erase(scope.model_copy(update={"user_id": other}), 2**62):
        pass
    assert shows(await tier.get_category(scope, "prices"), "$99", "$120") == [True, False]
    assert (await tier.get_category(of_all, "prices")).markdown_content == EMPTY


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
    assert whole.storage_bytes > shared.storage_bytes > 3 * 2 * 384
    other = await tier.stats(scope.model_copy(update={"user_id": "another"}))
    assert (other.total_resources, other.storage_bytes) == (0, 0)
    await tier.store(everybody(scope), [resource("res_all")])
    other = await tier.stats(scope.model_copy(update={"user_id": "another"}))
    assert (other.total_resources, other.storage_bytes) == (1, 0)
