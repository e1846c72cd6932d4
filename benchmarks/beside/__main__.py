"""RAG++ beside the alternatives, in one run: quality on LoCoMo, speed with many made-up users.

    python -m benchmarks.beside                              # all systems, 1,000 users x 100 messages
    python -m benchmarks.beside --users 50 --only bm25 mem0  # a smaller one, of two
    python -m benchmarks.beside --again                      # measure also what is known already
    python -m benchmarks.beside --users 50 --markdown        # measure nothing: the table for the documentation

Every system gets an environment of its own and a fresh PostgreSQL of ours. What was measured with the same numbers of
users and messages is not measured again: a run that was ended goes on where it was. docs/benchmarks.md says how.
"""

import argparse
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import locomo
from benchmarks.beside.catalogue import ENTRIES, NAMES, Entry
from benchmarks.beside.child import Failed
from benchmarks.beside.endpoint import Endpoint, serving
from benchmarks.beside.measure import Course
from benchmarks.beside.plot import picture_of, points_of
from benchmarks.beside.results import Measured, Report, Row, key_of, load, save
from benchmarks.beside.stage import machine
from benchmarks.beside.tables import markdown_of, notes_of, table_of
from benchmarks.beside.workload import Workload
from benchmarks.beside.workload import load as load_workload
from benchmarks.environments import CannotInstall, python_of, version_of
from benchmarks.evaluation import DATA, needs
from ragpp.errors import MemorySystemError

FOLDER: Final = Path(".ragpp/beside")
WIDTH: Final = 190
ENDED: Final = 143
"""The exit code of who was asked to end."""


class Run:
    """One run over some systems; `arguments` are those of the command line."""

    def __init__(self, arguments: argparse.Namespace, console: Console) -> None:
        self._arguments, self._console = arguments, console
        self._folder: Path = arguments.folder.resolve()
        self._results = self._folder / "results.json"
        self._asked = {"users": arguments.users, "messages": arguments.messages}
        self.report = load(self._results, machine())

    def shown(self) -> list[Row]:
        """Rows that are known of the numbers of users and messages that are asked for."""
        rows = {row.name: row for row in self.report.of(self._asked)}
        return [rows[name] for name in NAMES if name in rows and name in self._arguments.rows]

    def measure(self) -> None:
        """Measure what is not known yet, one system after the other, and save each."""
        waiting = [entry for entry in ENTRIES if entry.name in self._arguments.only and not self._is_known(entry)]
        if not waiting:
            return
        needs(self._arguments.data, "locomo-dev.json")
        workload = load_workload(self._arguments.data, self._arguments.users, self._arguments.messages)
        (self._folder / "logs").mkdir(parents=True, exist_ok=True)
        with serving(self._folder / "vectors.npz") as endpoint:
            texts = workload.texts()
            self._console.print(f"{endpoint.know(texts)} of {len(texts)} texts are embedded before the clock runs")
            for entry in waiting:
                row = self._row(entry, workload, endpoint)
                known = load(self._results, self.report.machine)  # another run may have measured others meanwhile
                self.report = Report(machine=known.machine, rows={**known.rows, row.key: row})
                save(self.report, self._results)
                endpoint.save()
                for note in notes_of(row):
                    self._console.print(f"{entry.title}: {note}", highlight=False, markup=False)

    def _is_known(self, entry: Entry) -> bool:
        row = self.report.rows.get(key_of(entry.name, self._asked))
        return not self._arguments.again and row is not None and row.measured is not None

    def _row(self, entry: Entry, workload: Workload, endpoint: Endpoint) -> Row:
        known = {"name": entry.name, "title": entry.title}
        version = ""
        try:
            self._console.print(f"{entry.title}: its environment", highlight=False)
            python = python_of(entry.requirements, self._folder, entry.python)
            version = version_of(python, entry.package)
            measured = self._course(entry, python, workload, endpoint)
        except subprocess.CalledProcessError as error:
            return Row(**known, version=version, asked=self._asked, failed=f"{error}: {error.stderr.decode()}")
        except (CannotInstall, Failed, MemorySystemError) as error:
            return Row(**known, version=version, asked=self._asked, failed=str(error))
        return Row(**known, version=version, asked=self._asked, measured=measured)

    def _course(self, entry: Entry, python: Path, workload: Workload, endpoint: Endpoint) -> Measured:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        log = self._folder / "logs" / f"{entry.name}.log"
        log.write_text("", encoding="utf-8")
        with Progress(*columns, console=self._console, transient=True) as progress:
            task = progress.add_task(entry.title)

            def begin(phase: str, total: int) -> None:
                progress.reset(task, description=f"{entry.title}: {phase}", total=total or None)

            return Course(
                entry,
                python,
                workload,
                endpoint,
                locomo.metrics(self._arguments.data),
                log,
                limit_s=self._arguments.write_limit,
                on_phase=begin,
                on_progress=lambda count: progress.advance(task, count),
            ).run()


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=1_000, help="made-up users")
    parser.add_argument("--messages", type=int, default=100, help="messages of each")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=list(NAMES), metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--rows", nargs="+", choices=NAMES, default=list(NAMES), metavar="NAME", help="those to show")
    parser.add_argument("--write-limit", type=float, default=300.0, help="seconds for writing them; 0: no limit")
    parser.add_argument("--again", action="store_true", help="measure also what is known")
    parser.add_argument("--markdown", action="store_true", help="print what is known as Markdown; measure nothing")
    parser.add_argument("--plot", type=Path, help="draw what is known into this SVG; measure nothing")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the evaluation data")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for environments, vectors, logs and results")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(ENDED))  # so that servers are stopped then, too
    console = Console() if Console().width >= WIDTH else Console(width=WIDTH)
    run = Run(arguments, console)
    if arguments.markdown:
        sys.stdout.write(markdown_of(run.shown()) + "\n")
    if arguments.plot:
        arguments.plot.write_text(picture_of(points_of(run.shown())), encoding="utf-8")
    if arguments.markdown or arguments.plot:
        return
    run.measure()
    console.print(table_of(run.shown()))


if __name__ == "__main__":
    main()
