"""Things that go out of the catalog: extracted anew, deleted, expired, forgotten, erased; in process and over HTTP."""

from datetime import timedelta

import pytest

from ragpp.catalog import CatalogInput
from ragpp.errors import Conflict, Outdated, ResourceNotFoundError
from ragpp.models import MemoryQuery, Scope
from ragpp.tiers import CatalogTier
from tests.support.catalog import NOON, conversation, item, resource
from tests.support.catalog_reading import everybody, listed

pytestmark = pytest.mark.server
LATER = NOON + timedelta(days=1)


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
    assert all(one.content_truncated for one in found)
    assert {one.content for one in (await tier.list_resources(scope)).items} == {long[:200]}
    assert all(one.content_truncated for one in (await tier.list_resources(scope)).items)
    (again,) = await tier.store(scope, [resource(long, id="old")])
    assert again.duplicate


async def test_without_vectors_an_old_resource_is_found_by_its_words_and_says_so(
    tier: CatalogTier, scope: Scope
) -> None:
    said = "## Faults\n\nIf the lamp shows Code 41, reset the kettle with the saffron key for twelve seconds."
    texts = {"old": said, "new": f"{said} Now!"}
    await tier.store(scope, [resource(texts["old"], id="old"), resource(texts["new"], id="new", occurred_at=LATER)])
    await tier.store(scope, [item("The kettle is blue", "old", id="blue")])
    assert await tier.index_passages(scope) == 2
    version = await tier.content_version(scope)
    for dropped in (1, 0):
        assert await tier.drop_vectors(scope, LATER) == dropped
    assert await tier.content_version(scope) != version
    for _ in range(2):
        assert await tier.index_passages(scope) == 0, "it gets none again"
        assert {one: (await tier.get_resource(scope, one)).vectors_dropped for one in texts} == {
            "old": True,
            "new": False,
        }
        listed_ones = (await tier.list_resources(scope)).items
        assert {one.resource_id: one.vectors_dropped for one in listed_ones} == {"old": True, "new": False}
        query = MemoryQuery(scope=scope, text="What do I do when the lamp shows Code 41?", mode="lexical")
        found = [str(one.metadata["resource_id"]) for one in await tier.retrieve(query) if one.kind == "passage"]
        assert "old" in found
        assert {one.resource_id for one in await tier.search_resources(scope, "saffron")} == {"old", "new"}
        assert (await tier.get_item(scope, "blue", vector=True)).embedding is not None, "items keep theirs"
        assert await tier.rebuild(scope) is None
        await tier.index_passages(scope)


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
