"""A worker's metrics, answered at a port of its own, and what is in the ledger, looked at now and then."""

import asyncio
import errno
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import structlog
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from ragpp.bearer import bears
from ragpp.errors import ConfigurationError, MemorySystemError
from ragpp.errors.summaries import safe_summary
from ragpp.observability.metrics import exposition, ledger_seen
from ragpp.settings import MetricsSettings
from ragpp_services.workers.parts import WorkerParts

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

PORTS: Final = 32
"""So many are tried, from the first on: each worker of a host takes one."""
LOOK_EVERY_S: Final = 15.0
"""The time between two looks at the ledger, whose cost grows with the backlog."""
_log = structlog.stdlib.get_logger(__name__)


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    allow_reuse_address = False


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
        """Nothing: it would be a line every few seconds."""


@dataclass(frozen=True, slots=True)
class Served:
    """Metrics are answered at that port, until `stop`."""

    port: int
    stop: Callable[[], None]


def serve_metrics(settings: MetricsSettings) -> Served | None:
    """Answer `GET /metrics` in a thread at the first free port. None where the settings want none.

    Raises ConfigurationError where none of PORTS is free, or the address is not this machine's.
    """
    if not settings.enabled or settings.worker_port is None:
        return None
    app = _app(settings.credential.get_secret_value() if settings.credential is not None else None)
    for port in range(settings.worker_port, min(settings.worker_port + PORTS, 65_536)):
        try:
            server = make_server(settings.worker_host, port, app, _Server, _Quiet)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                continue
            raise ConfigurationError(f"METRICS_WORKER_HOST cannot be listened at: {error.strerror}") from error
        threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
        _log.info("metrics.served", port=port)

        def stop(server: WSGIServer = server) -> None:
            server.shutdown()
            server.server_close()

        return Served(port, stop)
    raise ConfigurationError(f"METRICS_WORKER_PORT: none of {PORTS} ports from {settings.worker_port} on is free")


def _app(credential: str | None) -> "Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]":
    def answer(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        status, kind, body = HTTPStatus.OK, CONTENT_TYPE_LATEST, b""
        if environ.get("PATH_INFO") != "/metrics":
            status, kind = HTTPStatus.NOT_FOUND, "text/plain"
        elif credential is not None and not bears(str(environ.get("HTTP_AUTHORIZATION", "")), credential):
            status, kind = HTTPStatus.UNAUTHORIZED, "text/plain"
        else:
            body = exposition()
        start(f"{status.value} {status.phrase}", [("Content-Type", kind), ("Content-Length", str(len(body)))])
        return [body]

    return answer


async def watch_ledger(parts: WorkerParts, *, every_s: float = LOOK_EVERY_S) -> None:
    """Count what is in the ledger, every `every_s` seconds; ends by being cancelled."""
    while True:
        try:
            lag = await parts.ledger.lag()
            now = parts.clock()
            ledger_seen(lag.counts, {stage: (now - at).total_seconds() for stage, at in lag.oldest_by_stage.items()})
        except MemorySystemError as error:
            _log.warning("metrics.ledger_unseen", error=safe_summary(error))
        await asyncio.sleep(every_s)
