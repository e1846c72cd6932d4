"""Every command of the README and of the catalog's page works, in the order it is written there, on a stack of its own;
what the page shows is what is answered."""

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
SHOWN: Final = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND: Final = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n?)*)", re.MULTILINE)
VARIES: Final = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?|\d+\.\d m?s\b|\b[01]\.\d\d\b|│")
"""Days, durations, scores, and what a context is framed by."""


def blocks(page: str = "README.md") -> list[tuple[str, str]]:
    """Language and text of every block that is meant to be run."""
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def shown(page: str) -> list[str]:
    """The blocks of text: files, and commands with what they answer."""
    return SHOWN.findall((ROOT / page).read_text(encoding="utf-8"))


def lines(text: str) -> list[str]:
    """What stands in its lines, but for spaces and what varies; without those that are left out."""
    found = (" ".join(VARIES.sub(" ", line).split()) for line in text.splitlines())
    return [line for line in found if line not in {"", "…"}]


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
    assert follow(blocks(), folder) >= 5


@pytest.mark.exhaustive
def test_the_catalogs_page_shows_what_is_answered(folder: Path) -> None:
    page = "docs/catalog.md"
    call, prices, *sessions = shown(page)
    (folder / "call.txt").write_text(call, encoding="utf-8")
    (folder / "handbook").mkdir()
    (folder / "handbook" / "prices.md").write_text(prices, encoding="utf-8")
    assert follow([("bash", "ragpp up\n")], folder) == 1
    compared = 0
    for command, answer in (found for session in sessions for found in COMMAND.findall(session)):
        if " show " in command:  # the page is made anew behind what was deleted
            _run(["bash", "-c", "ragpp catalog categories consolidate product_knowledge --user studio"], folder)
        said = lines(_run(["bash", "-euo", "pipefail", "-c", command], folder))
        missing = [line for line in lines(answer) if line not in said]
        assert not missing, f"{command}\n{missing}\n{said}"
        compared += len(lines(answer))
    assert compared > 30
    assert follow(blocks(page), folder) == 3


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, env=_environment(), capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


OF_OTHER_TESTS: Final = ("RAGPP_", "EMBEDDING_", "GATEWAY_", "TIER_", "POSTGRES_", "REDIS_", "NEO4J_", "FORGETTING_")
"""Settings that tests of the same process may have left in the environment."""


def _environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OF_OTHER_TESTS)}
    environment |= {name: os.environ[name] for name in ("RAGPP_CACHE",) if name in os.environ}
    return environment | {"PATH": f"{Path(sys.executable).parent}:{environment['PATH']}", "COLUMNS": "120"}


def follow(blocks: list[tuple[str, str]], folder: Path) -> int:
    """Run them one after another; returns how many there were."""
    environment = _environment()
    ran = 0
    for language, text in blocks:
        script = text.replace("make run ", "ragpp demo ")  # the same, but that it ends when it has shown what it can
        script = "\n".join(line for line in script.splitlines() if not line.startswith("make "))
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
    return ran


def _exported(assignments: str, folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """What `export …` sets, for the blocks that follow in processes of their own."""
    command = ["bash", "-c", f"export {assignments}; env"]
    shown = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout
    values = dict(line.partition("=")[::2] for line in shown.splitlines())
    return {name: value for name, value in values.items() if name.startswith("RAGPP_")}
