"""Retention is opt-in, says beforehand what it would let go and why, and then lets go of exactly that."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import cast
from uuid import uuid4

import httpx
import pytest

from ragpp.models import FindingEntry, RuleEntry, Scope
from ragpp.observability.metrics import REGISTRY
from ragpp.retention import RetentionPolicy, TierRetention
from ragpp_services.workers.parts import LearningPolicy
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server

LONG = "We walked along the harbour and talked about the lighthouse keeper. " * 20
POLICIES = {
    "default": RetentionPolicy(),
    "short": RetentionPolicy(episodic=TierRetention(max_age_days=30, compress_after_days=1)),
    "tidy": RetentionPolicy(semantic=TierRetention(max_idle_days=30), procedural=TierRetention(max_count=1)),
    "shelf": RetentionPolicy(catalog=TierRetention(max_age_days=30, compress_after_days=5)),
    "idle": RetentionPolicy(procedural=TierRetention(max_idle_days=30)),
}
Object = dict[str, Json]
NOW = datetime.now(UTC)


def ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


@asynccontextmanager
async def settled(gateway: RealGateway, plan: str) -> AsyncIterator[tuple[Scope, httpx.AsyncClient, RealGateway]]:
    """A user of that plan with an old and two newer messages, and workers under POLICIES."""
    scope = new_scope()
    working = replace(gateway, worker=replace(gateway.worker, learning=LearningPolicy(retention=POLICIES)))
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        messages = [
            {
                "id": "old",
                "content": "My sister Elena lives in Porto. I prefer cocoa to milk.",
                "occurred_at": ago(100),
            },
            {"id": "mid", "content": LONG, "occurred_at": ago(10)},
            {
                "id": "new",
                "content": "My brother Bruno lives in Leeds. I prefer trains to planes.",
                "occurred_at": ago(1),
            },
        ]
        sent = await api.post("/v1/interactions", json={"user_id": scope.user_id, "messages": messages})
        assert sent.status_code == 201, sent.text
        settings = {"time_zone": "Europe/Lisbon", "plan": plan}
        assert (await api.put(f"/v1/users/{scope.user_id}/settings", json=settings)).is_success
        await working.digest(scope.tenant_id)
        yield scope, api, working


async def retention(api: httpx.AsyncClient, working: RealGateway, scope: Scope, *, dry_run: bool) -> Object:
    """The result of the job that was asked for."""
    asked = await api.post(f"/v1/users/{scope.user_id}/retention", json={"dry_run": dry_run})
    assert asked.status_code == 202, asked.text
    await working.digest(scope.tenant_id)
    job = (await api.get(asked.headers["location"])).json()
    assert job["state"] == "done", job
    return cast("Object", job["result"])


async def ids(api: httpx.AsyncClient, scope: Scope) -> set[str]:
    answer = await api.get("/v1/interactions", params={"user_id": scope.user_id})
    return {item["id"] for item in answer.json()["items"]}


async def names(api: httpx.AsyncClient, scope: Scope) -> set[str]:
    answer = await api.get("/v1/entities", params={"user_id": scope.user_id})
    return {item["name"] for item in answer.json()["items"]}


async def test_without_a_policy_nothing_goes(gateway: RealGateway) -> None:
    async with settled(gateway, "default") as (scope, api, working):
        assert (await retention(api, working, scope, dry_run=False))["tiers"] == {}
        assert await ids(api, scope) == {"old", "mid", "new"}


def counted(outcome: str) -> float:
    """How many interactions policies let go of, or had compressed, in this process."""
    return REGISTRY.get_sample_value("ragpp_retention_total", {"tier": "episodic", "outcome": outcome}) or 0.0


async def test_a_dry_run_says_what_would_go_and_why_and_touches_nothing(gateway: RealGateway) -> None:
    async with settled(gateway, "short") as (scope, api, working):
        result = await retention(api, working, scope, dry_run=True)
        episodic = cast("Object", cast("Object", result["tiers"])["episodic"])
        assert (episodic["due"], episodic["reasons"]) == (1, {"age": 1})
        item = cast("Object", cast("list[Json]", episodic["items"])[0])
        assert (item["id"], item["reason"]) == ("old", "age")
        assert "cocoa" not in str(result)
        assert await ids(api, scope) == {"old", "mid", "new"}


async def test_what_was_announced_goes_from_every_tier_and_the_rest_stays_readable(gateway: RealGateway) -> None:
    async with settled(gateway, "short") as (scope, api, working):
        before = [counted("let_go"), counted("compressed")]
        result = await retention(api, working, scope, dry_run=False)
        assert result["compressed"] == 1
        assert [counted("let_go") - before[0], counted("compressed") - before[1]] == [1, 1]
        assert await ids(api, scope) == {"mid", "new"}
        assert not {"Elena", "Porto"} & await names(api, scope)
        assert {"Bruno", "Leeds"} <= await names(api, scope)
        read = await api.get("/v1/interactions/mid", params={"user_id": scope.user_id})
        assert read.json()["content"] == LONG
        again = await retention(api, working, scope, dry_run=False)
        assert cast("Object", cast("Object", again["tiers"])["episodic"])["due"] == 0
        assert again["compressed"] == 0


async def test_what_is_pinned_stays_until_it_is_unpinned(gateway: RealGateway) -> None:
    async with settled(gateway, "short") as (scope, api, working):
        pin = f"/v1/users/{scope.user_id}/pins/episodic/old"
        assert (await api.put(pin)).json() == {"tier": "episodic", "item_id": "old"}
        assert (await api.put(pin)).is_success
        listed = await api.get(f"/v1/users/{scope.user_id}/pins")
        assert listed.json() == {"pins": [{"tier": "episodic", "item_id": "old"}]}
        await retention(api, working, scope, dry_run=False)
        assert "old" in await ids(api, scope)
        assert (await api.delete(pin)).is_success
        checked_problem(await api.delete(pin), 404, "MEM-012")
        await retention(api, working, scope, dry_run=False)
        assert "old" not in await ids(api, scope)


async def test_what_a_pinned_preference_rests_on_is_kept_with_it(gateway: RealGateway) -> None:
    async with settled(gateway, "short") as (scope, api, working):
        listed = (await api.get("/v1/preferences", params={"user_id": scope.user_id})).json()["items"]
        cocoa = next(item for item in listed if "old" in item["sources"])
        await api.put(f"/v1/users/{scope.user_id}/pins/procedural/{cocoa['id']}")
        result = await retention(api, working, scope, dry_run=False)
        assert cast("Object", cast("Object", result["tiers"])["episodic"])["due"] == 0
        assert "old" in await ids(api, scope)


async def test_a_pin_goes_with_what_it_held(gateway: RealGateway) -> None:
    async with settled(gateway, "default") as (scope, api, working):
        await api.put(f"/v1/users/{scope.user_id}/pins/episodic/old")
        assert (await api.delete("/v1/interactions/old", params={"user_id": scope.user_id})).is_success
        await working.digest(scope.tenant_id)
        assert (await api.get(f"/v1/users/{scope.user_id}/pins")).json() == {"pins": []}


async def test_maintenance_archives_by_the_time_of_the_conversations(gateway: RealGateway) -> None:
    scope = new_scope()
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:

        async def say(identifier: str, content: str, days: float) -> None:
            message = {"id": identifier, "content": content, "occurred_at": ago(days)}
            sent = await api.post("/v1/interactions", json={"user_id": scope.user_id, "messages": [message]})
            assert sent.status_code == 201, sent.text
            await gateway.digest(scope.tenant_id)

        async def archived() -> set[str]:
            await gateway.parts.jobs.request(scope, "maintain.requested", uuid4().hex, {"task": "decay"}, NOW)
            await gateway.digest(scope.tenant_id)
            asked = await api.get("/v1/relationships", params={"user_id": scope.user_id, "state": "archived"})
            return {item["target"] for item in asked.json()["items"]}

        await say("then", "My colleague Elena visited Porto.", 900)
        assert await archived() == set()  # an import of what was said long ago is all there is
        await say("now", "It rains.", 1)
        assert "Porto" in await archived()


@pytest.mark.parametrize(("tier", "kind"), [("semantic", "relationships"), ("procedural", "preferences")])
async def test_a_pin_goes_with_whatever_is_forgotten(gateway: RealGateway, tier: str, kind: str) -> None:
    async with settled(gateway, "default") as (scope, api, _):
        whose = {"user_id": scope.user_id}
        item = (await api.get(f"/v1/{kind}", params=whose)).json()["items"][0]["id"]
        assert (await api.put(f"/v1/users/{scope.user_id}/pins/{tier}/{item}")).is_success
        assert (await api.delete(f"/v1/{kind}/{item}", params=whose)).is_success
        assert (await api.get(f"/v1/users/{scope.user_id}/pins")).json() == {"pins": []}


async def test_a_pinned_relationship_keeps_its_ends(gateway: RealGateway) -> None:
    async with settled(gateway, "tidy") as (scope, api, working):
        listed = (await api.get("/v1/relationships", params={"user_id": scope.user_id})).json()["items"]
        lives = next(item for item in listed if item["target"] == "Porto")
        await api.put(f"/v1/users/{scope.user_id}/pins/semantic/{lives['id']}")
        await retention(api, working, scope, dry_run=False)
        assert {"Elena", "Porto"} <= await names(api, scope)


async def test_the_graph_and_procedures_have_limits_of_their_own(gateway: RealGateway) -> None:
    async with settled(gateway, "tidy") as (scope, api, working):
        result = await retention(api, working, scope, dry_run=False)
        tiers = cast("dict[str, Object]", result["tiers"])
        assert set(tiers) == {"semantic", "procedural"}
        assert tiers["semantic"]["reasons"].keys() == {"idle"}  # type: ignore[union-attr]
        assert not {"Elena", "Porto"} & await names(api, scope)
        preferences = (await api.get("/v1/preferences", params={"user_id": scope.user_id})).json()["items"]
        assert len(preferences) <= 1
        assert await ids(api, scope) == {"old", "mid", "new"}


async def test_a_rule_and_a_pattern_that_went_are_learned_again_when_they_resume(gateway: RealGateway) -> None:
    async with settled(gateway, "idle") as (scope, api, working):
        procedural, old, now = gateway.parts.procedural, datetime.now(UTC) - timedelta(days=100), datetime.now(UTC)
        rule = RuleEntry(id="r", text="Answer in French.", occurred_at=old, sources=("old",))
        habit = FindingEntry(id="f", finding="pattern", text="rows on Mondays", occurred_at=old, sources=("old",))
        await procedural.store(scope, [rule, habit])
        await retention(api, working, scope, dry_run=False)
        assert (await procedural.list_rules(scope)).items == ()
        assert not any(one.id == "f" for one in (await procedural.list_findings(scope)).items)
        resumed = {"occurred_at": now, "sources": ("new",)}
        await procedural.store(scope, [entry.model_copy(update=resumed) for entry in (rule, habit)])
        await retention(api, working, scope, dry_run=False)
        assert [one.sources for one in (await procedural.list_rules(scope)).items] == [("new",)]
        found = (await procedural.list_findings(scope)).items
        assert [one.sources for one in found if one.id == "f"] == [("new",)]


PRICES = "The Basic plan costs $99 per month. The Pro plan costs $299 per month."
DOCUMENTS = {"res_old": (PRICES, 100), "res_pinned": ("The ledger has 12 tables.", 100), "res_long": (LONG, 10)}


async def shelved(api: httpx.AsyncClient, working: RealGateway, scope: Scope) -> dict[str, Object]:
    """The documents with their items, one of them pinned; as they are read."""
    whose = {"user_id": scope.user_id}
    for identifier, (content, days) in DOCUMENTS.items():
        body = {**whose, "id": identifier, "resource_type": "document", "content": content, "occurred_at": ago(days)}
        assert (await api.post("/v1/resources", json={**body, "extract": True})).status_code == 201
    assert (await api.put(f"/v1/users/{scope.user_id}/pins/catalog/res_pinned")).is_success
    await working.digest(scope.tenant_id)
    return {one: (await api.get(f"/v1/resources/{one}", params=whose)).json() for one in DOCUMENTS}


async def test_an_old_resource_leaves_a_stub_to_its_items_and_a_pinned_one_stays(gateway: RealGateway) -> None:
    async with settled(gateway, "shelf") as (scope, api, working):
        before, whose = await shelved(api, working, scope), {"user_id": scope.user_id}
        announced = cast("Object", (await retention(api, working, scope, dry_run=True))["tiers"])["catalog"]
        due = cast("list[Object]", cast("Object", announced)["items"])
        assert [(one["id"], one["reason"]) for one in due] == [("res_old", "age")]
        items = (await api.get("/v1/items", params={**whose, "resource_id": "res_old"})).json()["items"]
        assert {item["content"].rstrip(".") for item in items} == set(PRICES.rstrip(".").split(". "))
        await retention(api, working, scope, dry_run=False)
        after = {one: (await api.get(f"/v1/resources/{one}", params=whose)).json() for one in DOCUMENTS}
        assert (after["res_old"]["is_stub"], after["res_old"]["content"]) == (True, "")
        assert (after["res_pinned"], after["res_long"]) == (before["res_pinned"], before["res_long"])
        assert (await api.get("/v1/items", params={**whose, "resource_id": "res_old"})).json()["items"] == items
        asked = {**whose, "query": "What does the Pro plan cost?", "mode": "rag", "k": 1}
        (found,) = (await api.post("/v1/retrieve", json=asked)).json()["items"]
        assert ("$299" in found["content"], found["source_resource_id"]) == (True, "res_old")
        again = cast("Object", (await retention(api, working, scope, dry_run=False))["tiers"])
        assert cast("Object", again["catalog"])["due"] == 0


async def test_a_compressed_resource_is_read_and_found_as_before(gateway: RealGateway) -> None:
    async with settled(gateway, "shelf") as (scope, api, working):
        before, whose = await shelved(api, working, scope), {"user_id": scope.user_id}
        searched = {**whose, "search": "lighthouse keeper"}
        found = (await api.get("/v1/resources", params=searched)).json()
        job = await gateway.parts.jobs.request(scope, "maintain.requested", uuid4().hex, {"task": "catalog"}, NOW)
        await working.digest(scope.tenant_id)
        assert (await api.get(f"/v1/jobs/{job.id}")).json()["result"]["compressed"] == 1
        assert (await api.get("/v1/resources", params=searched)).json() == found
        assert [one["resource_id"] for one in found["items"]] == ["res_long"]
        assert (await api.get("/v1/resources/res_long", params=whose)).json() == before["res_long"]
        assert before["res_long"]["content"] == LONG


async def test_a_key_that_may_not_forget_may_only_look(gateway: RealGateway) -> None:
    scope = new_scope()
    async with gateway.client(await gateway.key(scope.tenant_id, "read", "write")) as api:
        path = f"/v1/users/{scope.user_id}/retention"
        assert (await api.post(path, json={"dry_run": True})).status_code == 202
        checked_problem(await api.post(path, json={"dry_run": False}), 403, "MEM-022")
        checked_problem(await api.put(f"/v1/users/{scope.user_id}/pins/short_term/{uuid4().hex}"), 422)
