"""The promises of every tier, whatever it keeps and wherever it runs."""

import asyncio

import pytest

from ragpp.errors import Conflict, TierUnavailable
from ragpp.health import StoreState
from ragpp.models import Filters
from tests.support.contract import Subject
from tests.support.scopes import new_scope
from tests.support.waiting import eventually, well

pytestmark = pytest.mark.server

HOSTILE_IDS = [
    "'; DROP TABLE episodic.interactions; --",
    "a\nb\r\nc",
    "{tag}:*?[x]",
    "MATCH (n) DETACH DELETE n //",
    "$scope`}) RETURN 1",
    "\\u0000 \\x00 %00",
    "\u202eright-to-left\u202c",
    "🜁" * 60,
    " leading and trailing ",
    "../../etc/passwd",
]


async def test_what_is_stored_is_retrieved(subject: Subject) -> None:
    scope = new_scope()
    await subject.tier.store(scope, [subject.entry("granite umbrella"), subject.entry("saffron lighthouse")])
    found = await subject.tier.retrieve(subject.query(scope, "saffron lighthouse"))
    assert "saffron lighthouse" in found[0].text.casefold()
    assert found[0].tier == subject.tier.name == subject.name
    assert all(0 <= memory.score <= 1 for memory in found)


async def test_a_user_without_memories_finds_nothing(subject: Subject) -> None:
    assert await subject.tier.retrieve(subject.query(new_scope(), "anything")) == []


async def test_one_user_never_retrieves_anothers_memories(subject: Subject) -> None:
    alice, bob = new_scope(), new_scope()
    await subject.tier.store(alice, [subject.entry("the launch code")])
    assert await subject.tier.retrieve(subject.query(alice, "the launch code"))
    assert await subject.tier.retrieve(subject.query(bob, "the launch code")) == []


async def test_users_of_one_name_in_two_tenants_never_meet(subject: Subject) -> None:
    one = new_scope()
    other = one.model_copy(update={"tenant_id": new_scope().tenant_id})
    entry = subject.entry("the launch code")
    await subject.tier.store(one, [entry])
    assert await subject.tier.retrieve(subject.query(other, "the launch code")) == []
    assert await subject.tier.forget(other, [entry.id]) == 0
    assert await subject.tier.retrieve(subject.query(one, "the launch code"))


async def test_the_same_id_with_the_same_content_is_a_duplicate_and_stored_once(subject: Subject) -> None:
    scope = new_scope()
    entry = subject.entry("saffron lighthouse")
    first = await subject.tier.store(scope, [entry])
    again = await subject.tier.store(scope, [entry])
    assert [item.duplicate for item in first] == [False]
    assert [item.duplicate for item in again] == [True]
    found = await subject.tier.retrieve(subject.query(scope, "saffron lighthouse"))
    assert len({memory.id for memory in found}) == len(found)


async def test_the_same_id_with_other_content_is_a_conflict_that_stores_nothing(subject: Subject) -> None:
    scope = new_scope()
    known = subject.entry("saffron lighthouse")
    await subject.tier.store(scope, [known])
    with pytest.raises(Conflict) as caught:
        await subject.tier.store(scope, [subject.entry("granite umbrella"), subject.entry("other", id=known.id)])
    assert caught.value.details["indexes"] == [1]
    found = await subject.tier.retrieve(subject.query(scope, "granite umbrella"))
    assert all("granite umbrella" not in memory.text.casefold() for memory in found)


async def test_writers_at_once_store_an_id_once(subject: Subject) -> None:
    scope = new_scope()
    entry = subject.entry("saffron lighthouse")
    answers = await asyncio.gather(*(subject.tier.store(scope, [entry]) for _ in range(4)))
    assert sorted(item.duplicate for (item,) in answers) == [False, True, True, True]


async def test_forgetting_removes_and_can_be_repeated(subject: Subject) -> None:
    scope = new_scope()
    await subject.tier.store(scope, [subject.entry("saffron lighthouse")])
    (memory, *_) = await subject.tier.retrieve(subject.query(scope, "saffron lighthouse"))
    assert await subject.tier.forget(scope, [memory.id, "unknown"]) >= 1
    found = await subject.tier.retrieve(subject.query(scope, "saffron lighthouse"))
    assert memory.id not in {one.id for one in found}
    assert await subject.tier.forget(scope, [memory.id]) == 0


async def test_an_id_may_be_any_text(subject: Subject) -> None:
    scope = new_scope()
    entries = [subject.entry(f"token{number} lighthouse", id=text) for number, text in enumerate(HOSTILE_IDS)]
    stored = await subject.tier.store(scope, entries)
    assert [item.id for item in stored] == HOSTILE_IDS
    again = await subject.tier.store(scope, entries)
    assert all(item.duplicate for item in again)


async def test_scopes_may_be_any_text(subject: Subject) -> None:
    scopes = [new_scope().model_copy(update={"user_id": f"{text} {number}"}) for number, text in enumerate(HOSTILE_IDS)]
    for scope in scopes:
        await subject.tier.store(scope, [subject.entry("saffron lighthouse")])
    for scope in scopes:
        assert await subject.tier.retrieve(subject.query(scope, "saffron lighthouse"))


async def test_no_more_than_the_limit_is_retrieved(subject: Subject) -> None:
    scope = new_scope()
    await subject.tier.store(scope, [subject.entry(f"saffron lighthouse {word}") for word in ("one", "two", "three")])
    query = subject.query(scope, "saffron lighthouse").model_copy(update={"limit": 2})
    assert len(await subject.tier.retrieve(query)) == 2


async def test_excluded_ids_are_not_retrieved(subject: Subject) -> None:
    scope = new_scope()
    await subject.tier.store(scope, [subject.entry("saffron lighthouse"), subject.entry("saffron lighthouse again")])
    query = subject.query(scope, "saffron lighthouse")
    (first, *_) = await subject.tier.retrieve(query)
    without = query.model_copy(update={"filters": Filters(exclude=frozenset({first.id}))})
    assert first.id not in {memory.id for memory in await subject.tier.retrieve(without)}


async def test_storing_nothing_is_harmless(subject: Subject) -> None:
    assert await subject.tier.store(new_scope(), []) == []


async def test_its_health_names_it_and_is_good(subject: Subject) -> None:
    health = await well(subject.tier)
    assert (health.name, subject.tier.name) == (subject.name, subject.name)


async def test_a_tier_tells_what_its_store_is_and_that_its_schema_is_up_to_date(subject: Subject) -> None:
    async def answered() -> StoreState | None:
        try:
            return await subject.tier.state()
        except TierUnavailable:  # a machine that stands still does so for longer than a ping waits
            return None

    state = await eventually(answered, within_s=60, what="the tier tells of its store")
    assert state.product in {"Valkey", "Redis", "PostgreSQL", "Neo4j", "memory"}
    assert state.version[:1].isdigit()
    assert all(schema.applied == schema.known > 0 for schema in state.schemas)
    assert abs(state.ahead_ms) < 60_000
