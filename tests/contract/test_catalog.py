"""What the catalog promises beside what every tier does, in process and over HTTP."""

from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import product

import pytest

from ragpp.catalog import RESOURCE_TYPES, CatalogInput, ItemQuery, MemoryItem
from ragpp.errors import CategoryNotFoundError, Conflict, InvalidInput, NotFound, Outdated, ResourceNotFoundError
from ragpp.models import SHARED, Filters, MemoryQuery, Scope
from ragpp.tiers import CatalogTier
from ragpp_infra.embedded.stack import Endpoints
from tests.support.catalog import NOON, catalog_tier, conversation, item, resource
from tests.support.contract import reached
from tests.support.procedural import procedural_entry
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
LATER = NOON + timedelta(days=1)


@pytest.fixture(scope="module", params=["local", "http"])
async def tier(request: pytest.FixtureRequest, endpoints: Endpoints) -> AsyncIterator[CatalogTier]:
    async with reached(request.param, "catalog", CatalogTier, catalog_tier(endpoints)) as opened:
        yield opened


@pytest.fixture
def scope() -> Scope:
    return new_scope()


def everybody(scope: Scope) -> Scope:
    """What all users of the tenant share."""
    return scope.model_copy(update={"user_id": ""})


async def searched(tier: CatalogTier, scope: Scope, text: str) -> list[str]:
    return [one.content for one in (await tier.search_items(scope, ItemQuery(text=text, k=50))).items]


async def listed(tier: CatalogTier, scope: Scope) -> list[MemoryItem]:
    return list((await tier.list_items(scope, limit=1_000)).items)


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
    entries = [resource("x" * 300, id=f"r{n}", resource_type=kind) for n, kind in enumerate(kinds)]  # type: ignore[arg-type]
    await tier.store(scope, entries)
    page = await tier.list_resources(scope, limit=2)
    more = await tier.list_resources(scope, cursor=page.next_cursor, limit=10)
    assert [one.resource_id for one in (*page.items, *more.items)] == ["r4", "r3", "r2", "r1", "r0"]
    assert more.next_cursor is None
    assert {len(one.content) for one in page.items} == {200}
    documents = await tier.list_resources(scope, "document")
    assert [one.resource_id for one in documents.items] == ["r4", "r2", "r0"]
    with pytest.raises(InvalidInput):
        await tier.list_resources(scope, cursor="nonsense")
    with pytest.raises(InvalidInput, match="not one that this list gave out"):
        await tier.list_items(scope, cursor=page.next_cursor)


async def test_resources_are_found_by_their_words_the_best_first(tier: CatalogTier, scope: Scope) -> None:
    long = "Nothing of interest is said here. " * 400 + "The lighthouse keeper is called Saffron."
    await tier.store(
        scope,
        [resource("A lighthouse.", id="one"), resource(long, id="two"), resource("Granite.", id="three")],
    )
    found = await tier.search_resources(scope, "saffron lighthouse")
    assert [one.resource_id for one in found] == ["two", "one"]
    assert "Saffron" in found[0].content
    assert len(found[0].content) < len(long)
    assert await tier.search_resources(scope, "umbrella") == []
    assert await tier.search_resources(scope, "  ") == []
    assert await tier.search_resources(scope, "saffron", "feedback") == []


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


async def test_a_search_tells_how_sure_it_is_and_how_much_there_is(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r"), resource(id="other")])
    texts = ["saffron lighthouse", "saffron lighthouse keeper", "granite umbrella"]
    await tier.store(scope, [item(text, "r", id=f"i{n}") for n, text in enumerate(texts)])
    await tier.store(scope, [item("saffron lighthouse at sea", "other", id="elsewhere")])
    found = await tier.search_items(scope, ItemQuery(text="saffron lighthouse", k=2))
    assert [one.item_id for one in found.items][:1] == ["i0"]
    assert list(found.confidence_scores) == sorted(found.confidence_scores, reverse=True)
    assert all(0 <= score <= 1 for score in found.confidence_scores)
    assert len(found.similarities) == len(found.items)
    assert all(0 <= similarity <= 1 for similarity in found.similarities)
    assert found.total_found == 3
    assert found.items[0].embedding is None
    near = await tier.search_items(scope, ItemQuery(text="saffron lighthouse", similarity_threshold=0.9))
    assert [one.item_id for one in near.items] == ["i0"]
    of = await tier.search_items(scope, ItemQuery(text="saffron lighthouse", resource_id="other"))
    assert [one.item_id for one in of.items] == ["elsewhere"]


async def test_a_search_by_a_vector_alone_tells_cosines(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r"), item("saffron lighthouse", "r", id="i")])
    vector = (await tier.get_item(scope, "i", vector=True)).embedding
    found = await tier.search_items(scope, ItemQuery(text="", embedding=vector, k=1))
    assert found.confidence_scores == pytest.approx((1.0,), abs=0.01)


async def test_an_item_is_found_by_the_words_around_it_in_its_resource(tier: CatalogTier, scope: Scope) -> None:
    asked = resource("Who has the key to the fuse box? Callum keeps it in the office.")
    other = resource("Who has the menu of the canteen? Callum keeps it in the kitchen.")
    stub = resource("Who has the key to the fuse box? Callum keeps it in the cellar.")
    contents = {asked.id: "Callum keeps it in the office", other.id: "Callum keeps it in the kitchen"}
    contents[stub.id] = "Callum keeps it in the cellar"
    said = [item(text, of=one) for one, text in contents.items()]
    unrelated = [item(f"The ferry to island {number} leaves at noon", of=other.id) for number in range(8)]
    await tier.store(scope, [asked, other, stub, *said, *unrelated])
    await tier.delete_resource(scope, stub.id, cascade=False)
    found = await searched(tier, scope, "Where does Callum keep the key?")
    assert found[0] == contents[asked.id]
    assert set(found[1:3]) == {contents[other.id], contents[stub.id]}


async def test_between_equals_the_more_important_is_first(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r")])
    entries = [
        item("saffron lighthouse tower one", "r", id="low").model_copy(update={"importance": "low"}),
        item("saffron lighthouse tower two", "r", id="high").model_copy(update={"importance": "high"}),
        item("saffron lighthouse tower six", "r", id="normal"),
    ]
    await tier.store(scope, entries)
    found = await tier.search_items(scope, ItemQuery(text="saffron lighthouse tower"))
    assert [one.item_id for one in found.items] == ["high", "normal", "low"]


async def test_what_a_later_item_says_otherwise_stands_before_what_it_replaces(tier: CatalogTier, scope: Scope) -> None:
    old, new = "The Pro plan costs $299 per month", "The Pro plan costs $349 per month"
    await tier.store(scope, [resource(id="r")])
    await tier.store(scope, [item(old, "r", id="old"), item(new, "r", id="new", occurred_at=LATER)])
    found = await tier.search_items(scope, ItemQuery(text="Does the Pro plan cost $299 per month?"))
    assert [(one.item_id, one.replaced_by) for one in found.items] == [("new", None), ("old", "new")]
    assert list(found.confidence_scores) == sorted(found.confidence_scores, reverse=True)
    memories = await tier.retrieve(MemoryQuery(scope=scope, text="Does the Pro plan cost $299 per month?"))
    assert [(one.id, one.corrected_by) for one in memories] == [("new", None), ("old", "new")]
    then = await tier.search_items(scope, ItemQuery(text="the Pro plan", as_of=NOON))
    assert [(one.item_id, one.replaced_by) for one in then.items] == [("old", None)]
    assert {one.item_id: one.replaced_by for one in await listed(tier, scope)} == {"old": "new", "new": None}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Pro plan costs 10 euros per month", "The Pro plan costs 100 euros per year"),
        ("The warranty lasts 2 years", "The warranty lasts 3 years with Plus"),
        ("Delivery takes 2 days in Germany", "Delivery takes 5 days in Norway"),
    ],
)
async def test_what_one_resource_says_at_one_time_never_replaces_itself(
    tier: CatalogTier, scope: Scope, one: str, other: str
) -> None:
    await tier.store(scope, [resource(id="r"), item(one, "r", id="one"), item(other, "r", id="other")])
    assert {found.item_id: found.replaced_by for found in await listed(tier, scope)} == {"one": None, "other": None}
    again = item(other, "r2", id="again", occurred_at=LATER)  # what says one of them again leaves both
    await tier.store(scope, [resource(id="r2", occurred_at=LATER), again])
    assert {found.item_id: found.replaced_by for found in await listed(tier, scope)} == {"one": None, "other": None}
    await tier.create_category(scope, "prices", "What the plans cost per month")
    await tier.put_in_category(scope, "prices", ["one", "other"])
    page = await tier.consolidate(scope, "prices", force=True)
    assert "~~" not in page.markdown_content


async def test_what_is_said_again_after_it_was_replaced_holds_again(tier: CatalogTier, scope: Scope) -> None:
    first, other = "The Pro plan costs $299 per month", "The Pro plan costs $349 per month"
    again = item(first, "r2", id="again", occurred_at=LATER + timedelta(days=30))
    await tier.store(scope, [resource(id="r"), resource(id="r2")])
    await tier.store(scope, [item(first, "r", id="first"), item(other, "r", id="other", occurred_at=LATER), again])
    found = await tier.search_items(scope, ItemQuery(text="What does the Pro plan cost per month?"))
    assert [(one.item_id, one.replaced_by) for one in found.items] == [("first", None), ("other", "first")]
    then = await tier.search_items(scope, ItemQuery(text="What does the Pro plan cost per month?", as_of=LATER))
    assert [(one.item_id, one.replaced_by) for one in then.items] == [("other", None), ("first", "other")]
    await tier.forget(scope, ["r2"])
    left = await tier.search_items(scope, ItemQuery(text="What does the Pro plan cost per month?"))
    assert [(one.item_id, one.replaced_by) for one in left.items] == [("other", None), ("first", "other")]


async def test_an_item_without_a_category_is_put_where_it_is_nearest(tier: CatalogTier, scope: Scope) -> None:
    await tier.create_category(scope, "pricing", "What the plans cost per month")
    await tier.create_category(scope, "weather", "Rain and sunshine and storms")
    await tier.store(scope, [resource(id="r")])
    near, other = "The Pro plans cost $299 per month", "Zebras"
    await tier.store(scope, [item(near, "r", id="near"), item(other, "r", id="other")])
    assert (await tier.get_item(scope, "near")).category == "pricing"
    assert (await tier.get_item(scope, "other")).category is None
    assert [one.item_id for one in (await tier.list_items(scope, "pricing")).items] == ["near"]
    found = await tier.search_items(scope, ItemQuery(text="Zebras", category="pricing"))
    assert [one.item_id for one in found.items] == ["near"]


async def test_filters_narrow_and_those_of_messages_leave_nothing(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r1", session_id="s1"), resource(id="r2")])
    sure = item("saffron lighthouse", "r1", id="a").model_copy(
        update={"domain": "sea", "task_type": "light", "agent_id": "sales", "confidence": 0.9}
    )
    late = item("granite lighthouse", "r2", id="b", occurred_at=LATER).model_copy(update={"confidence": 0.4})
    await tier.store(scope, [sure, late])

    async def ids(**filters: object) -> list[str]:
        query = MemoryQuery(scope=scope, text="lighthouse", filters=Filters.model_validate(filters))
        return sorted(one.id for one in await tier.retrieve(query))

    assert await ids() == ["a", "b"]
    for narrowing in ({"session_id": "s1"}, {"domain": "sea"}, {"task_type": "light"}, {"agent_id": "sales"}):
        assert await ids(**narrowing) == ["a"]
    assert await ids(min_confidence=0.5) == ["a"]
    assert await ids(time_range={"start": LATER}) == ["b"]
    assert await ids(time_range={"end": LATER}) == ["a"]
    assert await ids(exclude={"a"}) == ["b"]
    for of_messages in ({"role": "user"}, {"channel": "mail"}, {"message_type": "conversation"}):
        assert await ids(**of_messages) == []


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


async def test_extracting_again_changes_nothing_and_extracting_less_takes_away(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r"), item("said by hand", "r", id="hand")])
    made = [item(text, "r", id=f"x{n}", by_hand=False) for n, text in enumerate(("granite", "saffron"))]
    epoch = await tier.epoch(scope)
    for _ in range(2):
        put = await tier.put_extracted(scope, "r", made, epoch)
        assert sorted(one.item_id for one in put) == ["x0", "x1"]
    assert await tier.epoch(scope) == epoch
    await tier.put_extracted(scope, "r", made[:1], epoch)
    assert {one.item_id for one in await listed(tier, scope)} == {"x0", "hand"}
    await tier.put_extracted(scope, "r", made, await tier.epoch(scope))
    assert {one.item_id for one in await listed(tier, scope)} == {"x0", "x1", "hand"}
    with pytest.raises(ResourceNotFoundError):
        await tier.put_extracted(scope, "unknown", [])


async def test_what_somebody_deleted_is_not_extracted_again(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(id="r1"), resource(id="r2")])
    one, other = item("granite", "r1", id="x", by_hand=False), item("granite", "r2", id="y", by_hand=False)
    await tier.put_extracted(scope, "r1", [one])
    await tier.put_extracted(scope, "r2", [other])
    epoch = await tier.epoch(scope)
    assert await tier.forget(scope, ["y"]) == 1  # the item that it is one with goes as well
    assert await listed(tier, scope) == []
    with pytest.raises(Outdated):
        await tier.put_extracted(scope, "r1", [one], epoch)
    assert await tier.put_extracted(scope, "r1", [one]) == []
    assert await tier.put_extracted(scope, "r2", [other]) == []
    assert await listed(tier, scope) == []


async def test_a_deleted_resource_leaves_nothing_and_does_not_come_back(tier: CatalogTier, scope: Scope) -> None:
    said = resource("granite lighthouse", id="r")
    await tier.store(scope, [said, item("granite", "r", id="a"), item("saffron", "r", id="b")])
    epoch = await tier.epoch(scope)
    assert await tier.delete_resource(scope, "r")
    assert not await tier.delete_resource(scope, "r")
    assert await tier.epoch(scope) != epoch
    assert await tier.holdings(scope) == {}
    assert await tier.search_resources(scope, "lighthouse") == []
    (stored,) = await tier.store(scope, [said])
    assert stored.forgotten
    with pytest.raises(ResourceNotFoundError):
        await tier.store(scope, [item("granite", "r")])


async def test_without_cascade_a_stub_keeps_the_items_sourced(tier: CatalogTier, scope: Scope) -> None:
    said = resource("granite lighthouse", id="r")
    await tier.store(scope, [said, item("granite", "r", id="a", by_hand=False)])
    assert await tier.delete_resource(scope, "r", cascade=False)
    assert not await tier.delete_resource(scope, "r", cascade=False)
    stub = await tier.get_resource(scope, "r")
    assert (stub.is_stub, stub.content, stub.messages, stub.metadata) == (True, "", (), {})
    assert await tier.search_resources(scope, "lighthouse") == []
    assert [one.item_id for one in await tier.put_extracted(scope, "r", [])] == ["a"]
    (stored,) = await tier.store(scope, [said])
    assert stored.forgotten
    assert await tier.delete_resource(scope, "r")
    assert await tier.holdings(scope) == {}


async def test_what_is_old_leaves_a_stub_and_no_epoch_begins(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource("granite", id="r"), resource("saffron", id="s"), item("granite", "r", id="a")])
    epoch = await tier.epoch(scope)
    assert await tier.expire(scope, ["r", "unknown"]) == 1
    assert await tier.expire(scope, ["r"]) == 0
    assert (await tier.get_resource(scope, "r")).is_stub
    assert (await tier.get_item(scope, "a")).source_resource_id == "r"
    assert await tier.epoch(scope) == epoch


async def test_what_is_compressed_reads_the_same(tier: CatalogTier, scope: Scope) -> None:
    long = "The lighthouse keeper, Zoë, is called Saffron. " * 200
    await tier.store(scope, [resource(long, id="old"), resource(long + "!", id="new", occurred_at=LATER)])
    assert await tier.compress(scope, LATER) == 1
    assert await tier.compress(scope, LATER) == 0
    assert (await tier.get_resource(scope, "old")).content == long
    found = await tier.search_resources(scope, "Saffron")
    assert {one.resource_id for one in found} == {"old", "new"}
    assert all(one.content in long + "!" for one in found)
    assert {one.content for one in (await tier.list_resources(scope)).items} == {long[:200]}
    (again,) = await tier.store(scope, [resource(long, id="old")])
    assert again.duplicate


async def test_a_forgotten_interaction_goes_out_of_what_holds_it(tier: CatalogTier, scope: Scope) -> None:
    turns = (("Ann", "I live in Porto."), ("Bob", "I sail a red boat."), ("Ann", "We met in 2019."))
    said = conversation(*turns, id="r", ids=("m1", "m2", "m3"))
    await tier.store(scope, [said, resource("elsewhere", id="other")])
    made = [
        item(text, "r", id=f"x-{source}", sources=(source,), by_hand=False)
        for (_, text), source in zip(turns, ("m1", "m2", "m3"), strict=True)
    ]
    await tier.put_extracted(scope, "r", made)
    await tier.store(
        scope, [item("noted from m2", "other", id="noted", sources=("m2",)), item("kept", "other", id="k")]
    )
    assert await tier.holdings(scope, ["m2"]) == {"resources": 1, "items": 2}
    epoch = await tier.epoch(scope)
    assert await tier.forget_sources(scope, ["m2", "unknown"]) == ["r"]
    assert await tier.epoch(scope) != epoch
    left = await tier.get_resource(scope, "r")
    assert left.content == "Ann: I live in Porto.\nAnn: We met in 2019.\n"
    assert [left.content[one.start : one.end] for one in left.messages] == ["I live in Porto.", "We met in 2019."]
    assert [one.item_id for one in await listed(tier, scope)] == ["k"]
    assert await tier.search_resources(scope, "boat") == []
    assert await tier.holdings(scope, ["m2"]) == {}
    (again,) = await tier.store(scope, [said])  # whoever brings all of it once more brings what is left
    assert again.duplicate
    assert (await tier.get_resource(scope, "r")).content == left.content
    with pytest.raises(Outdated):
        await tier.put_extracted(scope, "r", made, epoch)
    put = await tier.put_extracted(scope, "r", made)
    assert sorted(one.item_id for one in put) == ["x-m1", "x-m3"]
    assert await tier.forget_sources(scope, ["m1", "m3"]) == []
    with pytest.raises(ResourceNotFoundError):
        await tier.get_resource(scope, "r")
    assert await tier.holdings(scope) == {"resources": 1, "items": 1}


async def test_a_conversation_that_arrives_late_holds_nothing_forgotten(tier: CatalogTier, scope: Scope) -> None:
    await tier.forget_sources(scope, ["m1", "m3"])
    both = conversation(("Ann", "I live in Porto."), ("Bob", "I sail."), id="r", ids=("m1", "m2"))
    gone = conversation(("Ann", "I live in Porto."), id="gone", ids=("m3",))
    stored = await tier.store(scope, [both, gone])
    assert [one.forgotten for one in stored] == [False, True]
    assert (await tier.get_resource(scope, "r")).content == "Bob: I sail.\n"


async def test_what_comes_with_a_forgotten_resource_is_not_kept_either(tier: CatalogTier, scope: Scope) -> None:
    said = resource("granite", id="r")
    await tier.store(scope, [said])
    await tier.delete_resource(scope, "r")
    await tier.forget_sources(scope, ["m1"])
    silent = conversation(("Ann", "I live in Porto."), id="silent", ids=("m1",))
    entries: list[CatalogInput] = [
        said,
        item("granite", "r"),
        silent,
        item("Porto", "silent"),
        resource(id="new"),
        item("saffron", "new"),
    ]
    stored = await tier.store(scope, entries)
    assert [one.forgotten for one in stored] == [True, True, True, True, False, False]
    assert await tier.holdings(scope) == {"resources": 1, "items": 1}


async def test_another_agents_words_under_a_known_id_are_a_conflict(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource("mine", id="r", seen_by="sales"), item("a fact", "r", id="i")])
    with pytest.raises(Conflict) as caught:
        await tier.store(scope, [resource("other", id="new"), resource("mine", id="r", seen_by="support")])
    assert caught.value.details["indexes"] == [1]
    with pytest.raises(ResourceNotFoundError):
        await tier.get_resource(scope, "new")


async def test_an_erased_user_takes_along_what_was_contributed_to_all(tier: CatalogTier, scope: Scope) -> None:
    shared = everybody(scope)
    contributed = resource("ours", id="theirs", contributor=scope.user_id)
    fact = item("the door code", "theirs", id="t").model_copy(update={"contributor": scope.user_id})
    await tier.store(shared, [contributed, fact, resource("the handbook", id="r"), item("opens at nine", "r", id="i")])
    (stored,) = await tier.store(scope, [resource("mine", id="mine")])
    assert await tier.holdings(scope) == {"resources": 2, "items": 1}
    assert stored.event_id is not None
    while await tier.erase(scope, stored.event_id + 1):
        pass
    assert await tier.holdings(scope) == {}
    assert [one.item_id for one in await listed(tier, scope)] == ["i"]


async def test_what_was_stored_by_hand_later_keeps_a_stub_of_what_is_erased(tier: CatalogTier, scope: Scope) -> None:
    (stored,) = await tier.store(scope, [resource("granite", id="r")])
    assert stored.event_id is not None
    await tier.store(scope, [item("granite", "r", id="late")])
    await tier.put_extracted(scope, "r", [item("taken", "r", id="taken", by_hand=False)])
    await tier.store(scope, [resource("saffron", id="after")])
    while await tier.erase(scope, stored.event_id + 1):
        pass
    assert await tier.holdings(scope, None, stored.event_id + 1) == {}
    assert [one.item_id for one in await listed(tier, scope)] == ["late"]
    assert (await tier.get_resource(scope, "r")).is_stub
    assert (await tier.get_resource(scope, "after")).content == "saffron"


async def test_an_entry_of_another_kind_is_refused(tier: CatalogTier, scope: Scope) -> None:
    with pytest.raises(InvalidInput):
        await tier.store(scope, [resource(id="r"), procedural_entry("tea")])
    assert await tier.holdings(scope) == {}


RESET = "## Faults\n\nIf the lamp shows Code 41, reset the kettle with the saffron key for twelve seconds."
ASKED_ABOUT_IT = "What do I do when the lamp shows Code 41?"


async def passages(tier: CatalogTier, scope: Scope, text: str = ASKED_ABOUT_IT, **narrowed: object) -> list[str]:
    """Ids of the resources whose passages answer."""
    as_of = narrowed.pop("as_of", None)
    query = MemoryQuery(scope=scope, text=text, filters=Filters.model_validate(narrowed))
    found = await tier.retrieve(query.model_copy(update={"as_of": as_of}))
    return [str(one.metadata["resource_id"]) for one in found if one.kind == "passage"]


async def test_where_no_item_answers_a_resource_s_own_words_do(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(RESET, id="manual"), item("The kettle is blue", "manual", id="blue")])
    assert await tier.index_passages(scope) == 1
    assert await tier.index_passages(scope) == 0
    query = MemoryQuery(scope=scope, text=ASKED_ABOUT_IT, explain=True)
    first, *others = await tier.retrieve(query)
    assert (first.kind, first.text, first.sources, first.tier) == ("passage", RESET, ("manual",), "catalog")
    assert first.similarity is not None
    assert first.explain is not None
    assert set(first.explain) == {"words", "meaning"}
    assert [one.kind for one in others] == ["item"]
    found = await tier.search_items(scope, ItemQuery(text=ASKED_ABOUT_IT))
    assert (found.items[0].kind, found.items[0].source_resource_id) == ("passage", "manual")
    assert len(found.confidence_scores) == len(found.similarities) == len(found.items)
    lexical = await tier.retrieve(query.model_copy(update={"mode": "lexical"}))
    assert [one.kind for one in lexical] == ["passage"]


async def test_before_it_has_a_vector_a_passage_is_found_by_its_words(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(scope, [resource(RESET, id="manual")])
    assert await passages(tier, scope) == ["manual"]


async def test_an_item_and_the_passage_that_says_it_are_found_once(tier: CatalogTier, scope: Scope) -> None:
    said = "The keeper of the lighthouse is called Saffron"
    await tier.store(scope, [resource(f"{said}.", id="r"), item(said, "r", id="item")])
    await tier.index_passages(scope)
    found = await tier.retrieve(MemoryQuery(scope=scope, text="What is the keeper of the lighthouse called?"))
    assert [one.id for one in found] == ["item"]


async def test_a_passage_is_seen_by_whom_its_resource_is_seen_by_and_in_its_time(
    tier: CatalogTier, scope: Scope
) -> None:
    await tier.store(
        scope,
        [
            resource(RESET, id="shared", session_id="s1"),
            resource(f"{RESET} Now!", id="private", seen_by="sales", occurred_at=LATER),
        ],
    )
    await tier.store(everybody(scope), [resource(f"{RESET} At once!", id="everybodys")])
    for one in (scope, everybody(scope)):
        await tier.index_passages(one)
    assert set(await passages(tier, scope)) == {"shared", "private", "everybodys"}
    assert set(await passages(tier, scope.seen_by("sales"))) == {"shared", "private", "everybodys"}
    assert set(await passages(tier, scope.seen_by("care"))) == {"shared", "everybodys"}
    assert set(await passages(tier, scope, as_of=NOON)) == {"shared", "everybodys"}
    assert await passages(tier, scope, session_id="s1") == ["shared"]
    assert await passages(tier, scope, agent_id="sales") == ["private"]
    assert await passages(tier, scope, time_range={"start": LATER}) == ["private"]
    for of_items in ({"domain": "kitchens"}, {"task_type": "repair"}, {"role": "user"}):
        assert await passages(tier, scope, **of_items) == []
    (found,) = [
        one for one in await tier.retrieve(MemoryQuery(scope=scope, text=ASKED_ABOUT_IT)) if one.sources == ("shared",)
    ]
    assert "shared" not in await passages(tier, scope, exclude=[found.id])
    other = new_scope()
    assert await passages(tier, other) == await passages(tier, scope.model_copy(update={"tenant_id": "t"})) == []


async def test_with_its_resource_a_passage_is_gone_and_with_an_item_what_says_it(
    tier: CatalogTier, scope: Scope
) -> None:
    said, where = "The spare fuse lies in the blue drawer", "Where does the spare fuse lie?"
    noted = resource(f"{said}. It was put there by somebody in spring.", id="note")
    await tier.store(scope, [resource(RESET, id="manual"), resource(f"{RESET} Or not.", id="stub"), noted])
    assert (await passages(tier, scope, where))[0] == "note"
    await tier.store(scope, [item(said, "note", id="i")])
    assert set(await passages(tier, scope)) >= {"manual", "stub"}
    await tier.delete_resource(scope, "stub", cascade=False)
    await tier.forget(scope, ["i"])  # somebody wants that forgotten, and the note says it
    for _ in range(2):
        assert await passages(tier, scope) == ["manual"]
        assert "note" not in await passages(tier, scope, where)
        assert await tier.rebuild(scope) is None
    await tier.forget(scope, ["manual"])
    assert await passages(tier, scope) == []


async def test_what_was_said_in_a_conversation_is_not_found_as_it_stands(tier: CatalogTier, scope: Scope) -> None:
    said = [conversation(("Ada", RESET), id="talk", ids=["m1"]), conversation(("Ada", RESET), id="imported")]
    await tier.store(scope, said)
    assert await tier.index_passages(scope) == 0
    assert await passages(tier, scope) == []
