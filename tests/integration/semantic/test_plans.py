"""The rows that the semantic tier's statements read, on a graph that holds several users: never another's."""

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, cast

import neo4j
import pytest
import pytest_asyncio

from ragpp.clock import to_moment
from ragpp.models import MemoryQuery, Scope
from ragpp.stores.neo4j import create_driver, scope_key, scoped
from ragpp_infra.backup.graph import OF_USERS as COPYING
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.semantic.read import recall
from ragpp_services.semantic.records import AFTER_TIME, BEFORE_TIME
from ragpp_services.semantic.rows import rate_table
from ragpp_services.semantic.settings import SemanticSettings
from ragpp_services.semantic.statements import QUERIES, statement
from ragpp_services.semantic.tier import Neo4jSemanticTier
from ragpp_services.semantic.write.writer import ERASED
from tests.support.each import each
from tests.support.examples import some_of
from tests.support.scopes import new_scope
from tests.support.semantic import NOON, entities, neo4j_settings, observation, relation, relationships, semantic_tier
from tests.support.stacks import RunStack

pytestmark = pytest.mark.server
NEIGHBOURS: Final = 3
HUB: Final = 150
"""Relationships of each neighbour, under the names that the small user's have as well."""
HOUR: Final = timedelta(hours=1)
MOST_ROWS: Final = 100
"""Rows of one operator; the small user's own graph has a dozen of anything, and two thirds of this in all."""
Plan = dict[str, object]


@dataclass(frozen=True)
class Filled:
    """A graph of several users, and what the statements about the smallest of them take."""

    driver: neo4j.AsyncDriver
    scope: Scope
    given: Mapping[str, Mapping[str, object]]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def filled(endpoints: Endpoints) -> AsyncIterator[Filled]:
    scope = new_scope()
    async with semantic_tier(endpoints, clock=lambda: NOON) as tier:
        for number in range(NEIGHBOURS):
            neighbour = new_scope() if number else Scope(tenant_id=scope.tenant_id, user_id=f"{scope.user_id}-{number}")
            await fill(tier, neighbour, HUB)
        await fill(tier, scope, 4)
        given = await parameters(tier, scope)
    async with create_driver(neo4j_settings(endpoints)) as driver:
        yield Filled(driver, scope, given)


async def fill(tier: Neo4jSemanticTier, scope: Scope, count: int) -> None:
    """`count` places that the same person has lived in, an hour each, and as many things the person likes; the first
    of both once more at noon, so that only evidence tells what was known an hour before."""
    said = []
    for number in range(count + 1):
        what = number % count
        said.append(
            observation(
                f"m{number}",
                at=NOON - (count - number) * HOUR,
                relationships=(
                    relation("Noor", "LIVES_IN", f"Town {what}"),
                    relation("Noor", "LIKES", f"Thing {what}"),
                ),
            )
        )
    await tier.observe(scope, said)


async def parameters(tier: Neo4jSemanticTier, scope: Scope) -> dict[str, Mapping[str, object]]:
    """The parameters of each statement, with which it finds something."""
    edges = await relationships(tier, scope, "all")
    noor, town, *_ = sorted(await entities(tier, scope), key=lambda entity: -entity.mentions)
    edge_ids, event, now = [edge.id for edge in edges], "o:event-m0", to_moment(NOON)
    query = MemoryQuery(scope=scope, text="Where did Noor live, and what does Noor like?", as_of=NOON - HOUR)
    page = {"after_key": "", "after_id": "", "label": None, "limit": 50}
    row: dict[str, object] = {
        "id": noor.id,
        "event_id": event,
        "entity_id": noor.id,
        "source_id": noor.id,
        "target_id": town.id,
    }
    row |= {"alias_keys": [], "sources": ["m0"], "type": "LIVES_IN", "state": {}, "said": {}, "occurred_at": now}
    of_edge = {**row, "id": edge_ids[0]}
    vector = (0.1,) * 384
    return {
        "retrieve": recall.parameters(query, vector, NOON, SemanticSettings()),
        "claim": {
            "rows": [{"event_id": event, "hash": "", "occurred_at": now, "sources": ["m0"], "marks": ["mark"]}],
            "marks": ["mark"],
            "now": now,
        },
        "lock": {"now": now},
        "epoch": {},
        "stated_by": {"event_id": event},
        "stated": {},
        "relabelled": {},
        "relabel": {"id": noor.id, "label": "PERSON", "former_labels": ["ORG"]},
        "raise_epoch": {"now": now},
        "add_forgotten": {"marks": ["mark"], "now": now},
        "sweep": {"marks": ["mark"]},
        "entities_by_keys": {"keys": ["noor", "town 1"]},
        "list_entities": page,
        "names_of_entities": page,
        "list_relationships": {
            "entity_id": None,
            "state": "current",
            "as_of": AFTER_TIME,
            "after_first": BEFORE_TIME,
            "after_id": "",
            "limit": 50,
        },
        "doubtful": {"below": 1.0, "now": now, "limit": 50, "rates": rate_table(0.95)},
        "fading": {"now": now + 1, "limit": 50},
        "absorb": {
            "name_key": "k",
            "keep_id": noor.id,
            "absorb_id": town.id,
            "now": now,
            "automatic": True,
            "again": False,
            "after": None,
        },
        "restore": {"keep_id": noor.id, "absorb_id": town.id},
        "add_unrevised": {"rows": [{"thing": [noor.id], "first": 1, "keys": ["k"]}]},
        "note_consolidation": {"most": 5},
        "consolidations": {},
        "merges_of": {"ids": [noor.id]},
        "names_of": {"ids": [noor.id]},
        "namings_around": {"ids": [noor.id]},
        "free_names": {"ids": [noor.id]},
        "set_namings": {"rows": [{"event_id": event, "namings": []}]},
        "take_unrevised": {},
        "rewrite_merge": {"id": noor.id, "state": {}},
        "events_of_sources": {"ids": ["m0"]},
        "holdings": {"sources": ["m0"]},
        **{f"erase_{kind}": {"limit": 50} for kind in ERASED},
        **{
            name: {"ids": edge_ids}
            for name in ("relationships_by_ids", "statements_of", "drop_relationships", "drop_statements")
        },
        **{
            name: {"ids": [event]}
            for name in (
                "evidence_of_events",
                "withdraw_events",
                "empty_events",
                "unapply_events",
                "drop_spent_entries",
            )
        },
        "entities_by_ids": {"ids": [noor.id, town.id]},
        **{
            name: {"id": noor.id}
            for name in (
                "mentions_of",
                "statements_around",
                "drop_merge",
                "events_of_entity",
                "drop_entity",
            )
        },
        **{
            name: {"rows": [row]}
            for name in (
                "rivals",
                "write_entities",
                "drop_aliases",
                "write_mentions",
                "write_statements",
                "drop_mentions",
            )
        },
        **{name: {"rows": [of_edge]} for name in ("write_relationships", "persist_decay")},
    }


def operators(plan: Plan) -> Iterator[Plan]:
    """Every operator of a plan."""
    yield plan
    for child in cast("Sequence[Plan]", plan.get("children", ())):
        yield from operators(child)


PARTS: Final = ("lock", "nodes", "edges", "nodes one by one", "edges one by one")
KEPT: Final = "replan=skip"
COPIED: Final = {f"a backup's {part}": text for part, text in zip(PARTS, COPYING, strict=True)}
TEXTS: Final = {name: statement(name) for name in sorted(QUERIES)} | COPIED
"""Every statement about somebody's graph, by its name."""


def anew(text: str) -> str:
    """The same, planned with what is known of the graph now; what others ask stays planned."""
    assert KEPT in text
    return text.replace(KEPT, "replan=force")


async def test_a_statement_is_confined_to_its_scope_and_reads_no_more_than_its_user_has(filled: Filled) -> None:
    async def read(name: str) -> None:
        given = {"scope": scope_key(filled.scope), "given": dict(filled.given[name])}
        async with filled.driver.session() as session, await session.begin_transaction() as transaction:
            result = await transaction.run(f"PROFILE {anew(scoped(statement(name)))}", given)
            summary = await result.consume()
            await transaction.rollback()
        profile = cast("Plan | None", summary.profile)
        assert profile is not None
        plan = [*operators(profile)]
        assert scans(plan) == []
        for operator in plan:
            assert cast("int", operator["rows"]) <= MOST_ROWS, (operator["operatorType"], operator["args"])

    await each(sorted(QUERIES), read)


GRAPHS: Final = {
    "nobody's": (0, 0, False),
    "just loaded": (30, 0, False),
    "just loaded with relationships": (30, 1, False),
    "of entities alone": (30, 0, True),
}
"""How many others are in a graph, each with 30 entities and events, how many relationships and statements each entity
has, and whether its indexes have been sampled since."""


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=some_of(GRAPHS, []))
async def plans(own_stack: RunStack, request: pytest.FixtureRequest) -> Mapping[str, Sequence[Plan]]:
    """The operators of the plan of each statement, on a graph with a schema of which the planner knows little."""
    users, edges, sampled = GRAPHS[request.param]
    endpoints = own_stack.endpoints()
    async with semantic_tier(endpoints, clock=lambda: NOON), create_driver(neo4j_settings(endpoints)) as driver:
        await driver.execute_query("MATCH (n) WHERE n:Applied OR n:Entity DETACH DELETE n")
        await driver.execute_query(LOADED, users=users, edges=edges)
        if sampled:
            await driver.execute_query("CALL db.prepareForReplanning()")
        await driver.execute_query("CALL db.clearQueryCaches()")
        return {name: await planned(driver, text) for name, text in TEXTS.items()}


LOADED: Final = """
UNWIND range(1, $users) AS user UNWIND range(1, 30) AS n
CREATE (a:Applied {scope: 'u' + user, event_id: 'e' + n, sources: []})
CREATE (e:Entity {scope: 'u' + user, id: 'i' + n, name_key: 'n' + n, label: 'PERSON', sources: []})
WITH a, e, user, n UNWIND range(1, $edges) AS edge
CREATE (e)-[:RELATES_TO {id: 'r' + user + '-' + n + '-' + edge, type: 'KNOWS', sources: []}]->(e)
CREATE (a)-[:STATES {relationship: 'r' + user + '-' + n + '-' + edge}]->(e), (a)-[:MENTIONS {name: 'n' + n}]->(e)"""


async def test_a_statement_that_is_planned_while_little_is_known_of_the_graph_scans_nothing(
    plans: Mapping[str, Sequence[Plan]],
) -> None:
    """Where there is hardly anything, or seems to be, the planner likes to read all of it, and keeps the plan. A scan
    of an index of relationships ends, without an error, at one that somebody else has just deleted."""

    async def told(name: str) -> None:
        assert scans(plans[name]) == []

    await each(sorted(QUERIES), told)


async def test_a_backup_that_is_planned_while_little_is_known_of_the_graph_scans_nothing(
    plans: Mapping[str, Sequence[Plan]],
) -> None:
    """As the tier's own statements: others change their graphs while it copies those of some."""

    async def told(name: str) -> None:
        assert scans(plans[name]) == []

    await each(COPIED, told)


async def test_a_statement_names_each_index_that_it_seeks_in(plans: Mapping[str, Sequence[Plan]]) -> None:
    async def told(name: str) -> None:
        assert unnamed(TEXTS[name], plans[name]) == set()

    await each(TEXTS, told)


SOUGHT: Final = re.compile(r"(?P<index>(?P<thing>\w+:\w+)\([\w, ]+\))")
"""The index that a plan seeks in, and as what."""


def unnamed(text: str, plan: Sequence[Plan]) -> set[str]:
    """The indexes that a plan seeks in and its statement does not name. A plan that is made in the moment in which the
    server counts an index anew mixes both counts, and without the name reads the index as a whole, for each thing that
    is sought: of some thousand plans a few. So it does while little is known. MERGE seeks without being told."""
    sought = [
        found["index"]
        for one in plan
        if "IndexSeek" in str(one["operatorType"])
        for found in SOUGHT.finditer(str(cast("Mapping[str, object]", one["args"])["Details"]))
        if not re.search(rf"MERGE .*[([]{found['thing']} ", text)
    ]
    return {index for index in sought if f"USING INDEX SEEK {index}" not in text}


def scans(plan: Sequence[Plan]) -> list[str]:
    """The operators that read everybody's, of the plan of a statement."""
    return [
        f"{what} {cast('Mapping[str, object]', one['args'])['Details']}"
        for one in plan
        if "Scan" in (what := str(one["operatorType"]))
    ]


async def planned(driver: neo4j.AsyncDriver, text: str) -> list[Plan]:
    """The operators of the plan of a statement."""
    parameters = {"scope": "nobody", "given": {}, "scopes": ["nobody"]}
    async with driver.session() as session:
        plan = cast("Plan | None", (await (await session.run(f"EXPLAIN {text}", parameters)).consume()).plan)
    assert plan is not None
    return [*operators(plan)]
