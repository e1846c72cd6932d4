"""The command line takes no other program's gateway for its own."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from ragpp_infra.embedded.home import HOST, Home
from ragpp_infra.embedded.services import GATEWAY, ServiceReport, Services
from ragpp_infra.embedded.stack import Endpoints

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]


class AlwaysReady(BaseHTTPRequestHandler):
    """Answers every path as a gateway that is ready does."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def stranger_at(port: int) -> Iterator[None]:
    server = ThreadingHTTPServer((HOST, port), AlwaysReady)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Overtaken(Services):
    """The gateway alone. A stranger takes the first port between its choice and the gateway's start, and keeps it
    until `stack` ends."""

    def __init__(self, home: Home, stack: ExitStack) -> None:
        super().__init__(home)
        self.ports: list[int] = []
        self._stack = stack

    def names(self) -> list[str]:
        return [GATEWAY]

    def _start(self, name: str, settings: Mapping[str, str]) -> ServiceReport:
        port = int(settings["GATEWAY_PORT"])
        if not self.ports:
            self._stack.enter_context(stranger_at(port))
        self.ports.append(port)
        return super()._start(name, settings)


@pytest.mark.exhaustive
def test_a_gateway_whose_port_was_taken_meanwhile_gets_another(
    endpoints: Endpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDING_PROVIDER", "hashing")
    home = Home(tmp_path / "stack")
    home.create()
    home.ensure_passwords(initialised=False)
    with ExitStack() as leaving:
        services = Overtaken(home, leaving)
        leaving.callback(services.down, fast=True)
        (gateway,) = services.up(endpoints)
        taken, ours = services.ports[:2]
        assert taken != ours
        assert gateway.pid == services.pid("gateway")
        assert home.url() == f"http://{HOST}:{ours}"
        assert "version" in httpx.get(f"{home.url()}/openapi.json", trust_env=False).json()["info"]
