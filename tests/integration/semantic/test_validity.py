"""Validity, verdicts, archiving and consolidation in the semantic tier, on a real Neo4j."""

from random import Random

import pytest

from ragpp.clock import to_moment
from ragpp.fading import LASTS, YEARLY
from ragpp.learned import Consolidated
from ragpp.models import MemoryQuery
from ragpp.stores.neo4j import create_driver, scope_key
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.semantic.schema import load_migrations
from ragpp_services.semantic.tier import Neo4jSemanticTier
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
)
from tests.support.validity import DAY, FLOOR, LISBON, PORTO, Clock, asked, hear, told

pytestmark = pytest.mark.server
RATES_BY_KIND = 6
"""The migration."""


async def test_after_a_move_the_new_home_is_found_and_before_it_the_old_one(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await hear(tier, scope, [PORTO, ("m9", 20, relation("Sami", "BROTHER_OF", "Noor", label="PERSON"))])
    assert await asked(tier, scope, "Where does Noor live?") == ["Noor LIVES_IN Porto", "Sami BROTHER_OF Noor"]
    await hear(tier, scope, [LISBON])
    assert await asked(tier, scope, "Where does Noor live?") == ["Noor LIVES_IN Lisbon", "Sami BROTHER_OF Noor"]
    assert await asked(tier, scope, "Where does Noor live?", NOON - 11 * DAY) == [
        "Noor LIVES_IN Porto",
        "Sami BROTHER_OF Noor",
    ]
    assert await asked(tier, scope, "Porto") == []
    (porto,) = await relationships(tier, scope, "ended")
    assert (porto.valid_from, porto.valid_to, porto.learned_at) == (NOON - 30 * DAY, NOON - 10 * DAY, NOON - 30 * DAY)
    assert told([porto]) == [("Noor LIVES_IN Porto", "m2")]
    assert await tier.get_relationship(scope, porto.id) == porto
    before = await relationships(tier, scope, as_of=NOON - 11 * DAY)
    assert told(before) == [("Noor LIVES_IN Porto", None), ("Sami BROTHER_OF Noor", None)]
    assert before[0].valid_to is None


async def test_moving_back_is_seen_at_each_moment_as_it_was(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    back = ("m3", 5, relation("Noor", "LIVES_IN", "Porto", context="I am back in Porto."))
    await hear(tier, scope, [PORTO, LISBON, back])
    for days, home, ended in ((20, "Porto", []), (7, "Lisbon", ["Porto"]), (1, "Porto", ["Lisbon"])):
        moment = NOON - days * DAY
        assert await asked(tier, scope, "Where does Noor live?", moment) == [f"Noor LIVES_IN {home}"]
        assert [item.target for item in await relationships(tier, scope, as_of=moment)] == [home]
        assert [item.target for item in await relationships(tier, scope, "ended", moment)] == ended
    (porto,) = await relationships(tier, scope)
    assert (porto.weight, porto.valid_from, porto.first_mention) == (2.0, NOON - 5 * DAY, NOON - 30 * DAY)


async def test_the_order_of_arrival_makes_no_difference_to_what_holds(tier: Neo4jSemanticTier) -> None:
    said = [
        PORTO,
        LISBON,
        ("m3", 8, relation("Noor", "LIVES_IN", "Portugal", context="I live in Portugal.")),
        ("m4", 6, relation("Noor", "LIVES_IN", "Lisbon", ends=True, context="I left Lisbon.")),
        ("m5", 4, relation("Noor", "LIVES_IN", "Porto", context="I live in Porto again.")),
        ("m6", 3, relation("Noor", "WORKS_AT", "Mill", label="ORG", context="I work at the Mill.")),
        ("m7", 2, relation("Noor", "WORKS_AT", "Bank", label="ORG", context="I started at the Bank.")),
        ("m8", 1, relation("Noor", "SPOUSE_OF", "Ida", label="PERSON", ends=True, lasting=True)),
        ("m0", 40, relation("Ida", "SPOUSE_OF", "Noor", label="PERSON", lasting=True)),
    ]
    seen = []
    for seed in range(4):
        scope, heard = new_scope(), list(said)
        Random(seed).shuffle(heard)
        await hear(tier, scope, heard)
        await hear(tier, scope, heard[:3])
        every = [
            item.model_dump(exclude={"id", "source_id", "target_id"}) | {"confidence": round(item.confidence, 12)}
            for item in await relationships(tier, scope, "all")
        ]
        seen.append((every, told(await relationships(tier, scope)), told(await relationships(tier, scope, "ended"))))
    assert seen[0][1] == [
        ("Noor LIVES_IN Porto", None),
        ("Noor LIVES_IN Portugal", None),
        ("Noor WORKS_AT Bank", None),
    ]
    assert seen[0][2] == [
        ("Ida SPOUSE_OF Noor", "m8"),
        ("Noor LIVES_IN Lisbon", "m4"),
        ("Noor SPOUSE_OF Ida", "m8"),
        ("Noor WORKS_AT Mill", "m7"),
    ]
    assert all(other == seen[0] for other in seen[1:])


async def test_several_moves_in_one_batch_are_taken_in_order(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    homes = ("Porto", "Lisbon", "Porto", "Faro")
    batch = [
        observation(f"m{number}", at=NOON - (9 - number) * DAY, relationships=(relation("Noor", "LIVES_IN", home),))
        for number, home in enumerate(homes)
    ]
    await tier.observe(scope, batch)
    assert told(await relationships(tier, scope)) == [("Noor LIVES_IN Faro", None)]
    ended = await relationships(tier, scope, "ended")
    assert told(ended) == [("Noor LIVES_IN Lisbon", "m2"), ("Noor LIVES_IN Porto", "m3")]
    assert [item.weight for item in ended] == [1.0, 2.0]


async def test_forgetting_what_ended_it_opens_it_again(tier: Neo4jSemanticTier) -> None:
    for way in ("message", "relationship", "entity"):
        scope = new_scope()
        await hear(tier, scope, [PORTO, LISBON])
        lisbon = (await relationships(tier, scope))[0]
        if way == "message":
            assert await tier.forget_sources(scope, ["m2"])
        else:
            assert await tier.forget(scope, [lisbon.id if way == "relationship" else lisbon.target_id]) == 1
        (porto,) = await relationships(tier, scope, "all")
        assert (porto.target, porto.valid_to, porto.ended_by) == ("Porto", None, None), way


async def test_merges_and_splits_keep_validity_right(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    lisboa = ("m3", 5, relation("Noor", "LIVES_IN", "Lisboa", context="I live in Lisboa."))
    await hear(tier, scope, [PORTO, LISBON, lisboa])
    before = await relationships(tier, scope, "all")
    kept, absorbed = [(await named(tier, scope, name)).id for name in ("Lisbon", "Lisboa")]
    await tier.merge_entities(scope, kept, absorbed)
    (lives,) = await relationships(tier, scope)
    assert (lives.target, lives.weight, lives.valid_from) == ("Lisbon", 2.0, NOON - 10 * DAY)
    assert told(await relationships(tier, scope, "ended")) == [("Noor LIVES_IN Porto", "m2")]
    await tier.split_entity(scope, kept, absorbed)
    assert await relationships(tier, scope, "all") == before


async def test_persisted_decay_reads_the_same_and_is_counted_once(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    said = [
        ("m1", 20, relation("Noor", "LIKES", "tea", label="PRODUCT")),
        ("m2", 12, relation("Noor", "LIKES", "tea", label="PRODUCT")),
        ("m3", 9, relation("Sami", "BROTHER_OF", "Noor", label="PERSON", lasting=True)),
    ]
    await hear(tier, scope, said)
    moments = [NOON - 15 * DAY, NOON - 5 * DAY, NOON, NOON + 40 * DAY]
    before = [[item.model_dump() for item in await relationships(tier, scope, as_of=at)] for at in moments]
    assert await tier.consolidate(scope, NOON - 3 * DAY, 0.0) == Consolidated(updated=2)
    assert await tier.consolidate(scope, NOON, 0.0) == Consolidated(updated=2)
    for night in (NOON, NOON - 1 * DAY):
        assert await tier.consolidate(scope, night, 0.0) == Consolidated()
    for at, expected in zip(moments, before, strict=True):
        for item, was in zip(await relationships(tier, scope, as_of=at), expected, strict=True):
            assert item.confidence == pytest.approx(was.pop("confidence"), rel=1e-9)
            assert item.model_dump(exclude={"confidence"}) == was
    late = ("m4", 1, relation("Noor", "LIKES", "tea", label="PRODUCT"))
    undisturbed = new_scope()
    await hear(tier, undisturbed, [*said, late])
    await hear(tier, scope, [late])
    for item, other in zip(await relationships(tier, scope), await relationships(tier, undisturbed), strict=True):
        assert item.confidence == pytest.approx(other.confidence, rel=1e-12)


async def test_what_has_faded_is_archived_and_comes_back(tier: Neo4jSemanticTier, clock: Clock) -> None:
    scope = new_scope()
    await tier.store(
        scope,
        [
            relation("Noor", "WATCHED", "tea", at=NOON - 200 * DAY),
            relation("Noor", "WATCHED", "chess", at=NOON - 200 * DAY),
            relation("Noor", "WATCHED", "rowing"),
            relation("Sami", "BROTHER_OF", "Noor", label="PERSON", at=NOON - 4_000 * DAY, lasting=True),
        ],
    )
    assert await tier.consolidate(scope, NOON, FLOOR) == Consolidated(updated=3, archived=2)
    assert await tier.consolidate(scope, NOON, FLOOR) == Consolidated()
    assert told(await relationships(tier, scope)) == [("Noor WATCHED rowing", None), ("Sami BROTHER_OF Noor", None)]
    archived = await relationships(tier, scope, "archived")
    assert [(item.target, item.archived) for item in archived] == [("chess", True), ("tea", True)]
    assert await asked(tier, scope, "Did Noor watch tea or chess?") == ["Noor WATCHED rowing", "Sami BROTHER_OF Noor"]
    assert "Noor WATCHED tea" in await asked(tier, scope, "What did Noor watch?", NOON - 190 * DAY)
    assert len(await relationships(tier, scope, as_of=NOON - 190 * DAY)) == 3
    restored = await tier.restore_relationship(scope, archived[0].id)
    assert (restored.archived, restored.confidence, restored.weight) == (False, 0.6, 1.0)
    clock.now = NOON + DAY
    await tier.store(scope, [relation("Noor", "WATCHED", "tea", at=NOON + DAY)])
    assert [item.target for item in await relationships(tier, scope)] == ["chess", "rowing", "tea", "Noor"]
    done = await tier.consolidate(scope, NOON + 2 * DAY, FLOOR)
    assert (done.updated, done.archived) == (4, 0)


async def test_edges_of_the_time_before_validity_hold_since_their_first_mention(
    tier: Neo4jSemanticTier, endpoints: Endpoints
) -> None:
    scope = new_scope()
    await hear(tier, scope, [PORTO])
    (before,) = await relationships(tier, scope)
    older = (
        "MATCH ()-[r:RELATES_TO {id: $id}]->() REMOVE r.believed, r.believed_at, r.valid_from, r.shown_until "
        "RETURN count(r) AS found"
    )
    async with create_driver(neo4j_settings(endpoints)) as driver:
        records = (await driver.execute_query(older, {"id": before.id})).records
    assert records[0]["found"] == 1
    assert await relationships(tier, scope) == [before]
    assert await asked(tier, scope, "Where does Noor live?", NOON - 20 * DAY) == ["Noor LIVES_IN Porto"]
    assert await tier.consolidate(scope, NOON, 0.0) == Consolidated(updated=1)
    (persisted,) = await relationships(tier, scope, as_of=NOON - 20 * DAY)
    assert persisted.confidence == pytest.approx(0.6 * LASTS**10)
    await hear(tier, scope, [LISBON])
    assert told(await relationships(tier, scope, "ended")) == [("Noor LIVES_IN Porto", "m2")]


async def test_entities_that_are_plainly_the_same_become_one(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    names = ("St. Mary's Hospital", "St Marys Hospital", "the St Mary’s hospital", "St Mary's School")
    said = [relation("Noor", "WORKS_AT", name, label="ORG", sources=(f"m-{name}",)) for name in names]
    people = [semantic_entry(name, label="PERSON") for name in ("José", "Jose", "Noor's sister", "Ida")]
    alias = semantic_entry("Rosa", label="PERSON", aliases=("sister", "Noor's sister"))
    await hear(tier, scope, [(f"m{number}", 9 - number, item) for number, item in enumerate(said)])
    await tier.store(scope, [*people, alias])
    done = await tier.consolidate(scope, NOON, 0.0)
    assert {entity.name: len(entity.merged_from) for entity in done.merged} == {"St. Mary's Hospital": 2, "José": 1}
    assert (await tier.consolidate(scope, NOON, 0.0)).merged == ()
    names_left = {entity.name for entity in await entities(tier, scope)}
    assert names_left == {"Noor", "St. Mary's Hospital", "St Mary's School", "José", "Noor's sister", "Ida", "Rosa"}
    assert [(item.target, item.weight) for item in await relationships(tier, scope)] == [
        ("St Mary's School", 1.0),
        ("St. Mary's Hospital", 3.0),
    ]
    jose = await named(tier, scope, "José")
    await tier.split_entity(scope, jose.id, jose.merged_from[0])
    assert (await tier.consolidate(scope, NOON, 0.0)).merged == ()
    await tier.forget_sources(scope, ["m0"])
    assert len([entity for entity in await entities(tier, scope) if "Hospital" in entity.name]) == 1


async def test_pages_of_a_past_state_are_complete(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    said = [(f"m{n}", 30 - n, relation("Noor", "LIVES_IN", f"Town {n}")) for n in range(9)]
    await hear(tier, scope, [*said, *((f"b{n}", 9, relation("Noor", "LIKES", f"Thing {n}")) for n in range(3))])
    moment, found, cursor = NOON - 25 * DAY, list[str](), None
    while True:
        page = await tier.list_relationships(scope, as_of=moment, state="ended", cursor=cursor, limit=2)
        found += [item.target for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
        assert len(page.items) == 2
    assert found == [f"Town {n}" for n in range(5)]


async def test_what_was_stored_with_one_rate_for_all_comes_out_by_its_kind(
    tier: Neo4jSemanticTier, endpoints: Endpoints
) -> None:
    scope = new_scope()
    friend = relation("Priya", "FRIEND_OF", "Nora", label="PERSON")
    await hear(
        tier, scope, [("m1", 400, friend), ("m2", 370, friend), ("m3", 400, relation("Nora", "WATCHED", "Dune"))]
    )
    old = {
        "FRIEND_OF": {"believed": 0.6 * 0.95**30 + 0.1, "confidence": 1e-9},
        "WATCHED": {"believed": 0.6, "confidence": 1e-9},
    }
    async with create_driver(neo4j_settings(endpoints)) as driver:
        for kind, held in old.items():  # as the nights before the migration left it
            await driver.execute_query(
                "MATCH (:Entity {scope: $scope})-[r:RELATES_TO {type: $kind}]->() "
                "SET r.believed = $held.believed, r.confidence = $held.confidence, "
                "r.confidence_at = $now, r.archived_at = $now, r.shown_until = $now",
                scope=scope_key(scope),
                kind=kind,
                held=held,
                now=to_moment(NOON),
            )
        for statement in load_migrations()[RATES_BY_KIND - 1].statements:
            async with driver.session() as session:
                await (await session.run(statement)).consume()
    (found,) = await relationships(tier, scope)
    assert (found.type, found.archived) == ("FRIEND_OF", False)
    assert [one.type for one in await relationships(tier, scope, "archived")] == ["WATCHED"]
    await tier.consolidate(scope, NOON, FLOOR)
    (found,) = await relationships(tier, scope)
    believed = 0.6 * YEARLY**30 + 0.1
    assert found.believed == pytest.approx(believed)
    assert found.confidence == pytest.approx(believed * YEARLY**370)


async def test_a_friend_and_a_boss_are_known_and_recalled_as_surely_after_a_month(
    tier: Neo4jSemanticTier, clock: Clock
) -> None:
    scope = new_scope()
    kinds = {"FRIEND_OF": "Priya", "BOSS_OF": "Okafor", "COLLEAGUE_OF": "Tess"}
    said = [relation(name, kind, "Nora", label="PERSON") for kind, name in kinds.items()]
    await tier.store(scope, [*said, relation("Nora", "DISLIKES", "olives"), relation("Nora", "WATCHED", "Dune")])
    clock.now = NOON + 30 * DAY
    held = {one.type: one.confidence for one in await relationships(tier, scope)}
    assert held.pop("WATCHED") == pytest.approx(0.6 * 0.95**30)
    assert all(confidence > 0.55 for confidence in held.values())
    assert [one.type for one in await tier.review_relationships(scope, 0.5)] == ["WATCHED"]
    clock.now = NOON + 3_000 * DAY
    await tier.consolidate(scope, clock.now, FLOOR)
    assert {one.type for one in await relationships(tier, scope)} == held.keys()


async def test_of_equal_ones_what_is_said_decides_for_every_user_alike(tier: Neo4jSemanticTier) -> None:
    acts = [("PRACTISES", "swimming"), ("WATCHED", "video"), ("READ", "Dune"), ("MADE", "bread"), ("FOUND", "a ring")]
    entries = [relation("Noor", kind, thing) for kind, thing in acts]
    orders = set()
    for _ in range(4):
        scope = new_scope()
        await tier.store(scope, Random(scope.user_id).sample(entries, len(entries)))
        found = await tier.retrieve(MemoryQuery(scope=scope, text="What about Noor?", limit=4))
        orders.add(tuple(one.text for one in found))
    assert len(orders) == 1
