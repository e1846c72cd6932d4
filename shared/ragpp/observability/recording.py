"""Spans by OpenTelemetry, sent to an OTLP endpoint in the background; loaded only where one is set."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final, Unpack, cast

import structlog
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import Decision, ParentBased, Sampler, SamplingResult, TraceIdRatioBased
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import Attributes as ForeignAttributes

from ragpp.errors import MemorySystemError
from ragpp.observability.traces import NOTHING, Attributes, Span, install

PREFIX: Final = "ragpp."
OF_HTTP: Final[Mapping[str, str]] = {
    "method": "http.request.method",
    "route": "http.route",
    "http_status": "http.response.status_code",
}
"""Attributes that OpenTelemetry has names for; the others have PREFIX before theirs."""
QUEUE: Final = 4_096
"""Spans that wait to be sent; more are left out."""
BATCH: Final = 512
EVERY_MS: Final = 1_000
PATIENCE_S: Final = 2.0
"""Longest wait for the endpoint, in the thread that sends; what it does not take is left out."""
MOST_LINKS: Final = 32
_PARENT: Final = "traceparent"
_W3C: Final = TraceContextTextMapPropagator()
_log = structlog.stdlib.get_logger(__name__)


class OpenTelemetryRecorder:
    """Spans of `provider`. Not the global one: what a library traces by itself is no part of a closed list."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("ragpp")

    def request(self, traceparent: str | None) -> Span:
        return _Recorded(
            self._tracer.start_as_current_span(
                "request",
                context=_context_of(traceparent),
                kind=trace.SpanKind.SERVER,
                record_exception=False,
                set_status_on_exception=False,
            )
        )

    def work(self, name: str, attributes: Attributes, causes: Sequence[str]) -> Span:
        links = [trace.Link(cause) for one in list(dict.fromkeys(causes))[:MOST_LINKS] if (cause := _cause_of(one))]
        return _Recorded(
            self._tracer.start_as_current_span(
                name,
                context=Context(),
                kind=trace.SpanKind.CONSUMER,
                attributes=written(attributes),
                links=links,
                record_exception=False,
                set_status_on_exception=False,
            )
        )

    def step(self, name: str, attributes: Attributes) -> Span:
        if not trace.get_current_span().is_recording():
            return NOTHING
        return _Recorded(
            self._tracer.start_as_current_span(
                name, attributes=written(attributes), record_exception=False, set_status_on_exception=False
            )
        )

    def note(self, attributes: Attributes) -> None:
        trace.get_current_span().set_attributes(written(attributes))

    def traceparent(self) -> str | None:
        carrier: dict[str, str] = {}
        _W3C.inject(carrier)
        return carrier.get(_PARENT)

    def trace_id(self) -> str | None:
        span = trace.get_current_span()
        return trace.format_trace_id(span.get_span_context().trace_id) if span.is_recording() else None


class _Recorded:
    """A span of OpenTelemetry's. Of an error nothing is kept but its code: its message may say what somebody wrote."""

    def __init__(self, entering: AbstractContextManager[trace.Span]) -> None:
        self._entering = entering
        self._span: trace.Span = trace.INVALID_SPAN

    def __enter__(self) -> Span:
        self._span = self._entering.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace_: object) -> None:
        if error is not None:
            self.note(code=error.code if isinstance(error, MemorySystemError) else type(error).__name__)
            self._span.set_status(trace.StatusCode.ERROR)
        self._entering.__exit__(None, None, None)

    def note(self, **attributes: Unpack[Attributes]) -> None:
        self._span.set_attributes(written(attributes))

    def named(self, name: str) -> None:
        self._span.update_name(name)


def written(attributes: Attributes) -> dict[str, str | int]:
    """By the names that they are sent with."""
    given = cast("Mapping[str, str | int]", attributes)
    return {OF_HTTP.get(name, PREFIX + name): value for name, value in given.items()}


def _context_of(traceparent: str | None) -> Context:
    """The context of `traceparent`; nothing is taken of `tracestate`, which is whatever the caller writes."""
    return _W3C.extract({_PARENT: traceparent} if traceparent else {}, context=Context())


def _cause_of(traceparent: str) -> trace.SpanContext | None:
    cause = trace.get_current_span(_context_of(traceparent)).get_span_context()
    return cause if cause.is_valid else None


class AsCaused(Sampler):
    """A batch of work is recorded where something that caused it is, so that a write that can be seen is seen to its
    end; a share of the others."""

    def __init__(self, share: float) -> None:
        self._of_share = TraceIdRatioBased(share)

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: trace.SpanKind | None = None,
        attributes: ForeignAttributes = None,
        links: Sequence[trace.Link] | None = None,
        trace_state: trace.TraceState | None = None,
    ) -> SamplingResult:
        if links:
            seen = any(link.context.trace_flags.sampled for link in links)
            return SamplingResult(Decision.RECORD_AND_SAMPLE if seen else Decision.DROP, attributes)
        return self._of_share.should_sample(parent_context, trace_id, name, kind, attributes, links, trace_state)

    def get_description(self) -> str:
        return f"AsCaused{{{self._of_share.get_description()}}}"


class _Patient(SpanExporter):
    """Says once that the endpoint does not take spans, and once that it does again; gives up soon at the end."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._failing = self._ending = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if self._ending and self._failing:
            return SpanExportResult.FAILURE
        result = self._exporter.export(spans)
        failed = result is not SpanExportResult.SUCCESS
        if failed != self._failing:
            self._failing = failed
            if failed:
                _log.warning("traces.not_taken", by="TRACING_ENDPOINT")
            else:
                _log.info("traces.taken_again")
        return result

    def end(self) -> None:
        """Let it end: what is left is sent, unless the endpoint was away last."""
        self._ending = True

    def shutdown(self) -> None:
        self._exporter.shutdown()


@contextmanager
def sending(endpoint: str, service: str, *, share: float, headers: Mapping[str, str]) -> Iterator[None]:
    """Record while inside, and send it to `endpoint`, ending in /v1/traces, in a thread; what is left is sent at the
    end. An endpoint that is away costs what it does not get."""
    for noisy in ("opentelemetry", "urllib3"):  # a line for every batch that fails, with the address
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    import requests  # noqa: PLC0415 - it tries to bind a socket when it is imported
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 - as above
        OTLPSpanExporter,
    )

    session = requests.Session()
    session.trust_env = False  # proxies of the environment are left aside, as between services
    exporter = _Patient(OTLPSpanExporter(endpoint, headers=dict(headers), timeout=PATIENCE_S, session=session))
    processor = BatchSpanProcessor(exporter, QUEUE, EVERY_MS, BATCH)
    with recorded_by(processor, service, share=share):
        try:
            yield
        finally:
            exporter.end()


@contextmanager
def recorded_by(processor: SpanProcessor, service: str, *, share: float = 1.0) -> Iterator[None]:
    """Record while inside, `share` of the traces that begin here, and hand spans to `processor`."""
    provider = TracerProvider(
        sampler=ParentBased(AsCaused(share)),
        resource=Resource({"service.name": service, "service.namespace": "ragpp"}),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(processor)
    ended = install(OpenTelemetryRecorder(provider))
    try:
        yield
    finally:
        ended()
        provider.shutdown()
