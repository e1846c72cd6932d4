"""What an installation brings: the client alone, or with an extra what its name says."""

import json
import subprocess
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.each import each_case
from tests.support.installing import Installation, built_wheel, closure, installed, link
from tests.support.source import modules

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
    assert f"{alone.python} -m pip install 'ragpp[embedded]'" in done.stderr
    assert done.stdout == ""
    problem = json.loads(ran(alone.ragpp, "up", "--json").stderr)
    assert problem["code"] == "MEM-015"
    assert "`embedded`" in problem["detail"]


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
