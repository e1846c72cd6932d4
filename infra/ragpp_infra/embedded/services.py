"""The gateway and the workers of an embedded stack: detached processes beside the three servers."""

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from ragpp.errors import StackError
from ragpp_infra.embedded.environment import (
    PORT,
    changed_settings,
    environment_of,
    of_service,
    print_of,
    share_of_connections,
    wanted_port,
)
from ragpp_infra.embedded.home import Home, is_free
from ragpp_infra.embedded.preloading import Preloaded
from ragpp_infra.embedded.processes import FAST, ORDERLY, Command, ManagedProcess
from ragpp_infra.embedded.readiness import is_taken, last_words, wait_until_ready
from ragpp_infra.programs import ALL_IN_ONE, migrate

if TYPE_CHECKING:
    from ragpp_infra.provisioning.endpoints import Endpoints

GATEWAY: Final = "gateway"
MOST_WORKERS: Final = 64
PORT_ATTEMPTS: Final = 3
_WAITING: Final = "waiting_gateway"
"""Under this the folder remembers the pid of a gateway that was preloaded and is yet to be told to begin."""
_WORKER: Final = re.compile(r"workers(?:-([1-9][0-9]?))?")


@dataclass(frozen=True)
class ServiceReport:
    """The action on one service, and how long it took. `settings`: those for which it was started again."""

    name: str
    action: Literal["started", "restarted", "attached", "stopped", "absent"]
    seconds: float
    pid: int
    settings: tuple[str, ...] = ()


def worker_name(number: int) -> str:
    """The name of the `number`-th worker, counted from 1."""
    return "workers" if number == 1 else f"workers-{number}"


def is_worker(name: str) -> bool:
    """True where a worker can have this name, in whatever folder."""
    match = _WORKER.fullmatch(name)
    return match is not None and worker_name(int(match[1] or 1)) == name


class Services:
    """Starts, finds and stops the gateway and the workers of one folder."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def names(self) -> list[str]:
        """The names of what this folder is to have: the gateway, and as many workers as it remembers."""
        workers = int(self.home.recall("workers") or 1)
        return [GATEWAY, *(worker_name(number) for number in range(1, workers + 1))]

    def surplus(self) -> list[str]:
        """Workers that run beyond that number: what changed it was ended before it could stop them."""
        named = (path.stem for path in self.home.run.glob("workers*.pid"))
        return sorted(name for name in {*named} - {*self.names()} if is_worker(name) and self.pid(name) is not None)

    def log_path(self, name: str) -> Path:
        """Where the service logs to."""
        return self.home.logs / f"{name}.log"

    def pid(self, name: str) -> int | None:
        """The service's pid when it runs."""
        return self._process(name).pid()

    def pids(self) -> dict[str, int]:
        """Those that run, of `names`, with their pids."""
        return {name: pid for name in self.names() if (pid := self.pid(name)) is not None}

    def preload(self, endpoints: "Endpoints", given: Mapping[str, str] | None = None) -> Preloaded | None:
        """Have what `up` will start load its modules, for stores that are expected at `endpoints`; None where something
        runs. To be given to `up`, or cancelled."""
        with self.home.locked():
            if {*self.pids(), *self.surplus()}:
                return None
            self.home.return_to_usual_port()
            settings = environment_of(self.home, endpoints, self._port(wanted_port(given or {})))
            self.home.remember(f"{GATEWAY}_settings", print_of(of_service(GATEWAY, settings)))
            preloaded = Preloaded(settings, self._process(GATEWAY), self._command(GATEWAY, settings))
            self.home.remember(_WAITING, str(preloaded.pid))
            return preloaded

    def up(
        self,
        endpoints: "Endpoints",
        *,
        workers: int | None = None,
        given: Mapping[str, str] | None = None,
        again: bool = False,
        preloaded: Preloaded | None = None,
        on_step: Callable[[str, str], None] = lambda _name, _step: None,
    ) -> list[ServiceReport]:
        """Start what does not run, and return when the gateway is ready with every tier.

        `workers`: how many there are to be from now on, 1 to MOST_WORKERS; those beyond are stopped. A service that was
        started for other endpoints than these, or with other settings than those in `given`, is started again; without
        `given`, settings stay as they are. `again`: what runs is started again in any case, the gateway stopped first
        so that nothing new arrives. Raises StackError when one ends while starting, or is not ready in time.
        """
        with self.home.locked():
            self.want(up=True)
            self._end_waiting(preloaded)
            if workers is not None:
                self.home.remember("workers", str(workers))
            pids = self.pids()
            if not {*pids, *self.surplus()}:
                self.home.return_to_usual_port()  # nobody runs who was told another
            news = {} if given is None else self.differing(given)
            stopping = [*pids] if again else [*news]
            if stopping:
                on_step(", ".join(stopping), f"stopping, to start {'again' if again else 'with other settings'}")
            self._stop([name for name in stopping if name == GATEWAY], ORDERLY)
            self._stop([name for name in stopping if name != GATEWAY], ORDERLY)
            settings, gateway = self._start_gateway(endpoints, on_step, wanted_port(given or {}), preloaded)
            on_step("workers", "starting")
            started = [self._start(name, settings) for name in self.names() if name != GATEWAY]
            stopped = self._stop(self.surplus(), ORDERLY)
        reports = [
            replace(report, action="restarted", settings=tuple(news.get(report.name, ())))
            if report.name in stopping
            else report
            for report in (gateway, *started)
        ]
        return [*reports, *stopped]

    def differing(self, given: Mapping[str, str]) -> dict[str, list[str]]:
        """Names of the settings that running services have other values of than they would have with `given`, by
        service; none of those that have the same."""
        pids = self.pids()
        found = {name: changed_settings(name, pid, given) for name, pid in pids.items()}
        port = wanted_port(given)
        if GATEWAY in pids and port is not None and str(port) != self.home.recall("gateway_port") and is_free(port):
            found[GATEWAY].append(PORT)
        return {name: settings for name, settings in found.items() if settings}

    def _start_gateway(
        self,
        endpoints: "Endpoints",
        on_step: Callable[[str, str], None],
        wanted: int | None = None,
        preloaded: Preloaded | None = None,
    ) -> tuple[dict[str, str], ServiceReport]:
        """The settings and what was done. Another program may take the port between its choice and its use, such as
        a second stack that is started at the same time: then another port is tried."""
        for attempt in range(1, PORT_ATTEMPTS + 1):
            port = self._port(wanted)
            settings = environment_of(self.home, endpoints, port)
            if preloaded is not None and preloaded.settings != settings:
                preloaded.cancel()
                preloaded = None
            if attempt == 1 and any(self._starts(name, settings) for name in self.names()):  # with the code of now
                on_step(GATEWAY, "bringing the schemas up to date")
                _migrate(self.home, settings, preloaded)
            on_step(GATEWAY, "starting")
            report = self._start(GATEWAY, settings)
            if preloaded is not None:
                self.home.remember(_WAITING, "")
                preloaded.serve()
                report, preloaded = replace(report, action="started"), None
            try:
                seconds = wait_until_ready(port, self._process(GATEWAY).pid, self.log_path(GATEWAY))
            except StackError:
                if attempt == PORT_ATTEMPTS or self.pid(GATEWAY) is not None or not is_taken(port):
                    raise
                continue
            return settings, ServiceReport(GATEWAY, report.action, seconds, report.pid)
        raise AssertionError("the last attempt returns or raises")

    def _end_waiting(self, preloaded: Preloaded | None) -> None:
        """End a gateway that waits to be told by another `up`, which cannot while this one holds the lock."""
        pid = self.pid(GATEWAY)
        if pid is not None and self.home.recall(_WAITING) == str(pid) and (preloaded is None or preloaded.pid != pid):
            self._process(GATEWAY).stop(FAST)

    def want(self, *, up: bool) -> None:
        """Note whether the stack is to run, for a terminal that watches it. The caller holds the lock."""
        self.home.remember("wanted", "up" if up else "down")

    def wanted(self) -> bool:
        """True where the stack is to run: False once another terminal has stopped it."""
        return self.home.recall("wanted") != "down"

    def down(self, only: Collection[str] | None = None, *, fast: bool = False) -> list[ServiceReport]:
        """Stop those in `only`, or all: the gateway first so that nothing new arrives, then the workers at once.

        Ctrl-C gives those that are stopping three seconds more, and is raised then.
        """
        signals = FAST if fast else ORDERLY
        names = [name for name in (*self.names(), *self.surplus()) if only is None or name in only]
        gateway = [name for name in names if name == GATEWAY]
        return [*self._stop(gateway, signals), *self._stop([name for name in names if name != GATEWAY], signals)]

    def _stop(self, names: Sequence[str], signals: Sequence[tuple[signal.Signals, float]]) -> list[ServiceReport]:
        hurry = threading.Event()

        def one(name: str) -> ServiceReport:
            began = time.monotonic()
            pid = self._process(name).stop(signals, hurry=hurry)
            action: Literal["stopped", "absent"] = "stopped" if pid else "absent"
            return ServiceReport(name, action, time.monotonic() - began, pid or 0)

        with ThreadPoolExecutor(MOST_WORKERS, thread_name_prefix="stop") as pool:
            stopping = [pool.submit(one, name) for name in names]
            try:
                wait(stopping)
            except KeyboardInterrupt:
                hurry.set()
                raise
        return [stopped.result() for stopped in stopping]

    def _process(self, name: str) -> ManagedProcess:
        return ManagedProcess(name, self.home.run)

    def _port(self, wanted: int | None) -> int:
        """The running gateway's, or the one that it is about to get: where that is free the one `wanted`."""
        remembered = self.home.recall("gateway_port")
        if self.pid(GATEWAY) is not None and remembered is not None:
            return int(remembered)
        return self.home.choose_gateway_port(wanted)

    def _starts(self, name: str, settings: Mapping[str, str]) -> bool:
        """True where `_start` would start it, for the first time or again."""
        return self.pid(name) is None or self.home.recall(f"{name}_settings") != print_of(of_service(name, settings))

    def _start(self, name: str, settings: Mapping[str, str]) -> ServiceReport:
        began = time.monotonic()
        print_of_settings = print_of(of_service(name, settings))
        process, remembered = self._process(name), f"{name}_settings"
        command = self._command(name, settings)
        pid = process.find(command)
        action: Literal["started", "restarted", "attached"] = "attached"
        if pid is not None and self.home.recall(remembered) != print_of_settings:
            process.stop(ORDERLY)
            pid, action = None, "restarted"
        if pid is None:
            action = "restarted" if action == "restarted" else "started"
            self.home.remember(remembered, print_of_settings)
            pid = process.spawn(command)
        return ServiceReport(name, action, time.monotonic() - began, pid)

    def _command(self, name: str, settings: Mapping[str, str]) -> Command:
        marker = f"ragpp_{name}={self.home.path}"
        module = ALL_IN_ONE if name == GATEWAY else "ragpp_services.workers"
        connections = {} if name == GATEWAY else share_of_connections(len(self.names()) - 1)
        return Command(
            arguments=(sys.executable, "-X", marker, "-m", module),
            log=self.log_path(name),
            marker=marker,
            working_directory=self.home.path,  # not the caller's folder, which `-m` would import from
            environment=of_service(name, {**connections, **os.environ, **settings}),
        )


def _migrate(home: Home, settings: Mapping[str, str], preloaded: Preloaded | None) -> None:
    """Bring every schema up to date, in a process of its own. Raises StackError with what it said."""
    done = preloaded.migrate() if preloaded is not None else migrate(folder=home.path, settings=settings)
    if done.returncode != 0:
        log = home.logs / "gateway.log"
        with log.open("a", encoding="utf-8") as file:
            file.write(done.stdout + done.stderr)
        said = last_words(log, 3)
        raise StackError(f"the schemas cannot be brought up to date; {log} has it all. Its end:\n{said}")
