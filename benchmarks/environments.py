"""An environment of its own for what a proof or a comparison runs and the project does not need, made of its pinned
requirements when it is first needed."""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ragpp.places import cache_folder

REQUIREMENTS: Final = Path(__file__).parent / "requirements"
STAMP: Final = ".made-of"
LAST_LINES: Final = 3
BENEATH: Final = "beneath.pth"
"""The file that puts the packages of this environment behind those of another."""


class CannotInstall(Exception):
    """The environment cannot be made; its text is the end of what pip said."""


def proofs_folder() -> Path:
    """Where the proofs keep what takes long to make: environments, and wheels that were built."""
    return cache_folder() / "proofs"


def python_of(
    requirements: str, folder: Path, version: str = "", *, upon_own: bool = False, wheels: Path | None = None
) -> Path:
    """The interpreter of the environment of `requirements`, a file's name without its suffix, below `folder`; of the
    project's own where that is empty. Makes it, with Python `version`, when it is missing or its file has changed.
    `upon_own`: what it has not itself it has of the project's own. `wheels`: a folder that is looked into first.
    Raises CannotInstall."""
    if not requirements:
        return Path(sys.executable)
    pins = REQUIREMENTS / f"{requirements}.txt"
    place = folder / requirements
    made_of = hashlib.sha256(pins.read_bytes()).hexdigest()
    stamp = place / STAMP
    python = place / "bin" / "python"
    if not (stamp.exists() and stamp.read_text(encoding="utf-8") == made_of):
        shutil.rmtree(place, ignore_errors=True)
        _run([_interpreter(version), "-m", "venv", str(place)])
        found = ["--find-links", str(wheels)] if wheels else []
        _run([str(python), "-m", "pip", "install", *_quietly(), *found, "--no-deps", "-r", str(pins)])
        stamp.write_text(made_of, encoding="utf-8")
    if upon_own:
        _put_beneath(python)
    return python


def build_wheel(requirement: str, wheels: Path, settings: Mapping[str, str]) -> None:
    """Build the wheel of `requirement`, as in `name==1.0`, into the folder `wheels`, unless it is there. `settings`:
    variables that its build reads. Raises CannotInstall."""
    name, _, version = requirement.partition("==")
    if not any(wheels.glob(f"{name.replace('-', '_')}-{version}-*.whl")):
        command = [sys.executable, "-m", "pip", "wheel", *_quietly(), "--no-deps", "--wheel-dir", str(wheels)]
        _run([*command, requirement], settings)


def pin_of(requirements: str, package: str) -> str:
    """The line of the file `requirements` that pins `package`. Raises CannotInstall where none does."""
    lines = (REQUIREMENTS / f"{requirements}.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.startswith(f"{package}=="):
            return line.strip()
    raise CannotInstall(f"{requirements} pins no {package}")


def version_of(python: Path, package: str) -> str:
    """The version that this interpreter has of `package`. Raises CannotInstall where it has none."""
    return _run([str(python), "-c", f"from importlib.metadata import version; print(version({package!r}))"]).strip()


def _interpreter(version: str) -> str:
    """A Python of `version`: the one on the path, or one of pyenv's; this one where none is asked for."""
    if not version:
        return sys.executable
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = [shutil.which(f"python{version}"), *map(str, sorted(root.glob(f"versions/{version}.*/bin/python")))]
    for one in found:  # pyenv puts names on the path that end in an error
        if one and subprocess.run([one, "-c", ""], capture_output=True, check=False).returncode == 0:
            return one
    raise CannotInstall(f"it runs on Python {version} alone, and there is none here")


def _put_beneath(python: Path) -> None:
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = sysconfig.get_path("purelib")
    line = f"import site; site.addsitedir({own!r})\n"  # for its .pth files as well, which a path alone does not read
    (Path(_run([str(python), "-c", asked]).strip()) / BENEATH).write_text(line, encoding="utf-8")


def _quietly() -> list[str]:
    return ["--quiet", "--disable-pip-version-check", "--no-input"]


def _run(command: list[str], settings: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, env=os.environ | (settings or {}), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-LAST_LINES:]
        raise CannotInstall(" ".join(said))
    return done.stdout
