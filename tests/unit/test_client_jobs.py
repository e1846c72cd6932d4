"""The SDK's jobs: what is asked for is asked for once, and waited for as long as one likes."""

from datetime import UTC, date, datetime

import httpx
import pytest

from ragpp.api import ExtractIn, ReflectIn, SettingsIn
from ragpp.client import AsyncMemoryClient
from ragpp.errors import Conflict, TierUnavailable
from tests.support.each import each_case
from tests.support.scripted import ScriptedGateway, refusal

NOON = "2026-03-08T12:00:00Z"


def job(state: str, **fields: object) -> httpx.Response:
    moments = {"created_at": NOON, "due_at": NOON, "updated_at": NOON}
    about = {"id": "42.reflect", "user_id": "u/1", "stage": "reflect", "kind": "reflect.requested", "subject_id": "a"}
    return httpx.Response(200, json={**about, **moments, "state": state, "attempts": 1, **fields})


def client_of(gateway: ScriptedGateway) -> AsyncMemoryClient:
    return AsyncMemoryClient("http://gateway", "key", retries=1, backoff_s=0, transport=gateway)


async def test_what_is_asked_for_again_carries_the_same_id() -> None:
    gateway = ScriptedGateway(refusal(TierUnavailable("down")), job("pending"), job("pending"))
    async with client_of(gateway) as client:
        await client.reflect("u/1", ReflectIn(date=date(2026, 3, 8)))
        await client.extract("u/1", ExtractIn(id="mine", start=datetime(2026, 3, 8, tzinfo=UTC)))
    first, again, other = gateway.bodies()
    assert first == again
    assert first["id"]
    assert first["date"] == "2026-03-08"
    assert other["id"] == "mine"
    assert gateway.seen[0].url.raw_path == b"/v1/users/u%2F1/reflect"


async def test_a_job_is_waited_for_until_it_ends_and_no_longer_than_wanted() -> None:
    gateway = ScriptedGateway(job("pending"), job("leased"), job("failed", error="no such zone"), job("pending"))
    async with client_of(gateway) as client:
        ended = await client.ended_job("42.reflect")
        assert (ended.state, ended.error) == ("failed", "no such zone")
        assert (await client.ended_job("42.reflect", timeout_s=0)).state == "pending"


async def test_jobs_are_narrowed_retried_and_cancelled() -> None:
    gateway = ScriptedGateway(
        httpx.Response(200, json={"items": [], "next_cursor": None}),
        job("pending"),
        refusal(Conflict("the job cannot be cancelled: it is done")),
        httpx.Response(200, json={"pending": 0, "failed": 0, "oldest_pending_s": None, "stages": []}),
    )
    async with client_of(gateway) as client:
        assert (await client.jobs("u1", state="failed")).items == ()
        assert (await client.retry_job("42.reflect")).state == "pending"
        with pytest.raises(Conflict, match="it is done"):
            await client.cancel_job("42.reflect")
        assert (await client.lag()).pending == 0
    listed, retried, cancelled, lag = (request.url for request in gateway.seen)
    assert dict(listed.params) == {"user_id": "u1", "state": "failed", "limit": "50"}
    assert (retried.path, cancelled.path) == ("/v1/jobs/42.reflect/retry", "/v1/jobs/42.reflect/cancel")
    assert dict(lag.params) == {}


async def test_settings_are_set_as_a_whole() -> None:
    kept = {"time_zone": "Europe/Lisbon", "reflect_at": 3, "plan": "default"}
    gateway = ScriptedGateway(httpx.Response(200, json=kept))
    async with client_of(gateway) as client:
        settings = await client.set_user_settings("u1", SettingsIn(time_zone="Europe/Lisbon"))
    assert settings.time_zone == "Europe/Lisbon"
    assert gateway.seen[0].method == "PUT"
    assert gateway.bodies()[0] == {"time_zone": "Europe/Lisbon"}


@each_case("name", ["", "Mars/Olympus_Mons", "../../etc/passwd", "/etc/passwd", "UTC\x00", "x" * 65])
def test_a_time_zone_is_one_that_there_is(name: str) -> None:
    with pytest.raises(ValueError, match="time_zone"):
        SettingsIn(time_zone=name)
