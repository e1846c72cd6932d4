"""Restarts of a stack that has work to do."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import runner
from tests.support.stack_commands import SAMPLE, CommandLine, command, environment, started

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]


@pytest.fixture
def ragpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[CommandLine]:
    home = tmp_path / "stack"
    with started(home):
        yield CommandLine(home, runner(monkeypatch, capsys))


@pytest.mark.exhaustive
def test_restarts_at_once_take_turns_and_a_busy_worker_loses_nothing(ragpp: CommandLine, tmp_path: Path) -> None:
    before = ragpp.pids()
    some = tmp_path / "some.jsonl"
    some.write_text("\n".join(SAMPLE.read_text(encoding="utf-8").splitlines()[:12]), encoding="utf-8")
    ragpp("ingest", str(some), "--user", "busy")
    restarts = [
        subprocess.Popen(command("restart", "--json"), env=environment(ragpp.home), stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    told = [json.loads(one.communicate(timeout=300)[0]) for one in restarts]
    assert [one.returncode for one in restarts] == [0, 0]
    assert [{of["name"]: of["action"] for of in one["services"]} for one in told] == 2 * [
        {"gateway": "restarted", "workers": "restarted"}
    ]
    after = ragpp.pids()
    assert {name for name in before if before[name] != after[name]} == {"gateway", "workers"}
    ragpp.until_digested("busy", within_s=240)  # what a worker had begun waits for the end of its lease
    assert json.loads(ragpp("jobs", "--state", "failed", "--json"))["items"] == []
    known = json.loads(ragpp("ingest", str(some), "--user", "busy", "--json"))
    assert known["stored"] == 0  # each is there already
    ragpp.starts_nothing_more()
