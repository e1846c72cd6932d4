"""A stack that stands by for programs that come and go: started by the first, stopped when none has come for a while.

`python -m ragpp_infra.embedded.standby FOLDER [--idle-s 1800]` is the process that does so, one for a folder, apart
from all of them. It leaves a stack alone that a person starts or stops meanwhile.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from filelock import FileLock, Timeout

from ragpp.errors import MemorySystemError, StackError
from ragpp_infra.embedded.home import Home, write_private

if TYPE_CHECKING:
    from ragpp_infra.embedded.lifecycle import Lifecycle
    from ragpp_infra.embedded.servers.server import ServerReport
    from ragpp_infra.embedded.services import ServiceReport

IDLE_S: Final = 1_800.0
"""How long a stack is kept that nobody asks."""
_KEPT_BY: Final = "kept_by"
"""Under this the folder remembers who wanted the stack up last."""
_STANDBY: Final = "standby"
_PERSON: Final = "person"
_LOOK_S: Final = 2.0


class _Silent:
    """Nobody looks on."""

    def step(self, name: str, what: str) -> None: ...
    def download(self, received: int, total: int) -> None: ...
    def server_report(self, report: "ServerReport") -> None: ...
    def service_report(self, report: "ServiceReport") -> None: ...


class Standby:
    """The standby as programs see it: `home`'s places for those that are there, and its process."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._places = home.run / "guests"
        self._problem = home.run / "standby-problem.json"
        self._lock = home.run / "standby.lock"

    @contextlib.contextmanager
    def attended(self) -> Iterator[None]:
        """While inside, or until this process dies, the stack is not idle."""
        self._home.create()
        self._places.mkdir(mode=0o700, exist_ok=True)
        place = self._places / uuid4().hex
        with FileLock(place):
            try:
                yield
            finally:
                place.unlink(missing_ok=True)

    def is_attended(self) -> bool:
        """True while anybody is there."""
        return any(self._is_held(place) for place in self._places.glob("*"))

    def launch(self, *, idle_s: float = IDLE_S) -> None:
        """Have the stack started, unless its process is at it; returns at once."""
        self._home.create()
        self._problem.unlink(missing_ok=True)
        with (self._home.logs / "standby.log").open("ab") as log:
            subprocess.Popen(
                # not from the caller's folder, which `-m` would import from
                [sys.executable, "-P", "-m", __name__, str(self._home.path), "--idle-s", f"{idle_s:g}"],
                cwd=self._home.path,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def problem(self) -> StackError | None:
        """Why the last start failed, if it did."""
        try:
            told = json.loads(self._problem.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return StackError(told["message"], suggestions=tuple(told["suggestions"]))

    def keep(self, *, idle_s: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Start the stack, and stop it when nobody was there for `idle_s` seconds. Returns at once where another
        process does so, or a person has started it; returns, too, once a person starts or stops it."""
        from ragpp_infra.embedded.lifecycle import Lifecycle  # noqa: PLC0415 - what programs see has to be there at once
        from ragpp_infra.embedded.services import GATEWAY  # noqa: PLC0415 - as above

        try:
            held = FileLock(self._lock, timeout=0).acquire()
        except Timeout:
            return
        with held:
            lifecycle = Lifecycle(self._home.path)

            def has_gateway() -> bool:
                return lifecycle.services.pid(GATEWAY) is not None

            if has_gateway() and not self._is_kept():
                return
            with self._home.locked():
                self._home.remember(_KEPT_BY, _STANDBY)
            self._bring_up(lifecycle)
            attended = monotonic()
            while self._is_kept() and lifecycle.services.wanted():
                now = monotonic()
                if self.is_attended():
                    attended = now
                    if not has_gateway():
                        self._bring_up(lifecycle)
                elif now - attended >= idle_s:
                    lifecycle.bring_down()
                    if not self.is_attended():
                        return
                    self._bring_up(lifecycle)  # somebody came while it stopped
                time.sleep(min(_LOOK_S, idle_s))

    def _is_kept(self) -> bool:
        return self._home.recall(_KEPT_BY) == _STANDBY

    def _bring_up(self, lifecycle: "Lifecycle") -> None:
        try:
            lifecycle.bring_up(_Silent(), anew=False)
        except MemorySystemError as error:
            self._tell(error.message, error.suggestions)
            raise
        except Exception as error:  # whatever it is, nobody else would tell whoever asks
            self._tell(f"the stack did not start ({type(error).__name__})", ())
            raise

    def _tell(self, message: str, suggestions: Sequence[str]) -> None:
        where = f"What happened is in {self._home.logs / 'standby.log'}."
        write_private(self._problem, json.dumps({"message": message, "suggestions": [*suggestions, where]}))

    @staticmethod
    def _is_held(place: Path) -> bool:
        try:
            with FileLock(place, timeout=0):
                place.unlink(missing_ok=True)
        except Timeout:
            return True
        return False


def keep_for_person(home: Home) -> None:
    """Leave the stack up from now on, whoever started it: a person wants it."""
    with home.locked():
        home.remember(_KEPT_BY, _PERSON)


def main() -> None:
    """Keep the stack of the folder that the command line names."""
    parser = argparse.ArgumentParser(prog=__name__, description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--idle-s", type=float, default=IDLE_S)
    given = parser.parse_args()
    Standby(Home(given.folder)).keep(idle_s=given.idle_s)


if __name__ == "__main__":
    main()
