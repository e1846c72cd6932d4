"""Whatever changes what is found in a scope gives it another version, with the change itself, and none comes back: what
was found under a version may be found again under it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import pytest

from ragpp.catalog import EVERYBODY
from ragpp.entries.usage import TokenBudget
from ragpp.episodes import EpisodeEnd, Used
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.gateway.catalog.caching import InProcessCandidates
from tests.support.catalog import catalog_tier, conversation, item, resource
from tests.support.contract import reached
from tests.support.each import each
from tests.support.scopes import new_scope
from tests.support.versions import Watched, message, told

pytestmark = pytest.mark.server
ANY_EVENT: Final = 2**62
"""After every event that there is."""
Act = Callable[[CatalogTier, Scope], Awaitable[object]]


@pytest.fixture(scope="module", params=["local", "http"])
async def tier(request: pytest.FixtureRequest, endpoints: Endpoints) -> AsyncIterator[CatalogTier]:
    async with reached(request.param, "catalog", CatalogTier, catalog_tier(endpoints)) as opened:
        yield opened


def of_all(scope: Scope) -> Scope:
    """What all users of the tenant share."""
    return scope.model_copy(update={"user_id": EVERYBODY})


@pytest.fixture
async def scope(tier: CatalogTier) -> Scope:
    return await filled(tier)


async def filled(tier: CatalogTier) -> Scope:
    """A document, a note, a conversation, a category, five items, of which two are one, and one of everybody."""
    made = new_scope()
    await tier.create_category(made, "boxes", "What is in which box")
    talk = conversation(("Ann", "Box 4 holds nails."), ("Ben", "And box 5 holds rope."), id="talk", ids=("m1", "m2"))
    await tier.store(made, [resource(id="r"), resource("Box 6 holds glue.", id="note"), talk])
    stored = [
        item("Box 1 holds letters.", "r", id="i1"),
        item("Box 1 holds letters.", "r", id="i2").model_copy(update={"agent_id": "sales"}),
        item("Box 3 holds stamps.", "r", id="i3", category="boxes"),
        item("Box 4 holds nails.", "talk", id="i4", sources=("m1",), by_hand=False),
        item("Box 6 holds glue and paint.", "note", id="i6"),
    ]
    await tier.store(made, stored)
    await tier.store(of_all(made), [resource(id="r"), item("Box 9 holds what all need.", "r", id="all")])
    return made


async def erased(tier: CatalogTier, scope: Scope) -> None:
    while await tier.erase(scope, ANY_EVENT):
        pass


async def used(tier: CatalogTier, scope: Scope, item_id: str = "i1") -> None:
    episode = await tier.begin_episode(scope, "useful")
    await tier.record_access(scope, episode.episode_id, Used(memory_id=item_id))
    await tier.end_episode(scope, episode.episode_id, EpisodeEnd(final_reward=1.0))


CHANGES: Final[dict[str, Act]] = {
    "an item is stored": lambda tier, scope: tier.store(scope, [item("Box 7 holds a lamp.", "r")]),
    "what is known is said again": lambda tier, scope: tier.store(scope, [item("Box 3 holds stamps.", "r")]),
    "a resource is stored, which lends its words": lambda tier, scope: tier.store(scope, [resource("A lamp.")]),
    "items are taken from a resource": lambda tier, scope: tier.put_extracted(
        scope, "talk", [item("Box 5 holds rope.", "talk", sources=("m2",), by_hand=False)]
    ),
    "an item is forgotten": lambda tier, scope: tier.forget(scope, ["i3"]),
    "an agent takes back its own": lambda tier, scope: tier.withdraw_item(scope, "i1", "sales"),
    "an interaction is forgotten": lambda tier, scope: tier.forget_sources(scope, ["m1"]),
    "a resource is deleted": lambda tier, scope: tier.delete_resource(scope, "note"),
    "a stub is left": lambda tier, scope: tier.delete_resource(scope, "note", cascade=False),
    "a resource expires": lambda tier, scope: tier.expire(scope, ["note"]),
    "an item expires": lambda tier, scope: tier.expire_entries(scope, ["i3"]),
    "an item comes into a category": lambda tier, scope: tier.put_in_category(scope, "boxes", ["i1"]),
    "a category goes": lambda tier, scope: tier.delete_category(scope, "boxes"),
    "an agent says what it thinks": lambda tier, scope: tier.put_feedback(scope, "sales", "i1", 1.0),
    "an answer used it": lambda tier, scope: tier.judge_uses(scope, "sales", {"i1": 1.0}),
    "an episode ends": used,
    "what all share is worth something to the user": lambda tier, scope: used(tier, scope, "all"),
    "vectors are made anew": lambda tier, scope: tier.rebuild(scope),
    "the user is erased": erased,
    "everybody has another": lambda tier, scope: tier.store(of_all(scope), [item("Box 8 holds tea.", "r")]),
    "everybody's is forgotten": lambda tier, scope: tier.forget(of_all(scope), ["all"]),
}


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
    await tier.store(of_all(scope), [item("Box 8 holds tea.", "r")])
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


@pytest.mark.parametrize("when", ["before", "after"])
async def test_whatever_is_written_while_a_message_is_searched_for_the_next_search_sees_it(
    tier: CatalogTier, when: str
) -> None:
    async def seen(what: str) -> None:
        scope = await filled(tier)

        async def write() -> None:
            await CHANGES[what](tier, scope)

        cache = InProcessCandidates()
        catalog = Watched(tier, before=write if when == "before" else None, after=write if when == "after" else None)
        asked = message("What is in the boxes?")
        await told(catalog, cache, scope, asked)
        assert await told(catalog, cache, scope, asked) == await told(tier, InProcessCandidates(), scope, asked)
        searches = catalog.searches
        assert searches == 2
        await told(catalog, cache, scope, asked)
        assert catalog.searches == searches

    await each(CHANGES, seen, at_once=8)


async def test_what_was_found_while_a_first_write_came_is_not_found_after_an_erasure(tier: CatalogTier) -> None:
    scope, cache = new_scope(), InProcessCandidates()

    async def write() -> None:
        await tier.store(scope, [resource(id="r"), item("Box 1 holds letters.", "r")])

    assert await told(Watched(tier, before=write), cache, scope) == ["Box 1 holds letters."]
    await erased(tier, scope)
    assert await told(tier, cache, scope) == []
