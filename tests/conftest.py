"""The embedded stack, started once for the whole run, or once for each of its processes (`pytest -n 2`).

RAGPP_TEST_HOME attaches to one that is kept running; of several processes each has one below that folder.
"""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from ragpp_infra.embedded.stack import Endpoints, Stack
from tests.support.stacks import cleared_away, stacks_below

settings.register_profile("ragpp", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", settings.get_profile("ragpp"), derandomize=False, max_examples=500)
settings.load_profile("ragpp")


STACKS: Final = pytest.StashKey[Path]()
"""Where the stacks of a run are, a folder for each of its processes."""


def pytest_configure(config: pytest.Config) -> None:
    """Let Ctrl-C mean something: a shell that runs this in the background has it ignored, and so would every child.
    SIGTERM, which ends `make test`, is the same to the process that the others are ended by.

    Properties have no deadline (the profile above): a busy machine is no defect. They try the same cases each time, so
    that a change is judged by what it changed; `make prove-properties` tries others.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    told = getattr(config, "workerinput", {})
    if not told:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    config.stash[STACKS] = Path(told["stacks"] if told else tempfile.mkdtemp(prefix="ragpp-test-"))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: pytest.Session) -> None:
    node.workerinput["stacks"] = str(node.config.stash[STACKS])  # type: ignore[attr-defined]  # a WorkerController of xdist


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what is left: a process of several is killed by Ctrl-C before it could, and so are its tests, which may have
    stacks of their own below pytest's folder."""
    stacks = config.stash[STACKS]
    if hasattr(config, "workerinput"):
        return
    temporary: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # no fixture is left to ask
    for home in (*stacks.iterdir(), *stacks_below(temporary)):
        cleared_away(home)
    shutil.rmtree(stacks)


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest) -> Iterator[Stack]:
    process = os.environ.get("PYTEST_XDIST_WORKER", "")
    kept = os.environ.get("RAGPP_TEST_HOME")
    home = Path(kept) / process if kept else request.config.stash[STACKS] / (process or "stack")
    running = Stack(home, short_lived=True)
    running.up()
    yield running
    if not kept:
        running.down(fast=True)


@pytest.fixture(scope="session")
def endpoints(stack: Stack) -> Endpoints:
    return stack.endpoints()
