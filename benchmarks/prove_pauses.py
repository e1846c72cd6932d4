"""The tests on a machine that stands still now and then: all that they run is stopped together, and goes on.

    python -m benchmarks.prove_pauses [--runs 3] [--still 10] [--every 30] [-- what pytest is to run]
    python -m benchmarks.prove_pauses --still 0 --hogs 2        # never stopped, but a busy loop a core beside it

Each run is one of pytest, by default all that `make test` runs but the tests that are marked `deadline`: a pause longer
than the time that they are about is what they would rightly report. These run afterwards, undisturbed. Gateways,
workers and stores are found by their folders: each run has temporary ones of its own. Exit code 1 when a test failed.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

ALL: tuple[str, ...] = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-q")


def processes_below(folder: Path, started: "subprocess.Popen[bytes] | None" = None) -> Iterator[psutil.Process]:
    """The process that was started, its descendants, and whatever detached itself and works in `folder`."""
    own, found = os.getpid(), set[int]()
    if started is not None:
        root = psutil.Process(started.pid)
        for process in (root, *root.children(recursive=True)):
            found.add(process.pid)
            yield process
    for process in psutil.process_iter():
        if process.pid in found or process.pid == own:
            continue
        try:
            if Path(process.cwd()).is_relative_to(folder) or str(folder) in " ".join(process.cmdline()):
                yield process
        except psutil.Error:  # it has ended, or is the system's
            continue


def stand_still(folder: Path, started: "subprocess.Popen[bytes]", seconds: float) -> int:
    """Stop all of them for so long, and let them go on; how many there were."""
    stopped = []
    try:
        for process in processes_below(folder, started):
            try:
                if process.status() == psutil.STATUS_STOPPED:  # by a test, which is about what does not answer
                    continue
                process.send_signal(signal.SIGSTOP)
                stopped.append(process)
            except psutil.NoSuchProcess:
                continue
        time.sleep(seconds)
    except psutil.NoSuchProcess:  # the run has ended meanwhile
        pass
    finally:
        for process in stopped:
            try:
                process.send_signal(signal.SIGCONT)
            except psutil.NoSuchProcess:
                continue
    return len(stopped)


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """As many processes as are asked for, each of which keeps a core busy."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def run(arguments: list[str], *, still_s: float, every_s: float) -> tuple[int, int, float]:
    """The exit code of pytest, how often it was stopped, and the minutes that it took. `still_s` 0: never."""
    with tempfile.TemporaryDirectory(prefix="ragpp-pauses-") as name:
        folder, began, pauses = Path(name).resolve(), time.monotonic(), 0
        folder.chmod(0o755)  # started by root, PostgreSQL is another user's process, which looks for its socket there
        command = [sys.executable, "-m", "pytest", *arguments]
        with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(folder)}) as started:
            try:
                while True:
                    try:
                        started.wait(every_s)
                        break
                    except subprocess.TimeoutExpired:
                        pauses += still_s > 0 and stand_still(folder, started, still_s) > 0
            except KeyboardInterrupt:
                started.terminate()  # Ctrl-C has reached it already, what ended this one alone has not
                started.wait()
                raise
        return started.returncode, pauses, (time.monotonic() - began) / 60


def main() -> None:
    """Parse the command line and run; SIGTERM ends it as Ctrl-C does, with the tests that run."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--still", type=float, default=10.0, help="seconds that everything is stopped")
    parser.add_argument("--every", type=float, default=30.0, help="seconds between two stops")
    parser.add_argument("--hogs", type=int, default=0, help="busy loops that run beside the tests")
    parser.add_argument("pytest", nargs="*", default=list(ALL), help="arguments of pytest")
    given = parser.parse_args()
    shown = Table(title="tests on a machine that stands still", title_justify="left")
    for column in ("run", "exit code", "stops", "minutes"):
        shown.add_column(column, justify="right")
    failed = False
    for number in range(given.runs):
        marked = ["-m", "not exhaustive and not deadline"]
        with busy_loops(given.hogs):
            code, pauses, minutes = run([*given.pytest, *marked], still_s=given.still, every_s=given.every)
        shown.add_row(str(number + 1), str(code), str(pauses), f"{minutes:.1f}")
        failed |= code != 0
    code, _, minutes = run([*given.pytest, "-m", "deadline and not exhaustive"], still_s=0, every_s=given.every)
    shown.add_row("of deadlines", str(code), "0", f"{minutes:.1f}")
    Console().print(shown)
    sys.exit(failed or code not in {0, 5})


if __name__ == "__main__":
    main()
