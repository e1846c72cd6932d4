"""The pages of categories: what they say, who may edit them, and what goes from them; in process and over HTTP."""

import pytest

from ragpp.catalog import PageLine, PageSection, ResourceEntry, ResourceMessage
from ragpp.errors import ConsolidationError, InvalidInput, Outdated
from ragpp.tiers import CatalogTier
from ragpp_services.catalog.pages import resolved
from tests.support.catalog_reading import everybody
from tests.support.categories import EMPTY, NOON, PRICES, filled, item, resource, shows
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


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
