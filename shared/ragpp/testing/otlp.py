"""An OTLP endpoint in this process: takes spans over HTTP, keeps them, and shows a trace as a tree."""

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Status

SERVICE_NAME: Final = "service.name"


@dataclass(frozen=True)
class ReceivedSpan:
    """A span as it was sent. `parent_id` is empty for the first of its trace; `links`: (trace_id, span_id) of each."""

    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    started_ns: int
    ended_ns: int
    attributes: dict[str, str | int]
    links: tuple[tuple[str, str], ...]
    failed: bool
    events: int

    @property
    def ms(self) -> float:
        """How long it took."""
        return (self.ended_ns - self.started_ns) / 1e6


@dataclass
class Receiver:
    """Everything that was received so far. `headers`: of each request, by their names in small letters."""

    port: int
    spans: list[ReceivedSpan] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    resources: list[dict[str, str | int]] = field(default_factory=list)
    more: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        """To be set as TRACING_ENDPOINT."""
        return f"http://127.0.0.1:{self.port}"

    def named(self, name: str, *, cause: str = "") -> list[ReceivedSpan]:
        """The spans of that name, in the order in which they began; with `cause`, those linked to that trace."""
        found = (
            span
            for span in list(self.spans)
            if span.name == name and (not cause or cause in {trace_id for trace_id, _ in span.links})
        )
        return sorted(found, key=lambda span: span.started_ns)

    def awaited(self, name: str, count: int = 1, *, cause: str = "", within_s: float = 30.0) -> list[ReceivedSpan]:
        """`named`, once there are `count`; blocks. What is below a span in its process has come with it or before.
        AssertionError when they do not come in time."""
        with self.more:
            if not self.more.wait_for(lambda: len(self.named(name, cause=cause)) >= count, within_s):
                names = sorted({span.name for span in self.spans})
                raise AssertionError(f"no {count} spans named {name!r} within {within_s} s, only {names}")
        return self.named(name, cause=cause)

    def of_trace(self, trace_id: str) -> list[ReceivedSpan]:
        """The spans of a trace, in the order in which they began."""
        found = (span for span in list(self.spans) if span.trace_id == trace_id)
        return sorted(found, key=lambda span: span.started_ns)


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that answers at a free port of this machine while inside."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            with receiver.more:
                receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
                _take(receiver, body)
                receiver.more.notify_all()
            self.send_response(200 if self.path == "/v1/traces" else 404)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver = Receiver(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, name="otlp", daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _take(receiver: Receiver, body: bytes) -> None:
    for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = _values(of_resource.resource.attributes)
        receiver.resources.append(resource)
        for scoped in of_resource.scope_spans:
            receiver.spans += [
                ReceivedSpan(
                    service=str(resource.get(SERVICE_NAME, "")),
                    name=span.name,
                    trace_id=span.trace_id.hex(),
                    span_id=span.span_id.hex(),
                    parent_id=span.parent_span_id.hex(),
                    started_ns=span.start_time_unix_nano,
                    ended_ns=span.end_time_unix_nano,
                    attributes=_values(span.attributes),
                    links=tuple((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
                    failed=span.status.code == Status.STATUS_CODE_ERROR,
                    events=len(span.events),
                )
                for span in scoped.spans
            ]


def _values(attributes: Collection[KeyValue]) -> dict[str, str | int]:
    return {
        one.key: one.value.int_value if one.value.HasField("int_value") else one.value.string_value
        for one in attributes
    }


def tree_of(spans: Sequence[ReceivedSpan]) -> Iterator[str]:
    """The spans of one trace as lines, each below its parent, with its time and what it tells."""
    known = {span.span_id for span in spans}
    for root in (span for span in spans if span.parent_id not in known):
        yield _line(root)
        yield from _below(root, spans, "")


def _below(parent: ReceivedSpan, spans: Sequence[ReceivedSpan], indent: str) -> Iterator[str]:
    children = [span for span in spans if span.parent_id == parent.span_id]
    for place, child in enumerate(children, start=1):
        last = place == len(children)
        yield f"{indent}{'└─ ' if last else '├─ '}{_line(child)}"
        yield from _below(child, spans, indent + ("   " if last else "│  "))


def _line(span: ReceivedSpan) -> str:
    told = " ".join(f"{name.rpartition('.')[2]}={value}" for name, value in span.attributes.items())
    links = f" → {', '.join(f'{trace[:8]}/{one[:8]}' for trace, one in span.links)}" if span.links else ""
    return f"{span.name} {span.ms:.1f} ms [{span.service}] {told}{links}".rstrip()
