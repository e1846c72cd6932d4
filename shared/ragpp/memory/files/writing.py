"""Files of what somebody remembers."""

from pathlib import Path


def write_private(path: Path, data: bytes) -> None:
    """Write a file in one step, which its owner alone may read. Raises OSError."""
    made = path.with_name(f"{path.name}.part")
    made.touch(mode=0o600)
    try:
        made.write_bytes(data)
        made.replace(path)
    except OSError:
        made.unlink(missing_ok=True)
        raise
