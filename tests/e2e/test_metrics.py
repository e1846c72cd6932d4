"""The counts of a service are those of what was done."""

import httpx
import pytest

from ragpp.models import TIER_NAMES
from ragpp.observability import metrics
from tests.support.real_gateway import RealGateway
from tests.support.waiting import eventually

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
USER = "metrics-user-noor"


def sample(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(name, labels) or 0.0


async def test_a_write_its_digestion_and_a_recall_are_counted_and_nobody_is_named(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    counted = (
        ("ragpp_messages_total", {"outcome": "stored"}),
        ("ragpp_messages_total", {"outcome": "duplicate"}),
        ("ragpp_work_total", {"stage": "observe", "outcome": "done"}),
        ("ragpp_learned_total", {"kind": "relationship"}),
        ("ragpp_digestion_seconds_count", {}),
        ("ragpp_recall_seconds_count", {"status": "complete"}),
        ("ragpp_recall_tier_seconds_count", {"tier": "semantic", "status": "ok"}),
        ("ragpp_request_seconds_count", {"method": "POST", "route": "/v1/recall", "status": "200"}),
        *(("ragpp_recall_step_seconds_count", {"step": step}) for step in ("embed", "tiers", "fuse", "pack")),
        ("ragpp_cache_lookups_total", {"cache": "keys", "outcome": "hit"}),
        ("ragpp_context_section_tokens_total", {"section": "KNOWN RELATIONSHIPS"}),
    )
    before = [sample(name, **labels) for name, labels in counted]
    body = {
        "user_id": USER,
        "session_id": "metrics-session",
        "messages": [{"id": "m1", "name": "Noor", "content": "My sister Elena moved to Porto last spring."}],
    }
    for _ in range(2):
        assert (await api.post("/v1/interactions", json=body)).status_code == 201
    await gateway.digest(tenant)
    asked = await api.post("/v1/recall", json={"user_id": USER, "query": "Where does Elena live?"})
    assert asked.json()["status"] == "complete"
    after = [sample(name, **labels) for name, labels in counted]
    grown = [now - then for now, then in zip(after, before, strict=True)]
    assert [grown[0], grown[1], *grown[4:12]] == [1] * 10
    assert all(growth > 0 for growth in grown)
    told = await api.get("/metrics")
    assert told.status_code == 200
    for part in ("episodic", "semantic", "procedural", "catalog", "short_term", "audit"):
        assert 'ragpp_held{kind="' in told.text
        assert f'part="{part}"}}' in told.text

    async def all_up() -> bool:  # a machine that stands still does so for longer than a ping waits
        return all(sample("ragpp_tier_up", tier=tier) == 1 for tier in TIER_NAMES)

    await eventually(all_up, within_s=60, what="every tier is up")
    for secret in (USER, "metrics-session", tenant, "Porto", "Elena"):
        assert secret not in told.text
