"""The embedded stack, started for a client in a process of its own, so that it works wherever a loop runs, too."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import httpx
from pydantic import ValidationError

from ragpp.environment import access_of, stack_folder
from ragpp.errors import ConfigurationError, MemorySystemError, StackError
from ragpp.errors.problems import Problem, error_of

_UP: Final = (sys.executable, "-P", "-m", "ragpp_infra.cli.start", "up", "--json", "--home")
_ANSWERS_WITHIN_S: Final = 5.0


def embedded_stack(home: str | Path | None) -> tuple[str, str]:
    """Address and key of the stack in `home`, else in RAGPP_HOME, else in `.ragpp`, which is started unless it answers.

    Raises ConfigurationError where the extra `embedded` is not installed; StackError when the stack does not start.
    """
    folder = stack_folder() if home is None else Path(home).expanduser().absolute()
    if not _answers(folder):
        sys.stderr.write(f"Starting the memory in {folder}; the very first start takes minutes\n")
        done = subprocess.run([*_UP, str(folder)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise _error_in(done.stderr)
    access = access_of(folder)
    return access.url, access.key


def _answers(folder: Path) -> bool:
    try:
        live = f"{access_of(folder).url}/health/live"
        return httpx.get(live, timeout=_ANSWERS_WITHIN_S, trust_env=False).is_success
    except (ConfigurationError, httpx.TransportError):
        return False


def _error_in(said: str) -> MemorySystemError:
    """The error that a command told as JSON, in its last line."""
    last = (said.strip().splitlines() or [""])[-1]
    try:
        return error_of(Problem.model_validate_json(last))
    except ValidationError:
        return StackError("the embedded stack did not start", suggestions=("Start it by hand to see why: ragpp up",))
