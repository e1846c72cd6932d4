"""Somebody else's settings, changed with care: what was in them is kept, and a change is whole or not there."""

import os
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final

from ragpp.errors import StackError

_KEPT: Final = ".before-ragpp"


def read_text(path: Path) -> str:
    """The text of a file, with the line ends that it has; empty where there is none. Raises StackError."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise StackError(f"{path} cannot be read: {error}") from error


def keep_text(path: Path, text: str, is_same: Callable[[str], bool], *, is_first: bool) -> Path:
    """Keep what a file has besides our entry, and tell where: as `.before-ragpp` what `is_first`, before any change of
    ours, then numbered, what came later. What `is_same` as one that is kept already is not kept again. Raises
    StackError."""
    path = path.resolve()
    first, second = (path.with_name(path.name + _KEPT + ending) for ending in ("", "-2"))
    for number in count(1 if first.exists() or (is_first and not second.exists()) else 2):
        kept = first if number == 1 else path.with_name(f"{first.name}-{number}")
        if not kept.exists():
            break
        if is_same(read_text(kept)):
            return kept
    try:
        _write(kept, text, path.stat().st_mode & 0o777)
    except OSError as error:
        raise StackError(f"{kept} cannot be written: {error}") from error
    return kept


def replace_text(path: Path, text: str) -> None:
    """Let the file have this text. A link stays one, and a mode too. Raises StackError."""
    path = path.resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, text, path.stat().st_mode & 0o777 if path.exists() else 0o600)
    except OSError as error:
        raise StackError(f"{path} cannot be written: {error}") from error


def _write(path: Path, text: str, mode: int) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:  # whatever it was goes on, and nothing is left of it
        Path(name).unlink(missing_ok=True)
        raise
