"""`ragpp chat` and the governor that it becomes, run in the test's own process."""

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest
import structlog

from ragpp_infra.cli.main import main as ragpp
from ragpp_services.governor.__main__ import main as governor
from tests.support.command_line import Done

ANY_KEY = "rk_test"

Run = Callable[..., Done]


def chatting(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Runs a command of `program`, the governor or ragpp, with `said` on its standard input, against the gateway at
    `url`. Where ragpp becomes the governor, that goes on in this process."""
    for name in [name for name in os.environ if name.startswith(("RAGPP_", "LLM_"))]:
        monkeypatch.delenv(name)
    before = structlog.get_config()

    def becomes(_path: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        assert command[1:3] == ["-m", "ragpp_services.governor"]
        for name in ("RAGPP_URL", "RAGPP_API_KEY"):
            monkeypatch.setenv(name, environment[name])
        monkeypatch.setattr("sys.argv", ["governor", *command[3:]])
        governor()

    def run(*arguments: str, said: str = "", url: str = "", program: str = "governor") -> Done:
        monkeypatch.setenv("RAGPP_URL", url)
        monkeypatch.setenv("RAGPP_API_KEY", ANY_KEY)
        monkeypatch.setattr("sys.argv", [program, *arguments])
        monkeypatch.setattr("sys.stdin", io.StringIO(said))
        monkeypatch.setattr("os.execve", becomes)
        with pytest.raises(SystemExit) as left:
            (ragpp if program == "ragpp" else governor)()
        told = capsys.readouterr()
        return Done(int(left.value.code or 0), told.out, told.err)

    yield run
    structlog.configure(**before)
