"""Every command of the README works, in the order it is written there, on a stack of its own."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from ragpp_infra.embedded.lifecycle import Lifecycle
from tests.support.source import ROOT

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]

BLOCK: Final = re.compile(r"^```(bash|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    """Language and text of every block that is meant to be run."""
    return BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))


def targets() -> list[str]:
    """The make targets that the README names, in blocks and in sentences."""
    return sorted(set(re.findall(r"\bmake ([a-z-]+)\b(?=`| )", (ROOT / "README.md").read_text(encoding="utf-8"))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the README is followed; its stack is stopped afterwards whatever happened."""
    path = tmp_path_factory.mktemp("readme")
    yield path
    Lifecycle(path / ".ragpp").bring_down(fast=True)


def test_every_make_target_exists() -> None:
    assert {"run", "test"} <= set(targets())
    for target in targets():
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)


def test_the_readme_can_be_followed_from_top_to_bottom(folder: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAGPP_")}
    environment |= {name: os.environ[name] for name in ("RAGPP_CACHE",) if name in os.environ}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    ran = 0
    for language, text in blocks():
        script = "\n".join(line for line in text.splitlines() if not line.startswith("make "))
        if not script:
            continue
        script = script.replace("curl -s ", "curl -s --fail-with-body ")
        for export in re.findall(r"^export (.*)$", script, re.MULTILINE):
            environment |= _exported(export, folder, environment)
        script = script.replace("source .venv/bin/activate\n", "")  # the folder has none: PATH leads to ours
        command = ["bash", "-euo", "pipefail", "-c", script] if language == "bash" else [sys.executable, "-c", script]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=180, check=False
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        ran += 1
    assert ran >= 5


def _exported(assignments: str, folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """What `export …` sets, for the blocks that follow in processes of their own."""
    command = ["bash", "-c", f"export {assignments}; env"]
    shown = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout
    values = dict(line.partition("=")[::2] for line in shown.splitlines())
    return {name: value for name, value in values.items() if name.startswith("RAGPP_")}
