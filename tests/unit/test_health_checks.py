"""A health report tells of each step how it went, and of what failed why and what to do."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ragpp.api import HealthCheck, HealthReport
from ragpp.errors import TierUnavailable
from ragpp.health import SchemaState, StoreState
from ragpp_services.gateway.health.checks import Checks, Wrong
from ragpp_services.gateway.health.reporting import _alerts, _growth, _status
from ragpp_services.gateway.health.states import look_at
from tests.support.each import each_case

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def state(**other: object) -> StoreState:
    usual: dict[str, object] = {
        "product": "PostgreSQL",
        "version": "18.4",
        "service_version": "1",
        "schemas": (SchemaState(part="ledger", applied=3, known=3),),
        "store_time": NOON,
        "service_time": NOON,
        "asked_ms": 1.0,
        "holds": {"interactions": 10},
        "bytes": 1_000,
    }
    return StoreState.model_validate(usual | other)


async def test_a_step_has_its_median_time_and_is_slow_over_its_target() -> None:
    checks = Checks()
    found = await checks.make("quick", lambda: asyncio.sleep(0, "seen"), target_ms=10_000, told=str, times=3)
    await checks.make("slow", lambda: asyncio.sleep(0.002), target_ms=0.001)
    assert found == "seen"
    assert [(check.name, check.status, check.told) for check in checks.made] == [
        ("quick", "ok", "seen"),
        ("slow", "slow", ""),
    ]
    assert checks.made[1].cause is not None
    assert checks.passed("slow")


async def test_a_step_that_is_told_to_have_taken_its_target_is_not_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds, status in ((0.0254, "ok"), (0.0256, "slow")):
        checks, moments = Checks(), iter((0.0, seconds))
        monkeypatch.setattr("ragpp_services.gateway.health.checks.perf_counter", moments.__next__)
        await checks.make("recall", lambda: asyncio.sleep(0), target_ms=25)
        assert checks.made[0].status == status


async def test_what_fails_has_its_cause_and_what_to_do_and_what_needs_it_is_skipped() -> None:
    async def down() -> None:
        raise TierUnavailable("read: Neo4j did not answer")

    checks = Checks()
    await checks.make("reach semantic", down, tier="semantic")
    await checks.make("find semantic", down, tier="semantic", needs=("reach semantic",))
    await checks.make("find later", down, needs=("find semantic",))
    failed, *skipped = checks.made
    assert failed.cause == f"{TierUnavailable.code} read: Neo4j did not answer"
    assert "docker compose logs neo4j" in failed.fix[1]
    assert [(check.status, check.cause) for check in skipped] == [
        ("skipped", "it needs `reach semantic`"),
        ("skipped", "it needs `find semantic`"),
    ]


async def test_what_hangs_and_what_is_seen_wrong_fail() -> None:
    def odd(_found: object) -> str:
        raise Wrong("two of three are there")

    checks = Checks()
    await checks.make("hangs", lambda: asyncio.sleep(60), timeout_s=0.01)
    await checks.make("odd", lambda: asyncio.sleep(0), told=odd)
    assert [(check.status, check.cause) for check in checks.made] == [
        ("failed", "it did not end in 0.01 s"),
        ("failed", "two of three are there"),
    ]


@each_case(
    ("other", "check", "cause"),
    [
        ({"schemas": (SchemaState(part="ledger", applied=2, known=3),)}, "schema", "ledger is at migration 2"),
        ({"service_version": "2"}, "versions", "episodic 2"),
        ({"store_time": NOON - timedelta(seconds=5)}, "clock", "-5.0 s"),
        ({"limit_bytes": 1_050}, "memory", "95%"),
    ],
)
async def test_what_a_store_tells_is_compared(other: dict[str, object], check: str, cause: str, tmp_path: Path) -> None:
    well, ill = Checks(), Checks()
    for checks in (well, ill):
        await checks.make("reach short_term", lambda: asyncio.sleep(0))
    look_at(well, {"episodic": state(limit_bytes=10_000)}, "1", tmp_path)
    look_at(ill, {"episodic": state(**other)}, "1", tmp_path)
    assert {one.name: one.status for one in well.made if one.name != "disk"} == dict.fromkeys(
        ("reach short_term", "schema", "versions", "clock", "memory"), "ok"
    )
    found = {one.name: one for one in ill.made}[check]
    assert found.status == "failed"
    assert cause in (found.cause or "")


def test_the_worst_check_decides_and_alerts_begin_with_it() -> None:
    slow = HealthCheck(name="write", status="slow", cause="it took 30 ms")
    failed = HealthCheck(name="observe", status="failed", cause="nobody works")
    unswept = HealthCheck(name="sweep", status="failed", cause="Neo4j is away")
    ok = HealthCheck(name="recall", status="ok")
    assert _status([ok]) == "healthy"
    assert _status([ok, slow]) == _status([ok, unswept]) == "degraded"
    assert _status([ok, slow, failed]) == "failing"
    assert _alerts([ok, slow, failed]) == ("observe: nobody works", "write: it took 30 ms")


def test_growth_is_what_there_is_more_or_less_than_before() -> None:
    before = HealthReport.model_validate(
        {
            "status": "healthy",
            "began_at": NOON - timedelta(days=1),
            "took_ms": 1.0,
            "version": "1",
            "tiers": {
                "episodic": {
                    "status": "ok",
                    "target_ms": 100,
                    "state": state(holds={"interactions": 4, "chunks": 2}, bytes=600),
                    "observed": {"recalls": 0},
                }
            },
        }
    )
    grown = _growth("episodic", state(), before)
    assert grown is not None
    assert (grown.kinds, grown.bytes, grown.since) == ({"interactions": 6, "chunks": -2}, 400, NOON - timedelta(days=1))
    assert _growth("semantic", state(), before) is None
    assert _growth("episodic", None, before) is None
