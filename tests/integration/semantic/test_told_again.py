"""After a forgetting, who is whom is told again with each merge where it was made: a night's, and a person's."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import TypeAlias

import neo4j
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from ragpp.models import EntityLabel, Scope
from ragpp.stores.neo4j import create_driver, scope_key
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.semantic.tier import Neo4jSemanticTier
from tests.support.examples import examples
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

pytestmark = pytest.mark.server

Name: TypeAlias = tuple[str, tuple[str, ...]]
"""A person's name, and another."""
SPELLED = ("José", "Jose", "Josè", "Anne-Marie", "Anne Marie", "Sally")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def driver(endpoints: Endpoints) -> AsyncIterator[neo4j.AsyncDriver]:
    async with create_driver(neo4j_settings(endpoints)) as opened:
        yield opened


class Life:
    """A user's messages, one after another, and the acts on what was learned of them."""

    def __init__(self, tier: Neo4jSemanticTier, scope: Scope) -> None:
        self.tier, self.scope = tier, scope

    async def say(self, number: int, *names: Name | str, label: EntityLabel = "PERSON") -> None:
        """Message `number`, which names these."""
        given: list[Name] = [(one, ()) if isinstance(one, str) else one for one in names]
        said = tuple(semantic_entry(name, label=label, aliases=aliases) for name, aliases in given)
        await self.tier.observe(
            self.scope, [observation(f"m{number}", at=NOON + timedelta(hours=number), entities=said)]
        )

    async def say_all(self, *names: Name | str) -> None:
        """A message for each."""
        for number, name in enumerate(names):
            await self.say(number, name)

    async def night(self) -> None:
        """Those who are plainly the same become one."""
        await self.tier.consolidate(self.scope, NOON + timedelta(days=1), None)

    async def id_of(self, name: str) -> str:
        """The id of the entity of that name."""
        return (await named(self.tier, self.scope, name)).id

    async def merge(self, kept: str, absorbed: str) -> None:
        """A person says that both are one."""
        await self.tier.merge_entities(self.scope, await self.id_of(kept), await self.id_of(absorbed))

    async def forget(self, *numbers: int) -> None:
        """These messages."""
        await self.tier.forget_sources(self.scope, [f"m{number}" for number in numbers])

    async def names(self) -> set[str]:
        """The names of all entities."""
        return {entity.name for entity in await entities(self.tier, self.scope)}


@pytest.fixture
def life(tier: Neo4jSemanticTier, scope: Scope) -> Life:
    return Life(tier, scope)


spelled = st.lists(st.tuples(st.sampled_from(SPELLED), st.just(())), min_size=1, max_size=2)


@settings(
    max_examples=examples(8),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
@given(
    messages=st.lists(spelled, min_size=4, max_size=8),
    forgotten=st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=2), min_size=1, max_size=2),
    nights=st.sets(st.integers(0, 7), min_size=1, max_size=3),
)
@example(messages=[[("José", ())], [("Jose", ())], [("José", ())], [("José", ())]], forgotten=[{0}], nights={1, 2})
@example(
    messages=[[("Salma", ())], [("Salma", ())], [("Fatima", ("Salma",))], [("Fatima", ())]],
    forgotten=[{0}],
    nights={2},
)
@example(
    messages=[
        *([[("Salma", ())]] * 4),
        [("mother", ())],
        [("Fatima", ("Salma", "mother"))],
        [("Fatima", ())],
    ],
    forgotten=[{0}],
    nights={6},
)
async def test_whom_nights_made_one_is_as_if_the_forgotten_had_not_been_heard(
    tier: Neo4jSemanticTier,
    driver: neo4j.AsyncDriver,
    messages: list[list[Name]],
    forgotten: list[set[int]],
    nights: set[int],
) -> None:
    async def all_of(life: Life, without: set[int], forgetting: Sequence[set[int]]) -> list[dict[str, object]]:
        for number, names in enumerate(messages):
            if number not in without:
                await life.say(number, *names)
            if number in nights:
                await life.night()
        for some in forgetting:
            await life.forget(*some)
        await life.night()
        found = [one.model_dump(exclude={"id", "merged_from"}) for one in await entities(tier, life.scope)]
        return [*found, *await absorbed(driver, life.scope)]

    gone = set().union(*forgotten)
    forgot, never_heard = await asyncio.gather(
        all_of(Life(tier, new_scope()), set(), forgotten), all_of(Life(tier, new_scope()), gone, ())
    )
    assert forgot == never_heard


async def absorbed(driver: neo4j.AsyncDriver, scope: Scope) -> list[dict[str, object]]:
    """The entities that became part of others, each as it was, with the name of the one that was kept."""
    found = await driver.execute_query(
        "MATCH (m:Merge {scope: $scope})-[into:MERGED_INTO]->(k) "
        "RETURN k.name AS kept, into.automatic AS automatic, m.name AS name, m.label AS label, m.mentions AS mentions,"
        " m.aliases AS aliases, m.sources AS sources, m.first_mention AS first, m.last_mention AS last",
        scope=scope_key(scope),
    )
    return sorted((record.data() for record in found.records), key=repr)


async def test_what_was_absorbed_counts_nothing_that_was_said_since(life: Life) -> None:
    for number, name in enumerate(("St. Mary's", "St. Mary's", "St Marys", "St Marys", "St. Mary's")):
        await life.say(number, name, label="ORG")
        if number == 2:
            await life.night()

    await life.forget(4)

    [kept] = await entities(life.tier, life.scope)
    kept, apart = await life.tier.split_entity(life.scope, kept.id, kept.merged_from[0])
    assert (kept.mentions, apart.mentions) == (3, 1)


async def test_what_a_person_made_one_step_by_step_stays_one(life: Life) -> None:
    await life.say_all("Ann", "Beth", "Cleo")
    ann, beth = await life.id_of("Ann"), await life.id_of("Beth")
    await life.merge("Beth", "Ann")
    await life.merge("Cleo", "Beth")
    await life.say(3, "Ann")
    await life.say(4, "Ann")

    await life.forget(4)

    [cleo] = await entities(life.tier, life.scope)
    assert (cleo.name, set(cleo.aliases), cleo.mentions) == ("Cleo", {"Ann", "Beth"}, 4)
    cleo, second = await life.tier.split_entity(life.scope, cleo.id, beth)
    assert (cleo.mentions, second.mentions) == (2, 2)
    second, first = await life.tier.split_entity(life.scope, beth, ann)
    assert (second.mentions, first.mentions) == (1, 1)


async def test_it_stays_one_without_the_one_in_the_middle(life: Life) -> None:
    await life.say_all("Ann", "Beth", "Cleo")
    await life.merge("Beth", "Ann")
    await life.merge("Cleo", "Beth")

    await life.forget(1)

    assert {one.name: one.aliases for one in await entities(life.tier, life.scope)} == {"Cleo": ("Ann",)}


async def test_what_a_person_made_one_is_who_was_called_so(life: Life) -> None:
    await life.say_all(("Beth", ("Dora",)), "Dora", "Beth", "Cleo")
    await life.merge("Cleo", "Beth")

    await life.forget(0)

    assert {one.name: one.aliases for one in await entities(life.tier, life.scope)} == {"Cleo": ("Beth",), "Dora": ()}


async def test_what_a_person_made_one_stays_so_where_a_night_would_have(life: Life) -> None:
    await life.say_all("Salma", "Salma", "Fatima", ("Fatima", ("Salma",)), ("Noor", ("Salma",)))
    await life.night()
    await life.merge("Fatima", "Salma")

    await life.forget(4)
    await life.forget(3)

    assert len(await entities(life.tier, life.scope)) == 1


async def test_a_forgetting_makes_nobody_one_who_are_two(life: Life) -> None:
    await life.say_all("Jose", ("Fatima", ("Jose",)), ("Salma", ("José",)))
    await life.night()
    await life.say(3, ("Fatima", ("Umm Ali",)))

    await life.forget(3)
    await life.night()

    assert await life.names() == {"Jose", "Fatima", "Salma"}


async def test_whom_a_person_has_split_stays_two(life: Life, driver: neo4j.AsyncDriver) -> None:
    await life.say_all("José", "José", "José", "Jose", "Josè", "Josè", ("José", ("Jose", "Josè")))
    await life.night()
    statement = "MATCH (m:Merge {scope: $scope, name: 'Jose'}) RETURN m.id AS id"
    [jose] = (await driver.execute_query(statement, scope=scope_key(life.scope))).records
    await life.tier.split_entity(life.scope, await life.id_of("José"), jose["id"])

    await life.forget(0, 1, 2)
    await life.night()

    assert await life.names() == {"Josè", "Jose"}


async def test_who_are_one_again_are_kept_apart_no_more(life: Life) -> None:
    await life.say_all("Jose", "Bob", "José", "José", "José")
    jose = await life.id_of("Jose")
    await life.merge("Bob", "Jose")
    await life.tier.split_entity(life.scope, await life.id_of("Bob"), jose)
    await life.night()
    await life.merge("José", "Bob")
    await life.say(5, "José")

    await life.forget(5)

    assert await life.names() == {"José"}


async def test_what_a_forgotten_name_brought_goes_with_it(life: Life) -> None:
    await life.say(0, "Acme", label="ORG")
    await life.say(1, "Kay")
    await life.tier.relabel_entity(life.scope, await life.id_of("Acme"), None, "PERSON")
    await life.say(2, "Kay", ("Kay", ("Acme",)))
    await life.night()
    assert await life.names() == {"Kay"}

    await life.forget(2)
    await life.say(3, "Kay", label="ORG")

    known = {(one.name, one.label) for one in await entities(life.tier, life.scope)}
    assert known == {("Acme", "PERSON"), ("Kay", "PERSON"), ("Kay", "ORG")}


async def test_one_of_another_kind_with_the_name_of_what_was_absorbed_stands_in_no_forgettings_way(life: Life) -> None:
    await life.say(0, "Acme", label="ORG")
    await life.say(1, "Bob")
    await life.merge("Bob", "Acme")
    await life.say(2, "Acme", label="ORG")

    await life.forget(1)

    assert [(one.name, one.label) for one in await entities(life.tier, life.scope)] == [("Acme", "ORG")]


async def test_nor_does_one_whom_a_person_calls_what_another_turns_out_to_be(life: Life) -> None:
    await life.say_all(("Cleo", ("Beth",)), "Beth", "Cleo", "Ann")
    await life.tier.relabel_entity(life.scope, await life.id_of("Ann"), "Beth", None)

    await life.forget(0)

    assert await life.names() == {"Ann", "Beth", "Cleo"}


async def test_a_persons_word_on_who_is_forgotten_is_not_said_of_another(tier: Neo4jSemanticTier, scope: Scope) -> None:
    for number, (name, aliases) in enumerate(
        (("Salma", ("Noor's mother",)), ("Noor's mother", ()), ("Fatima", ("Noor's mother",)))
    ):
        mother = semantic_entry(name, label="PERSON", aliases=aliases)
        kinship = relation(name, "MOTHER_OF", "Noor", label="PERSON", lasting=True)
        await tier.observe(scope, [observation(f"m{number}", entities=(mother,), relationships=(kinship,))])
    [wrong] = [edge for edge in await relationships(tier, scope) if edge.source == "Salma"]
    await tier.judge_relationship(scope, wrong.id, "rejected")

    await tier.forget_sources(scope, ["m0"])

    [left] = await relationships(tier, scope, "all")
    assert (left.source, left.weight, left.verdict) == ("Fatima", 2.0, None)
