"""The display of `ragpp up` while it works: a line for each server that is there, and below them what is being done."""

from typing import Final, Self

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TaskID, TextColumn, TransferSpeedColumn

from ragpp_infra.cli.console import err, safe
from ragpp_infra.embedded.servers.server import ServerReport
from ragpp_infra.embedded.services import ServiceReport, is_worker

_LOADING: Final = {"started": "starting", "restarted": "starting again"}


class Display:
    """Progress on standard error, moving only on a terminal; a `Progress`, which any thread may call."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._doing: dict[str, str] = {}
        self._steps = Progress(SpinnerColumn(), TextColumn("{task.description}", markup=False), console=err)
        self._bytes = Progress(
            TextColumn("  Neo4j, once:"), BarColumn(bar_width=30), DownloadColumn(), TransferSpeedColumn(), console=err
        )
        self._step_task = self._steps.add_task("")
        self._bytes_task: TaskID | None = None
        self._moving = not quiet and err.is_terminal
        self._live = Live(Group(self._steps, self._bytes), console=err, transient=True)

    def __enter__(self) -> Self:
        if self._moving:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._moving:
            self._live.stop()

    def step(self, name: str, what: str) -> None:
        """`name` is doing `what`."""
        self._doing[name] = what
        self._show()

    def download(self, received: int, total: int) -> None:
        """Bytes of Neo4j that have arrived, of all; the bar is gone once they are there."""
        if self._bytes_task is None:
            self._bytes_task = self._bytes.add_task("", total=total)
        self._bytes.update(self._bytes_task, completed=received, total=total, visible=received < total)

    def server_report(self, report: ServerReport) -> None:
        """One server is there."""
        port = "" if report.address.startswith("/") else report.address  # a socket's folder tells nobody anything
        details = f"{report.version} {port}".strip()
        if report.cleared:
            details += f" (cleared away: {', '.join(report.cleared)})"
        self._line(report.name, report.action, report.seconds, details)

    def service_report(self, report: ServiceReport) -> None:
        """One service is there, or was stopped; a worker that was started has its models still to load."""
        why = f"for {', '.join(report.settings)}" if report.settings else ""
        if is_worker(report.name) and report.action in _LOADING:
            self._say(report.name, _LOADING[report.action], f"learns within a minute {why}")
        else:
            self._line(report.name, report.action, report.seconds, why)

    def _line(self, name: str, action: str, seconds: float, details: str = "") -> None:
        self._say(name, "already running" if action == "attached" else f"{action} in {seconds:.1f} s", details)

    def _say(self, name: str, said: str, details: str) -> None:
        self._doing.pop(name, None)
        if not self._quiet:
            err.print(safe(f"  {name:<10} {said:<20} {details}".rstrip()), soft_wrap=True)
        self._show()

    def _show(self) -> None:
        doing = dict(self._doing)  # another thread may add to it meanwhile
        self._steps.update(self._step_task, description=", ".join(f"{name}: {what}" for name, what in doing.items()))
