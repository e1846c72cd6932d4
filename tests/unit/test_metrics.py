"""The list of metrics is closed, told in the docs, and has nobody's name in it."""

import asyncio
import re
from pathlib import Path
from typing import Final

import httpx
import pytest
from fastapi import FastAPI
from prometheus_client import Metric
from pydantic import SecretStr

from ragpp.errors import ConfigurationError, TierUnavailable
from ragpp.models import Health
from ragpp.observability import metrics
from ragpp.settings import MetricsSettings
from ragpp.stores.measuring import measured
from ragpp.testing.tiers import InMemoryTier
from ragpp.web import problems
from ragpp.web.metrics import install_metrics
from ragpp.web.requests import RequestMiddleware
from ragpp_services.gateway.counting import watched
from ragpp_services.workers.running.measuring import serve_metrics
from tests.support.waiting import eventually

PAGE: Final = Path(__file__).parents[2] / "docs" / "metrics.md"
OURS: Final = "ragpp_"
LABELS: Final = {
    *("method", "route", "status", "tier", "step", "relevance", "section", "cache", "outcome", "stage", "kind"),
    *("state", "part", "purpose", "direction", "le"),
}


def known() -> dict[str, Metric]:
    return {metric.name: metric for metric in metrics.REGISTRY.collect() if metric.name.startswith(OURS)}


def sample(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(name, labels) or 0.0


def test_the_page_has_every_metric_and_no_other() -> None:
    told = re.findall(r"^\| `(ragpp_\w+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert told == list(known())
    assert all(metric.documentation.endswith(".") for metric in known().values())


def test_no_label_can_name_anybody() -> None:
    metrics.request_answered("GET", "/v1/users/{user_id}/profile", 200, 0.01)
    metrics.tier_asked("episodic", "ok", 0.01, 3)
    metrics.ledger_seen({("observe", "pending"): 2}, {"observe": 4.0})
    metrics.language_model_called("extraction", "ok", 1.0, input_tokens=2)
    metrics.held_seen("episodic", metrics.Held({"interactions": 3}, 8_192, 16_384))
    metrics.cache_asked("keys", hits=1)
    metrics.tier_pinged("episodic", ok=True, seconds=0.01)
    metrics.retained("episodic", "let_go", 1)
    labels = {label for metric in known().values() for one in metric.samples for label in one.labels}
    assert labels <= LABELS


def test_what_is_in_the_ledger_is_what_was_seen_last() -> None:
    metrics.ledger_seen({("observe", "pending"): 2, ("forget", "failed"): 1}, {"observe": 4.0})
    metrics.ledger_seen({("observe", "leased"): 1}, {})
    assert sample("ragpp_ledger_works", stage="observe", state="leased") == 1
    assert metrics.REGISTRY.get_sample_value("ragpp_ledger_works", {"stage": "forget", "state": "failed"}) is None
    assert metrics.REGISTRY.get_sample_value("ragpp_ledger_oldest_seconds", {"stage": "observe"}) is None


def test_pools_and_caches_are_read_when_somebody_asks_and_no_longer_once_they_are_gone() -> None:
    hits = [5]
    leave = metrics.watch_cache("candidates", lambda: (hits[0], 7, None, 0))
    ends = [metrics.watch_pool("a part", lambda: metrics.PoolState(3, 1, 10)) for _ in range(2)]
    before = sample("ragpp_cache_lookups_total", cache="candidates", outcome="hit")
    hits[0] = 9
    metrics.exposition()
    assert sample("ragpp_cache_lookups_total", cache="candidates", outcome="hit") == before + 4
    assert sample("ragpp_pool_connections", part="a part", state="in_use") == 6
    assert sample("ragpp_pool_limit", part="a part") == 20
    for end in (leave, *ends):
        end()
    hits[0] = 99
    metrics.exposition()
    assert sample("ragpp_cache_lookups_total", cache="candidates", outcome="hit") == before + 4
    assert metrics.REGISTRY.get_sample_value("ragpp_pool_limit", {"part": "a part"}) is None


def test_what_was_counted_of_caches_and_tiers_is_told_without_a_scrape() -> None:
    hits = [0]
    leave = metrics.watch_cache("scales", lambda: (hits[0], 3, None, 0))
    known, asked = metrics.cache_counts().get("scales", (0, 0)), metrics.tier_counts("semantic")
    hits[0] = 2
    assert metrics.cache_counts()["scales"] == (known[0] + 2, known[1])
    leave()
    metrics.tier_asked("semantic", "ok", 0.15, 1)
    metrics.tier_asked("semantic", "timeout", 0.5, 0)
    metrics.tier_asked("semantic", "skipped", 0.0, 0)
    now = metrics.tier_counts("semantic")
    assert (now.asked - asked.asked, now.answered - asked.answered) == (2, 1)
    assert [now.within[bound] - asked.within.get(bound, 0) for bound in (0.1, 0.2)] == [0, 1]


def test_nothing_is_counted_where_nobody_reads_it() -> None:
    before = sample("ragpp_digestion_seconds_count")
    try:
        metrics.count_if(False)
        metrics.digested(1.0)
        assert sample("ragpp_digestion_seconds_count") == before
    finally:
        metrics.count_if(True)
    metrics.digested(1.0)
    assert sample("ragpp_digestion_seconds_count") == before + 1


def test_a_step_that_fails_is_a_step_taken() -> None:
    before = sample("ragpp_recall_step_seconds_count", step="embed")
    with pytest.raises(TimeoutError), metrics.step("embed"):
        raise TimeoutError
    assert sample("ragpp_recall_step_seconds_count", step="embed") == before + 1


async def test_a_tier_that_goes_down_is_told_without_anybody_recalling() -> None:
    tier = InMemoryTier()

    async def told() -> bool:
        return sample("ragpp_tier_up", tier="episodic") == tier.available

    async with watched({"episodic": tier}, every_s=0.01):
        await eventually(told, within_s=30, what="up")
        tier.available = False
        await eventually(told, within_s=30, what="down")


async def test_what_a_store_holds_is_looked_at_again_after_it_was_down() -> None:
    looks = 0

    async def look() -> metrics.Held:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise TierUnavailable("it is down")
        return metrics.Held({"entities": looks}, 10, 100)

    async def seen() -> bool:
        return sample("ragpp_held", part="a part", kind="entities") > 2

    async with measured({"a part": look}, "a part", None, every_s=0.01):
        await eventually(seen, within_s=30, what="the look after the next")
    assert sample("ragpp_held_bytes", part="a part") == 10
    assert sample("ragpp_held_limit_bytes", part="a part") == 100


async def test_no_store_is_looked_at_and_no_tier_asked_where_nobody_reads_it() -> None:
    asked = list[str]()

    async def look() -> metrics.Held:
        asked.append("held")
        return metrics.Held()

    class Asked(InMemoryTier):
        async def health_check(self) -> Health:
            asked.append("health")
            return await super().health_check()

    metrics.count_if(False)
    try:
        async with measured({"a part": look}, "a part", None), watched({"episodic": Asked()}):
            await asyncio.sleep(0)
    finally:
        metrics.count_if(True)
    assert asked == []
    async with measured({"a part": look}, "a part", None), watched({"episodic": Asked()}):
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert sorted(asked) == ["health", "held"]


def app_with(settings: MetricsSettings) -> httpx.AsyncClient:
    app = FastAPI()
    problems.install(app)
    app.add_middleware(RequestMiddleware)
    install_metrics(app, settings)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here")


async def test_a_request_that_no_route_answers_is_counted_without_its_address() -> None:
    labels = {"method": "GET", "route": "none", "status": "404"}
    before = sample("ragpp_request_seconds_count", **labels)
    async with app_with(MetricsSettings()) as client:
        assert (await client.get("/v1/users/xanthippe/secrets")).status_code == 404
        text = (await client.get("/metrics")).text
    assert sample("ragpp_request_seconds_count", **labels) == before + 1
    assert "xanthippe" not in text
    assert "secrets" not in text


async def test_metrics_are_for_whoever_has_the_credential_and_may_be_off() -> None:
    async with app_with(MetricsSettings(credential=SecretStr("s3cret"))) as client:
        assert (await client.get("/metrics")).status_code == 401
        wrong = {"Authorization": "Bearer s3cre"}
        assert (await client.get("/metrics", headers=wrong)).status_code == 401
        given = await client.get("/metrics", headers={"Authorization": "Bearer s3cret"})
        assert given.headers["content-type"].startswith("text/plain; version=")
        assert "s3cret" not in given.text
    async with app_with(MetricsSettings(enabled=False)) as client:
        answer = await client.get("/metrics")
        assert (answer.status_code, answer.json()["code"]) == (404, "MEM-012")


def ask(port: int, path: str = "/metrics", **headers: str) -> tuple[int, str]:
    answer = httpx.get(f"http://127.0.0.1:{port}{path}", headers=headers, timeout=30)
    return answer.status_code, answer.text


def test_each_worker_of_a_host_has_a_port_of_its_own() -> None:
    assert serve_metrics(MetricsSettings()) is None
    assert serve_metrics(MetricsSettings(enabled=False, worker_port=19_810)) is None
    settings = MetricsSettings(worker_port=19_810, credential=SecretStr("s3cret"))
    first, second = serve_metrics(settings), serve_metrics(settings)
    assert first is not None
    assert second is not None
    try:
        assert second.port > first.port >= 19_810
        assert ask(first.port)[0] == ask(second.port, Authorization="Bearer wrong")[0] == 401
        assert ask(second.port, "/")[0] == 404
        status, text = ask(second.port, Authorization="Bearer s3cret")
        assert status == 200
        assert "ragpp_work_seconds" in text
    finally:
        first.stop()
        second.stop()


def test_an_address_of_another_machine_is_told_by_its_variable() -> None:
    with pytest.raises(ConfigurationError, match="METRICS_WORKER_HOST"):
        serve_metrics(MetricsSettings(worker_port=19_850, worker_host="192.0.2.1"))
