"""The command line, run in the test's own process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import pytest

from ragpp.client import AsyncMemoryClient
from ragpp_infra.cli import console
from ragpp_infra.cli.main import main
from ragpp_infra.embedded.home import Home

WIDTH: Final = 200
"""Columns of the terminal."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def runner(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    gateway: httpx.AsyncBaseTransport | None = None,
) -> Callable[..., Done]:
    """Runs a command as the shell would, `run("recall", "x", home=folder)`, on the gateway that it finds or on this."""

    def client(_home: Home, _url: str | None = None, _key: str | None = None, **_: object) -> AsyncMemoryClient:
        return AsyncMemoryClient("http://gateway", "k", retries=0, transport=gateway)

    if gateway is not None:
        monkeypatch.setattr(Home, "client", client)
    for name in ("RAGPP_HOME", "RAGPP_URL", "RAGPP_API_KEY", "RAGPP_USER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    for screen in (console.out, console.err):  # made before, as wide as the terminal then
        monkeypatch.setattr(screen, "width", WIDTH)

    def run(*arguments: str, home: Path) -> Done:
        monkeypatch.setenv("RAGPP_HOME", str(home))
        monkeypatch.setattr("sys.argv", ["ragpp", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr()
        return Done(int(left.value.code or 0), said.out, said.err)

    return run
