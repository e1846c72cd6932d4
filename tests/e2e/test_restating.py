"""The target of a relationship is corrected, and nothing else of it."""

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from ragpp.client import AsyncMemoryClient
from ragpp.models import Relationship
from ragpp_infra.cli.restating import restated
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server
SAID_AT: Final = datetime(2024, 3, 2, 9, tzinfo=UTC)
USER: Final = "u1"


async def learned(
    memory: AsyncMemoryClient, gateway: RealGateway, tenant: str, content: str, kind: str
) -> Relationship:
    message = {"content": content, "occurred_at": SAID_AT}
    await memory.remember(user_id=USER, session_id="s1", messages=[message])
    await gateway.digest(tenant)
    (found,) = [one for one in (await memory.relationships(USER)).items if one.type == kind]
    return found


async def corrected(memory: AsyncMemoryClient, was: Relationship, target: str) -> Relationship:
    """As `ragpp correct ID --target` does it."""
    stated = await memory.state_relationship(await restated(memory, USER, was, target))
    await memory.reject_relationship(USER, was.id)
    return stated


async def test_a_corrected_relationship_holds_since_it_did_and_leads_to_the_same_kind_of_thing(
    memory: AsyncMemoryClient, gateway: RealGateway, tenant: str
) -> None:
    was = await learned(memory, gateway, tenant, "My sister Elena has a dog called Bruno.", "SISTER_OF")
    assert was.lasting
    stated = await corrected(memory, was, "Greta")
    assert (stated.target, stated.valid_from, stated.valid_to) == ("Greta", was.valid_from, None)
    assert stated.lasting
    then = (await memory.relationships(USER, as_of=SAID_AT + timedelta(days=1))).items
    assert [one.target for one in then if one.type == "SISTER_OF"] == ["Greta"]
    assert (await memory.entity(USER, stated.target_id)).label == (await memory.entity(USER, was.target_id)).label


async def test_a_target_that_is_known_stays_what_it_is(
    memory: AsyncMemoryClient, gateway: RealGateway, tenant: str
) -> None:
    was = await learned(memory, gateway, tenant, "My sister Elena lives in Porto.", "LIVES_IN")
    await memory.state_relationship(
        user_id=USER, source="Otto", type="WORKS_AT", target="Harbour House", target_label="ORG"
    )
    stated = await corrected(memory, was, "harbour house")
    assert (await memory.entity(USER, stated.target_id)).label == "ORG"
    assert [one.name for one in (await memory.entities(USER)).items].count("Harbour House") == 1


async def test_what_has_ended_is_corrected_as_ended(
    memory: AsyncMemoryClient, gateway: RealGateway, tenant: str
) -> None:
    await gateway.digest(tenant)
    ended = await memory.state_relationship(
        user_id=USER,
        source="Elena",
        type="LIVES_IN",
        target="Oslo",
        valid_from=SAID_AT,
        valid_to=SAID_AT.replace(year=2025),
    )
    stated = await corrected(memory, ended, "Bergen")
    assert (stated.valid_from, stated.valid_to) == (ended.valid_from, ended.valid_to)
    assert (await memory.entity(USER, stated.target_id)).label == "GPE"
