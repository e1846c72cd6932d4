"""The embedded stack, started once for the whole run. RAGPP_TEST_HOME attaches to one that is kept running."""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.embedded.stack import Endpoints, Stack


def pytest_configure() -> None:
    """Let Ctrl-C mean something: a shell that runs this in the background has it ignored, and so would every child."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    kept = os.environ.get("RAGPP_TEST_HOME")
    if kept:
        running = Stack(Path(kept))
        running.up()
        yield running
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-test-") as home:
        fresh = Stack(Path(home))
        fresh.up()
        try:
            yield fresh
        finally:
            fresh.down(fast=True)


@pytest.fixture(scope="session")
def endpoints(stack: Stack) -> Endpoints:
    return stack.endpoints()
