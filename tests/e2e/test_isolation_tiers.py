"""A stranger gets nothing of another's from any verb of any tier, whatever ids it is called with."""

from collections.abc import AsyncIterator
from typing import Final, cast
from uuid import uuid4

import pytest

from ragpp.errors import NotFound
from ragpp.models import KnownUser, TierName
from ragpp.tierkit.verbs import verbs_of
from ragpp.tiers import PROTOCOLS
from tests.support.belongings import Owner, everything, settle
from tests.support.called import OF_A_TENANT, OF_THE_SCRATCH_TENANT, UNSCOPED, WRITING, calls_of
from tests.support.each import each
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stored import Stores
from tests.support.strangers import tells_nothing_of

pytestmark = pytest.mark.server

VERBS: Final = {
    tier: [verb for verb in verbs_of(protocol) if verb not in UNSCOPED | OF_THE_SCRATCH_TENANT]
    for tier, protocol in PROTOCOLS.items()
}


@pytest.fixture(scope="module")
async def owner(gateway: RealGateway) -> AsyncIterator[Owner]:
    """Maria, who reads behind all that is tried here what she read before."""
    settled = await settle(gateway, new_scope(), "Elena", "Porto", "cocoa")
    before = await everything(gateway, settled)
    yield settled
    assert await everything(gateway, settled) == before


@pytest.mark.parametrize("tier", VERBS)
@pytest.mark.parametrize("stranger", ["of another tenant", "of the same tenant"])
async def test_a_stranger_gets_nothing_of_anothers_from_any_tier(
    gateway: RealGateway, stores: Stores, owner: Owner, stranger: str, tier: TierName
) -> None:
    calls, held = calls_of(gateway), await stores.watched(owner.scope)

    async def called(verb: str) -> None:
        own = owner.scope.model_copy(
            update={"tenant_id": new_scope().tenant_id} if stranger == "of another tenant" else {"user_id": uuid4().hex}
        )
        async with held.unchanged():
            try:
                result = await calls[f"{tier}.{verb}"](own, owner)
            except NotFound as missing:
                result = None
                tells_nothing_of(owner, missing.message)
        tells_nothing_of(owner, repr(result))
        if verb in OF_A_TENANT and stranger == "of the same tenant":
            assert owner.scope.user_id in {one.user_id for one in cast("list[KnownUser]", result)}
        elif verb not in WRITING:
            shown = result if isinstance(result, dict) else getattr(result, "items", result)
            assert not getattr(shown, "messages", shown), result

    await each(VERBS[tier], called)
