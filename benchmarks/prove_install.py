"""The one install: both wheels built, installed by one command into an empty environment, and a memory used there.

    python -m benchmarks.prove_install [python3.11 python3.12 …]

For each Python, by default the one that runs this, an environment is made and emptied again. Then `ragpp up` starts a
stack in a folder of its own, one message is remembered and recalled, and `ragpp down` stops it. Where `uvx` is on the
path, `ragpp` is run by it from the same wheels, too. Exit code 1 when anything failed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.support.source import ROOT

WANTED: Final = "ragpp[embedded]"
TOLD: Final = "My sister Elena moved to Porto."
_WITHOUT: Final = ("RAGPP_", "PYTHON", "PIP_FIND_LINKS")
"""Beginnings of variables that somebody else's environment has not."""


class Steps:
    """Commands one after the other, each timed; they run in `folder`, as if nothing here had ever been installed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_WITHOUT)}
        self._environment = kept | {"RAGPP_HOME": str(folder / "stack")}
        self.table = Table("step", "seconds", box=None)
        self.table.columns[1].justify = "right"

    def run(self, what: str, *command: object, holds: str = "") -> None:
        """Run it. Raises SystemExit, with what it said, where it failed or its output does not hold `holds`."""
        began = time.monotonic()
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.table.add_row(what, f"{time.monotonic() - began:.1f}")
        if done.returncode or holds not in done.stdout:
            Console().print(self.table)
            sys.exit(f"{what}: {done.returncode}\n{done.stdout}{done.stderr}")


def prove(python: str, wheels: Path) -> Table:
    """All of it with `python`; what each step took."""
    with tempfile.TemporaryDirectory(prefix="ragpp-install-") as name:
        folder = Path(name)
        steps = Steps(folder)
        steps.run("an empty environment", python, "-m", "venv", folder / "venv")
        pip, ragpp = folder / "venv" / "bin" / "pip", folder / "venv" / "bin" / "ragpp"
        steps.run("pip install", pip, "install", "--quiet", "--find-links", wheels, WANTED)
        steps.run("ragpp --version", ragpp, "--version", holds="ragpp ")
        try:
            steps.run("ragpp up", ragpp, "up")
            steps.run("ragpp remember", ragpp, "remember", TOLD, "--user", "me")
            asked = ("Where does my sister live?", "--user", "me", "--deadline", "20000")
            steps.run("ragpp recall", ragpp, "recall", *asked, holds=TOLD)
        finally:
            steps.run("ragpp down", ragpp, "down")
        return steps.table


def prove_uvx(wheels: Path) -> Table | None:
    """`ragpp` by uv from the same wheels; None where there is no uv."""
    if subprocess.run(["sh", "-c", "command -v uvx"], capture_output=True, check=False).returncode:
        return None
    with tempfile.TemporaryDirectory(prefix="ragpp-install-") as name:
        steps = Steps(Path(name))
        uvx = ("uvx", "--find-links", wheels, "--from", WANTED, "ragpp")
        steps.run("uvx ragpp --version", *uvx, "--version", holds="ragpp ")
        return steps.table


def main() -> None:
    """Prove it, and show what each step took."""
    parser = argparse.ArgumentParser(prog=__name__, description=__doc__)
    parser.add_argument("pythons", nargs="*", default=[sys.executable])
    console = Console()
    with tempfile.TemporaryDirectory(prefix="ragpp-wheels-") as wheels:
        build = [sys.executable, str(ROOT / "infra" / "scripts" / "build_wheels.py"), "--out", wheels]
        subprocess.run(build, check=True)
        for python in parser.parse_args().pythons:
            console.print(f"\n{python}", prove(python, Path(wheels)))
        by_uv = prove_uvx(Path(wheels))
        console.print(by_uv or "\nuvx is not on the path: not tried")


if __name__ == "__main__":
    main()
