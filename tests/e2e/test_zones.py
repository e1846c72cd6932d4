"""A message of late in the evening was said that day, in contexts and in what is learned of it."""

import pytest

from ragpp.client import AsyncMemoryClient
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server
USER = "u1"
SAID = {"content": "I went to the dentist today, the drill broke.", "occurred_at": "2024-05-01T21:30:00-05:00"}


async def shown(memory: AsyncMemoryClient) -> str:
    answer = await memory.recall(
        user_id=USER, session_id="s1", query="When did I go to the dentist?", deadline_ms=30_000
    )
    assert {one.occurred_at.isoformat() for one in answer.memories if one.id == "m1" and one.occurred_at} == {
        "2024-05-02T02:30:00+00:00"
    }
    return answer.context


async def test_a_message_is_dated_by_its_own_offset_until_the_user_has_a_zone(
    memory: AsyncMemoryClient, gateway: RealGateway, tenant: str
) -> None:
    await memory.remember(user_id=USER, session_id="s1", messages=[{**SAID, "id": "m1"}])
    await gateway.digest(tenant)
    context = await shown(memory)
    assert "2024-05-01 21:30" in context
    assert "2024-05-02" not in context
    found = await memory.interaction(USER, "m1")
    assert (found.occurred_at.isoformat(), found.utc_offset) == ("2024-05-02T02:30:00+00:00", -300)
    for one in (await memory.findings(USER)).items:
        assert one.when is None or one.when.start.isoformat().startswith("2024-05-01")
    await memory.set_user_settings(USER, time_zone="Asia/Tokyo")
    assert "2024-05-02 11:30" in await shown(memory)


async def test_a_message_without_an_offset_is_of_the_users_day(memory: AsyncMemoryClient) -> None:
    await memory.set_user_settings(USER, time_zone="Asia/Tokyo")
    await memory.remember(
        user_id=USER, session_id="s1", messages=[{**SAID, "id": "m1", "occurred_at": "2024-05-02T02:30:00Z"}]
    )
    assert (await memory.interaction(USER, "m1")).utc_offset == 540
