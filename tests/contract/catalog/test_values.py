"""The values of items, as use has shown: learned from episodes, one added to another, and gone with their items."""

import asyncio

import pytest

from ragpp.catalog import DEFAULT_VALUE, generate_memory_key
from ragpp.entries.values import EntryQuery
from ragpp.episodes import EpisodeEnd, Used, Valued
from ragpp.errors import NotFound
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from tests.support.catalog import item, resource
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
WON = EpisodeEnd(final_reward=1.0, alpha=0.1, gamma=1.0, lambda_=1.0)
LOST = WON.model_copy(update={"final_reward": 0.0})


@pytest.fixture
async def scope(tier: CatalogTier) -> Scope:
    """With three items, i0 to i2, of one domain and two kinds of task."""
    made = new_scope()
    await tier.store(made, [resource(id="r")])
    for place, task in enumerate(("filter", "filter", "join")):
        entry = item(f"hint number {place} about {task}", "r", id=f"i{place}")
        await tier.store(made, [entry.model_copy(update={"domain": "sql", "task_type": task})])
    return made


async def used(tier: CatalogTier, scope: Scope, *ids: str, goal: str = "valid", end: EpisodeEnd = WON) -> None:
    """An episode in which these are used, one after another."""
    episode = await tier.begin_episode(scope, goal)
    for one in ids:
        assert await tier.record_access(scope, episode.episode_id, Used(memory_id=one)) is not None
    await tier.end_episode(scope, episode.episode_id, end)


async def worth(tier: CatalogTier, scope: Scope, item_id: str, goal: str = "valid") -> float:
    return (await tier.get_item(scope, item_id)).get_value(goal)


async def test_what_was_used_moves_towards_what_came_of_it(tier: CatalogTier, scope: Scope) -> None:
    episode = await tier.begin_episode(scope, "valid", "sql")
    first = await tier.record_access(scope, episode.episode_id, Used(memory_id="i0"))
    second = await tier.record_access(scope, episode.episode_id, Used(memory_id="i1", step_reward=0.2))
    assert first is not None
    assert second is not None
    assert (first.number, second.number, first.value) == (1, 2, DEFAULT_VALUE)
    updates = await tier.end_episode(
        scope, episode.episode_id, EpisodeEnd(final_reward=0.9, alpha=0.5, gamma=1, lambda_=0.5)
    )
    assert [one.item_id for one in updates] == ["i0", "i1"]
    assert [one.new for one in updates] == pytest.approx([0.5 + 0.5 * 0.5 * 0.5, 0.5 + 0.5 * 0.5])
    assert [one.old for one in updates] == [0.5, 0.5]
    assert updates[0].key == generate_memory_key("hint number 0 about filter", "sql", "filter")
    assert await worth(tier, scope, "i1") == pytest.approx(updates[1].new)
    assert await worth(tier, scope, "i1", "another goal") == DEFAULT_VALUE


async def test_a_goal_that_the_end_names_is_what_is_learned_for(tier: CatalogTier, scope: Scope) -> None:
    await used(tier, scope, "i0", goal="tidy")
    known = WON.model_copy(update={"goal": "tidy"})
    episode = await tier.begin_episode(scope, "general")
    access = await tier.record_access(scope, episode.episode_id, Used(memory_id="i0"))
    assert access is not None
    assert access.value == 0.5
    (update,) = await tier.end_episode(scope, episode.episode_id, known)
    assert [update.old, update.new] == pytest.approx([0.55, 0.595])
    (found,) = await tier.valued_items(scope, Valued(goal="tidy", limit=1))
    assert found.goal_values.keys() == {"tidy"}


async def test_episodes_that_end_as_one_move_each_memory_once_by_when_it_was_used(
    tier: CatalogTier, scope: Scope
) -> None:
    await used(tier, scope, "i0")
    for_it, for_none = [await tier.begin_episode(scope, goal, "sql") for goal in ("valid", "general")]
    for episode, one in ((for_none, "i0"), (for_it, "i1"), (for_none, "i1"), (for_it, "i0"), (for_none, "i2")):
        assert await tier.record_access(scope, episode.episode_id, Used(memory_id=one)) is not None
    end = EpisodeEnd(final_reward=1.0, alpha=0.1, gamma=1, lambda_=0.5, goal="valid")
    missing = end.model_copy(update={"with_episodes": (for_none.episode_id, "ep_unknown")})
    with pytest.raises(NotFound):
        await tier.end_episode(scope, for_it.episode_id, missing)
    both = end.model_copy(update={"with_episodes": (for_none.episode_id, for_it.episode_id)})
    updates = await tier.end_episode(scope, for_it.episode_id, both)
    assert [one.item_id for one in updates] == ["i1", "i0", "i2"]
    traces = {"i0": 0.5 * (1 + 0.5**3), "i1": 0.5**2 * (1 + 0.5), "i2": 1.0}
    for update in updates:
        assert update.new == pytest.approx(update.old + 0.1 * (1 - update.old) * traces[update.item_id])
    assert updates[1].old == pytest.approx(0.55)
    for episode in (for_it, for_none):
        with pytest.raises(NotFound):
            await tier.end_episode(scope, episode.episode_id, end)


async def test_two_episodes_that_end_at_once_end_at_the_start_plus_both_moves(tier: CatalogTier, scope: Scope) -> None:
    episodes = [await tier.begin_episode(scope, "valid") for _ in range(8)]
    for episode in episodes:
        await tier.record_access(scope, episode.episode_id, Used(memory_id="i0"))
    await asyncio.gather(*(tier.end_episode(scope, one.episode_id, WON) for one in episodes))
    assert await worth(tier, scope, "i0") == pytest.approx(0.5 + 8 * 0.05)


async def test_a_value_never_leaves_its_range(tier: CatalogTier, scope: Scope) -> None:
    whole = WON.model_copy(update={"alpha": 1.0})
    for _ in range(3):
        episodes = [await tier.begin_episode(scope, "valid") for _ in range(2)]
        for episode in episodes:
            await tier.record_access(scope, episode.episode_id, Used(memory_id="i0"))
        for episode in episodes:
            await tier.end_episode(scope, episode.episode_id, whole)
    assert await worth(tier, scope, "i0") == 1.0


async def test_a_content_is_found_by_what_it_says_and_where_it_belongs(tier: CatalogTier, scope: Scope) -> None:
    episode = await tier.begin_episode(scope, "valid", "sql")
    said = Used(content="hint number 0 about filter", task_type="filter")
    found = await tier.record_access(scope, episode.episode_id, said)
    assert found is not None
    assert found.item_id == "i0"
    assert await tier.record_access(scope, episode.episode_id, said.model_copy(update={"domain": "art"})) is None
    assert await tier.record_access(scope, episode.episode_id, Used(memory_id="i9")) is None


async def test_an_episode_ends_once_and_only_one_that_is_there(tier: CatalogTier, scope: Scope) -> None:
    episode = await tier.begin_episode(scope, "valid")
    assert await tier.end_episode(scope, episode.episode_id, WON) == []
    for identifier in (episode.episode_id, "ep_unknown"):
        with pytest.raises(NotFound):
            await tier.end_episode(scope, identifier, WON)
        with pytest.raises(NotFound):
            await tier.record_access(scope, identifier, Used(memory_id="i0"))


async def test_items_are_listed_by_what_proved_better_then_what_is_new_then_what_proved_worse(
    tier: CatalogTier, scope: Scope
) -> None:
    await used(tier, scope, "i2", end=LOST)
    await used(tier, scope, "i0")
    listed = await tier.valued_items(scope, Valued(goal="valid"))
    assert [one.item_id for one in listed] == ["i0", "i1", "i2"]
    assert listed[0].get_value("valid") > DEFAULT_VALUE > listed[2].get_value("valid")
    assert listed[1].goal_values == {}
    assert [one.item_id for one in await tier.valued_items(scope, Valued(goal="valid", limit=1))] == ["i0"]
    filters = await tier.valued_items(scope, Valued(goal="valid", domain="sql", task_type="filter"))
    assert [one.item_id for one in filters] == ["i0", "i1"]
    assert await tier.valued_items(scope, Valued(domain="art")) == []
    assert [one.item_id for one in await tier.valued_items(scope, Valued(domain="sql"))] == ["i2", "i1", "i0"]


async def test_what_one_agent_learns_another_has_and_what_is_private_stays_so(tier: CatalogTier, scope: Scope) -> None:
    await tier.store(
        scope.seen_by("amy"), [resource(id="own", seen_by="amy"), item("a secret", "own", id="s", seen_by="amy")]
    )
    await used(tier, scope.seen_by("amy"), "i0", "s")
    assert await worth(tier, scope.seen_by("bob"), "i0") > DEFAULT_VALUE
    assert "s" not in {one.item_id for one in await tier.valued_items(scope.seen_by("bob"), Valued(goal="valid"))}
    episode = await tier.begin_episode(scope.seen_by("bob"), "valid")
    assert await tier.record_access(scope.seen_by("bob"), episode.episode_id, Used(memory_id="s")) is None
    with pytest.raises(NotFound):
        await tier.end_episode(scope.seen_by("amy"), episode.episode_id, WON)


async def test_what_is_known_in_two_domains_or_of_two_kinds_of_task_is_learned_apart(tier: CatalogTier) -> None:
    scope, places = new_scope(), (("sql", "filter"), ("sql", "join"), ("art", "filter"), (None, None))
    await tier.store(scope, [resource(id="r")])
    for number, (domain, task_type) in enumerate(places):
        said = item("Dates are compared in UTC.", "r", id=f"p{number}")
        (kept,) = await tier.store(scope, [said.model_copy(update={"domain": domain, "task_type": task_type})])
        assert kept.id == f"p{number}"
        assert (await tier.get_item(scope, kept.id)).key == generate_memory_key(said.content, domain, task_type)
    await used(tier, scope, "p0")
    assert [await worth(tier, scope, f"p{number}") for number in range(4)] == pytest.approx([0.55, 0.5, 0.5, 0.5])
    for domain, ids in (("sql", ["p0", "p1"]), ("art", ["p2"]), ("general", ["p3"])):
        found = await tier.valued_items(scope, Valued(domain=domain, goal="valid"))
        assert [one.item_id for one in found] == ids
    of_task = await tier.valued_items(scope, Valued(task_type="filter", goal="valid"))
    assert [one.item_id for one in of_task] == ["p0", "p2"]
    assert [one.item_id for one in await tier.valued_items(scope, Valued(task_type="general"))] == ["p3"]
    episode = await tier.begin_episode(scope, "valid", "art")
    access = await tier.record_access(
        scope, episode.episode_id, Used(content="Dates are compared in UTC.", task_type="filter")
    )
    assert access is not None
    assert access.item_id == "p2"


async def test_what_two_agents_say_of_one_domain_and_task_is_one_memory_which_both_learn_of(tier: CatalogTier) -> None:
    scope = new_scope()
    await tier.store(scope, [resource(id="r")])
    for agent in ("amy", "bob"):
        said = item("Dates are compared in UTC.", "r", id=f"of-{agent}")
        given = {"domain": "sql", "task_type": "filter", "agent_id": agent, "metadata": {"agent_name": agent}}
        (kept,) = await tier.store(scope, [said.model_copy(update=given)])
        assert kept.id == "of-amy"
    for agent in ("amy", "bob"):
        episode = await tier.begin_episode(scope.seen_by(agent), "valid", "sql")
        said_again = Used(content="Dates are compared in UTC.", task_type="filter")
        access = await tier.record_access(scope.seen_by(agent), episode.episode_id, said_again)
        assert access is not None
        assert access.key == generate_memory_key("Dates are compared in UTC.", "sql", "filter")
        await tier.end_episode(scope.seen_by(agent), episode.episode_id, WON)
    (found,) = await tier.valued_items(scope, Valued(domain="sql", goal="valid"))
    assert found.get_value("valid") == pytest.approx(0.55 + 0.1 * (1 - 0.55))
    assert found.metadata["agent_name"] == "amy"
    (entry,) = await tier.find_entries(scope, EntryQuery())
    assert entry.entry.agents == ("amy", "bob")


async def test_what_was_learned_of_an_item_goes_with_it(tier: CatalogTier, scope: Scope) -> None:
    episode = await tier.begin_episode(scope, "valid")
    await tier.record_access(scope, episode.episode_id, Used(memory_id="i0"))
    await tier.record_access(scope, episode.episode_id, Used(memory_id="i1"))
    await used(tier, scope, "i0")
    await tier.forget(scope, ["i0"])
    updates = await tier.end_episode(scope, episode.episode_id, WON)
    assert [one.item_id for one in updates] == ["i1"]


async def test_an_erased_user_has_no_episodes(tier: CatalogTier, scope: Scope) -> None:
    episode = await tier.begin_episode(scope, "a goal that names Ann")
    assert (await tier.holdings(scope))["episodes"] == 1
    while await tier.erase(scope, 2**62):
        pass
    assert "episodes" not in await tier.holdings(scope)
    with pytest.raises(NotFound):
        await tier.end_episode(scope, episode.episode_id, WON)


async def test_a_user_learns_of_what_all_share_for_oneself(tier: CatalogTier, scope: Scope) -> None:
    everybody = scope.model_copy(update={"user_id": ""})
    other = scope.model_copy(update={"user_id": "other"})
    await tier.store(everybody, [resource(id="g"), item("a hint for all", "g", id="for_all")])
    await used(tier, scope, "for_all")
    assert await worth(tier, scope, "for_all") > DEFAULT_VALUE
    assert await worth(tier, other, "for_all") == DEFAULT_VALUE
