"""Our programs run to their end in processes of their own: what runs the services knows their modules by name alone."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

ALL_IN_ONE: Final = "ragpp_services.all_in_one"
MIGRATE: Final = "migrate"
WHEN_TOLD: Final = "--when-told"
"""Before a command: has it load its modules and wait for a line on its standard input; it ends where that is closed."""


def program(module: str, *arguments: str) -> list[str]:
    """The command line of one of our programs."""
    return [sys.executable, "-m", module, *arguments]


def run_module(
    module: str, arguments: Sequence[str], *, folder: Path, settings: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run one of our programs with these settings until it ends; its output is captured. `folder` is where it runs,
    which Python imports from."""
    return subprocess.run(
        program(module, *arguments),
        env=os.environ | settings,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def migrate(*, folder: Path, settings: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Bring every schema up to date, as the roles in `settings`."""
    return run_module(ALL_IN_ONE, [MIGRATE], folder=folder, settings=settings)


def in_short(logged: str) -> str:
    """Lines of a log, those of JSON in short: the event, and the last line of a traceback."""
    said = []
    for line in logged.splitlines():
        try:
            event = json.loads(line)
            last = str(event.get("exception") or event["event"]).strip().splitlines()[-1]
            said.append(f"{event.get('level', '')}: {last}")
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            said.append(line)
    return "\n".join(said)
