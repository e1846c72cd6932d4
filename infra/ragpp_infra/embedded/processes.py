"""Detached child processes that outlive the one that starts them, found again by a pid file.

A pid alone does not name a process: the kernel gives it out again. So the file holds the moment of birth
beside it, and nothing is ever signalled whose birth is another.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

import psutil

from ragpp.births import birth_on_linux
from ragpp.errors import StackError

LOG_LIMIT_BYTES: Final = 16 << 20
POLL_S: Final = 0.02
HURRY_S: Final = 3.0
ORDERLY: Final = ((signal.SIGTERM, 15.0), (signal.SIGKILL, 5.0))
FAST: Final = ((signal.SIGKILL, 5.0),)
"""Signals of a stop, and for how many seconds each may take."""


@dataclass(frozen=True)
class Account:
    """A user of the operating system that a child runs as, with no supplementary groups."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True)
class Command:
    """A command to run.

    `marker` is one whole argument that no other process on the machine has (a path inside the stack's folder):
    by it a child is found again whose pid file was lost. `environment` replaces the inherited one when given. `waits`:
    it begins when it is told to (`ManagedProcess.tell`).
    """

    arguments: Sequence[str]
    log: Path
    marker: str = ""
    working_directory: Path | None = None
    environment: Mapping[str, str] | None = field(default=None, repr=False)
    account: Account | None = None
    waits: bool = False


class ManagedProcess:
    """One child process and its pid file `{folder}/{name}.pid`: a line with the pid, a line with its birth."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._pid_file = folder / f"{name}.pid"
        self._told: IO[bytes] | None = None

    def spawn(self, command: Command) -> int:
        """Start it in a session of its own, so that Ctrl-C in the terminal does not reach it; return the pid.

        Its output is appended to `command.log`, which is moved aside first when it is large. The caller makes
        sure that it is not running. Raises StackError when it cannot be run.
        """
        _rotate(command.log)
        account = command.account
        try:
            with command.log.open("ab") as log:
                child = subprocess.Popen(
                    list(command.arguments),
                    stdin=subprocess.PIPE if command.waits else subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=command.working_directory,
                    env=None if command.environment is None else dict(command.environment),
                    start_new_session=True,
                    umask=0o077,
                    user=account.uid if account else None,
                    group=account.gid if account else None,
                    extra_groups=[] if account else None,
                )
        except OSError as error:
            raise StackError(f"{self.name} cannot be run: {error}") from error
        self._told = child.stdin
        child.returncode = 0  # the child outlives this object on purpose; `_reap` collects it if it ends before us
        self._write(child.pid)
        return child.pid

    def tell(self) -> None:
        """Have a child that waits begin; nothing where it has ended."""
        if self._told is not None and self.waits():
            with contextlib.suppress(BrokenPipeError), self._told as told:
                told.write(b"begin\n")

    def dismiss(self) -> None:
        """Never tell a child that waits: it ends by itself."""
        if self._told is not None:
            self._told.close()

    def waits(self) -> bool:
        """True where it is yet to be told."""
        return self._told is not None and not self._told.closed

    def pid(self) -> int | None:
        """The pid when it is running, else None. Changes nothing."""
        return self._recorded()

    def find(self, command: Command) -> int | None:
        """The pid when it is running, else None; a pid file that names no living child of ours is removed.

        A child without a valid pid file (its parent died before it could write one) is looked for among the
        processes that run as the user of `command`, by its marker, and adopted.
        """
        pid = self._recorded()
        if pid is None and command.marker:
            pid = _find_by_argument(command.marker, command.account.uid if command.account else os.geteuid())
            if pid is not None:
                self._write(pid)
        if pid is None:
            self._pid_file.unlink(missing_ok=True)
        return pid

    def has_stale_pid_file(self) -> bool:
        """True where a pid file is there although its process is not: the sign of one that was killed."""
        return self._pid_file.exists() and self._recorded() is None

    def stop(
        self, signals: Sequence[tuple[signal.Signals, float]], *, hurry: threading.Event | None = None
    ) -> int | None:
        """Send each signal and wait up to its seconds, until it is gone; the pid it had, None if it did not run.

        Once `hurry` is set, no signal gets more than three seconds. Raises StackError when it outlives all of them.
        """
        pid = self._recorded()
        if pid is None:
            self._pid_file.unlink(missing_ok=True)
            return None
        for number, patience_s in signals:
            self.signal(number)
            if self.wait_gone(patience_s, hurry=hurry):
                self._pid_file.unlink(missing_ok=True)
                return pid
        raise StackError(f"{self.name} (process {pid}) does not end")

    def signal(self, number: signal.Signals) -> None:
        """Send one signal to the process, if it runs and is ours; SIGKILL goes to its children too."""
        pid = self._recorded()
        if pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if number == signal.SIGKILL and os.getpgid(pid) == pid:
                os.killpg(pid, number)
            else:
                os.kill(pid, number)

    def wait_gone(self, patience_s: float, *, hurry: threading.Event | None = None) -> bool:
        """Wait until it has ended; False when it still runs after `patience_s` seconds."""
        deadline = time.monotonic() + patience_s
        while self._recorded() is not None:
            if hurry is not None and hurry.is_set():
                deadline = min(deadline, time.monotonic() + HURRY_S)
                hurry = None
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_S)
        return True

    def _write(self, pid: int) -> None:
        born = birth(pid)
        if born is None:
            return
        draft = self._pid_file.with_suffix(".pid.new")
        draft.write_text(f"{pid}\n{born}\n", encoding="utf-8")
        draft.replace(self._pid_file)

    def _recorded(self) -> int | None:
        try:
            pid_text, born = self._pid_file.read_text(encoding="utf-8").splitlines()
            pid = int(pid_text)
        except (FileNotFoundError, ValueError):
            return None
        if not 0 < pid < 1 << 31:  # kill(2) gives 0 and below a meaning of their own
            return None
        if birth(pid) == born:
            return pid
        _reap(pid)
        return None


def birth(pid: int) -> str | None:
    """The mark that tells this process from any other that has or had the pid; None when none runs."""
    return birth_on_linux(pid) if sys.platform == "linux" else _birth_by_clock(pid)


def _birth_by_clock(pid: int) -> str | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.2f}"
    except psutil.NoSuchProcess:
        return None


def memory_mb(pid: int) -> float:
    """Resident MB of a process and its descendants, pages that they share counted once; 0 when it is gone.

    Where the system does not tell what is shared (it does on Linux, to the owner), they are counted in each.
    """
    total = 0
    with contextlib.suppress(psutil.NoSuchProcess):
        for process in (root := psutil.Process(pid), *root.children(recursive=True)):
            try:
                full = process.memory_full_info()
                total += getattr(full, "pss", 0) or full.rss
            except psutil.AccessDenied:
                total += process.memory_info().rss
    return total / 1e6


def uptime_s(pid: int) -> float:
    """Seconds since a process was started; 0 when it is gone."""
    try:
        return max(0.0, time.time() - float(psutil.Process(pid).create_time()))
    except psutil.NoSuchProcess:
        return 0.0


def tail(log: Path, lines: int = 15) -> str:
    """The last `lines` lines of a log, empty when there is none."""
    try:
        content = log.read_bytes()[-16384:]
    except FileNotFoundError:
        return ""
    return "\n".join(content.decode("utf-8", errors="replace").splitlines()[-lines:])


def _reap(pid: int) -> None:
    """Collect the process if it is an ended child of this very process: it would stay a zombie otherwise."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _find_by_argument(marker: str, uid: int) -> int | None:
    """The process of user `uid` with the argument `marker`; of a family the eldest."""
    parents: dict[int, int] = {}
    for process in psutil.process_iter(["cmdline", "ppid", "status", "uids"]):
        seen = process.info
        if marker in (seen["cmdline"] or ()) and seen["uids"].effective == uid and seen["status"] != "zombie":
            parents[process.pid] = seen["ppid"]
    return next((pid for pid, parent in parents.items() if parent not in parents), None)


def _rotate(log: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if log.stat().st_size > LOG_LIMIT_BYTES:
            log.replace(log.with_name(f"{log.name}.1"))
