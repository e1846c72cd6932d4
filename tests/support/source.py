"""The project's own files, for the tests that read them as text or as syntax trees."""

import ast
from collections.abc import Iterator
from pathlib import Path
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


def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def text_files() -> Iterator[tuple[Path, str]]:
    """Path below the root and content of every text file that belongs to the project; hidden folders do not."""
    for path in sorted(ROOT.rglob("*")):
        below = path.relative_to(ROOT)
        hidden = any(part.startswith(".") and part != ".ci" for part in below.parts[:-1])
        if hidden or _NOT_OURS & set(below.parts) or not path.is_file() or path.is_symlink():
            continue
        try:
            yield below, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
