"""A file by whose age others see that this worker gets its work: it answers nobody, so there is nothing to ask it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

EVERY_S: Final = 1.0


class Heartbeat:
    """Touches `file` when told to, at most once in EVERY_S; without a file it does nothing."""

    def __init__(self, file: Path | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._file, self._clock = file, clock
        self._beaten = float("-inf")

    def beat(self) -> None:
        """The worker works. Raises OSError when the file cannot be written."""
        now = self._clock()
        if self._file is not None and now - self._beaten >= EVERY_S:
            self._file.touch()
            self._beaten = now
