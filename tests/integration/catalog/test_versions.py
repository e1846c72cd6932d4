"""PostgreSQL notes which version of a catalog there is: nobody waits for another user's, none stays behind, and what is
kept of searches by it is never old."""

import asyncio
from typing import Final

import pytest

from ragpp.catalog import EVERYBODY
from ragpp.models import Scope
from ragpp.stores.postgres import as_tenant
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.catalog.tier import PostgresCatalogTier
from ragpp_services.gateway.catalog.caching import InProcessCandidates
from tests.support.asking import connected
from tests.support.catalog import item, resource
from tests.support.changes import CHANGES, filled
from tests.support.each import each
from tests.support.scopes import new_scope
from tests.support.versions import Watched, message, told

pytestmark = pytest.mark.server
ANY_EVENT: Final = 2**62
WAITS_S: Final = 50.0
"""Whoever waits for a lock that nobody gives up waits longer."""


@pytest.mark.parametrize("when", ["before", "after"])
async def test_whatever_is_written_while_a_message_is_searched_for_the_next_search_sees_it(
    tier: PostgresCatalogTier, when: str
) -> None:
    """The gateway keeps candidates, whichever way it reaches the catalog; over HTTP versions are those of the tier."""

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


async def two_users(tier: PostgresCatalogTier) -> tuple[Scope, Scope, Scope]:
    """Two users of one tenant, each with an item, and everybody, with an item that both have learned something of."""
    one = new_scope()
    other = one.model_copy(update={"user_id": new_scope().user_id})
    everybody = one.model_copy(update={"user_id": EVERYBODY})
    for scope in (one, other, everybody):
        await tier.store(scope, [resource(id="r"), item("Box 1 holds letters.", "r", id=f"of-{scope.user_id}")])
    for scope in (one, other):
        await tier.put_feedback(scope, "sales", f"of-{EVERYBODY}", 1.0)
    return one, other, everybody


async def test_writers_of_different_users_do_not_wait_for_each_other(tier: PostgresCatalogTier) -> None:
    one, other, everybody = await two_users(tier)
    async with tier._store.writing(one) as rows:
        await rows.items.delete([f"of-{one.user_id}"])
        await asyncio.wait_for(tier.store(other, [item("Box 2 holds stamps.", "r")]), WAITS_S)
        await asyncio.wait_for(tier.store(everybody, [item("Box 3 holds stamps.", "r")]), WAITS_S)
        await asyncio.wait_for(tier.forget(everybody, [f"of-{EVERYBODY}"]), WAITS_S)
    async with tier._store.writing(everybody) as rows:
        await rows.items.delete([one.id for one in await rows.items.of_resources(["r"])])
        await asyncio.wait_for(tier.store(other, [item("Box 4 holds nails.", "r")]), WAITS_S)


async def test_a_transaction_that_changes_much_takes_one_version(tier: PostgresCatalogTier) -> None:
    scope = new_scope()
    await tier.store(scope, [resource(id="r"), *(item(f"Shelf {n} is empty.", "r", id=f"i{n}") for n in range(5))])
    async with tier._store.writing(scope) as rows:
        await rows.items.delete(["i0"])
        first = await rows.content_version()
        await rows.items.delete(["i1"])
        await rows.items.delete(["i2"])
        assert await rows.content_version() == first


async def test_nothing_of_it_is_left_of_a_user_who_is_erased(tier: PostgresCatalogTier, endpoints: Endpoints) -> None:
    one, other, everybody = await two_users(tier)
    while await tier.erase(one, ANY_EVENT):
        pass
    async with connected(endpoints.postgres_app_dsn) as connection, as_tenant(connection, one.tenant_id):
        left = await connection.fetch("SELECT user_id FROM catalog.versions")
    assert {row["user_id"] for row in left} == {other.user_id, everybody.user_id}
