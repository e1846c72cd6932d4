"""A client that starts the embedded stack: what it starts, when it does not, and what it says when that fails."""

import os
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ragpp import AsyncMemoryClient, MemoryClient
from ragpp.client import embedded
from ragpp.errors import ConfigurationError, StackError
from ragpp_infra.embedded.home import Home
from tests.support.each import each_case

STARTS = """
import os
import sys
from pathlib import Path
from ragpp_infra.embedded.home import Home
home = Home(Path(sys.argv[1]))
home.create()
home.remember("gateway_port", "8711")
home.write_key("rp_made")
home.write_client(os.getppid())
print("much that is said of it")
"""


def command(script: str) -> tuple[str, ...]:
    return sys.executable, "-c", script


class Gateway(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Home]:
    """A folder whose gateway answers."""
    server = HTTPServer(("127.0.0.1", 0), Gateway)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    home = Home(tmp_path / "running")
    home.create()
    home.remember("gateway_port", str(server.server_port))
    home.write_key("rp_running")
    home.write_client(os.getpid())
    yield home
    server.shutdown()
    thread.join()
    server.server_close()


async def test_what_does_not_run_is_started_once_also_where_a_loop_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(embedded, "_UP", command(STARTS))
    monkeypatch.setenv("RAGPP_HOME", str(tmp_path / "named"))
    monkeypatch.setenv("RAGPP_URL", "http://elsewhere")
    for client in (
        MemoryClient.embedded(),
        await AsyncMemoryClient.embedded(tmp_path / "given"),
    ):
        assert str(client._http.base_url) == "http://127.0.0.1:8711"
        assert client._http.headers["authorization"] == "Bearer rp_made"
    assert (tmp_path / "named" / "client.json").exists()
    assert (tmp_path / "given" / "client.json").exists()


def test_what_runs_is_left_alone(monkeypatch: pytest.MonkeyPatch, running: Home) -> None:
    monkeypatch.setattr(embedded, "_UP", command("raise SystemExit('started')"))
    client = MemoryClient.embedded(running.path)
    assert str(client._http.base_url) == running.url()


@each_case(
    ("said", "kind", "advice"),
    [
        ('{"title": "t", "status": 500, "detail": "no port", "code": "MEM-030"}', StackError, "ragpp logs"),
        ("Segmentation fault", StackError, "ragpp up"),
        ("", StackError, "ragpp up"),
    ],
)
def test_a_start_that_fails_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, kind: type[Exception], advice: str
) -> None:
    monkeypatch.setattr(embedded, "_UP", command(f"raise SystemExit({said!r})"))
    with pytest.raises(kind) as caught:
        MemoryClient.embedded(tmp_path)
    assert isinstance(caught.value, StackError)
    assert any(advice in one for one in caught.value.suggestions)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The real command, in an environment that lacks one of the packages."""
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError(name='typer')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(ConfigurationError, match="`embedded` is not installed: there is no module typer") as caught:
        MemoryClient.embedded(tmp_path / "home")
    assert any("ragpp[embedded]" in one for one in caught.value.suggestions)
