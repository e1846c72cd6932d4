"""Files of evaluation data that were written without sight of the code, and must stay as they were written."""

import hashlib
from pathlib import Path


def sealed(path: Path) -> str:
    """The text of a file. ValueError where a seal lies beside it (the same name with `.sha256`) that is not its own."""
    seal = path.with_suffix(".sha256")
    if seal.exists() and seal.read_text("ascii").split()[0] != hashlib.sha256(path.read_bytes()).hexdigest():
        raise ValueError(f"{path.name} is not the file that was written without sight of the code")
    return path.read_text(encoding="utf-8")


def is_sealed(path: Path) -> bool:
    """A file that is never shown line by line: named `…_blind`, or with a seal beside it."""
    return path.stem.endswith("_blind") or path.with_suffix(".sha256").exists()
