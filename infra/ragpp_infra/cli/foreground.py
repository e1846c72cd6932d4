"""The embedded stack in front of a terminal: its start shown, kept up until Ctrl-C, and stopped."""

import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType

from ragpp_infra.cli.console import err, safe
from ragpp_infra.cli.display import Display
from ragpp_infra.embedded.lifecycle import Lifecycle, Started


def bring_up(lifecycle: Lifecycle, *, workers: int | None = None, quiet: bool = False, anew: bool = True) -> Started:
    """`Lifecycle.bring_up` with its progress on standard error."""
    with Display(quiet=quiet) as display:
        return lifecycle.bring_up(display, workers=workers, anew=anew)


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
