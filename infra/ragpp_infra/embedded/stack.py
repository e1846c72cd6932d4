"""The whole embedded stack in one folder: up, down, status, and where its servers are."""

import signal
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from ragpp.errors import StackError
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.processes import memory_mb, uptime_s
from ragpp_infra.embedded.servers.jars import OnDownload
from ragpp_infra.embedded.servers.neo4j import Neo4j
from ragpp_infra.embedded.servers.neo4j_archive import record_in_background
from ragpp_infra.embedded.servers.postgres import SUPERUSER, Postgres
from ragpp_infra.embedded.servers.server import SERVERS, OnStep, Server, ServerName, ServerReport, start, stop
from ragpp_infra.embedded.servers.valkey import Valkey
from ragpp_infra.provisioning.endpoints import APP, NEO4J_USER, OWNER, RELAY, Endpoints
from ragpp_infra.provisioning.errors import NotReady

__all__ = ["Endpoints", "ServerStatus", "Stack"]

OnReport = Callable[[ServerReport], None]


@dataclass(frozen=True)
class ServerStatus:
    """One server as it is: `problem` says why it does not answer, empty when it does (`version` then has it).

    `memory_mb` counts the pages of all its processes, shared ones once. `ping_ms` is a real query of a new
    connection. Numbers are 0 where it does not run.
    """

    name: ServerName
    running: bool
    pid: int
    version: str
    address: str
    memory_mb: float
    uptime_s: float
    ping_ms: float
    problem: str
    log: Path


class Stack:
    """The three servers that live in the folder `home`. Calls from several threads or processes are safe.

    `on_step`, `on_download` and `on_report` are called from other threads: with what a server is doing, with the
    bytes of Neo4j that have arrived and their sum, and with each server's report when it is there. `short_lived`: it is
    for minutes, as that of tests is, so that it shall be quick at once rather than quickest in the end.
    """

    def __init__(
        self,
        home: Path,
        *,
        on_step: OnStep = lambda _name, _step: None,
        on_download: OnDownload = lambda _received, _total: None,
        on_report: OnReport = lambda _report: None,
        short_lived: bool = False,
    ) -> None:
        self._home = Home(home)
        self._postgres = Postgres(self._home)
        self._valkey = Valkey(self._home)
        self._neo4j = Neo4j(self._home, on_download=on_download, short_lived=short_lived)
        self._on_step, self._on_report = on_step, on_report

    @property
    def home(self) -> Path:
        """The folder, absolute."""
        return self._home.path

    def up(self, only: Collection[ServerName] | None = None) -> list[ServerReport]:
        """Start the servers (all, or those in `only`) that do not run, all at once, and attach to those that do.

        The answer has one report a server, in the order of `SERVERS`. Raises StackError for the first that failed,
        after the others have come up: repeating is safe and attaches to them.
        """
        self._home.create()
        cancelled = threading.Event()
        with self._home.locked():
            fresh = self._ensure_passwords()
            self._home.ensure_ports("valkey", "neo4j")
            reports = self._each(
                self._servers(only),
                lambda server: start(server, self._on_step, fresh=fresh, cancelled=cancelled),
                interrupted=cancelled,
                see_it_through=False,
            )
            if any(report.name == "neo4j" and report.action != "attached" for report in reports):
                record_in_background(self._home)
            return reports

    def prepare(self) -> None:
        """Make the folder and its passwords, and start nothing. Raises StackError."""
        self._home.create()
        with self._home.locked():
            self._ensure_passwords()

    def down(self, only: Collection[ServerName] | None = None, *, fast: bool = False) -> list[ServerReport]:
        """Stop the servers that run, all at once: orderly, or `fast`, with no more than a few seconds each.

        A Ctrl-C while it waits makes it fast, and is not raised. Nothing that was acknowledged is lost either way:
        what an orderly stop would have written is left to the next start. Raises StackError when one does not end.
        """
        if not self._home.is_initialised():
            return []
        hurry = threading.Event()
        if fast:
            hurry.set()
        with self._home.locked():
            return self._each(
                self._servers(only), lambda server: stop(server, hurry=hurry), interrupted=hurry, see_it_through=True
            )

    def status(self) -> list[ServerStatus]:
        """How each server is, in the order of `SERVERS`. Changes nothing, and takes no lock."""
        with ThreadPoolExecutor(len(SERVERS), thread_name_prefix="status") as pool:
            return list(pool.map(_status, self._servers(None)))

    def endpoints(self) -> Endpoints:
        """Where the servers are. Raises StackError when the stack was never started."""
        password = self._home.passwords().neo4j
        return Endpoints(
            postgres_owner_dsn=SecretStr(self._postgres.dsn(OWNER)),
            postgres_app_dsn=SecretStr(self._postgres.dsn(APP)),
            postgres_relay_dsn=SecretStr(self._postgres.dsn(RELAY)),
            redis_url=SecretStr(self._valkey.url()),
            redis_rewrite_url=SecretStr(self._valkey.rewrite_url()),
            neo4j_uri=self._neo4j.uri(),
            neo4j_user=NEO4J_USER,
            neo4j_password=SecretStr(password),
        )

    def postgres_superuser_dsn(self) -> SecretStr:
        """For maintenance by hand and for tests; no service is given it."""
        return SecretStr(self._postgres.dsn(SUPERUSER))

    def folders_elsewhere(self) -> list[Path]:
        """Folders outside `home` that belong to the stack: to delete a stopped stack is to delete these and `home`.

        There are none unless PostgreSQL's socket or data could not be in `home` (see `postgres_folders`).
        """
        remembered = (self._home.recall(name) for name in ("postgres_socket", "elsewhere"))
        return [Path(folder) for folder in remembered if folder and Path(folder).is_absolute()]

    def log_path(self, name: ServerName) -> Path:
        """Where a server logs to; the file is there after its first start."""
        return self._server(name).log

    def kill(self, name: ServerName) -> None:
        """End one server by SIGKILL, as a crash would; return when it is gone. For tests and proofs."""
        self._server(name).process.signal(signal.SIGKILL)
        if not self._server(name).process.wait_gone(10.0):
            raise StackError(f"{name} does not end")

    def _ensure_passwords(self) -> bool:
        return self._home.ensure_passwords(initialised=any(server.is_initialised() for server in self._servers(None)))

    def _server(self, name: ServerName) -> Server:
        by_name: dict[ServerName, Server] = {
            "postgres": self._postgres,
            "valkey": self._valkey,
            "neo4j": self._neo4j,
        }
        return by_name[name]

    def _servers(self, only: Collection[ServerName] | None) -> list[Server]:
        return [self._server(name) for name in SERVERS if only is None or name in only]

    def _each(
        self,
        servers: Sequence[Server],
        act: Callable[[Server], ServerReport],
        *,
        interrupted: threading.Event,
        see_it_through: bool,
    ) -> list[ServerReport]:
        """`act` on all of `servers` at once; the first error is raised when all have ended.

        Ctrl-C sets `interrupted`, which the threads heed; it is raised unless `see_it_through`.
        """

        def one(server: Server) -> ServerReport:
            report = act(server)
            self._on_report(report)
            return report

        with ThreadPoolExecutor(len(SERVERS), thread_name_prefix="stack") as pool:
            futures = [pool.submit(one, server) for server in servers]
            while True:
                try:
                    wait(futures)
                    break
                except KeyboardInterrupt:
                    interrupted.set()
                    if not see_it_through:
                        raise
        return [future.result() for future in futures]


def _status(server: Server) -> ServerStatus:
    pid = server.process.pid()
    version = problem = address = ""
    ping_ms = 0.0
    if pid is not None:
        began = time.perf_counter()
        try:
            address = server.address()
            version = server.ping()
        except (NotReady, StackError) as error:
            problem = str(error)
        ping_ms = (time.perf_counter() - began) * 1000
    return ServerStatus(
        name=server.name,
        running=pid is not None,
        pid=pid or 0,
        version=version,
        address=address,
        memory_mb=memory_mb(pid) if pid else 0.0,
        uptime_s=uptime_s(pid) if pid else 0.0,
        ping_ms=ping_ms,
        problem=problem if pid else "not running",
        log=server.log,
    )
