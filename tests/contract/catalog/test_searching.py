"""Searches of the catalog: items by words and meaning, and the passages of resources; in process and over HTTP."""

from datetime import timedelta

import pytest

from ragpp.catalog import ItemQuery
from ragpp.models import Filters, MemoryQuery, Scope
from ragpp.tiers import CatalogTier
from tests.support.catalog import NOON, conversation, item, resource
from tests.support.catalog_reading import everybody, listed, searched
from tests.support.each import each
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
LATER = NOON + timedelta(days=1)


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


BOTH_HOLD = [
    ("The Pro plan costs 10 euros per month", "The Pro plan costs 100 euros per year"),
    ("The warranty lasts 2 years", "The warranty lasts 3 years with Plus"),
    ("Delivery takes 2 days in Germany", "Delivery takes 5 days in Norway"),
]


async def test_what_one_resource_says_at_one_time_never_replaces_itself(tier: CatalogTier) -> None:
    async def both_hold(case: tuple[str, str]) -> None:
        one, other = case
        scope = new_scope()
        await tier.store(scope, [resource(id="r"), item(one, "r", id="one"), item(other, "r", id="other")])
        assert {found.item_id: found.replaced_by for found in await listed(tier, scope)} == {"one": None, "other": None}
        again = item(other, "r2", id="again", occurred_at=LATER)  # what says one of them again leaves both
        await tier.store(scope, [resource(id="r2", occurred_at=LATER), again])
        assert {found.item_id: found.replaced_by for found in await listed(tier, scope)} == {"one": None, "other": None}
        await tier.create_category(scope, "prices", "What the plans cost per month")
        await tier.put_in_category(scope, "prices", ["one", "other"])
        page = await tier.consolidate(scope, "prices", force=True)
        assert "~~" not in page.markdown_content

    await each(BOTH_HOLD, both_hold)


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
