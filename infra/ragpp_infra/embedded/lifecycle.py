"""The embedded stack as one thing: brought up, looked after, and stopped. It shows nothing: it tells."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Protocol

from ragpp.errors import StackError
from ragpp_infra.embedded.environment import environment_of, given_settings, without_effect
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.keys import Key, ensure_key, is_own, make_own_key
from ragpp_infra.embedded.known_settings import check_settings
from ragpp_infra.embedded.preloading import Preloaded
from ragpp_infra.embedded.processes import memory_mb, uptime_s
from ragpp_infra.embedded.second_encoder import why_without
from ragpp_infra.embedded.servers.server import SERVERS, ServerReport
from ragpp_infra.embedded.services import GATEWAY, ServiceReport, Services
from ragpp_infra.embedded.stack import Stack
from ragpp_infra.provisioning.postgres import is_unfinished
from ragpp_infra.provisioning.provision import HALF_RESTORED, REPEAT

WATCH_S: Final = 3.0


class Progress(Protocol):
    """Who is told how a start gets on; called from several threads."""

    def step(self, name: str, what: str) -> None:
        """The server or service `name` is doing `what`."""

    def download(self, received: int, total: int) -> None:
        """Bytes of Neo4j that have arrived, of all."""

    def server_report(self, report: ServerReport) -> None:
        """One server is there."""

    def service_report(self, report: ServiceReport) -> None:
        """One service is there, or was stopped."""


@dataclass(frozen=True)
class ProcessStatus:
    """One server or service as it is; the numbers are 0 where it does not run."""

    name: str
    running: bool = False
    pid: int = 0
    memory_mb: float = 0.0
    uptime_s: float = 0.0
    detail: str = "not running"


@dataclass(frozen=True)
class Started:
    """The outcome of one `bring_up`. `without_effect`: settings that were given and that the stack sets itself.
    `without_second`: why there is no second encoder, empty where there is one or none is wanted."""

    servers: Sequence[ServerReport]
    services: Sequence[ServiceReport]
    key: Key
    without_effect: Sequence[str]
    seconds: float
    without_second: str = ""


class Lifecycle:
    """The three servers and the services of one folder."""

    def __init__(self, path: Path) -> None:
        self.home = Home(path)
        self.services = Services(self.home)

    @cached_property
    def stack(self) -> Stack:
        """The servers, telling nobody."""
        return Stack(self.home.path)

    def names(self) -> list[str]:
        """The names of what this folder is to have: the servers, then the services."""
        return [*SERVERS, *self.services.names()]

    def bring_up(
        self, progress: Progress, *, workers: int | None = None, anew: bool = True, again: bool = False
    ) -> Started:
        """Start what does not run; return when every tier is ready. `workers`: how many there are to be from now on;
        without it as many as there were. `anew`: services that run with other settings than the environment has are
        started again; `again`: all services are.

        Raises ConfigurationError before anything is started; StackError: what had come up by then keeps running, and
        repeating attaches to it.
        """
        began = time.monotonic()
        check_settings()
        stack = Stack(
            self.home.path,
            on_step=progress.step,
            on_download=progress.download,
            on_report=progress.server_report,
        )
        cancelled = threading.Event()
        with ExitStack() as undone:
            preloaded = None if again else self._preload(stack, anew=anew)
            if preloaded is not None:
                undone.callback(preloaded.cancel)
            with ThreadPoolExecutor(1, thread_name_prefix="second") as pool:
                fetching = pool.submit(why_without, lambda what: progress.step(GATEWAY, what), cancelled)
                try:
                    servers, without_second = stack.up(), fetching.result()
                finally:
                    cancelled.set()
            if asyncio.run(is_unfinished(stack.postgres_superuser_dsn())):
                raise StackError(HALF_RESTORED, suggestions=REPEAT)
            endpoints = stack.endpoints()
            services = self.services.up(
                endpoints,
                workers=workers,
                given=given_settings() if anew else None,
                again=again,
                preloaded=preloaded,
                on_step=progress.step,
            )
        with self.home.locked():
            key = ensure_key(self.home, endpoints)
            self.home.write_client(self.services.pid(GATEWAY))
        for report in services:
            progress.service_report(report)
        vain = without_effect(os.environ, environment_of(self.home, endpoints, 0)) if anew else []
        return Started(servers, services, key, vain, time.monotonic() - began, without_second)

    def _preload(self, stack: Stack, *, anew: bool) -> Preloaded | None:
        self.home.create()
        try:
            expected = stack.endpoints()
        except StackError:  # nothing was ever started here
            return None
        return self.services.preload(expected, given_settings() if anew else None)

    def other_settings(self) -> dict[str, list[str]]:
        """Names of the settings that running services have other values of than the next `up` would give them from
        this environment, by service."""
        return self.services.differing(given_settings()) if self.home.path.exists() else {}

    def renew_key(self, revoked: str) -> bool:
        """Make another key for the folder where the one of the id `revoked` is its own; whether it was. Raises
        StackError."""
        with self.home.locked():
            if not is_own(self.home, revoked):
                return False
            make_own_key(self.home, self.stack.endpoints())
            self.home.write_client(self.services.pid(GATEWAY))
            return True

    def status(self) -> list[ProcessStatus]:
        """How everything of it is: the servers, then the services. Changes nothing."""
        if not self.home.path.exists():
            return [ProcessStatus(name) for name in self.names()]
        found = []
        for server in self.stack.status():
            detail = server.problem or f"{server.version}, ping {server.ping_ms:.0f} ms"
            measured = server.memory_mb, server.uptime_s
            found.append(ProcessStatus(server.name, server.running, server.pid, *measured, detail))
        for name in (*self.services.names(), *self.services.surplus()):
            pid = self.services.pid(name)
            if pid is None:
                found.append(ProcessStatus(name))
                continue
            detail = (self.home.url() or "") if name == GATEWAY else ""
            found.append(ProcessStatus(name, True, pid, memory_mb(pid), uptime_s(pid), detail))
        return found

    def running(self) -> set[str]:
        """The names of servers and services that run, workers beyond their number included."""
        if not self.home.path.exists():
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
        if not self.home.path.exists():
            return []
        with self.home.locked():
            self.services.want(up=False)
            if only is None or GATEWAY in only:
                self.home.remove_client()
        try:
            stopped = self.services.down(only, fast=fast)
        except KeyboardInterrupt:
            fast = True
            stopped = self.services.down(only, fast=True)
        return [*stopped, *self.stack.down(servers, fast=fast)]

    def stop_what_was_started(self, ran_before: Collection[str], on_stop: Callable[[bool], None]) -> None:
        """Stop all that runs and did not run before; a second Ctrl-C, whenever it comes, only makes it quick.
        `on_stop` is told before each attempt whether it is a quick one."""
        fast = False
        while own := self._own(ran_before):
            try:
                on_stop(fast)
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

    def endings(self) -> Iterator[list[str]]:
        """Names of what ended by itself, each time that something has; until another's `down` stops the stack."""
        while True:
            time.sleep(WATCH_S)
            if not self.services.wanted():
                return
            running = self.running()
            gone = [name for name in self.names() if name not in running]
            if gone and self.services.wanted():
                yield gone
