"""The stores that a run of the tests has, and stacks that tests started: ended, and gone from wherever they were."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_infra.embedded.servers.server import ServerName
from ragpp_infra.embedded.stack import Endpoints, Stack


class StoreStack(Protocol):
    """Three stores with their roles and accounts, wherever they are."""

    def endpoints(self) -> Endpoints:
        """Where they are, for whoever may do no more than its work."""

    def postgres_superuser_dsn(self) -> SecretStr:
        """For what a test looks at and no service is given."""


class RunStack(StoreStack, Protocol):
    """The stack that a run of the tests starts: the stores, and what can happen to the machine below them."""

    def kill(self, name: ServerName) -> None:
        """End one store by SIGKILL, as a crash would; return when it is gone."""

    def revive(self, name: ServerName) -> None:
        """Start one that was killed; return when it answers, where it was and with what it had."""

    def signal_backend(self, pid: int, number: signal.Signals) -> None:
        """Send a signal to the process of PostgreSQL that has this pid by its own account (`pg_backend_pid`)."""

    def append_only_files(self) -> list[bytes]:
        """The contents of the files that Redis has on its disk, all of one moment."""


class EmbeddedStack(Stack):
    """The embedded servers, as a RunStack."""

    def revive(self, name: ServerName) -> None:
        self.up({name})

    def signal_backend(self, pid: int, number: signal.Signals) -> None:
        os.kill(pid, number)

    def append_only_files(self) -> list[bytes]:
        folder = self.home / "valkey" / "data" / "appendonlydir"
        while True:
            try:
                return [path.read_bytes() for path in list(folder.iterdir())]
            except FileNotFoundError:  # a rewrite replaced it meanwhile
                continue


def cleared_away(home: Path) -> None:
    """End what runs of the stack in `home`, at once, and remove what it has elsewhere; `home` itself stays."""
    lifecycle = Lifecycle(home)
    lifecycle.bring_down(fast=True)
    for folder in lifecycle.stack.folders_elsewhere():
        shutil.rmtree(folder, ignore_errors=True)


def stacks_below(folder: Path) -> Iterator[Path]:
    """Where stacks were made in the temporary folders of tests: of one process, or of each of several."""
    for depth in range(1, 5):
        yield from (secrets.parent for secrets in folder.glob(f"{'*/' * depth}secrets.json"))
