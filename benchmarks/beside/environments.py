"""An environment of its own for each system, made of its pinned requirements when it is first needed."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

REQUIREMENTS: Final = Path(__file__).parent / "requirements"
STAMP: Final = ".made-of"
LAST_LINES: Final = 3


class CannotInstall(Exception):
    """The environment cannot be made; its text is the end of what pip said."""


def python_of(requirements: str, folder: Path, version: str = "") -> Path:
    """The interpreter of the environment of `requirements`, a file's name without its suffix, below `folder`; of the
    project's own where that is empty. Makes it, with Python `version`, when it is missing or its file has changed.
    Raises CannotInstall."""
    if not requirements:
        return Path(sys.executable)
    pins = REQUIREMENTS / f"{requirements}.txt"
    place = folder / requirements
    made_of = hashlib.sha256(pins.read_bytes()).hexdigest()
    stamp = place / STAMP
    python = place / "bin" / "python"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == made_of:
        return python
    shutil.rmtree(place, ignore_errors=True)
    _run([_interpreter(version), "-m", "venv", str(place)])
    _run([str(python), "-m", "pip", "install", *_quietly(), "--no-deps", "-r", str(pins)])
    stamp.write_text(made_of, encoding="utf-8")
    return python


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


def _quietly() -> list[str]:
    return ["--quiet", "--disable-pip-version-check", "--no-input"]


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-LAST_LINES:]
        raise CannotInstall(" ".join(said))
    return done.stdout
