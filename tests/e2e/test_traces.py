"""A write, its digestion and a recall as traces of a real run: every part has its spans, and none says whose."""

from collections.abc import AsyncIterator, Iterator
from typing import Final

import asyncpg
import httpx
import pytest
import structlog
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from structlog.testing import capture_logs
from structlog.typing import EventDict, WrappedLogger

from ragpp.models import TIER_NAMES
from ragpp.observability.recording import OF_HTTP, PREFIX, recorded_by
from ragpp.observability.traces import Attributes
from ragpp_infra.embedded.stack import Endpoints
from tests.support.real_gateway import RealGateway, open_gateway
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

TRACE: Final = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER: Final = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01", "X-Request-ID": "order-4711"}
USER: Final = "traces-user-noor"
SESSION: Final = "traces-session"
SAID: Final = "My sister Elena moved to Porto last spring."
KEYS: Final = {OF_HTTP.get(name, PREFIX + name) for name in Attributes.__annotations__}


@pytest.fixture(scope="module")
def exporter() -> Iterator[InMemorySpanExporter]:
    """The spans that are recorded in this process, from before the gateway is opened."""
    exporter = InMemorySpanExporter()
    with recorded_by(SimpleSpanProcessor(exporter), "test"):
        yield exporter


@pytest.fixture(scope="module")
async def gateway(
    endpoints: Endpoints, exporter: InMemorySpanExporter, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[RealGateway]:
    assert exporter.get_finished_spans() == ()
    async with open_gateway(endpoints, tmp_path_factory.mktemp("traced")) as running:
        yield running


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> InMemorySpanExporter:
    """Without those of other tests."""
    exporter.clear()
    return exporter


def of_trace(spans: InMemorySpanExporter, trace_id: str) -> list[ReadableSpan]:
    return [span for span in spans.get_finished_spans() if f"{span.context.trace_id:032x}" == trace_id]


def paths(found: list[ReadableSpan]) -> set[str]:
    """Each span with those that it is in, the outermost first."""
    by_id = {span.context.span_id: span for span in found}

    def path(span: ReadableSpan) -> str:
        above = by_id.get(span.parent.span_id) if span.parent is not None else None
        return span.name if above is None else f"{path(above)} > {span.name}"

    return {path(span) for span in found}


async def write(api: httpx.AsyncClient, *identifiers: str, headers: dict[str, str] = CALLER) -> str:
    messages = [{"id": identifier, "name": "Noor", "content": SAID} for identifier in identifiers]
    body = {"user_id": USER, "session_id": SESSION, "messages": messages}
    answer = await api.post("/v1/interactions", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["receipt"])


async def test_every_part_of_a_write_is_in_the_callers_trace_and_its_digestion_is_linked_to_it(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, spans: InMemorySpanExporter
) -> None:
    await write(api, "traces-m1")
    written = of_trace(spans, TRACE)
    root = "POST /v1/interactions"
    assert {
        root,
        f"{root} > remember > redact",
        f"{root} > remember > embed",
        f"{root} > remember > episodic.store > postgres.transaction",
        f"{root} > remember > short_term.store > redis.append",
    } <= paths(written)
    spans.clear()
    await gateway.digest(tenant)
    digestions = [span for span in spans.get_finished_spans() if span.parent is None]
    assert {"digest observe", "digest short_term"} <= {span.name for span in digestions}
    stored = {span.context.span_id for span in written if span.name == "postgres.transaction"}
    for span in digestions:
        (link,) = span.links
        assert f"{link.context.trace_id:032x}" == TRACE
        assert link.context.span_id in stored
    observed = paths(list(spans.get_finished_spans()))
    for below in ("extract", "semantic.observe > neo4j.write", "ledger.finish"):
        assert f"digest observe > {below}" in observed
    (observe,) = [span for span in digestions if span.name == "digest observe"]
    assert (observe.attributes or {})["ragpp.status"] == "done"


async def test_a_recall_goes_through_its_tiers_is_fused_and_packed(
    api: httpx.AsyncClient, spans: InMemorySpanExporter
) -> None:
    asked = {"user_id": USER, "session_id": SESSION, "query": "Where does Elena live?", "token_budget": 300}
    answer = await api.post("/v1/recall", json=asked, headers=CALLER)
    assert answer.json()["status"] == "complete"
    found = paths(of_trace(spans, TRACE))
    recall = "POST /v1/recall > recall"
    assert {f"{recall} > {step}" for step in ("embed", "fuse", "pack")} <= found
    assert {f"{recall} > ask > {tier}.retrieve" for tier in TIER_NAMES} <= found
    asks = [dict(span.attributes or {}) for span in spans.get_finished_spans() if span.name == "ask"]
    assert {one["ragpp.tier"]: one["ragpp.status"] for one in asks} == dict.fromkeys(TIER_NAMES, "ok")


async def test_no_span_of_a_run_tells_whose_it_is_or_what_was_said(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, spans: InMemorySpanExporter
) -> None:
    receipt = await write(api, "traces-m1", "traces-m2")
    await gateway.digest(tenant)
    await api.post("/v1/recall", json={"user_id": USER, "query": "Where does Elena live?", "after": receipt})
    await api.post(f"/v1/users/{USER}/extract", json={})
    await gateway.digest(tenant)
    await api.get(f"/v1/users/{USER}/profile")
    for refused in ("/v1/interactions/traces-m9", "/xanthippe"):
        await api.get(refused, params={"user_id": USER})
    assert (await api.delete("/v1/interactions/traces-m1", params={"user_id": USER})).status_code == 200
    await gateway.digest(tenant)
    assert (await api.delete(f"/v1/users/{USER}")).status_code == 202
    await gateway.digest(tenant)
    recorded = spans.get_finished_spans()
    assert {"digest forget", "digest observe", "digest extract"} <= {span.name for span in recorded}
    assert {key for span in recorded for key in span.attributes or {}} <= KEYS
    assert not any(span.events or span.context.trace_state for span in recorded)
    everything = "".join(span.to_json() for span in recorded)
    for said in (tenant, USER, SESSION, "traces-m", "Elena", "Porto", "xanthippe", "order-4711"):
        assert said not in everything


async def test_a_job_is_linked_to_the_request_that_asked_for_it(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, spans: InMemorySpanExporter
) -> None:
    await write(api, "traces-m1", headers={})
    await gateway.digest(tenant)
    spans.clear()
    asked = await api.post(f"/v1/users/{USER}/extract", json={}, headers=CALLER)
    assert asked.status_code == 202, asked.text
    await gateway.digest(tenant)
    (extract,) = [span for span in spans.get_finished_spans() if span.name == "digest extract"]
    assert [f"{link.context.trace_id:032x}" for link in extract.links] == [TRACE]


def with_context(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """The event, with the context that a running service's log adds to each line."""
    return {**structlog.contextvars.get_contextvars(), **event}


async def test_a_workers_lines_name_the_requests_that_they_are_for(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await write(api, "traces-m1", headers={"X-Request-ID": "order-1"})
    with capture_logs(processors=[with_context]) as logged:
        await gateway.digest(tenant)
    done = [line for line in logged if line["event"] == "work.done"]
    assert {(line["stage"], line["request_id"]) for line in done} == {("observe", "order-1"), ("short_term", "order-1")}
    for number in range(2, 9):
        await write(api, f"traces-m{number}", headers={"X-Request-ID": f"order-{number}"})
    with capture_logs(processors=[with_context]) as logged:
        await gateway.digest(tenant)
    (line,) = [line for line in logged if line["event"] == "work.done" and line["stage"] == "observe"]
    assert line["request_ids"] == [f"order-{number}" for number in range(2, 7)]
    assert "request_id" not in line


async def test_what_is_kept_of_an_erasure_names_no_request(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, stack: StoreStack
) -> None:
    await write(api, "traces-m1")
    assert (await api.delete(f"/v1/users/{USER}", headers=CALLER)).status_code == 202
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    kept = "SELECT kind, correlation_id, traceparent FROM ledger.events WHERE tenant_id = $1"
    try:
        before = {row["kind"]: row["correlation_id"] for row in await connection.fetch(kept, tenant)}
        assert before == {"interaction.stored": "order-4711", "erase.requested": "order-4711"}
        await gateway.digest(tenant)
        assert [tuple(row) for row in await connection.fetch(kept, tenant)] == [("erase.requested", None, None)]
    finally:
        await connection.close()


async def test_an_event_of_the_catalog_is_correlated_with_its_request(api: httpx.AsyncClient) -> None:
    body = {"user_id": USER, "resource_type": "document", "content": "The trial lasts 30 days."}
    assert (await api.post("/v1/resources", json=body, headers=CALLER)).status_code == 201
    (event,) = (await api.get("/v1/events", params={"user_id": USER})).json()["items"]
    assert (event["event_type"], event["correlation_id"]) == ("memory.resource_stored", "order-4711")
