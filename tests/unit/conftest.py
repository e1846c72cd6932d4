"""What several unit tests use."""

from collections.abc import Callable

import pytest

from tests.support.command_line import Done, runner


@pytest.fixture
def ragpp(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs a command in this process, as the shell would."""
    return runner(monkeypatch, capsys)
