"""A file by whose age others see that this worker gets its work: it answers nobody, so there is nothing to ask it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

from ragpp.observability.metrics import worker_beat

EVERY_S: Final = 1.0
_log = structlog.stdlib.get_logger(__name__)


class Heartbeat:
    """Touches `file` when told to, at most once in EVERY_S; without a file it does nothing else."""

    def __init__(self, file: Path | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._file, self._clock = file, clock
        self._beaten, self._told = float("-inf"), False

    def beat(self) -> None:
        """The worker works: the metrics tell it, and the file. It goes on also where that cannot be written, as whoever
        looks at it sees."""
        now = self._clock()
        if now - self._beaten < EVERY_S:
            return
        self._beaten = now
        worker_beat(time.time())
        if self._file is None:
            return
        try:
            self._file.touch()
        except OSError as error:
            if not self._told:
                _log.error("heartbeat.not_written", error=error.strerror)
            self._told = True
