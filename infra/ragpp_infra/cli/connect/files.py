"""Somebody else's settings, changed with care: the old file is kept, and a change is whole or not there."""

import os
import tempfile
from pathlib import Path
from typing import Final

from ragpp.errors import StackError

_KEPT: Final = ".before-ragpp"


def read_text(path: Path) -> str:
    """The text of a file; empty where there is none. Raises StackError."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise StackError(f"{path} cannot be read: {error}") from error


def replace_text(path: Path, text: str) -> Path | None:
    """Let the file have this text; where the one that it had is kept, None where there was no file. The first that was
    kept is: it is the one from before us. A link stays one, and a mode too. Raises StackError."""
    path = path.resolve()
    kept = path.with_name(path.name + _KEPT) if path.exists() else None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if kept else 0o600
        if kept and not kept.exists():
            _write(kept, path.read_text(encoding="utf-8"), mode)
        _write(path, text, mode)
    except OSError as error:
        raise StackError(f"{path} cannot be written: {error}") from error
    return kept


def _write(path: Path, text: str, mode: int) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:  # whatever it was goes on, and nothing is left of it
        Path(name).unlink(missing_ok=True)
        raise
