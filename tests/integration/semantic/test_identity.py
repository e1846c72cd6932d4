"""Merges, splits and forgetting in the semantic tier, on a real Neo4j."""

from datetime import UTC, datetime, timedelta

import pytest

from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.models import EntityLabel, MemoryQuery, Observation, Scope
from ragpp.stores.neo4j import create_driver, scope_key
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.semantic.tier import Neo4jSemanticTier
from ragpp_services.semantic.write.revising import Revision
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


async def test_mom_my_mother_salma_and_salma_become_one_and_can_be_told_apart(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.observe(
        scope,
        [
            observation(
                "m1",
                at=NOON - 9 * DAY,
                entities=(semantic_entry("Noor's mother", label="PERSON", aliases=("mom", "mother")),),
                relationships=(
                    relation("Noor's mother", "MOTHER_OF", "Noor", label="PERSON", lasting=True),
                    relation("Noor's mother", "LIKES", "tea", label="PRODUCT"),
                ),
            ),
            observation(
                "m2",
                at=NOON - 8 * DAY,
                entities=(semantic_entry("Salma", label="PERSON"),),
                relationships=(relation("Salma", "LIKES", "tea", label="PRODUCT"),),
            ),
        ],
    )
    before = {entity.name: entity for entity in await entities(tier, scope)}
    edges_before = await relationships(tier, scope)
    naming = semantic_entry("Salma", label="PERSON", aliases=("mother", "Noor's mother"))
    await tier.observe(scope, [observation("m3", at=NOON - 7 * DAY, entities=(naming,))])

    salma = await named(tier, scope, "Salma")
    assert salma.id == before["Salma"].id
    assert salma.merged_from == (before["Noor's mother"].id,)
    assert set(salma.aliases) == {"Noor's mother", "mom", "mother"}
    assert salma.mentions == 3
    assert {(edge.source, edge.type, edge.target, edge.weight) for edge in await relationships(tier, scope)} == {
        ("Salma", "MOTHER_OF", "Noor", 1.0),
        ("Salma", "LIKES", "tea", 2.0),
    }
    asked = await tier.retrieve(MemoryQuery(scope=scope, text="What does mom like?"))
    assert "Salma LIKES tea" in texts(asked, "relationship")
    then = await tier.retrieve(MemoryQuery(scope=scope, text="tea", as_of=NOON - 8.5 * DAY))
    assert "Salma" not in " ".join(memory.text for memory in then)

    await tier.observe(
        scope,
        [observation("m4", relationships=(relation("Noor's mother", "VISITED", "Leeds"),))],
    )
    kept, restored = await tier.split_entity(scope, salma.id, before["Noor's mother"].id)
    assert restored == before["Noor's mother"]
    assert kept.mentions == 3
    after = await relationships(tier, scope)
    assert [edge for edge in after if edge.target != "Leeds"] == edges_before
    assert [edge.source for edge in after if edge.target == "Leeds"] == ["Salma"]
    await tier.observe(scope, [observation("m5", entities=(naming,))])
    assert (await named(tier, scope, "Salma")).merged_from == ()


async def test_a_merge_of_a_merge_is_undone_step_by_step(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    people = ("Ann", "Annie", "Anna")
    await tier.store(scope, [relation(name, "LIKES", "tea", sources=(f"m{name}",)) for name in people])
    await tier.store(scope, [relation("Ann", "RELATED_TO", "Annie", label="PERSON")])
    ids = {entity.name: entity.id for entity in await entities(tier, scope)}
    before = (await entities(tier, scope), await relationships(tier, scope))
    await tier.merge_entities(scope, ids["Annie"], ids["Ann"])
    between = (await entities(tier, scope), await relationships(tier, scope))
    assert [(edge.source, edge.weight) for edge in between[1]] == [("Anna", 1.0), ("Annie", 2.0)]
    anna = await tier.merge_entities(scope, ids["Anna"], ids["Annie"])
    assert (anna.mentions, set(anna.aliases)) == (4, {"Ann", "Annie"})
    assert [edge.weight for edge in await relationships(tier, scope)] == [3.0]
    with pytest.raises(NotFound):
        await tier.split_entity(scope, ids["Anna"], ids["Ann"])
    await tier.split_entity(scope, ids["Anna"], ids["Annie"])
    assert (await entities(tier, scope), await relationships(tier, scope)) == between
    await tier.split_entity(scope, ids["Annie"], ids["Ann"])
    assert (await entities(tier, scope), await relationships(tier, scope)) == before


async def test_two_sisters_and_two_mothers_stay_two(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.store(
        scope,
        [
            semantic_entry("Noor's sister", label="PERSON", aliases=("sister",)),
            semantic_entry("Ida", label="PERSON", aliases=("sister", "Noor's sister")),
            semantic_entry("Noor's mother", label="PERSON", aliases=("mother",)),
            semantic_entry("Eva", label="PERSON", aliases=("mother", "Sami's mother")),
        ],
    )
    assert len(await entities(tier, scope)) == 4


async def test_merging_with_oneself_or_nobody_is_refused(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("tea")])
    tea = await named(tier, scope, "tea")
    with pytest.raises(InvalidInput):
        await tier.merge_entities(scope, tea.id, tea.id)
    with pytest.raises(NotFound):
        await tier.merge_entities(scope, tea.id, "nobody")
    with pytest.raises(NotFound):
        await tier.get_entity(new_scope(), tea.id)


async def test_forgotten_sources_leave_what_the_others_support(tier: Neo4jSemanticTier) -> None:
    scope, never = new_scope(), new_scope()
    mentions = [
        observation(
            f"m{number}",
            at=NOON - (9 - number) * DAY,
            relationships=(
                relation("Noor", "LIKES", "tea", context=f"said {number}"),
                relation("Noor", "LIKES", f"thing {number}", context=f"said {number}"),
            ),
        )
        for number in range(4)
    ]
    await tier.observe(scope, mentions)
    await tier.observe(never, [mentions[0], mentions[2]])
    assert await tier.forget_sources(scope, ["m1", "m3", "unknown"]) == 7
    assert await tier.forget_sources(scope, ["m1"]) == 0
    strip = {"id", "source_id", "target_id", "confidence"}
    left = [edge.model_dump(exclude=strip) for edge in await relationships(tier, scope)]
    assert left == [edge.model_dump(exclude=strip) for edge in await relationships(tier, never)]
    assert [entity.model_dump(exclude={"id"}) for entity in await entities(tier, scope)] == [
        entity.model_dump(exclude={"id"}) for entity in await entities(tier, never)
    ]
    assert await tier.observe(scope, [mentions[1]]) == [False]


async def test_a_merge_goes_with_the_only_words_that_supported_it(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    mother = semantic_entry("Noor's mother", label="PERSON", aliases=("mom",))
    salma = semantic_entry("Salma", label="PERSON")
    naming = semantic_entry("Salma", label="PERSON", aliases=("Noor's mother",))
    await tier.observe(scope, [observation("m1", entities=(mother,)), observation("m2", entities=(salma,))])
    before = await entities(tier, scope)
    await tier.observe(scope, [observation("m3", entities=(naming,)), observation("m4", entities=(naming,))])
    assert len(await entities(tier, scope)) == 1
    await tier.forget_sources(scope, ["m3"])
    assert len(await entities(tier, scope)) == 1
    await tier.forget_sources(scope, ["m4"])
    assert await entities(tier, scope) == before
    await tier.observe(scope, [observation("m5", entities=(naming,))])  # nobody has told them apart
    assert len(await entities(tier, scope)) == 1


async def test_what_keeps_the_graph_from_being_revised_keeps_no_evidence_and_is_made_up_for(
    tier: Neo4jSemanticTier, endpoints: Endpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope, never = new_scope(), new_scope()
    likes = [("m1", "tea"), ("m2", "coffee"), ("m3", "tea")]
    for user in (scope, never):
        for message, drink in likes if user is scope else likes[2:]:
            said = relation("Noor", "LIKES", drink, label="PRODUCT", context=f"{message}: I like {drink}.")
            await tier.observe(user, [observation(message, relationships=(said,))])

    async def fail(*_: object) -> None:
        raise Conflict("a name is taken")

    with monkeypatch.context() as broken:
        broken.setattr(Revision, "rebuild_entities", fail)
        for _ in range(2):
            with pytest.raises(Conflict):
                await tier.forget_sources(scope, ["m1"])
        async with create_driver(neo4j_settings(endpoints)) as driver:
            left = await driver.execute_query(
                "MATCH (a:Applied {scope: $scope})-[said:MENTIONS|STATES]->() "
                "RETURN DISTINCT a.event_id AS event ORDER BY event",
                scope=scope_key(scope),
            )
        assert [record["event"] for record in left.records] == ["o:event-m2", "o:event-m3"]
    await tier.forget_sources(scope, ["m2"])  # whoever forgets next makes up for it

    assert await _shown(tier, scope) == await _shown(tier, never)


async def _shown(tier: Neo4jSemanticTier, scope: Scope) -> list[dict[str, object]]:
    """All that the graph says, without ids."""
    said = [entity.model_dump(exclude={"id"}) for entity in await entities(tier, scope)]
    told = [edge.model_dump(exclude={"id", "source_id", "target_id"}) for edge in await relationships(tier, scope)]
    return said + told


async def test_whom_a_name_means_is_told_again_where_what_decided_it_is_forgotten(tier: Neo4jSemanticTier) -> None:
    def mother(interaction_id: str, name: str | None, type: str, target: str, label: EntityLabel) -> Observation:
        known = "Noor's mother" if name is None else name
        aliases = ("mother",) if name is None else ("mother", "Noor's mother")
        return observation(
            interaction_id,
            entities=(semantic_entry(known, label="PERSON", aliases=aliases),),
            relationships=(relation(known, type, target, label=label),),
        )

    scope = new_scope()
    for said in (
        mother("m1", None, "LIVES_IN", "Paris", "GPE"),
        mother("m2", "Salma", "LIVES_IN", "Rabatopia", "GPE"),
        mother("m3", "Fatima", "LIVES_IN", "Rome", "GPE"),
        mother("m4", None, "WORKS_AT", "Globex", "ORG"),
    ):
        await tier.observe(scope, [said])
    assert {entity.name for entity in await entities(tier, scope)} >= {"Salma", "Fatima", "Noor's mother"}

    await tier.forget_sources(scope, ["m2"])

    assert {entity.name for entity in await entities(tier, scope)} == {"Fatima", "Paris", "Rome", "Globex"}
    assert {(edge.source, edge.type, edge.target) for edge in await relationships(tier, scope, "all")} == {
        ("Fatima", "LIVES_IN", "Paris"),
        ("Fatima", "LIVES_IN", "Rome"),
        ("Fatima", "WORKS_AT", "Globex"),
    }
    (mentioned,) = [entity for entity in await entities(tier, scope) if entity.name == "Fatima"]
    assert mentioned.mentions == 3
    await tier.forget_sources(scope, ["m1"])
    assert {(edge.source, edge.type, edge.target) for edge in await relationships(tier, scope, "all")} == {
        ("Fatima", "LIVES_IN", "Rome"),
        ("Fatima", "WORKS_AT", "Globex"),
    }


async def test_a_forgotten_name_is_nowhere_left(tier: Neo4jSemanticTier, endpoints: Endpoints) -> None:
    scope = new_scope()
    secret, plain = f"Zq{scope.user_id[2:]}", "Robin"
    await tier.store(scope, [relation(secret, "LIKES", "tea", context=f"{secret} likes tea", sources=("m1",))])
    await tier.store(scope, [semantic_entry(plain, label="PERSON", sources=("m2",))])
    ids = {entity.name: entity.id for entity in await entities(tier, scope)}
    await tier.merge_entities(scope, ids[plain], ids[secret])
    assert await tier.forget_sources(scope, ["m1"]) == 3
    assert [(entity.name, entity.aliases) for entity in await entities(tier, scope)] == [(plain, ())]
    async with create_driver(neo4j_settings(endpoints)) as driver:
        left = await driver.execute_query(
            "MATCH (n {scope: $scope}) OPTIONAL MATCH (n)-[r]-() "
            "WITH collect(properties(n)) + collect(properties(r)) AS all UNWIND all AS one RETURN one",
            scope=scope_key(scope),
        )
    said = str([record.data() for record in left.records]).casefold()
    assert plain.casefold() in said
    assert secret.casefold() not in said


async def test_forgetting_an_entity_takes_its_relationships(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    likes = relation("Noor", "LIKES", "tea", id="r1")
    await tier.store(scope, [likes, relation("Sami", "LIKES", "tea"), semantic_entry("Ida")])
    noor, ida = await named(tier, scope, "Noor"), await named(tier, scope, "Ida")
    await tier.merge_entities(scope, noor.id, ida.id)
    assert await tier.forget(scope, [noor.id, "unknown"]) == 1
    assert [entity.name for entity in await entities(tier, scope)] == ["Sami", "tea"]
    assert [edge.source for edge in await relationships(tier, scope)] == ["Sami"]
    assert await tier.forget(scope, [noor.id]) == 0
    assert [item.duplicate for item in await tier.store(scope, [likes])] == [True]


async def test_a_forgotten_entry_can_be_stored_again(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    entry = relation("Noor", "LIKES", "tea", id="r1")
    await tier.store(scope, [entry, relation("Noor", "LIKES", "chess")])
    (_, tea) = await relationships(tier, scope)
    assert await tier.forget(scope, [tea.id]) == 1
    assert await tier.forget(scope, ["r1"]) == 1
    assert sorted(entity.name for entity in await entities(tier, scope)) == ["Noor", "chess"]
    assert [item.duplicate for item in await tier.store(scope, [entry])] == [False]
    assert len(await relationships(tier, scope)) == 2


async def test_moments_of_any_year_are_exact(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    moments = [datetime(1, 1, 1, tzinfo=UTC), datetime(1969, 7, 20, 20, 17, 40, 123457, tzinfo=UTC)]
    await tier.store(scope, [semantic_entry("Moon", occurred_at=moment) for moment in moments])
    moon = await named(tier, scope, "Moon")
    assert (moon.first_mention, moon.last_mention) == tuple(moments)
