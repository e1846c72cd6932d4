"""The limit of what one agent alone sees holds at every write, whoever writes beside it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import pytest

from ragpp.clock import system_clock
from ragpp.errors import Conflict
from ragpp.ledger.pins import PinBoard
from ragpp.models import Scope
from ragpp.settings import EntrySettings
from ragpp.stores.postgres import create_pool
from ragpp.tiers import CatalogTier
from ragpp_infra.embedded.stack import Endpoints
from tests.support.catalog import catalog_tier, item, resource
from tests.support.contract import both_ways
from tests.support.episodic import postgres_settings
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
MOST: Final = 3
AGENT: Final = "ergon"


@pytest.fixture(scope="module")
async def ways(endpoints: Endpoints) -> AsyncIterator[dict[str, CatalogTier]]:
    """Tiers under which an agent alone sees MOST items."""
    limited = EntrySettings(max_memories_per_ci=MOST)
    async with both_ways("catalog", CatalogTier, lambda: catalog_tier(endpoints, entries=limited)) as opened:
        yield opened


@pytest.fixture
async def scope(tier: CatalogTier) -> Scope:
    made = new_scope()
    await tier.store(made, [resource(id="r")])
    return made


async def keep(tier: CatalogTier, scope: Scope, *names: str, agent: str | None = AGENT, priority: int = 5) -> None:
    """One item of each name, stored together."""
    said = {"entry": {"priority": priority}}
    entries = [item(f"box {name} is on shelf {name}", "r", id=name, seen_by=agent) for name in names]
    await tier.store(scope, [entry.model_copy(update={"metadata": said}) for entry in entries])


async def alone(tier: CatalogTier, scope: Scope, agent: str = AGENT) -> set[str]:
    return {one.id for one in await tier.kept_entries(scope) if one.agent_id == agent}


async def test_the_least_relevant_makes_room_and_of_equals_the_oldest(tier: CatalogTier, scope: Scope) -> None:
    await keep(tier, scope, "a", priority=6)
    await keep(tier, scope, "b", priority=2)
    await keep(tier, scope, "c", priority=6)
    await keep(tier, scope, "d", priority=1)  # new: it stays, though it is the least relevant of all
    assert await alone(tier, scope) == {"a", "c", "d"}
    await keep(tier, scope, "e", "f", priority=6)
    assert await alone(tier, scope) == {"c", "e", "f"}
    await keep(tier, scope, "a", priority=6)
    assert "a" in await alone(tier, scope), "what made room may be kept again"


async def test_writers_at_once_never_leave_an_agent_more(tier: CatalogTier, scope: Scope) -> None:
    seen = list[int]()

    async def watch() -> None:
        while not writing.done():
            seen.append(len(await alone(tier, scope)))

    writing = asyncio.gather(*(keep(tier, scope, f"w{number}") for number in range(12)))
    await asyncio.gather(writing, watch())
    assert len(await alone(tier, scope)) == MOST
    assert max(seen) <= MOST


async def test_it_is_each_agents_own_and_what_all_see_has_none(tier: CatalogTier, scope: Scope) -> None:
    await keep(tier, scope, *(f"shared{number}" for number in range(5)), agent=None)
    for agent in (AGENT, "scribe"):
        await keep(tier, scope, *(f"{agent}{number}" for number in range(MOST)), agent=agent)
    await keep(tier, scope, "one more")
    assert len(await alone(tier, scope)) == MOST
    assert await alone(tier, scope, "scribe") == {f"scribe{number}" for number in range(MOST)}
    assert (await tier.entry_statistics(scope)).total_memories == 5 + 2 * MOST


async def test_what_stays_leaves_no_room_and_the_writer_is_told_what_to_do(tier: CatalogTier, scope: Scope) -> None:
    await keep(tier, scope, "a", "b", "c", priority=9)
    for priority in (5, 9):
        with pytest.raises(Conflict, match="may keep 3") as refused:
            await keep(tier, scope, "d", priority=priority)
        assert any("MEMORY_MAX_MEMORIES_PER_CI" in one for one in refused.value.suggestions)
    with pytest.raises(Conflict):
        await keep(tier, scope, *(f"many{number}" for number in range(MOST + 1)))
    assert await alone(tier, scope) == {"a", "b", "c"}


async def test_what_is_pinned_stays(endpoints: Endpoints, tier: CatalogTier, scope: Scope) -> None:
    await keep(tier, scope, "a", "b", "c", priority=1)
    pool = create_pool(postgres_settings(endpoints))
    await PinBoard(pool, system_clock).pin(scope, "catalog", "a")
    await pool.close()
    await keep(tier, scope, "d", priority=1)
    assert await alone(tier, scope) == {"a", "c", "d"}


async def test_what_is_said_again_is_not_what_makes_room(tier: CatalogTier, scope: Scope) -> None:
    await keep(tier, scope, "a", "b", "c")
    [stored] = await tier.store(scope, [item("box a is on shelf a", "r", id="again", seen_by=AGENT)])
    assert stored.id == "a"
    assert (await tier.get_item(scope, "a")).content == "box a is on shelf a"
    assert len(await alone(tier, scope)) == MOST


async def test_of_what_is_extracted_the_least_relevant_goes_and_the_work_ends(tier: CatalogTier, scope: Scope) -> None:
    await keep(tier, scope, "a", "b", priority=9)
    await tier.store(scope, [resource("what was said", id="own", seen_by=AGENT)])
    found = [item(f"lamp {n} is in room {n}", "own", id=f"x{n}", seen_by=AGENT, by_hand=False) for n in range(4)]
    epoch = await tier.epoch(scope)
    left = await tier.put_extracted(scope, "own", found, epoch)
    assert len(left) == 1
    assert await alone(tier, scope) == {"a", "b", left[0].item_id}
