"""A container's health check fails when the service in it does not work, whatever is the matter."""

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from ragpp_infra.health import LATE_S, main, problem


class Answering(BaseHTTPRequestHandler):
    """`/200` answers 200, and so on."""

    def do_GET(self) -> None:
        self.send_response(int(self.path.removeprefix("/")))
        self.end_headers()
        self.wfile.write(b"redis did not answer in time")

    def log_message(self, *_: object) -> None:
        """Nothing: it would be shown beside the test."""


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Answering) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()


def test_an_address_works_when_it_answers_200(server: str) -> None:
    assert problem(f"{server}/200") is None
    degraded = problem(f"{server}/503")
    assert degraded is not None
    assert "503: redis did not answer" in degraded
    assert problem("http://127.0.0.1:1/200") is not None


def test_a_worker_works_while_its_heart_beats(tmp_path: Path) -> None:
    heart = tmp_path / "heart"
    assert problem(str(heart)) is not None
    heart.touch()
    assert problem(str(heart)) is None
    late = heart.stat().st_mtime - LATE_S - 5
    os.utime(heart, (late, late))
    assert problem(str(heart)) is not None


def test_the_exit_code_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["health", str(tmp_path / "none")])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    monkeypatch.setattr("sys.argv", ["health"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    (tmp_path / "some").touch()
    monkeypatch.setattr("sys.argv", ["health", str(tmp_path / "some")])
    main()
