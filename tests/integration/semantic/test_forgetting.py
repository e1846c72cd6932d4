"""Forgotten messages decide nothing any more: the graph tells apart whom it would if it had never heard them."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from ragpp.clock import to_moment
from ragpp.models import EntityLabel, Observation, Scope
from ragpp.stores.neo4j import create_driver, scope_key
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.semantic.tier import Neo4jSemanticTier
from tests.support.examples import examples
from tests.support.scopes import new_scope
from tests.support.semantic import NOON, entities, neo4j_settings, observation, relation, relationships, semantic_entry

pytestmark = pytest.mark.server

PEOPLE = ("Salma", "Fatima", "mother", "Noor's mother", "mom", "José", "Jose", "Sally")
PLACES: tuple[tuple[str, EntityLabel], ...] = (
    ("Paris", "GPE"),
    ("St. Mary's", "ORG"),
    ("St Marys", "ORG"),
    ("tea", "PRODUCT"),
)


def said(number: int, named: Sequence[tuple[str, tuple[str, ...]]], about: Sequence[tuple[int, int]]) -> Observation:
    """Message `number`: names with their aliases, and which of them live or work where."""
    return observation(
        f"m{number}",
        at=NOON + timedelta(hours=number),
        entities=tuple(semantic_entry(name, label="PERSON", aliases=aliases) for name, aliases in named),
        relationships=tuple(
            relation(
                named[person % len(named)][0],
                "WORKS_AT" if PLACES[place][1] == "ORG" else "LIVES_IN" if PLACES[place][1] == "GPE" else "LIKES",
                PLACES[place][0],
                label=PLACES[place][1],
                at=NOON + timedelta(hours=number),
            )
            for person, place in about
        ),
    )


naming = st.tuples(st.sampled_from(PEOPLE), st.lists(st.sampled_from(PEOPLE), max_size=2).map(tuple))
message = st.tuples(
    st.lists(naming, min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, len(PLACES) - 1)), max_size=2),
)


@settings(
    max_examples=examples(10),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
@given(
    messages=st.lists(message, min_size=2, max_size=8),
    forgotten=st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=3), min_size=1, max_size=2),
    sizes=st.integers(1, 4),
)
@example(
    messages=[
        ([("Salma", ("mother",)), ("Fatima", ("mother",))], []),
        ([("mother", ()), ("Salma", ("mother",))], [(0, 0)]),
    ],
    forgotten=[{0}],
    sizes=1,
)
@example(
    messages=[([("Noor's mother", ())], []), ([("Salma", ("Noor's mother",)), ("Noor's mother", ())], [])],
    forgotten=[{0}],
    sizes=2,
)
@example(
    messages=[([("Salma", ("Fatima",))], []), ([("Salma", ()), ("Fatima", ())], [(0, 0), (1, 0)])],
    forgotten=[{0}],
    sizes=1,
)
@example(
    messages=[
        ([("Noor's mother", ("Fatima",))], []),
        ([("Fatima", ()), ("Noor's mother", ())], []),
    ],
    forgotten=[{0}],
    sizes=1,
)
async def test_a_graph_that_forgot_is_as_one_that_never_heard(
    tier: Neo4jSemanticTier,
    messages: list[tuple[list[tuple[str, tuple[str, ...]]], list[tuple[int, int]]]],
    forgotten: list[set[int]],
    sizes: int,
) -> None:
    heard = [said(number, named, about) for number, (named, about) in enumerate(messages)]
    gone = set().union(*forgotten)
    scope, never = new_scope(), new_scope()

    async def hear_and_forget() -> list[dict[str, object]]:
        for start in range(0, len(heard), sizes):
            await tier.observe(scope, heard[start : start + sizes])
        for some in forgotten:
            await tier.forget_sources(scope, [f"m{number}" for number in some])
        return await settled(tier, scope)

    async def never_hear() -> list[dict[str, object]]:
        for number, item in enumerate(heard):
            if number not in gone:
                await tier.observe(never, [item])
        return await settled(tier, never)

    forgot, never_heard = await asyncio.gather(hear_and_forget(), never_hear())
    assert forgot == never_heard


async def settled(tier: Neo4jSemanticTier, scope: Scope) -> list[dict[str, object]]:
    """All that the graph says once those who are plainly the same are one."""
    await tier.consolidate(scope, NOON + timedelta(days=1), None)
    return await shown(tier, scope)


async def test_a_persons_word_outlasts_the_forgetting_of_what_told_two_apart(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    first = said(0, [("Salma", ("Fatima",))], [])
    await tier.observe(scope, [first, said(1, [("Fatima", ()), ("Jo", ())], [(0, 0), (0, 3)])])
    (tea,) = [edge for edge in await relationships(tier, scope) if edge.type == "LIKES"]
    await tier.judge_relationship(scope, tea.id, "confirmed")
    known = {entity.name: entity.id for entity in await entities(tier, scope)}
    await tier.merge_entities(scope, known["Salma"], known["Jo"])

    await tier.forget_sources(scope, ["m0"])

    assert {entity.name for entity in await entities(tier, scope)} == {"Fatima", "Paris", "tea"}
    (jo,) = [entity for entity in await entities(tier, scope) if entity.name == "Fatima"]
    assert jo.aliases == ("Jo",)
    (likes,) = [edge for edge in await relationships(tier, scope) if edge.type == "LIKES"]
    assert (likes.source, likes.verdict, likes.confidence) == ("Fatima", "confirmed", 1.0)


async def test_what_was_absorbed_keeps_neither_the_id_nor_the_moment_of_a_forgotten_message(
    tier: Neo4jSemanticTier, endpoints: Endpoints
) -> None:
    scope = new_scope()
    for number, named in enumerate((("mother", ()), ("mother", ()), ("Fatima", ("mother",)))):
        await tier.observe(scope, [said(number, [named], [])])

    await tier.forget_sources(scope, ["m0"])

    async with create_driver(neo4j_settings(endpoints)) as driver:
        absorbed, *_ = await driver.execute_query(
            "MATCH (m:Merge {scope: $scope}) RETURN m.name, m.sources, m.mentions, m.first_mention, m.named_at",
            scope=scope_key(scope),
        )
    left = to_moment(NOON + timedelta(hours=1))
    assert [record.values() for record in absorbed] == [["mother", ["m1"], 1, left, left]]


async def test_what_comes_late_from_a_forgotten_message_leaves_no_name(
    tier: Neo4jSemanticTier, endpoints: Endpoints
) -> None:
    scope = new_scope()
    secret = f"Zq{scope.user_id[2:]}"
    await tier.observe(scope, [said(1, [("Noor", ())], [(0, 0)])])
    await tier.forget_sources(scope, ["m0"])

    late = semantic_entry(secret, id="late", label="PERSON", sources=("m0", "m1"))
    assert await tier.observe(scope, [said(0, [(secret, ())], [(0, 3)])]) == [True]
    await tier.store(scope, [late])

    assert await dumped(endpoints, scope, secret) == []


async def test_which_of_two_spellings_is_kept_is_decided_by_what_is_left(tier: Neo4jSemanticTier) -> None:
    heard, witness = new_scope(), new_scope()
    spelled = ["St Marys", "St. Mary's", "St Marys", "St. Mary's", "St. Mary's"]
    for scope, spellings in ((heard, spelled), (witness, spelled[:4])):
        for number, name in enumerate(spellings):
            hospital = observation(
                f"m{number}",
                at=NOON + timedelta(hours=number),
                entities=(semantic_entry(name, label="ORG"),),
                relationships=(),
            )
            await tier.observe(scope, [hospital])
        await tier.consolidate(scope, NOON + timedelta(days=1), None)
    assert [one.name for one in await entities(tier, heard)] == ["St. Mary's"]
    await tier.forget_sources(heard, ["m4"])
    assert await shown(tier, heard) == await shown(tier, witness)


async def test_a_verdict_keeps_no_name_of_what_was_forgotten(tier: Neo4jSemanticTier, endpoints: Endpoints) -> None:
    scope = new_scope()
    secret = f"Zq{scope.user_id[2:]}"
    await tier.observe(scope, [said(0, [(secret, ("Salma",))], []), said(1, [("Salma", ())], [(0, 0)])])
    [known] = await relationships(tier, scope)
    assert known.source == secret
    await tier.judge_relationship(scope, known.id, "confirmed")
    await tier.forget_sources(scope, ["m0"])
    assert [one.source for one in await relationships(tier, scope)] == ["Salma"]
    assert await dumped(endpoints, scope, secret) == []


async def dumped(endpoints: Endpoints, scope: Scope, word: str) -> list[str]:
    """The rows of the scope, nodes with their relationships, that have the word."""
    async with create_driver(neo4j_settings(endpoints)) as driver:
        dump = await driver.execute_query(
            "MATCH (n {scope: $scope}) OPTIONAL MATCH (n)-[r]-() RETURN properties(n), collect(properties(r))",
            scope=scope_key(scope),
        )
    return [row for row in map(str, dump.records) if word in row]


async def shown(tier: Neo4jSemanticTier, scope: Scope) -> list[dict[str, object]]:
    """All that the graph says, without ids."""
    found = [entity.model_dump(exclude={"id", "merged_from"}) for entity in await entities(tier, scope)]
    told = [
        edge.model_dump(exclude={"id", "source_id", "target_id"}) for edge in await relationships(tier, scope, "all")
    ]
    return found + sorted(told, key=repr)
