"""The stack's folder: what is remembered in it, the passwords, the lock that one `up` or `down` holds, and what a
client finds in it.

secrets.json  passwords, mode 0600       logs/   one file a server       postgres/  valkey/  neo4j/
state.json    ports and folders chosen   run/    pid files, the socket
key           the API key                ingest/ how far each file came
client.json   address, key, pid and birth of the gateway that runs, for programs beside it (`ragpp.environment`)
"""

import contextlib
import json
import os
import random
import secrets
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragpp.births import birth_on_linux
from ragpp.errors import ConfigurationError, MemorySystemError, StackError

if TYPE_CHECKING:
    from ragpp.client import AsyncMemoryClient

HOST: Final = "127.0.0.1"
USUAL_PORT: Final = 8700
"""The gateway's."""
OTHER_PORTS: Final = range(8_701, 8_800)
"""The gateway's where another has that one: none that the system gives to connections while no gateway runs, so that a
client finds it where it was. Any of them, since stacks may start at once."""
LOCK_PATIENCE_S: Final = 180.0
ADDED: Final = ("forgetting_key", "valkey_rewrite")
"""Secrets that a folder of an earlier version has not."""


class NotRunning(
    MemorySystemError,
    code="MEM-032",
    status=503,
    title="The embedded stack is not running",
    suggestions=("Start it with `ragpp up`.", "Elsewhere: name it with --home, or an address with --url and --key."),
):
    """No gateway of this folder answers, or none was ever started here."""


@dataclass(frozen=True, repr=False)
class Passwords:
    """The generated passwords, one a role; made once, never changed."""

    postgres_superuser: str
    postgres_owner: str
    postgres_app: str
    postgres_relay: str
    valkey: str
    valkey_rewrite: str
    """The password of the account that may have the append-only file rewritten."""
    neo4j: str
    forgetting_key: str
    """No password: what marks of forgotten messages are keyed with (FORGETTING_KEY)."""


class Home:
    """The folder itself. Made with mode 0700, or 0711 for root, whose PostgreSQL runs as another user below it."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        self.logs = self.path / "logs"
        self.run = self.path / "run"
        self.key_path = self.path / "key"
        self._admin_key_path = self.path / "admin-key"
        self.ingest_folder = self.path / "ingest"
        self._client_file = self.path / "client.json"
        self._state_file = self.path / "state.json"
        self._secrets_file = self.path / "secrets.json"
        self._remembering = threading.Lock()

    def create(self) -> None:
        """Make the folder and its parts; one that is there keeps its mode unless it is empty.

        Raises StackError when it cannot be, or is another user's.
        """
        if self.is_initialised() and self._secrets_file.stat().st_uid != os.geteuid():
            raise StackError(
                f"the stack in {self.path} belongs to another user of this machine",
                suggestions=("Run the command as that user.", "Or name a folder of your own with RAGPP_HOME."),
            )
        mode = 0o711 if os.geteuid() == 0 else 0o700
        try:
            fresh = not self.path.exists() or not any(self.path.iterdir())
            self.path.mkdir(parents=True, exist_ok=True)
            if fresh:
                self.path.chmod(mode)
            self.logs.mkdir(mode=0o700, exist_ok=True)
            self.run.mkdir(mode=mode, exist_ok=True)
        except OSError as error:
            raise StackError(
                f"the folder {self.path} cannot be used: {error}",
                suggestions=("Name a folder of your own with RAGPP_HOME.",),
            ) from error

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder against any other `up` or `down`, of this process or another.

        The kernel gives the lock back when its holder dies. Raises StackError after three minutes.
        """
        from filelock import FileLock, Timeout  # noqa: PLC0415 - 20 ms that recall need not wait

        try:
            held = FileLock(self.path / "lock", timeout=LOCK_PATIENCE_S).acquire()
        except Timeout as error:
            raise StackError(f"another `up` or `down` holds {self.path} for minutes") from error
        with held:
            yield

    def passwords(self) -> Passwords:
        """The passwords of this folder. Raises StackError when there are none: nothing was started here."""
        try:
            stored = json.loads(self._secrets_file.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise StackError(
                f"there is no embedded stack in {self.path}", suggestions=("Start it with `ragpp up`.",)
            ) from error
        for name in ADDED:
            stored.setdefault(name, "")  # a folder from before there was one, until its next `up`
        return Passwords(**{field.name: str(stored[field.name]) for field in fields(Passwords)})

    def is_initialised(self) -> bool:
        """True where a stack was ever started in this folder."""
        return self._secrets_file.exists()

    def ensure_passwords(self, *, initialised: bool) -> bool:
        """Make the passwords when there are none; whether they were made. A folder of before there were the ADDED ones
        gets them. The caller holds the folder's lock.

        Raises StackError when they are gone although the servers are `initialised` with them.
        """
        if self._secrets_file.exists():
            stored = json.loads(self._secrets_file.read_text(encoding="utf-8"))
            missing = {name: secrets.token_urlsafe(24) for name in ADDED if name not in stored}
            if missing:
                write_private(self._secrets_file, json.dumps(stored | missing, indent=2))
            return False
        if initialised:
            raise StackError(
                f"the data in {self.path} was made with passwords that are gone: no {self._secrets_file.name}",
                suggestions=(f"Put {self._secrets_file} back from a backup.", "Or start in another RAGPP_HOME."),
            )
        generated = {field.name: secrets.token_urlsafe(24) for field in fields(Passwords)}
        write_private(self._secrets_file, json.dumps(generated, indent=2))
        return True

    def recall(self, name: str) -> str | None:
        """The value remembered under `name`; None where there is none."""
        return self._state().get(name)

    def remember(self, name: str, value: str) -> None:
        """Remember `value` under `name`; the caller holds the folder's lock."""
        with self._remembering:
            write_private(self._state_file, json.dumps(self._state() | {name: value}, indent=2))

    def port(self, name: str) -> int:
        """The remembered port of server `name`. Raises StackError when none was chosen yet."""
        port = self.recall(f"{name}_port")
        if port is None:
            raise StackError(f"{name} was never started in {self.path}", suggestions=("Start it with `ragpp up`.",))
        return int(port)

    def choose_port(self, name: str) -> int:
        """The remembered port of `name` while it is free, else a free one, remembered from now on."""
        remembered = self.recall(f"{name}_port")
        if remembered is not None and is_free(int(remembered)):
            return int(remembered)
        others = random.sample(OTHER_PORTS, len(OTHER_PORTS)) if name == "gateway" else ()
        port = next(filter(is_free, others), None) or _any_free_port()
        self.remember(f"{name}_port", str(port))
        return port

    def ensure_ports(self, *names: str) -> None:
        """Choose a port for each of `names` that has none, so that all are known before the first server starts."""
        for name in names:
            if self.recall(f"{name}_port") is None:
                self.choose_port(name)

    def choose_gateway_port(self, wanted: int | None = None) -> int:
        """The gateway's port: the one that is wanted, else the one it had, else the usual one, each where it is free;
        else a free one. The caller holds the lock."""
        if wanted is not None and is_free(wanted):
            self.remember("gateway_port", str(wanted))
        if self.recall("gateway_port") is None:
            self.remember("gateway_port", str(USUAL_PORT))
        return self.choose_port("gateway")

    def return_to_usual_port(self) -> None:
        """Have the gateway's next port be the usual one, where that is free. The caller holds the lock."""
        if self.recall("gateway_port") is not None and is_free(USUAL_PORT):
            self.remember("gateway_port", str(USUAL_PORT))

    def key(self) -> str | None:
        """The stored API key; None before the first start."""
        return _key_in(self.key_path)

    def write_key(self, key: str) -> None:
        """Keep `key`, readable by its owner alone from the first moment."""
        write_private(self.key_path, key)

    def admin_key(self) -> str | None:
        """The key by which `ragpp doctor` asks; None before it did."""
        return _key_in(self._admin_key_path)

    def write_admin_key(self, key: str) -> None:
        """Keep it as `write_key` does."""
        write_private(self._admin_key_path, key)

    def write_client(self, gateway: int | None) -> None:
        """Tell the programs of this user where the gateway is, which process it is, and its key; nothing before there
        are all of them."""
        url, key = self.url(), self.key()
        if url is not None and key is not None and gateway is not None:
            told = {"url": url, "key": key, "pid": gateway, "birth": birth_on_linux(gateway)}
            write_private(self._client_file, json.dumps(told, indent=2))

    def remove_client(self) -> None:
        """Tell them that none runs."""
        self._client_file.unlink(missing_ok=True)

    def url(self) -> str | None:
        """The gateway's address; None before the first start."""
        port = self.recall("gateway_port")
        return None if port is None else f"http://{HOST}:{port}"

    def is_at(self, url: str) -> bool:
        """True where that is the address of this folder's gateway."""
        return url.rstrip("/") in {self.url(), f"http://localhost:{self.recall('gateway_port')}"}

    def client(self, url: str | None = None, key: str | None = None, *, timeout_s: float = 60.0) -> "AsyncMemoryClient":
        """A client of the gateway named by `url` and `key`, each taken from this folder when absent; the key for the
        gateway of this folder alone, since another's address has no business with it.

        Raises NotRunning when the folder has none: nothing was started here; ConfigurationError when it has no key for
        the gateway that `url` names.
        """
        from ragpp.client import AsyncMemoryClient  # noqa: PLC0415 - most of what starts or stops a stack asks no gateway

        named, url = bool(url), url or self.url()
        if url is not None and self.is_at(url):
            key = key or self.key()
        if named and key is None:
            raise ConfigurationError(
                f"there is no API key for {url}", suggestions=("Put it into RAGPP_API_KEY, or give it as --key.",)
            )
        if url is None or key is None:
            raise NotRunning(f"there is no embedded stack in {self.path}")
        return AsyncMemoryClient(url, key, timeout_s=timeout_s)

    def _state(self) -> dict[str, str]:
        try:
            stored = json.loads(self._state_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        return {str(name): str(value) for name, value in stored.items()}


def _any_free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """True where a server of this machine could listen on `port`."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port in TIME_WAIT is free for a server
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def write_private(path: Path, text: str) -> None:
    """Replace `path` by a file of mode 0600 with `text`, whole or not at all, also through a crash."""
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)  # one that was left behind may be readable by others
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _key_in(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None
