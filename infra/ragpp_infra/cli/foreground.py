"""The embedded stack in front of a terminal: its start shown, kept up until Ctrl-C, and stopped."""

import os
import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from ragpp_infra.cli.console import err, name_misspelt, safe
from ragpp_infra.cli.display import Display
from ragpp_infra.embedded.known_settings import unknown_settings
from ragpp_infra.embedded.lifecycle import Lifecycle, Started
from ragpp_infra.embedded.settings_file import SETTINGS_FILE, Adopted, adopt


def bring_up(
    lifecycle: Lifecycle, *, workers: int | None = None, quiet: bool = False, anew: bool = True, again: bool = False
) -> Started:
    """`Lifecycle.bring_up` with its progress on standard error, and what the operator should know of it."""
    with Display(quiet=quiet) as display:
        started = lifecycle.bring_up(display, workers=workers, anew=anew, again=again)
    if not quiet:
        if started.without_second:
            err.print(safe(f"without the second encoder: {started.without_second}", "yellow"), soft_wrap=True)
        if started.key == "replaced":
            replaced = f"the stack's key was revoked, or is not known: a new one is in {lifecycle.home.key_path}"
            err.print(safe(replaced, "yellow"), soft_wrap=True)
        if started.without_effect:
            names = ", ".join(started.without_effect)
            said = (
                f"no effect here: {names}; the embedded stack sets that itself. Servers of your own: ragpp provision -h"
            )
            err.print(safe(said, "yellow"), soft_wrap=True)
    return started


@dataclass(frozen=True)
class Unheeded:
    """Settings that were given and count for nothing: unknown ones, each with the one that was probably meant, and the
    numbers of the file's lines that are no assignment."""

    unknown: dict[str, str | None]
    broken_lines: tuple[int, ...]


def unheeded(adopted: Adopted, *, quiet: bool = False) -> Unheeded:
    """The settings of the environment and of the file that count for nothing; they are shown unless `quiet`."""
    unknown = {**unknown_settings(os.environ), **adopted.unknown}
    if not quiet:
        name_misspelt(unknown, {name: f"{SETTINGS_FILE}, line {adopted.lines[name]}" for name in adopted.unknown})
        for number in adopted.broken_lines:
            said = f"{SETTINGS_FILE}, line {number} is no assignment (NAME=value) and has no effect"
            err.print(safe(said, "yellow"), soft_wrap=True)
    return Unheeded(unknown, adopted.broken_lines)


def settings_taken(*, quiet: bool = False) -> Unheeded:
    """Take what the file of settings has and the environment has not, say so, and tell what counts for nothing."""
    adopted = adopt()
    found = unheeded(adopted, quiet=quiet)
    if not quiet:
        if adopted.names:
            err.print(safe(f"from {SETTINGS_FILE}: {', '.join(adopted.names)}", "dim"), soft_wrap=True)
        if adopted.without_effect:
            said = f"no effect in {SETTINGS_FILE}: {', '.join(adopted.without_effect)}; set it in the environment"
            err.print(safe(said, "yellow"), soft_wrap=True)
    return found


def watch(lifecycle: Lifecycle) -> None:
    """Start again what ends by itself, until Ctrl-C, SIGTERM, a closed terminal, or another's `ragpp down`."""
    with _sigterm_as_interrupt():
        for gone in lifecycle.endings():
            err.print(safe(f"{', '.join(gone)} ended; starting again", "yellow"))
            bring_up(lifecycle, anew=False)  # another terminal may have given what runs other settings since
        err.print("stopped from another terminal")


def stop_what_was_started(lifecycle: Lifecycle, ran_before: Collection[str] = ()) -> None:
    """Stop all that runs and did not run before, saying so."""
    lifecycle.stop_what_was_started(
        ran_before, lambda fast: err.print("Stopping at once" if fast else "Stopping; Ctrl-C again ends at once")
    )


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
