"""The project's own files, for the tests that read them as text or as syntax trees."""

import ast
import importlib.util
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = {
    "ragpp": ROOT / "shared" / "ragpp",
    "ragpp_services": ROOT / "services" / "ragpp_services",
    "ragpp_infra": ROOT / "infra" / "ragpp_infra",
}
_NOT_OURS: Final = frozenset({"__pycache__", "node_modules", "dist", "build"})


def modules() -> Iterator[tuple[str, Path]]:
    """Dotted name and file of every module of the three packages."""
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            yield ".".join((package, *(part for part in parts if part != "__init__"))), path


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def text_files() -> Iterator[tuple[Path, str]]:
    """Path below the root and content of every text file that belongs to the project; hidden folders do not."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if _is_ours(name))
        for path in (Path(folder, name) for name in sorted(names)):
            if path.is_symlink() or not path.is_file():
                continue
            try:
                yield path.relative_to(ROOT), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def _is_ours(folder: str) -> bool:
    return folder not in _NOT_OURS and (not folder.startswith(".") or folder == ".ci")


def module_of(path: str) -> ModuleType:
    """A script or example, imported from its file."""
    spec = importlib.util.spec_from_file_location("shown", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
