"""A user that PostgreSQL can run as when we are root: the server refuses to run as root itself."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

from ragpp.errors import StackError
from ragpp_infra.embedded.processes import Account


def unprivileged_account() -> Account | None:
    """None when we are not root. Otherwise `postgres` where the system has it, else `nobody`.

    Raises StackError when there is neither.
    """
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise StackError(
        "PostgreSQL refuses to run as root, and the system has neither a user `postgres` nor `nobody`",
        suggestions=("Run as an ordinary user.", "Or add a user: `useradd --system postgres`."),
    )


def reaches(account: Account, path: Path, *, mode: str) -> bool:
    """True where `account` may use `path`: `mode` is `x` (execute, enter) or `r`. Asked of the kernel, not computed."""
    try:
        return (
            subprocess.run(
                ["/bin/sh", "-c", f'test -{mode} "$0"', str(path)],
                user=account.uid,
                group=account.gid,
                extra_groups=[],
                cwd="/",
                check=False,
                capture_output=True,
            ).returncode
            == 0
        )
    except OSError as error:
        raise StackError(f"no process can be run as user {account.name}: {error}") from error


def own_folder(path: Path, account: Account | None) -> None:
    """Make `path` a folder of mode 0700 that belongs to `account` (to us without one); its parent exists."""
    path.mkdir(mode=0o700, exist_ok=True)
    if account is not None:
        os.chown(path, account.uid, account.gid)
    path.chmod(0o700)


def open_folder(path: Path) -> None:
    """Make `path` a folder that everyone may enter, whatever our umask; its parent exists."""
    path.mkdir(exist_ok=True)
    path.chmod(0o755)


def copy_once(source: Path, target: Path) -> None:
    """Copy the folder `source` to `target` unless it is there, readable by all; a copy cut short does not count."""
    if target.exists():
        return
    open_folder(target.parent)
    draft = Path(tempfile.mkdtemp(prefix=".copy-", dir=target.parent))
    try:
        shutil.copytree(source, draft / "copy", symlinks=True)
        for path in (draft / "copy", *(draft / "copy").rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        (draft / "copy").rename(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
