"""The rules of the house that no linter knows."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

import pytest

from ragpp_infra.embedded.known_settings import settings_classes
from tests.support.source import ROOT, modules, text_files, tree_of

MODULES: Final = dict(modules())
TREES: Final = {name: tree_of(path) for name, path in MODULES.items()}
MAX_LINES: Final = 300
MAX_LINES_OF_TESTS: Final = 400
READS_SETTINGS: Final = frozenset(
    {
        "ragpp.environment",
        "ragpp.places",
        "ragpp_services.all_in_one",
        "ragpp_services.gateway.keys",
    }
)
"""Beside every `app` and `__main__`."""
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
BEGINNINGS_OF_RIDDLES: Final = ("What ", "Whether ", "Of ")
MACHINE_PATHS: Final = tuple(f"/{folder}/" for folder in ("work", "root", "tmp"))


def test_a_module_is_short_or_its_docstring_says_why_not() -> None:
    lines = {name: path.read_text(encoding="utf-8").count("\n") for name, path in MODULES.items()}
    long = {name: count for name, count in lines.items() if count > MAX_LINES}
    assert {name: count for name, count in long.items() if f"{MAX_LINES} lines" not in _docstring(name)} == {}


def test_a_file_of_tests_is_short() -> None:
    files = sorted((ROOT / "tests").rglob("*.py"))
    lines = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in files}
    assert {name: count for name, count in lines.items() if count > MAX_LINES_OF_TESTS} == {}


def test_a_module_says_what_it_is_for() -> None:
    assert [name for name, path in MODULES.items() if path.name != "__init__.py" and not _docstring(name)] == []


def test_a_docstring_begins_with_the_thing() -> None:
    riddles = [
        f"{path.relative_to(ROOT)}:{line} {text.splitlines()[0]}"
        for path in (*MODULES.values(), *sorted((ROOT / "benchmarks").rglob("*.py")), *(ROOT / "tests").rglob("*.py"))
        for line, text in _strings_alone(tree_of(path))
        if text.startswith(BEGINNINGS_OF_RIDDLES)
    ]
    assert riddles == []


def _strings_alone(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The docstrings of a module, of its classes, functions and constants, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def _docstring(name: str) -> str:
    return ast.get_docstring(TREES[name]) or ""


def test_settings_are_read_where_a_process_is_put_together_and_nowhere_else() -> None:
    kept = [
        name
        for name in MODULES
        if name.startswith(("ragpp.", "ragpp_services."))
        and name not in READS_SETTINGS
        and _own_name(name) not in {"app", "__main__"}
    ]
    assert [f"{name}:{line}" for name in kept for line in _settings_read(TREES[name])] == []


def _own_name(name: str) -> str:
    return name.rpartition(".")[2]


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


def test_only_the_command_line_prints() -> None:
    silent = {
        name: tree
        for name, tree in TREES.items()
        if not name.startswith("ragpp_infra.cli") and name != "ragpp_services.gateway.keys"
    }
    calls = [(name, node) for name, tree in silent.items() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert [f"{name}:{call.lineno}" for name, call in calls if _last_name(call.func) == "print"] == []


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
    script = ROOT / "infra" / "scripts" / "refresh_env_example.py"
    done = subprocess.run([sys.executable, str(script), "--check"], check=False)
    assert done.returncode == 0, f"run {script.relative_to(ROOT)}"


def test_every_value_of_the_example_file_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there to be sourced: a default that the settings then refuse would keep the stack from starting."""
    for line in (ROOT / ".env.example").read_text(encoding="utf-8").splitlines():
        name, is_set, value = line.partition("=")
        if is_set and not line.startswith("#"):
            monkeypatch.setenv(name, value.partition(" #")[0].strip())
    for kind in settings_classes():
        for name, field in kind.model_fields.items():
            if field.is_required():
                monkeypatch.setenv(kind.variable(name), "x")
        assert kind()


def test_every_class_of_settings_stands_where_it_is_looked_for() -> None:
    written = {
        node.name
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(_last_name(base) == "Settings" for base in node.bases)
    }
    assert written == {kind.__name__ for kind in settings_classes()}


def test_what_tests_share_is_support_and_no_other_test() -> None:
    folders = [ROOT / "tests" / kind for kind in ("architecture", "contract", "e2e", "integration", "unit")]
    kinds = tuple(f"tests.{folder.name}" for folder in folders)
    assert [
        f"{path.relative_to(ROOT)}: {node.module}"
        for folder in folders
        for path in folder.rglob("*.py")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(kinds)
    ] == []
