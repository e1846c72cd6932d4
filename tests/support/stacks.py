"""Stacks that tests started: ended, and gone also from where they were beside their folders."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from ragpp_infra.embedded.lifecycle import Lifecycle


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
