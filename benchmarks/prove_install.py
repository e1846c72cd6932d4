"""The one install: both wheels built, installed by one command into an empty environment, and a memory used there.

    python -m benchmarks.prove_install [python3.11 python3.12 …] [--images python:3.11 …] [--mount FOLDER …]

For each Python, by default the one that runs this, an environment is made and emptied again. Then `ragpp up` starts a
stack in a folder of its own, one message is remembered and recalled, the README's lines of Python run, and `ragpp down`
stops it. `--images`: the same in an empty container of each image, whose network is the machine's; `up` is timed once
more there, warm. `--mount`: folders of the machine that a container sees, as one with a Python that an image has not.
Where `uvx` is on the path, `ragpp` is run by it from the same wheels, too. Exit code 1 when anything failed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.support.documentation import blocks
from tests.support.source import ROOT

WANTED: Final = "ragpp[embedded]"
TOLD: Final = "My sister Elena moved to Porto."
_WITHOUT: Final = ("RAGPP_", "PYTHON", "PIP_FIND_LINKS")
"""Beginnings of variables that somebody else's environment has not."""
_CERTIFICATES: Final = Path("/etc/ssl/certs")


class Steps:
    """Commands one after the other, each timed; they run in `folder`, as if nothing here had ever been installed,
    behind the words of `within`, where these name a container."""

    def __init__(self, folder: Path, within: Sequence[str] = ()) -> None:
        self._folder, self._within = folder, within
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_WITHOUT)}
        self._environment = kept | {"RAGPP_HOME": str(folder / "stack")}
        self.table = Table("step", "seconds", box=None)
        self.table.columns[1].justify = "right"

    def run(self, what: str, *command: object, holds: str = "") -> None:
        """Run it. Raises SystemExit, with what it said, where it failed or its output does not hold `holds`."""
        began = time.monotonic()
        done = subprocess.run(
            [*self._within, *(str(part) for part in command)],
            cwd=None if self._within else self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.table.add_row(what, f"{time.monotonic() - began:.1f}")
        if done.returncode or holds not in done.stdout:
            Console().print(self.table)
            sys.exit(f"{what}: {done.returncode}\n{done.stdout}{done.stderr}")

    def use(self, python: str, wheels: object, folder: Path) -> None:
        """Install `ragpp` with `python` from the folder `wheels` into an environment in `folder`, and use it."""
        self.run("an empty environment", python, "-m", "venv", folder / "venv")
        pip, ragpp = folder / "venv" / "bin" / "pip", folder / "venv" / "bin" / "ragpp"
        self.run("pip install", pip, "install", "--quiet", "--find-links", wheels, WANTED)
        self.run("ragpp --version", ragpp, "--version", holds="ragpp ")
        asked = ("Where does my sister live?", "--user", "me", "--deadline", "20000")
        try:
            self.run("ragpp up, for the first time", ragpp, "up")
            self.run("ragpp remember", ragpp, "remember", TOLD, "--user", "me")
            self.run("ragpp recall", ragpp, "recall", *asked, holds=TOLD)
            self.run("the README's lines of Python", folder / "venv" / "bin" / "python", "-c", lines_of_readme())
            self.run("ragpp down", ragpp, "down")
            self.run("ragpp up, once more", ragpp, "up")
            self.run("ragpp recall", ragpp, "recall", *asked, holds=TOLD)
        finally:
            self.run("ragpp down", ragpp, "down")


def lines_of_readme() -> str:
    """The first Python that the README shows."""
    return next(block.text for block in blocks("README.md") if block.language == "python")


def prove(python: str, wheels: Path) -> Table:
    """All of it with `python`, on this machine; the seconds of each step."""
    with tempfile.TemporaryDirectory(prefix="ragpp-install-") as name:
        folder = Path(name)
        steps = Steps(folder)
        steps.use(python, wheels, folder)
        return steps.table


def prove_in_image(image: str, python: str, wheels: Path, mounted: Sequence[Path]) -> Table:
    """The same in a container of `image` that has nothing of this machine but its network, its certificates, the wheels
    and the folders `mounted`."""
    with container(image, [wheels, _CERTIFICATES, *mounted]) as name:
        home = Path("/home/somebody")
        within = ["docker", "exec", "--env=PIP_CERT", f"--env=RAGPP_HOME={home / 'stack'}", f"--env=HOME={home}", name]
        steps = Steps(home, within)
        steps.run("an empty folder", "mkdir", "-p", home)
        steps.use(python, wheels, home)
        return steps.table


@contextmanager
def container(image: str, mounted: Sequence[Path]) -> Iterator[str]:
    """The id of a container that does nothing, with these folders to be read at the places where they are here."""
    volumes = [f"--volume={folder}:{folder}:ro" for folder in mounted if folder.exists()]
    begin = ["docker", "run", "--detach", "--rm", "--network=host", *volumes, image, "sleep", "infinity"]
    name = subprocess.run(begin, check=True, capture_output=True, text=True).stdout.strip()
    try:
        yield name
    finally:
        subprocess.run(["docker", "kill", name], check=False, capture_output=True)


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="*", help="of this machine, or with --images of a container")
    parser.add_argument("--images", nargs="+", default=[], help="images of containers")
    parser.add_argument("--mount", nargs="+", type=Path, default=[], help="folders that a container sees")
    given, console = parser.parse_args(), Console()
    with tempfile.TemporaryDirectory(prefix="ragpp-wheels-") as wheels:
        build = [sys.executable, str(ROOT / "infra" / "scripts" / "build_wheels.py"), "--out", wheels]
        subprocess.run(build, check=True)
        Path(wheels).chmod(0o755)  # a container's user is another one
        for image in given.images:
            for python in given.pythons or ["python3"]:
                console.print(f"\n{image}: {python}", prove_in_image(image, python, Path(wheels), given.mount))
        if given.images:
            return
        for python in given.pythons or [sys.executable]:
            console.print(f"\n{python}", prove(python, Path(wheels)))
        by_uv = prove_uvx(Path(wheels))
        console.print(by_uv or "\nuvx is not on the path: not tried")


if __name__ == "__main__":
    main()
