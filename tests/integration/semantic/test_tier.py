"""The semantic tier's finding, learning and listing, on a real Neo4j."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import Conflict, EmbeddingError, InvalidInput
from ragpp.models import Filters, MemoryQuery, TimeRange
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.semantic.app import migrate, open_tier
from ragpp_services.semantic.settings import SemanticSettings
from ragpp_services.semantic.tier import Neo4jSemanticTier
from tests.support.embedding import LostEmbedder
from tests.support.scopes import new_scope
from tests.support.semantic import (
    NOON,
    entities,
    named,
    neo4j_settings,
    observation,
    relation,
    relationships,
    semantic_entry,
    texts,
)

pytestmark = pytest.mark.server
DAY = timedelta(days=1)


@asynccontextmanager
async def small_hubs(endpoints: Endpoints, embedder: HashingEmbedder) -> AsyncIterator[Neo4jSemanticTier]:
    """The tier with another embedder, looking at five relationships of an entity."""
    settings = neo4j_settings(endpoints)
    await migrate(settings, embedder=embedder)
    async with open_tier(
        settings,
        embedder=embedder,
        counter=TokenCounter(),
        clock=lambda: NOON,
        semantic=SemanticSettings(first_hop=5),
    ) as opened:
        yield opened


async def test_what_is_stored_is_found_by_its_name(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("Lisbon", label="GPE", sources=("m1",))])
    found = await tier.retrieve(MemoryQuery(scope=scope, text="When was I in Lisbon?"))
    assert [(memory.text, memory.kind, memory.sources) for memory in found] == [("Lisbon (GPE)", "entity", ("m1",))]


async def test_a_relationship_is_found_from_either_end_with_its_evidence(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [relation("Noor", "LIVES_IN", "Leeds", context="I live in Leeds.", sources=("m1",))])
    for text in ("Where does Noor live?", "who lives in LEEDS"):
        found = [item for item in await tier.retrieve(MemoryQuery(scope=scope, text=text)) if item.kind != "entity"]
        assert [(item.text, item.sources, item.confidence) for item in found] == [("Noor LIVES_IN Leeds", ("m1",), 0.6)]
        assert found[0].occurred_at == NOON
        assert found[0].metadata["context"] == "I live in Leeds."


async def test_an_entity_is_found_by_meaning_without_its_name(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("pottery workshop")])
    found = await tier.retrieve(MemoryQuery(scope=scope, text="the pottery workshops"))
    assert texts(found, "entity") == ["pottery workshop (PRODUCT)"]
    assert found[0].similarity is not None
    strict = MemoryQuery(scope=scope, text="the pottery workshops", filters=Filters(similarity_threshold=0.99))
    assert await tier.retrieve(strict) == []


async def test_a_query_that_nothing_matches_gets_nothing(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("Lisbon", label="GPE")])
    assert await tier.retrieve(MemoryQuery(scope=scope, text="zzyzx qwghlm")) == []
    assert await tier.retrieve(MemoryQuery(scope=scope, text="")) == []


async def test_two_hops_are_reached_and_three_are_not(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.store(
        scope,
        [
            relation("Ada", "FRIEND_OF", "Bo", label="PERSON"),
            relation("Bo", "WORKS_AT", "Cern", label="ORG"),
            relation("Dov", "WORKS_AT", "Cern", label="ORG"),
        ],
    )
    found = await tier.retrieve(MemoryQuery(scope=scope, text="Ada", entities=("Ada",)))
    assert texts(found, "relationship") == ["Ada FRIEND_OF Bo", "Bo WORKS_AT Cern"]


async def test_a_hub_gives_its_limit_and_no_more(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [relation("Hub", "VISITED", f"Town{number}") for number in range(400)])
    found = await tier.retrieve(MemoryQuery(scope=scope, text="Hub", limit=50))
    assert len(found) == 50
    by_both = await tier.retrieve(MemoryQuery(scope=scope, text="did Hub visit Town7", limit=3))
    assert by_both[0].text == "Hub VISITED Town7"


async def test_of_a_hub_the_latest_that_was_known_then_is_found(endpoints: Endpoints) -> None:
    scope = new_scope()
    async with small_hubs(endpoints, HashingEmbedder()) as tier:
        await tier.store(scope, [relation("Hub", "VISITED", "First", at=NOON - 9 * DAY)])
        await tier.store(scope, [relation("Hub", "VISITED", "Last", at=NOON - DAY)])
        await tier.store(scope, [relation("Hub", "VISITED", f"Town{n}", at=NOON - 2 * DAY) for n in range(20)])
        found = texts(await tier.retrieve(MemoryQuery(scope=scope, text="Hub")), "relationship")
        assert len(found) == 5
        assert "Hub VISITED Last" in found
        then = await tier.retrieve(MemoryQuery(scope=scope, text="Hub", as_of=NOON - 8 * DAY))
        assert texts(then, "relationship") == ["Hub VISITED First"]


async def test_by_words_alone_nothing_is_embedded(endpoints: Endpoints) -> None:
    scope, embedder = new_scope(), LostEmbedder()
    async with small_hubs(endpoints, embedder) as tier:
        await tier.store(scope, [relation("Noor", "LIVES_IN", "Leeds"), semantic_entry("pottery workshop")])
        embedder.is_lost = True
        query = MemoryQuery(scope=scope, text="Where does Noor live?", mode="lexical")
        assert texts(await tier.retrieve(query), "relationship") == ["Noor LIVES_IN Leeds"]
        near = MemoryQuery(scope=scope, text="the pottery workshops", mode="lexical", embedding=(1.0,) * 384)
        assert await tier.retrieve(near) == []
        with pytest.raises(EmbeddingError):
            await tier.retrieve(query.model_copy(update={"mode": "hybrid"}))


async def test_stronger_belief_comes_first(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    entries = [relation("Noor", "WATCHED", "chess", at=NOON - 40 * DAY), relation("Noor", "WATCHED", "tea")]
    entries += [relation("Noor", "WATCHED", "rowing") for _ in range(3)]
    await tier.store(scope, entries)
    found = await tier.retrieve(MemoryQuery(scope=scope, text="Noor"))
    assert texts(found, "relationship") == ["Noor WATCHED rowing", "Noor WATCHED tea", "Noor WATCHED chess"]
    sure = MemoryQuery(scope=scope, text="Noor", filters=Filters(min_confidence=0.5))
    assert texts(await tier.retrieve(sure), "relationship") == ["Noor WATCHED rowing", "Noor WATCHED tea"]


async def test_excluded_ids_and_other_times_are_left_out(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [relation("Noor", "LIKES", "tea"), relation("Noor", "LIKES", "chess", at=NOON - 9 * DAY)])
    everything = await tier.retrieve(MemoryQuery(scope=scope, text="Noor"))
    tea = next(memory.id for memory in everything if memory.text == "Noor LIKES tea")
    without = MemoryQuery(scope=scope, text="Noor", filters=Filters(exclude=frozenset({tea})))
    assert texts(await tier.retrieve(without), "relationship") == ["Noor LIKES chess"]
    early = Filters(time_range=TimeRange(end=NOON - DAY))
    assert texts(await tier.retrieve(MemoryQuery(scope=scope, text="Noor", filters=early)), "relationship") == [
        "Noor LIKES chess"
    ]


async def test_as_of_shows_what_was_believed_then(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    early, late = NOON - 30 * DAY, NOON - 10 * DAY
    await tier.observe(
        scope,
        [
            observation("m1", at=early, relationships=(relation("Noor", "WATCHED", "tea", context="I like tea"),)),
            observation("m2", at=late, relationships=(relation("Noor", "WATCHED", "tea", context="tea again"),)),
            observation("m3", at=late, relationships=(relation("Noor", "WATCHED", "chess", context="and chess"),)),
        ],
    )
    then = await tier.retrieve(MemoryQuery(scope=scope, text="Noor", as_of=early + DAY))
    assert texts(then, "relationship") == ["Noor WATCHED tea"]
    tea = next(memory for memory in then if memory.kind == "relationship")
    assert (tea.sources, tea.metadata["context"], tea.metadata["weight"]) == (("m1",), "I like tea", 1)
    assert tea.confidence == pytest.approx(0.6 * 0.95)
    noor = next(memory for memory in then if memory.text == "Noor (PERSON)")
    assert (noor.sources, noor.metadata["mentions"]) == (("m1",), 1)
    assert await tier.retrieve(MemoryQuery(scope=scope, text="Noor", as_of=early - DAY)) == []
    listed = await tier.list_relationships(scope, as_of=early + DAY)
    assert [(item.target, item.weight, item.sources) for item in listed.items] == [("tea", 1.0, ("m1",))]


async def test_confidence_and_weight_grow_with_each_mention_and_fade_with_time(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    for days in (3, 2, 0):
        await tier.store(scope, [relation("Noor", "WATCHED", "tea", at=NOON - days * DAY)])
    (likes,) = await relationships(tier, scope)
    expected = (0.6 * 0.95 + 0.1) * 0.95**2 + 0.1
    assert (likes.weight, likes.first_mention, likes.last_mention) == (3.0, NOON - 3 * DAY, NOON)
    assert likes.confidence == pytest.approx(expected)


async def test_the_order_of_arrival_makes_no_difference(tier: Neo4jSemanticTier) -> None:
    forward, backward = new_scope(), new_scope()
    mentions = [
        observation(
            f"m{days}",
            at=NOON - days * DAY,
            relationships=(relation("Noor", "LIKES", "tea", context=f"day {days}", lasting=days == 4),),
        )
        for days in (9, 7, 4, 1)
    ]
    await tier.observe(forward, mentions)
    for mention in reversed(mentions):
        await tier.observe(backward, [mention])
    (first,), (second,) = await relationships(tier, forward), await relationships(tier, backward)
    assert first.model_dump(exclude={"id", "source_id", "target_id", "confidence"}) == second.model_dump(
        exclude={"id", "source_id", "target_id", "confidence"}
    )
    assert first.confidence == pytest.approx(second.confidence)


async def test_an_observation_is_applied_once(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    seen = observation("m1", relationships=(relation("Noor", "LIKES", "tea"), relation("Noor", "LIKES", "tea")))
    assert await tier.observe(scope, [seen, seen]) == [True, False]
    assert await tier.observe(scope, [seen]) == [False]
    (likes,) = await relationships(tier, scope)
    assert (likes.weight, likes.sources) == (1.0, ("m1",))
    assert (await named(tier, scope, "Noor")).mentions == 1


async def test_a_known_id_is_a_duplicate_or_a_conflict(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    entry = semantic_entry("tea", id="x")
    assert [item.duplicate for item in await tier.store(scope, [entry, entry])] == [False, True]
    assert [item.duplicate for item in await tier.store(scope, [entry])] == [True]
    with pytest.raises(Conflict) as conflict:
        await tier.store(scope, [semantic_entry("coffee"), semantic_entry("cocoa", id="x")])
    assert conflict.value.details["indexes"] == [1]
    assert [entity.name for entity in await entities(tier, scope)] == ["tea"]


async def test_what_several_interactions_said_goes_with_any_of_them(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    both = relation("Noor", "LIKES", "tea", context="Noor, of the oncology ward, likes tea.", sources=("m1", "m2"))
    alone = relation("Noor", "LIKES", "rain", context="Noor likes rain.", sources=("m2",))
    await tier.store(scope, [both, alone])
    await tier.forget_sources(scope, ["m1"])
    assert [(one.target, one.sources) for one in await relationships(tier, scope)] == [("rain", ("m2",))]
    late = relation("Noor", "LIKES", "cocoa", sources=("m1", "m2"))
    await tier.store(scope, [late])
    assert [one.target for one in await relationships(tier, scope)] == ["rain"]


async def test_concurrent_writers_make_no_duplicates(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    names = ("Noor", "Sami", "Leeds")

    async def writer(number: int) -> None:
        for step in range(5):
            source, target = names[(number + step) % 3], names[(number + step + 1) % 3]
            entry = relation(source, "KNOWS_OF", target, label="PERSON")
            await tier.observe(scope, [observation(f"m{number}-{step}", relationships=(entry,))])

    await asyncio.gather(*(writer(number) for number in range(8)))
    assert sorted(entity.name for entity in await entities(tier, scope)) == sorted(names)
    assert sum(item.weight for item in await relationships(tier, scope)) == 40
    assert sum(entity.mentions for entity in await entities(tier, scope)) == 80


async def test_an_embedding_of_another_dimension_is_refused(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    with pytest.raises(InvalidInput):
        await tier.store(scope, [semantic_entry("tea").model_copy(update={"embedding": (1.0, 0.0)})])
    with pytest.raises(InvalidInput):
        await tier.retrieve(MemoryQuery(scope=scope, text="tea", embedding=(0.0,) * 384))


async def test_lists_are_complete_page_by_page(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    entries = [relation("Noor", "VISITED", f"Town {number}", at=NOON - number % 3 * DAY) for number in range(7)]
    await tier.store(scope, entries)
    names, cursor = [], None
    while True:
        page = await tier.list_entities(scope, cursor=cursor, limit=3)
        names += [entity.name for entity in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert names == ["Noor", *(f"Town {number}" for number in range(7))]
    assert len((await tier.list_entities(scope, label="PERSON")).items) == 1
    targets: list[str] = []
    while True:
        edges = await tier.list_relationships(scope, cursor=cursor, limit=2)
        targets += [item.target for item in edges.items]
        cursor = edges.next_cursor
        if cursor is None:
            break
    assert sorted(targets) == [f"Town {number}" for number in range(7)]
    town = await named(tier, scope, "Town 3")
    (visited,) = (await tier.list_relationships(scope, entity_id=town.id)).items
    assert await tier.get_relationship(scope, visited.id) == visited
    with pytest.raises(InvalidInput):
        await tier.list_entities(scope, cursor="no")
