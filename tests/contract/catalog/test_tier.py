"""The catalog's promises beside those of every tier, in process and over HTTP."""

from datetime import timedelta
from itertools import product

import pytest

from ragpp.catalog import RESOURCE_TYPES, ItemQuery
from ragpp.errors import CategoryNotFoundError, InvalidInput, NotFound, ResourceNotFoundError
from ragpp.models import SHARED, MemoryQuery, Scope
from ragpp.tiers import CatalogTier
from tests.support.catalog import NOON, conversation, item, resource
from tests.support.catalog_reading import everybody, listed, searched
from tests.support.procedural import procedural_entry
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
LATER = NOON + timedelta(days=1)


async def test_a_resource_is_read_as_it_was_stored(tier: CatalogTier, scope: Scope) -> None:
    said = conversation(("User", "What is your pricing?"), ("Agent", "Basic is $99/month."), ids=("m1", "m2"))
    said = said.model_copy(update={"metadata": {"title": "Pricing", "n": 10**30}, "session_id": "s1"})
    (stored,) = await tier.store(scope, [said])
    assert (stored.id, stored.duplicate) == (said.id, False)
    found = await tier.get_resource(scope, said.id)
    assert (found.content, found.messages, found.metadata) == (said.content, said.messages, said.metadata)
    assert (found.occurred_at, found.session_id, found.visibility) == (NOON, "s1", "shared")
    assert found.tokens > 0
    assert not found.is_stub
    with pytest.raises(ResourceNotFoundError):
        await tier.get_resource(scope, "res_unknown")


async def test_resources_are_listed_the_last_first_and_cut(tier: CatalogTier, scope: Scope) -> None:
    kinds = ("document", "conversation", "document", "feedback", "document")
    entries = [resource("x" * 300, id=f"r{n}", resource_type=kind) for n, kind in enumerate(kinds)]
    await tier.store(scope, entries)
    page = await tier.list_resources(scope, limit=2)
    more = await tier.list_resources(scope, cursor=page.next_cursor, limit=10)
    assert [one.resource_id for one in (*page.items, *more.items)] == ["r4", "r3", "r2", "r1", "r0"]
    assert more.next_cursor is None
    assert {(len(one.content), one.content_truncated) for one in page.items} == {(200, True)}
    await tier.store(scope, [resource("y" * 200, id="short", resource_type="config")])
    (short,) = (await tier.list_resources(scope, limit=1)).items
    assert (len(short.content), short.content_truncated) == (200, False)
    assert not (await tier.get_resource(scope, "r0")).content_truncated
    documents = await tier.list_resources(scope, "document")
    assert [one.resource_id for one in documents.items] == ["r4", "r2", "r0"]
    with pytest.raises(InvalidInput):
        await tier.list_resources(scope, cursor="nonsense")
    with pytest.raises(InvalidInput, match="not one that this list gave out"):
        await tier.list_items(scope, cursor=page.next_cursor)


async def test_an_item_needs_a_resource_and_a_category_that_are_there(tier: CatalogTier, scope: Scope) -> None:
    with pytest.raises(ResourceNotFoundError):
        await tier.store(scope, [resource("a note", id="r"), item("a fact", "elsewhere")])
    with pytest.raises(ResourceNotFoundError):
        await tier.get_resource(scope, "r")
    with pytest.raises(CategoryNotFoundError):
        await tier.store(scope, [resource("a note", id="r"), item("a fact", "r", category="pricing")])
    with pytest.raises(CategoryNotFoundError):
        await tier.search_items(scope, ItemQuery(text="a fact", category="pricing"))
    await tier.store(scope, [resource("a note", id="r"), item("a fact", "r", id="i")])
    assert (await tier.get_item(scope, "i")).source_resource_id == "r"
    with pytest.raises(InvalidInput):
        await tier.put_extracted(scope, "r", [item("a fact", "another")])


async def test_an_item_tells_of_what_type_its_resource_is(tier: CatalogTier, scope: Scope) -> None:
    for number, kind in enumerate(RESOURCE_TYPES):
        await tier.store(scope, [resource(id=f"r{number}", resource_type=kind)])
        await tier.store(scope, [item(f"Shelf {number} has {number + 2} boards", f"r{number}", id=f"i{number}")])
    found = (await tier.search_items(scope, ItemQuery(text="How many boards has the shelf?", k=10))).items
    assert {one.item_id: one.resource_type for one in found} == {f"i{n}": kind for n, kind in enumerate(RESOURCE_TYPES)}
    assert {one.resource_type for one in await listed(tier, scope)} == set(RESOURCE_TYPES)


async def test_what_says_the_same_is_one_item_of_several_resources(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r1"), resource(id="r2"), resource(id="r3")])
    first = item("Basic is $99 a month", "r1", id="a", sources=("m1",))
    (one,) = await tier.store(scope, [first])
    again, other = await tier.store(
        scope, [item("basic is $99 a month", "r2", id="b", sources=("m2",)), item("Pro is $299 a month", "r3", id="c")]
    )
    assert (one.id, again.id, again.duplicate, other.id) == ("a", "a", False, "c")
    for identifier in ("a", "b"):
        found = await tier.get_item(scope, identifier)
        assert (found.item_id, found.also_in, found.sources) == ("a", ("r2",), ("m1", "m2"))
    assert {one.item_id for one in await listed(tier, scope)} == {"a", "c"}
    assert [one.item_id for one in (await tier.list_items(scope, resource_id="r2")).items] == ["a"]
    assert await tier.delete_resource(scope, "r1")
    found = await tier.get_item(scope, "b")
    assert (found.item_id, found.source_resource_id, found.also_in, found.sources) == ("b", "r2", (), ("m2",))
    with pytest.raises(NotFound):
        await tier.get_item(scope, "a")


async def test_every_pair_of_agents_sees_its_own_and_what_is_shared(tier: CatalogTier, scope: Scope) -> None:
    views = {None: "r-all", "sales": "r-sales", "support": "r-support"}
    for agent, identifier in views.items():
        await tier.store(scope, [resource(f"lighthouse of {agent}", id=identifier, seen_by=agent)])
        text = f"lighthouse keeper of {agent}"
        # what the entry says is no wider than what the resource is
        (stored,) = await tier.store(scope, [item(text, identifier, id=f"i-{agent}")])
        assert stored.id == f"i-{agent}"
    for viewer, (agent, identifier) in product((SHARED, "sales", "support", "nobody"), views.items()):
        seen, visible = scope.seen_by(viewer), agent is None or agent == viewer
        text = f"lighthouse keeper of {agent}"
        assert (text in await searched(tier, seen, "lighthouse keeper")) == visible
        assert (text in [one.content for one in await listed(tier, seen)]) == visible
        found = await tier.retrieve(MemoryQuery(scope=seen, text=text))
        assert (text in [one.text for one in found]) == visible
        ids = [one.resource_id for one in await tier.search_resources(seen, "lighthouse")]
        assert (identifier in ids) == visible
        assert (identifier in [one.resource_id for one in (await tier.list_resources(seen)).items]) == visible
        if visible:
            one = await tier.get_item(seen, f"i-{agent}")
            assert (one.agent_id, one.visibility) == (agent, "shared" if agent is None else "agent")
            assert (await tier.get_resource(seen, identifier)).resource_id == identifier
            continue
        with pytest.raises(NotFound):
            await tier.get_item(seen, f"i-{agent}")
        with pytest.raises(ResourceNotFoundError):
            await tier.get_resource(seen, identifier)
        with pytest.raises(ResourceNotFoundError):
            await tier.put_extracted(seen, identifier, [])
        with pytest.raises(ResourceNotFoundError):
            await tier.store(seen, [item("a fact", identifier)])
        assert await tier.forget(seen, [f"i-{agent}", identifier]) == 0
        assert not await tier.delete_resource(seen, identifier)
    assert len(await listed(tier, scope)) == 3


async def test_one_agents_item_of_a_shared_resource_stays_apart_from_the_others(
    tier: CatalogTier, scope: Scope
) -> None:
    await tier.store(scope, [resource(id="r")])
    stored = await tier.store(
        scope, [item("Basic is $99", "r", id="all"), item("Basic is $99", "r", id="own", seen_by="sales")]
    )
    assert [one.id for one in stored] == ["all", "own"]
    assert [one.item_id for one in await listed(tier, scope.seen_by("support"))] == ["all"]
    assert (await tier.get_item(scope, "own")).also_in == ()


async def test_what_all_users_share_is_seen_by_each_and_changed_by_none(tier: CatalogTier, scope: Scope) -> None:
    other = scope.model_copy(update={"user_id": new_scope().user_id})
    await tier.store(
        everybody(scope), [resource("the handbook", id="r"), item("the office opens at nine", "r", id="i")]
    )
    for one in (scope, other, scope.seen_by("sales")):
        assert (await tier.get_resource(one, "r")).visibility == "global"
        assert (await tier.get_item(one, "i")).visibility == "global"
        assert await searched(tier, one, "when does the office open") == ["the office opens at nine"]
        assert await tier.forget(one, ["r", "i"]) == 0
        assert not await tier.delete_resource(one, "r")
    stranger = new_scope()
    assert await searched(tier, stranger, "office") == []
    await tier.store(scope, [resource("my own handbook", id="r")])
    assert (await tier.get_resource(scope, "r")).content == "my own handbook"
    assert (await tier.get_resource(other, "r")).content == "the handbook"
    assert await tier.forget(everybody(scope), ["i"]) == 1
    assert await searched(tier, other, "office") == []


async def test_what_all_users_share_rests_on_no_users_interactions(tier: CatalogTier, scope: Scope) -> None:
    shared = everybody(scope)
    with pytest.raises(InvalidInput):
        await tier.store(shared, [conversation(("Ann", "I live in Porto."), ids=("m1",))])
    with pytest.raises(InvalidInput):
        await tier.store(shared, [resource(id="r"), item("Porto", "r", sources=("m1",))])
    assert await tier.holdings(shared) == {}


async def test_what_occurred_later_is_not_seen(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r1"), resource(id="r2")])
    await tier.store(scope, [item("Basic is $99", "r1", id="late", occurred_at=LATER)])
    await tier.store(scope, [item("Basic is $99", "r2", id="early")])
    now = await tier.search_items(scope, ItemQuery(text="Basic"))
    assert [(one.item_id, one.also_in) for one in now.items] == [("late", ("r2",))]
    then = await tier.search_items(scope, ItemQuery(text="Basic", as_of=NOON))
    assert [(one.item_id, one.also_in, one.source_resource_id) for one in then.items] == [("early", (), "r2")]
    before = await tier.search_items(scope, ItemQuery(text="Basic", as_of=NOON - timedelta(days=1)))
    assert (before.items, before.total_found) == ((), 0)


async def test_an_item_is_a_memory_that_names_what_it_rests_on(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r", session_id="s1")])
    plain = item("saffron lighthouse", "r", id="a", sources=("m1",)).model_copy(
        update={"metadata": {"finding_id": "f"}}
    )
    await tier.store(scope, [plain, item("granite umbrella", "r", id="b")])
    query = MemoryQuery(scope=scope, text="saffron lighthouse", explain=True)
    first, second = await tier.retrieve(query)
    assert (first.id, first.tier, first.kind, first.sources) == ("a", "catalog", "item", ("m1",))
    assert first.metadata == {
        "resource_id": "r",
        "resource_type": "document",
        "category": None,
        "importance": "normal",
        "finding_id": "f",
    }
    assert first.session_id == "s1"
    assert first.similarity == pytest.approx(1, abs=0.01)
    assert first.coverage is not None
    assert 0 < first.coverage <= 1
    assert second.coverage == 0
    assert first.explain is not None
    assert first.tokens > 0
    assert second.sources == ("r",)
    words = await tier.retrieve(query.model_copy(update={"mode": "lexical"}))
    assert [one.id for one in words] == ["a"]
    latest = await tier.retrieve(MemoryQuery(scope=scope))
    assert [one.id for one in latest] == ["b", "a"]


async def test_items_are_listed_the_latest_first_with_vectors_on_request(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r")])
    words = ("granite", "saffron", "umbrella", "lighthouse", "pepper")
    await tier.store(scope, [item(word, "r", id=f"i{n}") for n, word in enumerate(words)])
    page = await tier.list_items(scope, limit=2, vectors=True)
    rest = await tier.list_items(scope, cursor=page.next_cursor)
    assert [one.item_id for one in (*page.items, *rest.items)] == ["i4", "i3", "i2", "i1", "i0"]
    (vector,) = {len(one.embedding or ()) for one in page.items}
    assert vector == 384
    assert rest.items[0].embedding is None
    assert (await tier.get_item(scope, "i0", vector=True)).embedding is not None


async def test_an_entry_of_another_kind_is_refused(tier: CatalogTier, scope: Scope) -> None:
    with pytest.raises(InvalidInput):
        await tier.store(scope, [resource(id="r"), procedural_entry("tea")])
    assert await tier.holdings(scope) == {}
