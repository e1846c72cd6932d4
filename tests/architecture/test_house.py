"""The rules of the house that no linter knows."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

import pytest
from pydantic_settings import BaseSettings

import ragpp.settings
from tests.support.source import ROOT, SCRIPTS, modules, text_files, tree_of

MODULES: Final = dict(modules())
MAX_LINES: Final = 300
READS_SETTINGS: Final = frozenset({"app", "all_in_one", "keys", "__main__"})
# written in halves, so that this file does not hold what it looks for
FOREIGN_HOSTS: Final = tuple(
    f"{name}.{domain}"
    for name, domain in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("repo1.maven", "org"),
        ("repo.maven.apache", "org"),
        ("search.maven", "org"),
        ("registry.npmjs", "org"),
        ("proxy.golang", "org"),
    )
)
MACHINE_PATHS: Final = tuple(f"/{folder}/" for folder in ("work", "root", "tmp"))


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_short_or_its_docstring_says_why_not(name: str) -> None:
    path = MODULES[name]
    lines = path.read_text(encoding="utf-8").count("\n")
    docstring = ast.get_docstring(tree_of(path)) or ""
    assert lines <= MAX_LINES or f"{MAX_LINES} lines" in docstring, f"{name} has {lines} lines and gives no reason"


@pytest.mark.parametrize("name", [name for name, path in MODULES.items() if path.name != "__init__.py"])
def test_a_module_says_what_it_is_for(name: str) -> None:
    assert ast.get_docstring(tree_of(MODULES[name])), f"{name} has no docstring"


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith(("ragpp.", "services."))])
def test_settings_are_read_where_a_process_is_put_together_and_nowhere_else(name: str) -> None:
    if name.rpartition(".")[2] in READS_SETTINGS:
        return
    readings = list(_settings_read(tree_of(MODULES[name])))
    assert not readings, f"{name} reads settings at line {readings[0]}"


def _settings_read(tree: ast.Module) -> Iterator[int]:
    """Lines where a settings class is called, or the environment looked at."""
    for node in ast.walk(tree):
        made = isinstance(node, ast.Call) and _last_name(node.func).endswith("Settings")
        asked = (
            isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"} and _last_name(node.value) == "os"
        )
        if made or asked:
            yield node.lineno  # type: ignore[attr-defined]  # both kinds of node have it


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize("name", MODULES)
def test_only_the_command_line_prints(name: str) -> None:
    if name.startswith("infra.cli") or name.rpartition(".")[2] == "keys":
        return
    calls = [node for node in ast.walk(tree_of(MODULES[name])) if isinstance(node, ast.Call)]
    assert not [call.lineno for call in calls if _last_name(call.func) == "print"]


def _places_of(needles: tuple[str, ...]) -> list[str]:
    return [
        f"{path}:{number} {needle}"
        for path, text in text_files()
        for number, line in enumerate(text.splitlines(), start=1)
        for needle in needles
        if needle in line
    ]


def test_no_file_names_the_host_of_a_package_registry() -> None:
    assert _places_of(FOREIGN_HOSTS) == []


def test_no_file_names_a_path_of_the_machine_it_was_written_on() -> None:
    assert _places_of(MACHINE_PATHS) == []


def test_every_package_of_the_lock_has_one_version_and_no_address() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(line.count("==") == 1 and " " not in line and "/" not in line for line in pins)
    names = [line.partition("==")[0] for line in pins]
    assert len(set(names)) == len(names)
    assert "torch" not in names


def test_the_example_file_has_every_setting_as_it_is() -> None:
    script = SCRIPTS / "refresh_env_example.py"
    done = subprocess.run([sys.executable, str(script), "--check"], check=False)
    assert done.returncode == 0, f"run {script.relative_to(ROOT)}"


def test_every_value_of_the_example_file_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there to be sourced: a default that the settings then refuse would keep the stack from starting."""
    for line in (ROOT / ".env.example").read_text(encoding="utf-8").splitlines():
        name, is_set, value = line.partition("=")
        if is_set and not line.startswith("#"):
            monkeypatch.setenv(name, value.partition(" #")[0].strip())
    for kind in vars(ragpp.settings).values():
        if isinstance(kind, type) and issubclass(kind, BaseSettings) and kind is not BaseSettings:
            for name, field in kind.model_fields.items():
                if field.is_required():
                    monkeypatch.setenv(f"{kind.model_config.get('env_prefix', '')}{name}".upper(), "x")
            assert kind()
