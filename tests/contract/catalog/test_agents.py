"""Memories given to agents: budgets that hold, what came of them, their source; and the view that agents choose by."""

import asyncio

import pytest

from ragpp.entries.comparing import Difference
from ragpp.entries.usage import ShownLately, TokenBudget
from ragpp.entries.values import EntryQuery
from ragpp.errors import NotFound
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from tests.support.catalog import item, resource
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
AGENT = "ergon"


@pytest.fixture
async def scope(tier: CatalogTier) -> Scope:
    """With three items, i0 to i2, of which i2 is called mem_2 elsewhere."""
    made = new_scope()
    await tier.store(made, [resource(id="r")])
    for place in range(3):
        entry = item(f"shelf {place} holds box {place}7", "r", id=f"i{place}")
        said = {"entry": {"external_id": "mem_2"}} if place == 2 else {}
        await tier.store(made, [entry.model_copy(update={"metadata": said})])
    return made


async def test_an_agent_that_nobody_knows_was_given_nothing(tier: CatalogTier, scope: Scope) -> None:
    usage = await tier.agent_usage(scope, AGENT)
    assert (usage.budget, usage.source, usage.turns, usage.turn) == (None, "catalog", 0, None)
    assert await tier.memory_uses(scope, AGENT) == []


async def test_a_turn_is_given_no_more_than_it_has_however_many_ask(tier: CatalogTier, scope: Scope) -> None:
    assert (await tier.put_budget(scope, AGENT, 100)).budget == 100
    turn = await tier.begin_turn(scope, AGENT, TokenBudget.of(100, 40), offered=["i0", "i1"])
    assert (turn.number, turn.item_ids, turn.budget.left) == (1, ("i0", "i1"), 60)
    taken = await asyncio.gather(*(tier.take_tokens(scope, AGENT, 1, 25, {"i0": 25}) for _ in range(4)))
    assert sorted(one.used for one in taken if one is not None) == [65, 90]
    usage = await tier.agent_usage(scope, AGENT)
    assert (usage.catalog_tokens, usage.memory_tokens, usage.turns) == (40, 50, 1)
    assert await tier.take_tokens(scope, AGENT, 2, 1, {}) is None
    uses = {one.memory_id: one for one in await tier.memory_uses(scope, AGENT)}
    assert (uses["i0"].offered, uses["i0"].given, uses["i0"].tokens) == (1, 2, 50)
    assert (uses["i1"].offered, uses["i1"].given) == (1, 0)


async def test_an_answer_is_judged_once_a_turn_and_feedback_is_not_talked_over(tier: CatalogTier, scope: Scope) -> None:
    await tier.begin_turn(scope, AGENT, TokenBudget.of(100, 0), offered=["i0", "i1"])
    (moved,) = await tier.judge_uses(scope, AGENT, {"i0": 1.0})
    assert moved.new > moved.old
    assert await tier.judge_uses(scope, AGENT, {"i0": 1.0, "nobody": 1.0}) == []
    told = await tier.put_feedback(scope, AGENT, "i1", -1.0, "outdated")
    assert told.new < told.old
    assert await tier.judge_uses(scope, AGENT, {"i1": 1.0}) == []
    (use,) = [one for one in await tier.memory_uses(scope, AGENT) if one.memory_id == "i1"]
    assert (use.feedback, use.reason) == (-1.0, "outdated")
    with pytest.raises(NotFound):
        await tier.put_feedback(scope, AGENT, "nobody", 1.0)


async def test_what_differs_is_counted_while_both_are_compared_and_anew_each_time(
    tier: CatalogTier, scope: Scope
) -> None:
    told = Difference(file={"i0": 10, "i1": 20}, catalog={"i1": 20, "i2": 5})
    await tier.note_comparison(scope, AGENT, told)
    assert (await tier.comparison(scope, AGENT)).turns == 0
    assert (await tier.put_source(scope, AGENT, "parallel")).source == "parallel"
    await tier.note_comparison(scope, AGENT, told)
    await tier.note_comparison(scope, AGENT, Difference(file={"i1": 20}, catalog={"i1": 9}))
    counted = await tier.comparison(scope, AGENT)
    assert (counted.turns, counted.equal, counted.file_memories, counted.catalog_memories) == (2, 1, 3, 3)
    assert (counted.both, counted.file_tokens, counted.catalog_tokens) == (2, 50, 34)
    uses = {one.memory_id: (one.by_file, one.by_catalog, one.by_both) for one in await tier.compared_uses(scope, AGENT)}
    assert uses == {"i0": (1, 0, 0), "i1": (0, 0, 2), "i2": (0, 1, 0)}
    assert await tier.memory_uses(scope, AGENT) == []  # comparing gives nothing to anybody
    await tier.forget(scope, ["i0"])
    assert "i0" not in {one.memory_id for one in await tier.compared_uses(scope, AGENT)}
    await tier.put_source(scope, AGENT, "catalog")
    await tier.note_comparison(scope, AGENT, told)
    assert (await tier.comparison(scope, AGENT)).turns == 2
    await tier.put_source(scope, AGENT, "parallel")
    assert (await tier.comparison(scope, AGENT)).turns == 0
    assert await tier.compared_uses(scope, AGENT) == []


async def test_what_was_shown_lately_is_told_and_doubtful_once_something_was_forgotten(
    tier: CatalogTier, scope: Scope
) -> None:
    assert await tier.shown_lately(scope, AGENT) == ShownLately()
    await tier.begin_turn(scope, AGENT, TokenBudget.of(100, 0), offered=["i0"])
    await tier.take_tokens(scope, AGENT, 1, 5, {"i1": 5})
    shown = await tier.shown_lately(scope, AGENT)
    assert (set(shown.item_ids), shown.doubtful) == ({"i0", "i1"}, False)
    await tier.forget(scope, ["i1"])
    assert await tier.shown_lately(scope, AGENT) == ShownLately(item_ids=("i0",), doubtful=True)
    await tier.begin_turn(scope, AGENT, TokenBudget.of(100, 0))
    assert (await tier.shown_lately(scope, AGENT)).doubtful  # an answer of the turn before may still come


async def test_the_latest_entries_are_narrowed_by_who_sees_them_and_where_they_are_from(
    tier: CatalogTier, scope: Scope
) -> None:
    own = item("the key is under the mat", "r", id="own").model_copy(update={"agent_id": AGENT, "seen_by": AGENT})
    await tier.store(scope, [own])

    async def ids(**narrowed: object) -> list[str]:
        found = await tier.find_entries(scope, EntryQuery.model_validate(narrowed))
        return [one.entry.memory_id for one in found]

    assert await ids() == ["own", "i2", "i1", "i0"]
    assert await ids(visibility="agent", ci=AGENT) == ["own"]
    assert await ids(visibility="shared") == ["i2", "i1", "i0"]
    assert await ids(imported=True) == ["i2"]
    latest, *_ = await tier.find_entries(scope, EntryQuery(visibility="shared", limit=1, whole=True))
    assert latest.metadata["entry"] == {"external_id": "mem_2"}
    assert await ids(visibility="shared", before=latest.place) == ["i1", "i0"]


async def test_an_erased_user_has_no_agents(tier: CatalogTier, scope: Scope) -> None:
    await tier.put_source(scope, AGENT, "parallel")
    await tier.note_comparison(scope, AGENT, Difference(file={"i0": 1}, catalog={}))
    while await tier.erase(scope, 2**62):
        pass
    assert (await tier.agent_usage(scope, AGENT)).source == "catalog"
    assert await tier.compared_uses(scope, AGENT) == []


async def test_a_name_is_that_of_one_item_or_of_the_different_ones_that_are_called_so(tier: CatalogTier) -> None:
    scope = new_scope()
    await tier.store(scope, [resource(id="r")])
    for place, agent in enumerate(("ergon", "scribe", None, "ergon")):
        entry = item(f"shelf {place} holds box {place}7", "r", id=f"i{place}")
        alone = agent if place < 2 else None
        update = {"metadata": {"entry": {"external_id": "mem_1"}}, "agent_id": agent, "seen_by": alone}
        await tier.store(scope, [entry.model_copy(update=update)])
    assert await tier.items_named(scope, "mem_1") == ["i0", "i1", "i2", "i3"]
    assert await tier.items_named(scope, "i2") == ["i2"]
    assert await tier.items_named(scope, "nobody") == []
    for view, names in (("ergon", ["i0"]), ("scribe", ["i1"]), ("third", ["i2", "i3"])):
        assert await tier.items_named(scope.seen_by(view), "mem_1") == names
        (found,) = await tier.find_entries(scope.seen_by(view), EntryQuery(ids=("mem_1",)))
        assert found.entry.memory_id in names
