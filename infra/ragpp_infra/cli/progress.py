"""How far long work has come, on standard error where a person looks at it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from ragpp_infra.cli.console import err


class Advance(Protocol):
    """Moves a bar on."""

    def __call__(self, steps: int = 1, /) -> None: ...


@contextmanager
def progress(what: str, total: int | None, *, quiet: bool) -> Iterator[Advance]:
    """A bar of `total` steps, of None one without an end; nothing where `quiet`, or where nobody looks."""
    told, left = TextColumn("{task.description}"), TimeRemainingColumn()
    columns = (SpinnerColumn(), told, BarColumn(), MofNCompleteColumn(), left)
    with Progress(*columns, console=err, disable=quiet or not err.is_terminal, transient=True) as bar:
        task = bar.add_task(what, total=total)

        def advance(steps: int = 1, /) -> None:
            bar.advance(task, steps)

        yield advance
