"""Child processes are found again, and nothing that is not ours is ever taken for one."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from ragpp.errors import StackError
from ragpp_infra.embedded import processes
from ragpp_infra.embedded.processes import Command, ManagedProcess, birth, tail
from tests.support.each import each_case

END: list[tuple[signal.Signals, float]] = [(signal.SIGKILL, 10.0)]
WAITS = (
    "import sys; print('ready', flush=True); sys.stdin = open('/dev/zero'); import threading; threading.Event().wait()"
)
BEGINS = f"import sys; sys.stdin.readline() or sys.exit('nobody is left to tell it'); {WAITS}"
IGNORES_TERM = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAITS}"


@pytest.fixture
def child(tmp_path: Path) -> Iterator[ManagedProcess]:
    process = ManagedProcess("child", tmp_path)
    yield process
    process.stop(END)


def command(tmp_path: Path, program: str = WAITS) -> Command:
    marker = str(tmp_path / "marker")
    return Command([sys.executable, "-c", program, marker], log=tmp_path / "child.log", marker=marker)


def wait_for_output(tmp_path: Path) -> None:
    deadline = time.monotonic() + 20
    while "ready" not in tail(tmp_path / "child.log"):
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)


def test_a_child_is_found_again_by_another_object(child: ManagedProcess, tmp_path: Path) -> None:
    pid = child.spawn(command(tmp_path))
    assert ManagedProcess("child", tmp_path).pid() == pid
    assert os.getsid(pid) == pid, "Ctrl-C in our terminal would reach it"


def test_a_killed_child_is_not_found_and_its_pid_file_is_stale(child: ManagedProcess, tmp_path: Path) -> None:
    pid = child.spawn(command(tmp_path))
    os.kill(pid, signal.SIGKILL)
    assert child.wait_gone(10.0)
    assert child.has_stale_pid_file()
    assert child.find(command(tmp_path)) is None
    assert not child.has_stale_pid_file()


def test_a_recycled_pid_is_neither_found_nor_killed(child: ManagedProcess, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WAITS], stdout=subprocess.DEVNULL) as stranger:
        (tmp_path / "child.pid").write_text(f"{stranger.pid}\nanother-boot:1\n", encoding="utf-8")
        assert child.pid() is None
        child.signal(signal.SIGKILL)
        assert child.stop(END) is None
        assert stranger.poll() is None
        stranger.kill()


@each_case("content", ["", "\n", "12", "x\ny\n", "1\n2\n3\n", "-1\nx\n", "0\nx\n", "99999999999\nx\n"])
def test_a_torn_pid_file_names_nothing(child: ManagedProcess, tmp_path: Path, content: str) -> None:
    (tmp_path / "child.pid").write_text(content, encoding="utf-8")
    assert child.pid() is None
    assert child.stop(END) is None


def test_a_child_whose_pid_file_is_lost_is_adopted_by_its_marker(child: ManagedProcess, tmp_path: Path) -> None:
    pid = child.spawn(command(tmp_path))
    wait_for_output(tmp_path)
    (tmp_path / "child.pid").unlink()
    assert child.pid() is None
    assert child.find(command(tmp_path)) == pid
    assert child.pid() == pid


def test_stopping_goes_on_to_the_next_signal_when_one_is_ignored(child: ManagedProcess, tmp_path: Path) -> None:
    pid = child.spawn(command(tmp_path, IGNORES_TERM))
    wait_for_output(tmp_path)
    assert child.stop([(signal.SIGTERM, 0.1), (signal.SIGKILL, 10.0)]) == pid
    assert not psutil.pid_exists(pid)


def test_hurry_cuts_a_long_patience(child: ManagedProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "HURRY_S", 0.1)
    child.spawn(command(tmp_path, IGNORES_TERM))
    wait_for_output(tmp_path)
    hurry = threading.Event()
    hurry.set()
    began = time.monotonic()
    child.stop([(signal.SIGTERM, 60.0), (signal.SIGKILL, 10.0)], hurry=hurry)
    assert time.monotonic() - began < 30


def test_a_child_that_outlives_its_signals_is_reported(child: ManagedProcess, tmp_path: Path) -> None:
    child.spawn(command(tmp_path, IGNORES_TERM))
    wait_for_output(tmp_path)
    with pytest.raises(StackError, match="does not end"):
        child.stop([(signal.SIGTERM, 0.05)])


def test_a_program_that_is_not_there_is_a_stack_error(child: ManagedProcess, tmp_path: Path) -> None:
    with pytest.raises(StackError, match="cannot be run"):
        child.spawn(Command([str(tmp_path / "nothing")], log=tmp_path / "child.log"))


def test_a_child_that_waits_begins_when_it_is_told(child: ManagedProcess, tmp_path: Path) -> None:
    pid = child.spawn(replace(command(tmp_path, BEGINS), waits=True))
    assert child.waits()
    assert child.pid() == pid
    child.tell()
    wait_for_output(tmp_path)
    assert not child.waits()


def test_a_child_that_waits_ends_with_whoever_would_have_told_it(child: ManagedProcess, tmp_path: Path) -> None:
    child.spawn(replace(command(tmp_path, BEGINS), waits=True))
    assert not child.wait_gone(0.05)
    child._told.close()  # type: ignore[union-attr]  # what the system does when a process dies
    assert child.wait_gone(20.0)
    child.tell()  # and is no error then
    assert "nobody is left" in tail(tmp_path / "child.log")


def test_a_large_log_is_moved_aside_before_the_next_start(
    child: ManagedProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "LOG_LIMIT_BYTES", 10)
    (tmp_path / "child.log").write_text("a former life\n", encoding="utf-8")
    child.spawn(command(tmp_path))
    wait_for_output(tmp_path)
    assert (tmp_path / "child.log.1").read_text(encoding="utf-8") == "a former life\n"


def test_two_processes_are_never_born_alike() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert birth(other.pid) != birth(os.getpid())
        assert birth(os.getpid()) == birth(os.getpid())
        other.kill()
    assert birth(other.pid) is None
