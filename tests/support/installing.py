"""This project as pip installs it: its wheel in an environment that has what the wheel asks for, and nothing else."""

import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.source import ROOT

WEIGHTS = "ragpp-minilm"
"""Has files and no module, and is built when ragpp is released: an environment to work in has them from elsewhere."""


@dataclass(frozen=True)
class Installation:
    """A virtual environment, by its commands."""

    python: Path
    ragpp: Path


def built_wheel(folder: Path) -> Path:
    """The project's wheel, in `folder`."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def installed(wheel: Path, folder: Path) -> Installation:
    """`wheel` without any extra in a new environment in `folder`; no index is asked, the packages are those of the
    environment that runs this."""
    venv.create(folder, symlinks=True)
    paths = sysconfig.get_paths("venv", vars={"base": str(folder), "platbase": str(folder)})
    python, commands = Path(paths["scripts"]) / "python", Path(paths["scripts"])
    link(closure(wheel).values(), Path(paths["purelib"]))
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, str(wheel)], check=True)
    return Installation(python, commands / "ragpp")


def closure(wheel: Path, extras: Iterable[str] = ()) -> dict[str, Distribution]:
    """The packages that `wheel` with these extras needs, and those that these need, by name; PackageNotFoundError where
    this environment has not got one."""
    (project,) = distributions(path=[str(wheel)])
    found: dict[str, Distribution] = {}
    waiting = list(_requirements(project, extras))
    seen = set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if (name, *sorted(wanted.extras)) in seen or name == WEIGHTS:
            continue
        seen.add((name, *sorted(wanted.extras)))
        package = project if name == "ragpp" else distribution(name)
        if package is not project:
            found[name] = package
        waiting += _requirements(package, wanted.extras)
    return found


def _requirements(package: Distribution, extras: Iterable[str]) -> Iterator[Requirement]:
    for text in package.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def link(packages: Iterable[Distribution], site: Path) -> None:
    """Have `packages` in `site`, too."""
    for package in packages:
        for name in {path.parts[0] for path in package.files or ()} - {"..", "__pycache__"}:
            place = site / name
            if not place.exists():
                place.symlink_to(Path(str(package.locate_file(name))))
