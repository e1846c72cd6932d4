"""The content of an installation: the client alone, or with an extra what its name says."""

import json
import re
import subprocess
import tomllib
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from ragpp.embedding.checkpoint import FOLDERS, SHA256
from tests.support.each import each_case
from tests.support.installing import WEIGHTS, Installation, built_wheel, closure, installed, link
from tests.support.source import ROOT, modules

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def alone(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return installed(wheel, tmp_path_factory.mktemp("alone"))


def ran(*command: object, **settings: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=60, check=False, env=settings
    )


def test_an_installation_puts_only_names_of_ours_on_the_import_path(wheel: Path) -> None:
    names = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"ragpp", "ragpp_services", "ragpp_infra"}


def test_the_client_needs_httpx_and_pydantic_and_what_they_need(wheel: Path, alone: Installation) -> None:
    (project,) = distributions(path=[str(wheel)])
    asked = [Requirement(text) for text in project.requires or ()]
    assert {one.name for one in asked if one.marker is None} == {"httpx", "pydantic"}
    done = ran(alone.python, "-c", "import ragpp.client, ragpp.api, ragpp.testing.tiers, ragpp.tools.langchain")
    assert done.returncode == 0, done.stderr


def test_the_command_line_without_its_extra_says_what_to_install(alone: Installation) -> None:
    done = ran(alone.ragpp, "up")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"{alone.python} -m pip install --find-links dist 'ragpp[embedded]'" in done.stderr
    assert done.stdout == ""
    problem = json.loads(ran(alone.ragpp, "up", "--json").stderr)
    assert problem["code"] == "MEM-015"
    assert "`embedded`" in problem["detail"]


def test_embedded_asks_for_the_weights_that_are_built_and_these_say_what_they_are(wheel: Path) -> None:
    (project,) = distributions(path=[str(wheel)])
    asked = {one.name: one for one in map(Requirement, project.requires or ())}[WEIGHTS]
    built = tomllib.loads((ROOT / "infra" / "minilm" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (built["name"], built["version"] in asked.specifier) == (WEIGHTS, True)
    assert asked.marker is not None
    assert asked.marker.evaluate({"extra": "embedded"})
    page = (ROOT / "infra" / "minilm" / "README.md").read_text(encoding="utf-8")
    assert dict(re.findall(r"`(\S+)` \| `([0-9a-f]{64})`", page)) == SHA256
    assert FOLDERS[WEIGHTS] == "ragpp_minilm/model"


def test_no_page_shows_an_installation_of_ours_from_an_index_where_there_is_none_yet() -> None:
    pages = (ROOT / "README.md", ROOT / "RELEASING.md", *(ROOT / "docs").rglob("*.md"))
    shown = {page.name: re.findall(r"pip install [^`\n]*", page.read_text(encoding="utf-8")) for page in pages}
    vain = [
        (page, one) for page, them in shown.items() for one in them if " 'ragpp" in one and "--find-links" not in one
    ]
    assert vain == []


COMMAND_LINE = ", ".join(name for name, _ in modules() if name.startswith("ragpp_infra."))


@each_case(
    ("extra", "imported"),
    [
        (
            "governor",
            "ragpp_services.governor.graph, ragpp_services.governor.quoted_answer, ragpp_services.governor.prompting",
        ),
        ("langchain", "ragpp.tools.langchain, langchain.agents, langchain_core.tools"),
        ("langgraph", "ragpp_services.governor.langgraph"),
        ("server", "ragpp_services.all_in_one, ragpp_services.workers.app"),
        ("embedded", COMMAND_LINE),
    ],
)
def test_an_extra_brings_what_its_room_imports(
    wheel: Path, alone: Installation, tmp_path: Path, extra: str, imported: str
) -> None:
    link(closure(wheel, [extra]).values(), tmp_path)
    done = ran(alone.python, "-c", f"import {imported}", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
