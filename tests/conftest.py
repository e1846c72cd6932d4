"""The embedded stack, started once for the whole run. RAGPP_TEST_HOME attaches to one that is kept running."""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ragpp_infra.embedded.stack import Endpoints, Stack

settings.register_profile("ragpp", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", settings.get_profile("ragpp"), derandomize=False, max_examples=500)
settings.load_profile("ragpp")


def pytest_configure() -> None:
    """Let Ctrl-C mean something: a shell that runs this in the background has it ignored, and so would every child.

    Properties have no deadline (the profile above): a busy machine is no defect. They try the same cases each time, so
    that a change is judged by what it changed; `make prove-properties` tries others.
    """
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
