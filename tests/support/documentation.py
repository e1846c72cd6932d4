"""The pages of the documentation: their blocks and links, and how a block is run."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.source import ROOT

FENCE: Final = re.compile(r'^```(\w+)(?: title="([\w.-]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
RUN: Final = ("bash", "python")
"""Languages of blocks that are run; `sh` and `py` mark those that need what a test does not have."""
PAGES: Final = (
    "docs/client.md",
    "docs/errors.md",
    "docs/cli.md",
    "docs/http.md",
    "docs/keys.md",
    "docs/audit.md",
    "docs/filters.md",
    "docs/scopes.md",
    "docs/visibility.md",
    "docs/learning.md",
    "docs/preferences.md",
    "docs/relationships.md",
    "docs/values.md",
    "docs/agents.md",
    "docs/extraction.md",
    "docs/personal-data.md",
    "docs/configuration.md",
)
"""Pages that are followed one after another on one stack; the last starts services again."""
OF_THEIR_OWN: Final = ("README.md", "docs/catalog.md", "docs/tutorial.md")
"""Pages that tests of their own follow."""
OF_OTHER_TESTS: Final = ("RAGPP_", "EMBEDDING_", "GATEWAY_", "TIER_", "POSTGRES_", "REDIS_", "NEO4J_", "FORGETTING_")
"""Settings that tests of the same process may have left in the environment."""
AWAITING: Final = """
import ast, asyncio, sys
done = eval(compile(sys.argv[1], "page", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
if done is not None:
    asyncio.run(done)
"""
"""A program that runs its argument, which may await outside of functions as in a notebook."""


class Block(NamedTuple):
    """A fenced block of a page; one with a title is a file."""

    language: str
    title: str
    text: str


def pages() -> list[str]:
    """The README and all pages below `docs`, by their paths in the repository."""
    return ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    """The page's fenced blocks, whatever their language."""
    return [Block(*found) for found in FENCE.findall(read(page))]


def environment(**more: str) -> dict[str, str]:
    """A shell's, with our commands on its path and no settings of other tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_OTHER_TESTS)}
    kept |= {name: os.environ[name] for name in ("RAGPP_CACHE",) if name in os.environ}
    return kept | {"PATH": f"{Path(sys.executable).parent}:{kept['PATH']}", "COLUMNS": "120"} | more


def ran(command: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    """The command's output; AssertionError where it fails."""
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, f"{command[-1]}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def follow(page: str, folder: Path, **more: str) -> list[str]:
    """The output of each of the page's blocks that are run, in order. Files are written, and what one block exports
    the others have. Lines of `make` are left out: a target is no matter of this stack's."""
    variables = environment(**more)
    said = []
    for language, title, text in blocks(page):
        if title:
            (folder / title).write_text(text, encoding="utf-8")
        elif language == "python":
            said.append(ran([sys.executable, "-c", AWAITING, text], folder, variables))
        elif language == "bash":
            lines = [line for line in text.splitlines() if not line.startswith(("make ", "source "))]
            script = "\n".join(lines).replace("curl -s ", "curl -s --fail-with-body ")
            if script:
                said.append(ran(["bash", "-euo", "pipefail", "-c", script], folder, variables))
            for assignments in re.findall(r"^export ((?:\$\(.*?\)|[^#\n])*)", script, re.MULTILINE):
                shown = ran(["bash", "-c", f"export {assignments}; env"], folder, variables)
                values = dict(line.partition("=")[::2] for line in shown.splitlines())
                variables |= {name: value for name, value in values.items() if name.startswith("RAGPP_")}
    return said
