"""The demonstration, which starts a stack by itself."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragpp_infra.embedded.lifecycle import Lifecycle
from tests.support.command_line import runner
from tests.support.stack_commands import CommandLine, said_by, staying

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]


@pytest.fixture
def ragpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[CommandLine]:
    home = tmp_path / "stack"
    yield CommandLine(home, runner(monkeypatch, capsys))
    Lifecycle(home).bring_down(fast=True)


@pytest.mark.exhaustive
def test_the_demo_answers_its_five_questions_serves_until_ctrl_c_and_its_curl_works(
    ragpp: CommandLine, tmp_path: Path
) -> None:
    said = tmp_path / "said.txt"
    with staying(ragpp.home, "demo", "--serve", said=said) as served:
        text = said_by(served, said, "curl -s")
        curl = re.search(r"^curl .*?'$", text, re.MULTILINE | re.DOTALL)
        assert curl is not None
        answer = json.loads(subprocess.run(["bash", "-c", curl[0]], capture_output=True, text=True, check=True).stdout)
        assert answer["memories"]
        running = ragpp.pids()
        own = Lifecycle(ragpp.home).home
        elsewhere = ("demo", "--url", str(own.url()), "--key", str(own.key()))
        for said_by_one in (text, ragpp(*elsewhere)):  # the second finds the stack running, and its messages known
            assert said_by_one.count("messages that answer it are in the context") == 5
            assert said_by_one.count("complete in") + said_by_one.count("partial in") == 5
            assert "unavailable" not in said_by_one
        assert ragpp.pids() == running
        served.send_signal(signal.SIGINT)
        assert served.wait(60) == 0, said.read_text(encoding="utf-8")
    assert ragpp.pids() == {}
    ragpp("status", answers=3)
    ragpp("recall", "anything", "--user", "u1", answers=3)
