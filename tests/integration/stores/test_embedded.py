"""The embedded stack starts, attaches, survives kills and leaves no process behind, on real servers."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from ragpp.errors import StackError
from ragpp_infra.embedded import processes
from ragpp_infra.embedded import stack as stack_module
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.servers.server import SERVERS, ServerName, ServerReport
from ragpp_infra.embedded.stack import Stack
from tests.support.asking import in_neo4j, in_postgres

pytestmark = [pytest.mark.server, pytest.mark.timeout(180)]
LIGHT: tuple[ServerName, ...] = ("postgres", "valkey")


@contextlib.contextmanager
def home_at(path: Path) -> Iterator[Path]:
    """`path` as a stack's folder; afterwards its servers are gone, and what it put elsewhere."""
    Home(path).create()
    try:
        yield path
    finally:
        Stack(path).down(fast=True)
        for folder in Stack(path).folders_elsewhere():
            shutil.rmtree(folder)
        shutil.rmtree(path)


@contextlib.contextmanager
def empty_home() -> Iterator[Path]:
    """A folder that PostgreSQL's user can reach also when we are root: pytest's own are closed to others."""
    with home_at(Path(tempfile.mkdtemp(prefix="ragpp-stack-"))) as path:
        yield path


@pytest.fixture(scope="module")
def whole() -> Iterator[Stack]:
    """All three servers."""
    with empty_home() as folder:
        yield Stack(folder)


@pytest.fixture(scope="module")
def light() -> Iterator[Stack]:
    """The two that start in a second."""
    with empty_home() as folder:
        stack = Stack(folder)
        stack.up(LIGHT)
        yield stack


@pytest.mark.exhaustive
def test_a_half_written_first_start_is_cleared_and_data_survives_sigkill(
    whole: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torn_archive = tmp_path / "torn.aot"
    torn_archive.write_bytes(b"not an archive" * 100)
    half = whole.home / "neo4j" / "data"
    half.parent.mkdir(mode=0o700)
    half.mkdir()
    (half / "garbage").write_bytes(b"\0" * 100)
    (whole.home / "neo4j" / "first-start").touch()

    with monkeypatch.context() as torn:
        torn.setattr("ragpp_infra.embedded.servers.neo4j.archive_path", lambda _java: torn_archive)
        first = {report.name: report for report in whole.up()}
    assert set(first) == set(SERVERS)
    assert first["neo4j"].action == "recovered"
    assert any("first start" in what for what in first["neo4j"].cleared)
    assert first["postgres"].version.startswith("18.")
    assert first["neo4j"].version >= "2026.08"

    assert [report.action for report in whole.up()] == ["attached"] * 3
    assert [status.problem for status in whole.status()] == [""] * 3
    assert all(status.memory_mb > 1 and status.ping_ms > 0 for status in whole.status())

    private = [whole.home / part for part in ("neo4j", "valkey", "postgres", "logs", "secrets.json", "run/postgres")]
    assert [path for path in private if path.stat().st_mode & 0o077] == []

    in_neo4j(whole.endpoints(), "CREATE (:Kept {name: 'before the kill'})")
    whole.kill("neo4j")
    assert {status.name: status.running for status in whole.status()} == {
        "postgres": True,
        "valkey": True,
        "neo4j": False,
    }
    again = {report.name: report for report in whole.up()}
    assert (again["neo4j"].action, again["postgres"].action, again["valkey"].action) == (
        "recovered",
        "attached",
        "attached",
    )
    assert again["neo4j"].address == first["neo4j"].address
    kept = in_neo4j(whole.endpoints(), "MATCH (k:Kept) RETURN k.name AS name")
    assert [record["name"] for record in kept] == ["before the kill"]

    pids = [report.pid for report in again.values()]
    stopped = whole.down()
    assert [report.action for report in stopped] == ["stopped"] * 3
    assert max(report.seconds for report in stopped) < 30
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert [report.action for report in whole.down()] == ["absent"] * 3
    assert "shut down" in whole.log_path("postgres").read_text(encoding="utf-8")


def test_killed_servers_are_recovered_and_what_was_cleared_away_is_told(light: Stack) -> None:
    for name in LIGHT:
        light.kill(name)
    reports = light.up(LIGHT)
    assert [report.action for report in reports] == ["recovered"] * 2
    assert "postmaster.pid" in reports[0].cleared


def test_many_ups_at_once_start_each_server_once(light: Stack) -> None:
    light.down(LIGHT)
    with ThreadPoolExecutor(4) as pool:
        rounds = list(pool.map(lambda _: Stack(light.home).up(LIGHT), range(4)))
    assert sorted(report.action for reports in rounds for report in reports) == ["attached"] * 6 + ["started"] * 2
    assert len({report.pid for reports in rounds for report in reports}) == 2


def test_the_pid_file_of_a_recycled_pid_harms_nobody(light: Stack) -> None:
    light.down(LIGHT)
    program = "import threading; threading.Event().wait()"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.DEVNULL) as stranger:
        for name in LIGHT:
            (light.home / "run" / f"{name}.pid").write_text(f"{stranger.pid}\nborn-otherwise\n", encoding="utf-8")
        data_folder = next(path.parent for path in light.home.rglob("PG_VERSION") if path.parent.name == "data")
        (data_folder / "postmaster.pid").write_text(f"{stranger.pid}\n{data_folder}\n1\n5432\n\n\n", encoding="utf-8")
        reports = light.up(LIGHT)
        assert [report.action for report in reports] == ["recovered"] * 2
        assert stranger.poll() is None
        light.down(LIGHT)
        assert stranger.poll() is None
        stranger.kill()
    light.up(LIGHT)


def test_a_server_whose_pid_file_is_lost_is_attached_to(light: Stack) -> None:
    before = [report.pid for report in light.up(LIGHT)]
    for name in LIGHT:
        (light.home / "run" / f"{name}.pid").unlink()
    after = light.up(LIGHT)
    assert [report.action for report in after] == ["attached"] * 2
    assert [report.pid for report in after] == before


def test_a_server_that_cannot_start_says_why_from_its_log(light: Stack) -> None:
    light.down({"postgres"})
    [control] = [path for path in light.home.rglob("pg_control") if path.parent.name == "global"]
    hidden = control.rename(control.with_name("hidden"))
    try:
        with pytest.raises(StackError, match="postgres ended while starting") as failure:
            light.up({"postgres"})
        assert "pg_control" in str(failure.value)
    finally:
        hidden.rename(control)
    assert light.up({"postgres"})[0].action in {"started", "recovered"}


@dataclass(frozen=True)
class Begun:
    """A PostgreSQL whose first start was interrupted before, deep in a folder that is closed to others."""

    closed: Path
    stack: Stack
    report: ServerReport


@pytest.fixture(scope="module")
def begun() -> Iterator[Begun]:
    closed = Path(tempfile.mkdtemp(prefix="ragpp-closed-"))
    (closed / "not-ours").touch()
    with home_at(closed / ("deep" * 20) / ("deeper" * 10)) as home:
        draft = home / "postgres" / "data.new"
        draft.mkdir(parents=True)
        (draft / "PG_VERSION").write_text("18\n", encoding="ascii")
        stack = Stack(home)
        [report] = stack.up({"postgres"})
        yield Begun(closed, stack, report)
    shutil.rmtree(closed)


def test_an_interrupted_initdb_is_begun_again(begun: Begun) -> None:
    assert "half-written database folder" in begun.report.cleared


def test_what_runs_in_a_folder_that_was_deleted_is_ended() -> None:
    with empty_home() as folder:
        [orphan] = Stack(folder).up({"valkey"})
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        [report] = Stack(folder).up({"valkey"})
        assert report.cleared == ("server of a folder that was deleted",)
        assert report.pid != orphan.pid
        assert not psutil.pid_exists(orphan.pid)


def test_a_folder_too_deep_for_a_socket_and_closed_to_others_works(begun: Begun) -> None:
    stack, address = begun.stack, begun.report.address
    assert len(address) < 90
    assert in_postgres(stack.endpoints().postgres_app_dsn, "SELECT 1") == 1
    assert begun.closed.stat().st_mode & 0o777 == 0o700
    stack.kill("postgres")
    assert stack.up({"postgres"})[0].address == address


def test_a_second_ctrl_c_makes_the_stop_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """One Ctrl-C stops; the next is met while the servers end, and is not raised over them.

    It is raised where it would be met: a signal to this process may come before, and would end whatever runs then."""
    pressed = iter([True])

    def interrupted(futures: Collection[Future[object]]) -> None:
        if next(pressed, False):
            raise KeyboardInterrupt
        wait(futures)

    monkeypatch.setattr(processes, "HURRY_S", 0.3)
    with empty_home() as folder:
        stack = Stack(folder)
        stack.up({"valkey"})
        pid = stack.status()[SERVERS.index("valkey")].pid
        os.kill(pid, signal.SIGSTOP)  # it will not react to SIGTERM: an orderly stop would take 20 s
        monkeypatch.setattr(stack_module, "wait", interrupted)
        [report] = stack.down({"valkey"})
        assert next(pressed, None) is None
        assert report.action == "stopped"
        assert report.seconds < 19


def test_ctrl_c_while_starting_is_obeyed_and_the_next_start_goes_on(light: Stack) -> None:
    light.down({"postgres"})
    interrupt = threading.Event()

    def on_step(name: str, step: str) -> None:
        if (name, step) == ("postgres", "starting") and not interrupt.is_set():
            interrupt.set()
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        Stack(light.home, on_step=on_step).up({"postgres"})
    assert interrupt.is_set()
    assert Stack(light.home).up({"postgres"})[0].action in {"attached", "started", "recovered"}
