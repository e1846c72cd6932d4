"""Spans: none until somebody records, a closed list of what they tell, in the caller's trace, linked to causes."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from fastapi import FastAPI
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import SecretStr
from structlog.testing import capture_logs

from ragpp.embedding import Embedder
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import ConfigurationError, Conflict
from ragpp.observability import traces
from ragpp.observability.logs import _with_trace
from ragpp.observability.recording import OF_HTTP, PREFIX, recorded_by
from ragpp.observability.tracing import tracing
from ragpp.settings import TracingSettings
from ragpp.testing.otlp import receiving, tree_of
from ragpp.tierkit.traced import traced_embedder
from ragpp.web.problems import install
from ragpp.web.requests import RequestMiddleware
from tests.support.each import each_case
from tests.support.timing import cpu_s

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = f"00-{TRACE}-b7ad6b7169203331-01"
UNSAMPLED = f"00-{TRACE}-b7ad6b7169203331-00"


@contextmanager
def recorded(share: float = 1.0) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    with recorded_by(SimpleSpanProcessor(exporter), "test", share=share):
        yield exporter


def names(exporter: InMemorySpanExporter) -> list[str]:
    return [span.name for span in exporter.get_finished_spans()]


def trace_of(span: ReadableSpan) -> str:
    return f"{span.context.trace_id:032x}"


def test_nobody_records_unless_an_endpoint_is_set_and_then_no_library_is_loaded() -> None:
    program = (
        "import sys\n"
        "from ragpp.observability import traces\n"
        "from ragpp.observability.tracing import tracing\n"
        "from ragpp.settings import TracingSettings\n"
        "import ragpp.web.requests, ragpp.tierkit.remote, ragpp.ledger\n"
        "with tracing(TracingSettings(), 'gateway'):\n"
        "    assert traces.request(None) is traces.step('recall') is traces.work('digest', ()) is traces.NOTHING\n"
        "    assert traces.traceparent() is traces.trace_id() is None\n"
        "print([name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'opentelemetry.exporter'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_a_step_that_nobody_records_costs_next_to_nothing() -> None:
    def steps() -> None:
        for _ in range(10_000):
            with traces.step("ask", tier="episodic") as span:
                span.note(status="ok", hits=3)

    assert cpu_s(steps) < 0.5  # some twenty of them are in a recall


def test_a_step_outside_of_a_trace_is_none() -> None:
    with recorded() as exporter:
        with traces.step("postgres.transaction") as span:
            span.note(status="ok")
        assert traces.traceparent() is None
    assert names(exporter) == []


def test_steps_lie_in_one_another_and_go_with_a_thread_of_their_own() -> None:
    with recorded() as exporter, traces.request(None), traces.step("recall"), traces.step("fuse"):
        pass
    fuse, recall, request = exporter.get_finished_spans()
    assert fuse.parent is not None
    assert recall.parent is not None
    assert (fuse.parent.span_id, recall.parent.span_id) == (recall.context.span_id, request.context.span_id)


@each_case(("given", "kept"), [(CALLER, 1), (UNSAMPLED, 0)])
def test_a_caller_who_traces_decides(given: str, kept: int) -> None:
    with recorded(share=0.5) as exporter, traces.request(given), traces.step("recall"):
        passed_on = traces.traceparent()
    assert [trace_of(span) for span in exporter.get_finished_spans()] == [TRACE] * 2 * kept
    assert passed_on is not None
    assert passed_on.split("-")[1::2] == [TRACE, f"0{kept}"]


@each_case("given", [None, "", "nonsense", "00-" + "0" * 32 + "-b7ad6b7169203331-01", CALLER + "é"])
def test_what_is_no_traceparent_begins_a_trace(given: str | None) -> None:
    with recorded() as exporter, traces.request(given):
        pass
    (span,) = exporter.get_finished_spans()
    assert span.parent is None
    assert trace_of(span) != TRACE


def test_an_error_is_told_by_its_code_and_never_by_its_words() -> None:
    with recorded() as exporter:
        for error in (Conflict("Maria's other message"), KeyError("Maria")):
            with pytest.raises(type(error)), traces.request(None):
                raise error
    told = [dict(span.attributes or {}) for span in exporter.get_finished_spans()]
    assert told == [{"ragpp.code": "MEM-011"}, {"ragpp.code": "KeyError"}]
    assert "Maria" not in "".join(span.to_json() for span in exporter.get_finished_spans())
    assert all(not span.events and not span.status.is_ok for span in exporter.get_finished_spans())


def test_work_is_a_trace_of_its_own_that_is_linked_to_what_caused_it() -> None:
    with recorded() as exporter:
        with traces.request(CALLER), traces.work("digest observe", [CALLER, CALLER, "nonsense"], stage="observe"):
            pass
        digestion = exporter.get_finished_spans()[0]
    assert digestion.parent is None
    assert trace_of(digestion) != TRACE
    assert [f"{link.context.trace_id:032x}" for link in digestion.links] == [TRACE]


def test_work_is_recorded_where_one_of_its_causes_is() -> None:
    with recorded(share=0) as exporter:
        for causes in ([UNSAMPLED], [UNSAMPLED, CALLER], []):
            with traces.work(f"digest {len(causes)}", causes):
                pass
    assert names(exporter) == ["digest 2"]


def test_the_list_of_what_a_span_may_tell_is_closed() -> None:
    told = set(traces.Attributes.__annotations__)
    assert told.isdisjoint({"tenant", "tenant_id", "user", "user_id", "session_id", "agent_id", "id", "text", "query"})
    assert set(OF_HTTP) <= told
    with recorded() as exporter, traces.request(None) as span:
        span.note(method="GET", tier="episodic", hits=3)
    (one,) = exporter.get_finished_spans()
    assert dict(one.attributes or {}) == {"http.request.method": "GET", f"{PREFIX}tier": "episodic", f"{PREFIX}hits": 3}


async def test_a_request_is_called_by_its_route_and_not_by_its_address() -> None:
    app = FastAPI()
    install(app)

    @app.get("/things/{name}")
    async def thing(name: str) -> str | None:
        if name == "taken":
            raise Conflict("xanthippe")
        return traces.trace_id()

    @app.get("/health/live")
    async def live() -> None:
        pass

    app.add_middleware(RequestMiddleware)
    transport = httpx.ASGITransport(app)
    with recorded() as exporter:
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            answer = await client.get("/things/xanthippe?q=xanthippe", headers={"traceparent": CALLER})
            for path in ("/things/taken", "/xanthippe", "/health/live"):
                await client.get(path, headers={"tracestate": "xanthippe=1", "baggage": "who=xanthippe"})
    assert answer.json() == TRACE
    assert names(exporter) == ["GET /things/{name}", "GET /things/{name}", "GET none"]
    statuses = [(span.attributes or {})["http.response.status_code"] for span in exporter.get_finished_spans()]
    assert statuses == [200, 409, 404]
    assert "xanthippe" not in "".join(span.to_json() for span in exporter.get_finished_spans())


async def test_what_is_asked_of_the_embedder_is_a_step_and_the_rest_is_as_it_was() -> None:
    plain: Embedder = HashingEmbedder(8)
    assert traced_embedder(plain) is plain
    with recorded() as exporter, traces.request(None):
        embedder = traced_embedder(plain)
        assert (await embedder.embed(["a", "b"])).shape == (2, 8)
        assert embedder.dimension == 8
        assert names(exporter) == ["embed"]


def test_lines_of_a_recorded_trace_have_its_id() -> None:
    with recorded(), traces.request(CALLER):
        assert _with_trace(None, "info", {"event": "x"}) == {"event": "x", "trace_id": TRACE}
    assert _with_trace(None, "info", {"event": "x"}) == {"event": "x"}


def test_what_is_recorded_arrives_with_the_credential_and_as_a_tree() -> None:
    with receiving() as receiver:
        settings = TracingSettings(endpoint=receiver.url, headers=SecretStr("Authorization=Bearer s3cret, X-Of=me"))
        with tracing(settings, "gateway"), traces.request(None) as span:
            span.named("POST /v1/recall")
            with traces.step("recall", budget=200):
                pass
        (request,) = receiver.awaited("POST /v1/recall")
        lines = list(tree_of(receiver.of_trace(request.trace_id)))
        sent = [(one["authorization"], one["x-of"]) for one in receiver.headers]
        assert receiver.resources == [{"service.name": "gateway", "service.namespace": "ragpp"}]
    assert set(sent) == {("Bearer s3cret", "me")}
    assert [line.partition(" ms")[0].rpartition(" ")[0] for line in lines] == ["POST /v1/recall", "└─ recall"]
    assert lines[1].endswith("[gateway] budget=200")


def test_an_endpoint_that_is_away_costs_a_line_and_no_time() -> None:
    with receiving() as receiver:
        gone = receiver.url
    with capture_logs() as logged:
        with tracing(TracingSettings(endpoint=gone), "gateway"):
            began = time.perf_counter()
            for _ in range(800):  # of two spans: several times what is sent at once
                with traces.request(None), traces.step("recall"):
                    pass
            worked_s = time.perf_counter() - began
        ended_s = time.perf_counter() - began - worked_s
    assert max(worked_s, ended_s) < 60  # of 1,600 spans that waited for an answer each
    assert [line["event"] for line in logged] == ["traces.not_taken"]
    assert gone not in str(logged)


@each_case(
    ("given", "address"),
    [
        (None, None),
        ("", None),
        ("http://collector:4318", "http://collector:4318/v1/traces"),
        ("http://collector:4318/", "http://collector:4318/v1/traces"),
        ("https://host/otlp/v1/traces", "https://host/otlp/v1/traces"),
    ],
)
def test_the_path_is_added_to_the_endpoint(given: str | None, address: str | None) -> None:
    assert TracingSettings(endpoint=given).traces_url == address


def test_settings_that_cannot_be_taken_are_told_by_their_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("TRACING_ENDPOINT", "collector:4318"),
        ("TRACING_SAMPLE_SHARE", "2"),
        ("TRACING_HEADERS", "s3cret"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            with pytest.raises(ConfigurationError, match=name) as refused:
                TracingSettings()
        assert "s3cret" not in str(refused.value)
