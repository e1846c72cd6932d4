"""The embedded stack as one thing: brought up with its progress shown, watched, and stopped."""

import os
import signal
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final, get_args

from ragpp_infra.cli.console import err, safe
from ragpp_infra.cli.display import Display
from ragpp_infra.cli.environment import check_settings
from ragpp_infra.cli.keys import ensure_key
from ragpp_infra.cli.place import Place
from ragpp_infra.cli.services import ServiceReport, Services
from ragpp_infra.embedded.server import ServerName, ServerReport

if TYPE_CHECKING:
    from ragpp_infra.embedded.stack import Stack

SERVERS: Final[tuple[ServerName, ...]] = get_args(ServerName)
WATCH_S: Final = 3.0


@dataclass(frozen=True)
class Started:
    """What one `bring_up` found and did."""

    servers: Sequence[ServerReport]
    services: Sequence[ServiceReport]
    key_made: bool
    seconds: float


class Lifecycle:
    """The three servers and the services of one folder."""

    def __init__(self, path: Path) -> None:
        self.place = Place(path)
        self.services = Services(self.place)

    @cached_property
    def stack(self) -> "Stack":
        """The servers, without a display."""
        return self._stack()

    def _stack(self, display: Display | None = None) -> "Stack":
        from ragpp_infra.embedded.stack import Stack  # noqa: PLC0415 - three drivers, half a second that recall need not wait

        if display is None:
            return Stack(self.place.home.path)
        return Stack(
            self.place.home.path,
            on_step=display.step,
            on_download=display.download,
            on_report=display.server_report,
        )

    def names(self) -> list[str]:
        """What this folder is to have: the servers, then the services."""
        return [*SERVERS, *self.services.names()]

    def bring_up(self, *, workers: int | None = None, quiet: bool = False, anew: bool = True) -> Started:
        """Start what does not run; return when every tier is ready. Progress goes to standard error. `workers`: how
        many there are to be from now on; without it as many as there were. `anew`: services that run with other
        settings than the environment has are started again.

        Raises ConfigurationError before anything is started; StackError: what had come up by then keeps running, and
        repeating attaches to it.
        """
        began = time.monotonic()
        check_settings()
        with Display(quiet=quiet) as display:
            stack = self._stack(display)
            servers = stack.up()
            endpoints = stack.endpoints()
            services = self.services.up(
                endpoints, workers=workers, given=os.environ if anew else None, on_step=display.service_step
            )
            with self.place.home.locked():
                key_made = ensure_key(self.place, endpoints)
            for report in services:
                why = f"for {', '.join(report.settings)}" if report.settings else ""
                display.line(report.name, report.action, report.seconds, why)
        return Started(servers, services, key_made, time.monotonic() - began)

    def running(self) -> set[str]:
        """What of it runs."""
        if not self.place.home.path.exists():
            return set()
        servers = {status.name for status in self.stack.status() if status.running}
        services = {name for name in self.services.names() if self.services.pid(name) is not None}
        return {*servers, *services, *self.services.surplus()}

    def bring_down(
        self, only: Collection[str] | None = None, *, fast: bool = False
    ) -> list[ServerReport | ServiceReport]:
        """Stop the services, then the servers, all or those in `only`. A Ctrl-C meanwhile ends them at once; nothing
        acknowledged is lost."""
        servers = [name for name in SERVERS if only is None or name in only]
        if not self.place.home.path.exists():
            return []
        with self.place.home.locked():
            self.services.want(up=False)
        try:
            stopped = self.services.down(only, fast=fast)
        except KeyboardInterrupt:
            fast = True
            stopped = self.services.down(only, fast=True)
        return [*stopped, *self.stack.down(servers, fast=fast)]

    def stop_what_was_started(self, ran_before: Collection[str] = ()) -> None:
        """Stop all that runs and did not run before; a second Ctrl-C, whenever it comes, only makes it quick."""
        fast = False
        while own := self._own(ran_before):
            try:
                err.print("Stopping at once" if fast else "Stopping; Ctrl-C again ends at once")
                self.bring_down(own, fast=fast)
            except KeyboardInterrupt:
                fast = True
            else:
                return

    def _own(self, ran_before: Collection[str]) -> set[str]:
        try:
            return self.running() - set(ran_before)
        except KeyboardInterrupt:
            return {*self.names(), *self.services.surplus()} - set(ran_before)

    def watch(self) -> None:
        """Start again what ends by itself, until Ctrl-C, SIGTERM, a closed terminal, or another's `ragpp down`."""
        with _sigterm_as_interrupt():
            while True:
                time.sleep(WATCH_S)
                if not self.services.wanted():
                    err.print("stopped from another terminal")
                    return
                running = self.running()
                gone = [name for name in self.names() if name not in running]
                if gone and self.services.wanted():
                    err.print(safe(f"{', '.join(gone)} ended; starting again", "yellow"))
                    self.bring_up(anew=False)  # another terminal may have given what runs other settings since


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
