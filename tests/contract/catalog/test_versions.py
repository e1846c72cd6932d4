"""Whatever changes what is found in a scope gives it another version, with the change itself, and none comes back: what
was found under a version may be found again under it."""

import asyncio

import pytest

from ragpp.entries.usage import TokenBudget
from ragpp.episodes import Used
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from ragpp_services.gateway.catalog.caching import InProcessCandidates
from tests.support.catalog import item, resource
from tests.support.catalog_reading import everybody
from tests.support.changes import CHANGES, erased, filled, used
from tests.support.each import each
from tests.support.scopes import new_scope
from tests.support.versions import Watched, told

pytestmark = pytest.mark.server


@pytest.fixture
async def scope(tier: CatalogTier) -> Scope:
    return await filled(tier)


async def test_what_changes_an_answer_changes_the_version(tier: CatalogTier) -> None:
    async def changed(what: str) -> None:
        scope = await filled(tier)
        before = await tier.content_version(scope)
        await CHANGES[what](tier, scope)
        assert await tier.content_version(scope) != before

    await each(CHANGES, changed, at_once=8)


async def test_what_changes_no_answer_leaves_the_version(tier: CatalogTier, scope: Scope) -> None:
    before = await tier.content_version(scope)
    budget = TokenBudget.of(100, 10)
    turn = await tier.begin_turn(scope, "sales", budget, ["i1"])
    await tier.take_tokens(scope, "sales", turn.number, 5, {"i1": 5})
    await tier.put_budget(scope, "sales", 50)
    episode = await tier.begin_episode(scope, "useful")
    await tier.record_access(scope, episode.episode_id, Used(memory_id="i1"))
    await tier.forget(scope, ["nobody"])
    await tier.withdraw_item(scope, "i1", "nobody")
    await told(tier, InProcessCandidates(), scope)
    assert await tier.content_version(scope) == before


async def test_another_user_has_a_version_of_their_own_and_everybodys(tier: CatalogTier, scope: Scope) -> None:
    other = scope.model_copy(update={"user_id": new_scope().user_id})
    stranger = new_scope()
    own, strangers = await tier.content_version(other), await tier.content_version(stranger)
    await tier.store(scope, [item("Box 7 holds a lamp.", "r")])
    await used(tier, scope, "all")
    assert await tier.content_version(other) == own
    await tier.store(everybody(scope), [item("Box 8 holds tea.", "r")])
    assert await tier.content_version(other) != own
    assert await tier.content_version(stranger) == strangers


async def test_no_version_comes_back_also_where_nothing_is_left(tier: CatalogTier) -> None:
    scope = new_scope()
    versions = [await tier.content_version(scope)]
    for number in range(3):  # an id that was erased stays so
        await tier.store(scope, [resource(id=f"r{number}"), item("Box 1 holds letters.", f"r{number}")])
        versions.append(await tier.content_version(scope))
        await erased(tier, scope)
        versions.append(await tier.content_version(scope))
    assert len(set(versions)) == len(versions)


async def test_versions_of_writers_at_once_are_each_another(tier: CatalogTier, scope: Scope) -> None:
    versions = [await tier.content_version(scope)]

    async def write(number: int) -> None:
        await tier.store(scope, [item(f"Shelf {number} is empty.", "r")])
        versions.append(await tier.content_version(scope))

    await asyncio.gather(*map(write, range(8)))
    assert versions[0] not in versions[1:]
    assert versions[-1] == await tier.content_version(scope)


async def test_what_was_found_while_a_first_write_came_is_not_found_after_an_erasure(tier: CatalogTier) -> None:
    scope, cache = new_scope(), InProcessCandidates()

    async def write() -> None:
        await tier.store(scope, [resource(id="r"), item("Box 1 holds letters.", "r")])

    assert await told(Watched(tier, before=write), cache, scope) == ["Box 1 holds letters."]
    await erased(tier, scope)
    assert await told(tier, cache, scope) == []
