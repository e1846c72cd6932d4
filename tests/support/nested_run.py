"""A run of tests of its own, with the conftest of this one, started by a test."""

from pathlib import Path

from tests.support.source import ROOT


def options_of(temporary: Path, processes: int = 0) -> tuple[str, ...]:
    """What pytest is told beside the file; what tests leave behind is in `temporary`."""
    return (
        *("-p", "tests.conftest", "-p", "no:cacheprovider", "-n", str(processes), "--rootdir", str(ROOT)),
        *("-c", str(ROOT / "pyproject.toml"), "--basetemp", str(temporary), "-o", "addopts="),
    )
