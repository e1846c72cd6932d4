"""A reply that repeats what was forgotten is a message of its own: it stays, is told of, and teaches nothing."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, cast
from uuid import uuid4

import httpx
import pytest

from ragpp.errors import TierUnavailable
from ragpp.ledger import Work, WorkKey
from ragpp.models import Scope, TimeRange
from ragpp.tiers import EpisodicTier
from ragpp_services.workers.stages.history import said_within
from ragpp_services.workers.stages.observe import observe
from tests.support.everywhere import places_of
from tests.support.real_gateway import RealGateway
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

USER: Final = "noor"
WHOSE: Final = {"user_id": USER}
OTHER: Final = {"id": "other", "name": "Noor", "content": "The garden is wet today."}


@dataclass(frozen=True)
class Told:
    """A message, and a reply that repeats it, with names that no other test has."""

    sister: str
    town: str

    @property
    def names(self) -> set[str]:
        return {self.sister, self.town}

    @property
    def original(self) -> dict[str, str]:
        said = f"My sister {self.sister} moved to {self.town} last spring."
        return {"id": "said", "name": "Noor", "content": said}

    @property
    def reply(self) -> dict[str, str]:
        said = f"Lovely. Your sister {self.sister} moved to {self.town} last spring."
        return {"id": "reply", "role": "assistant", "content": said}


@pytest.fixture
def told() -> Told:
    letters = uuid4().hex.translate(str.maketrans("0123456789", "ghijklmnop"))[:8]
    return Told(f"Qz{letters}a", f"Qz{letters}burg")


async def tell(api: httpx.AsyncClient, *messages: dict[str, str]) -> None:
    answer = await api.post("/v1/interactions", json={**WHOSE, "session_id": "s", "messages": messages})
    assert answer.status_code == 201, answer.text


async def entities(api: httpx.AsyncClient) -> set[str]:
    return {one["name"] for one in (await api.get("/v1/entities", params=WHOSE)).json()["items"]}


async def test_a_reply_that_was_observed_before_teaches_nothing_when_it_is_observed_again(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, told: Told
) -> None:
    await tell(api, told.original)
    await gateway.digest(tenant)
    await tell(api, told.reply)
    await gateway.digest(tenant)
    assert told.names <= await entities(api)
    assert (await api.delete("/v1/interactions/said", params=WHOSE)).status_code == 200
    await gateway.digest(tenant)
    assert not told.names & await entities(api)

    await observe_again(gateway, Scope(tenant_id=tenant, user_id=USER), "reply")

    assert not told.names & await entities(api)


async def observe_again(gateway: RealGateway, scope: Scope, identifier: str) -> None:
    """As a worker does whose lease ran out after it had done its work, or that is asked to do it anew."""
    event = WorkKey(2**40, "observe")
    moment = datetime.now(UTC)
    await observe(gateway.worker, [Work(event, scope, "interaction.stored", identifier, moment, 1)])


async def test_a_reply_that_is_observed_only_after_the_forgetting_teaches_nothing(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, told: Told
) -> None:
    await tell(api, told.original)
    await gateway.digest(tenant)
    await tell(api, told.reply)  # and no worker has come to it yet
    assert (await api.delete("/v1/interactions/said", params=WHOSE)).status_code == 200
    await gateway.digest(tenant)

    assert not told.names & await entities(api)
    assert (await api.get("/v1/interactions/reply", params=WHOSE)).json()["content"] == told.reply["content"]


async def test_no_later_reading_of_the_window_sees_what_was_repeated(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, told: Told, stack: StoreStack
) -> None:
    await tell(api, told.original, told.reply, OTHER)
    await gateway.digest(tenant)
    assert (await api.delete("/v1/interactions/said", params=WHOSE)).status_code == 200
    await gateway.digest(tenant)

    read = await said_within(gateway.worker, Scope(tenant_id=tenant, user_id=USER), TimeRange(), most=100)

    by_id = {one.id: one.content.split() for one in read}
    assert by_id == {"reply": ["Lovely."], "other": OTHER["content"].split()}
    for kind in ("extract", "reflect"):
        assert (await api.post(f"/v1/users/{USER}/{kind}", json={})).status_code == 202
        await gateway.digest(tenant)
    places = await places_of(stack, told.names, hint=told.sister[:10])
    assert all(map(of_the_reply, set[str]().union(*places.values())))


def of_the_reply(place: str) -> bool:
    """True where a place is one in which the reply itself is kept."""
    return place.startswith(("episodic.interactions", "ragpp:st:"))


async def test_deleting_tells_what_repeats_it_and_a_dry_run_deletes_nothing(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, told: Told
) -> None:
    await tell(api, told.original, OTHER, told.reply)
    for observed in (False, True):
        if observed:
            await gateway.digest(tenant)
        dry = await api.delete("/v1/interactions/said", params={**WHOSE, "dry_run": "true"})
        assert dry.status_code == 200, dry.text
        assert dry.json() == {"forgotten": 1, "tiers": {}, "repeated_by": ["reply"], "dry_run": True, "job": None}
        assert (await api.get("/v1/interactions/said", params=WHOSE)).status_code == 200
    gone = await api.delete("/v1/interactions/said", params=WHOSE)
    assert gone.json()["repeated_by"] == ["reply"]
    assert (gone.json()["forgotten"], gone.json()["dry_run"]) == (1, False)
    missing = await api.delete("/v1/interactions/said", params={**WHOSE, "dry_run": "true"})
    assert missing.status_code == 404


async def test_the_replies_go_with_it_when_they_are_asked_to(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, told: Told, stack: StoreStack
) -> None:
    await tell(api, told.original, OTHER, told.reply)
    await gateway.digest(tenant)

    gone = await api.delete("/v1/interactions/said", params={**WHOSE, "replies": "true"})

    assert (gone.json()["forgotten"], gone.json()["repeated_by"]) == (2, ["reply"])
    await gateway.digest(tenant)
    assert await places_of(stack, told.names, hint=told.sister[:10]) == {}
    left = (await api.get("/v1/interactions", params=WHOSE)).json()["items"]
    assert [one["id"] for one in left] == ["other"]


async def test_a_reply_that_says_something_of_its_own_is_learned_from(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, told: Told
) -> None:
    own = {"id": "own", "role": "assistant", "content": "Noted. Qzbruno works at Qzacme."}
    await tell(api, told.original, own)
    await gateway.digest(tenant)
    gone = await api.delete("/v1/interactions/said", params=WHOSE)
    assert gone.json()["repeated_by"] == []
    await gateway.digest(tenant)
    assert {"Qzbruno", "Qzacme"} <= await entities(api)


async def test_what_a_reply_had_taught_that_repeats_and_says_more_goes_and_what_it_says_of_its_own_stays(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, told: Told, stack: StoreStack
) -> None:
    said = f"Your sister {told.sister} moved to {told.town}, where Qzbruno Meier works at Qzacme."
    own = "Qzeva Brandt works at Qzglobex. I decided to use Qzpostgres for the ledger."
    await tell(api, told.original)
    await gateway.digest(tenant)
    await tell(api, {"id": "reply", "role": "assistant", "content": f"{said} {own}"})
    await gateway.digest(tenant)
    assert {"Qzbruno Meier", "Qzeva Brandt"} <= await entities(api)
    works = await works_at(api, "Qzeva Brandt")
    assert (await api.post(f"/v1/relationships/{works['id']}/confirm", json=WHOSE)).status_code == 200

    assert (await api.delete("/v1/interactions/said", params=WHOSE)).status_code == 200
    await gateway.digest(tenant)

    known = await entities(api)
    assert not {*told.names, "Qzbruno Meier", "Qzacme"} & known
    assert {"Qzeva Brandt", "Qzglobex"} <= known
    after = await works_at(api, "Qzeva Brandt")
    assert after["verdict"] == "confirmed"
    assert [after[key] for key in ("id", "sources", "weight")] == [works[key] for key in ("id", "sources", "weight")]
    found = (await api.get("/v1/findings", params=WHOSE)).json()["items"]
    assert [one["text"] for one in found] == ["assistant: I decided to use Qzpostgres for the ledger."]
    places = await places_of(stack, told.names, hint=told.sister[:10])
    assert all(map(of_the_reply, set[str]().union(*places.values())))


async def test_whom_a_reply_only_named_is_known_from_it_no_more(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, told: Told
) -> None:
    await tell(api, told.original)
    await gateway.digest(tenant)
    await tell(api, {"id": "reply", "role": "assistant", "content": f"{told.sister} in {told.town}, lovely!"})
    await gateway.digest(tenant)
    assert told.town in await entities(api)

    assert (await api.delete("/v1/interactions/said", params=WHOSE)).status_code == 200
    await gateway.digest(tenant)

    assert not told.names & await entities(api)


async def works_at(api: httpx.AsyncClient, name: str) -> dict[str, object]:
    """The relationship of somebody with their employer."""
    known = (await api.get("/v1/relationships", params=WHOSE)).json()["items"]
    (found,) = [one for one in known if (one["source"], one["type"]) == (name, "WORKS_AT")]
    return dict(found)


@dataclass
class Leaving:
    """The episodic tier, which goes away after it has forgotten once."""

    tier: EpisodicTier
    forgot: int = 0

    def __getattr__(self, verb: str) -> object:
        return getattr(self.tier, verb)

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        self.forgot += 1
        if self.forgot > 1:
            raise TierUnavailable("away for a moment")
        return await self.tier.forget(scope, ids)


async def test_a_forgetting_with_its_replies_that_was_interrupted_can_be_repeated(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragpp_services.gateway.forgetting.BATCH", 1)
    await tell(api, told.original, OTHER)
    await tell(api, told.reply)
    await gateway.digest(tenant)
    parts = gateway.app.state.parts
    leaving = replace(parts, episodic=cast("EpisodicTier", Leaving(parts.episodic)))
    asked = {**WHOSE, "replies": "true"}
    gateway.app.state.parts = leaving
    try:
        assert (await api.delete("/v1/interactions/said", params=asked)).status_code == 503
    finally:
        gateway.app.state.parts = parts

    assert (await api.delete("/v1/interactions/said", params=asked)).status_code == 200

    left = (await api.get("/v1/interactions", params=WHOSE)).json()["items"]
    assert [message["id"] for message in left] == ["other"]
