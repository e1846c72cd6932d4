"""A run of the tests that is ended leaves no stack behind, and says that it was ended."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import psutil
import pytest

from tests.support.nested_run import options_of
from tests.support.source import ROOT
from tests.support.waiting import waited_for

# Below `tests`' conftest, yet none of its tests: the file is given by name.
TEST: Final = """
import subprocess, threading
from pathlib import Path
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.processes import birth

def test_with_a_stack_of_its_own_that_does_not_end(tmp_path):
    home = Home(tmp_path / "stack")
    home.create()
    home.ensure_passwords(initialised=False)
    elsewhere = Path({elsewhere!r})
    elsewhere.mkdir()
    home.remember("elsewhere", str(elsewhere))
    gateway = subprocess.Popen(["sleep", "600"], start_new_session=True)
    (home.run / "gateway.pid").write_text(f"{{gateway.pid}}\\n{{birth(gateway.pid)}}\\n")
    Path({started!r}).write_text(str(gateway.pid) + "\\n")
    threading.Event().wait()
"""


@pytest.mark.parametrize("processes", [0, 1])
def test_a_run_that_is_ended_ends_its_stacks_and_has_a_summary(tmp_path: Path, processes: int) -> None:
    started, elsewhere = tmp_path / "started", tmp_path / "elsewhere"
    test = tmp_path / "test_endless.py"
    test.write_text(TEST.format(started=str(started), elsewhere=str(elsewhere)), encoding="utf-8")
    options = options_of(tmp_path / "temporary", processes)
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, str(test)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as run:  # fmt: skip
        try:
            waited_for(
                lambda: started.exists() and started.read_text(encoding="utf-8").endswith("\n"),
                within_s=60,
                what="a test that runs",
            )
            gateway = int(started.read_text(encoding="utf-8"))
            run.send_signal(signal.SIGTERM)
            said, _ = run.communicate(timeout=60)
        finally:
            run.kill()
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert "no tests ran" in said
    assert "KeyboardInterrupt" in said
    assert not psutil.pid_exists(gateway) or psutil.Process(gateway).status() == psutil.STATUS_ZOMBIE
    assert not elsewhere.exists()
