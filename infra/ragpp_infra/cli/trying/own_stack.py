"""The stack that an export is tried in: in a folder of its own, offline, gone with all that is in it when asked."""

import os
import shutil
from pathlib import Path
from typing import Final

from ragpp.errors import StackError
from ragpp.jobs import Job
from ragpp_infra.cli.foreground import bring_up, stop_what_was_started
from ragpp_infra.cli.options import DEFAULT_HOME
from ragpp_infra.embedded.known_settings import known_settings
from ragpp_infra.embedded.lifecycle import Lifecycle

_MARK: Final = "made_to_try"
"""Under this the folder remembers what it was made for, so that no other is ever erased."""
_KEPT_PREFIXES: Final = ("LOG_", "EMBEDDING_CACHE_DIR")
ERASED_WITHIN_S: Final = 600.0


def folder_beside() -> Path:
    """The folder beside that of the person's own stack."""
    own = Path(os.environ.get("RAGPP_HOME") or DEFAULT_HOME).expanduser().absolute()
    return own.with_name(f"{own.name}-try")


class OwnStack:
    """A stack in the folder `path`, made for a trial. What it started it stops again: as a context manager."""

    def __init__(self, path: Path) -> None:
        self.lifecycle = Lifecycle(path)
        self.home = self.lifecycle.home
        self._ran_before: set[str] = set()

    def exists(self) -> bool:
        """True where something was tried here and kept. Raises StackError where the folder is something else."""
        if not self.home.path.exists():
            return False
        if self.home.recall(_MARK) is not None:
            return True
        if any(self.home.path.iterdir()):
            raise StackError(
                f"{self.home.path} was not made by `ragpp try`",
                suggestions=("Name a folder that is not there yet: --home.",),
            )
        return False

    def start(self, *, quiet: bool) -> None:
        """Bring it up, without what the environment says of services: no model elsewhere is told anything. Raises
        StackError."""
        self.exists()
        self._ran_before = self.lifecycle.running()  # first: whatever fails from here on stops no more than was started
        self.home.create()
        with self.home.locked():
            self.home.remember(_MARK, "yes")
        for name in known_settings() & os.environ.keys():
            if not name.startswith(_KEPT_PREFIXES):
                del os.environ[name]
        bring_up(self.lifecycle, quiet=quiet)

    def stop(self) -> None:
        """Stop what was started; a stack that ran before goes on."""
        stop_what_was_started(self.lifecycle, self._ran_before)

    async def forget_all(self, user: str) -> Job:
        """Everything of `user` erased from every store, with the report on it."""
        async with self.home.client() as client:
            job = await client.erase_user(user)
            return await client.ended_job(job.id, timeout_s=ERASED_WITHIN_S)

    def remove(self) -> None:
        """Stop all of it, and delete the folder and what belongs to it elsewhere. Raises StackError."""
        if not self.exists():
            return
        self.lifecycle.bring_down()
        for folder in (*self.lifecycle.stack.folders_elsewhere(), self.home.path):
            shutil.rmtree(folder, ignore_errors=True)
        if self.home.path.exists():
            raise StackError(f"{self.home.path} could not be deleted", suggestions=(f"rm -r {self.home.path}",))
