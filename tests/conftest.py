"""The stores, started once for the whole run, or once for each of its processes (`pytest -n 2`).

`--stores=embedded`: the embedded servers. RAGPP_TEST_HOME attaches to some that are kept running; of several processes
each has its own below that folder. `--stores=containers`: the images of docker-compose.yml, started by testcontainers
on the engine that it finds (DOCKER_HOST); the tests in tests/containers_left_out.toml are skipped.
"""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from ragpp.models import Scope
from ragpp_infra.embedded.stack import Endpoints, Stack
from tests.support import containers
from tests.support.left_out import left_out
from tests.support.logged import Heard, noting
from tests.support.scopes import new_scope
from tests.support.stacks import EmbeddedStack, RunStack, cleared_away, stacks_below

settings.register_profile(
    "ragpp", deadline=None, derandomize=True, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("ragpp"), derandomize=False, max_examples=500)
settings.load_profile("ragpp")


STACKS: Final = pytest.StashKey[Path]()
"""Where the stacks of a run are, a folder for each of its processes; containers are known by the name of it."""
CONTAINERS: Final = "containers"
"""A file there says that some were started."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--stores",
        choices=("embedded", "containers"),
        default="embedded",
        help="what the tests that need stores run on: embedded servers (the default), or containers",
    )


def in_containers(config: pytest.Config) -> bool:
    return str(config.getoption("stores")) == "containers"


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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is left out, visibly and with the reason."""
    if in_containers(config):
        entries = left_out()
        for item in items:
            for entry in entries:
                if entry.covers(item.nodeid):
                    item.add_marker(pytest.mark.skip(reason=f"left out with containers: {entry.why}"))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run in containers that ran nothing, since all of it is left out, has proved nothing and says so."""
    config = session.config
    if not in_containers(config) or hasattr(config, "workerinput") or config.option.collectonly:
        return
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == pytest.ExitCode.OK and not (reporter and reporter.stats.get("passed")):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what is left: a process of several is killed by Ctrl-C before it could, and so are its tests, which may have
    stacks of their own below pytest's folder."""
    stacks = config.stash[STACKS]
    if hasattr(config, "workerinput"):
        return
    if (stacks / CONTAINERS).exists():
        containers.remove_all(stacks.name)
    temporary: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # no fixture is left to ask
    for home in (*(path for path in stacks.iterdir() if path.is_dir()), *stacks_below(temporary)):
        cleared_away(home)
    shutil.rmtree(stacks)


@contextmanager
def stores(config: pytest.Config, home: Path, *, kept: bool = False) -> Iterator[RunStack]:
    """Stores as the run has them; embedded ones in `home`, where they may be `kept` running."""
    if in_containers(config):
        (config.stash[STACKS] / CONTAINERS).touch()
        with containers.running(config.stash[STACKS].name) as contained:
            yield contained
        return
    embedded = EmbeddedStack(home, short_lived=True)
    embedded.up()
    yield embedded
    if not kept:
        embedded.down(fast=True)


@pytest.fixture(scope="session")
def log_folders(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Below which everything is logged: by stores, by services that tests start, and by what runs in this process."""
    kept = os.environ.get("RAGPP_TEST_HOME")
    return [request.config.stash[STACKS], tmp_path_factory.getbasetemp(), *([Path(kept)] if kept else [])]


@pytest.fixture(scope="session", autouse=True)
def heard(log_folders: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Heard]:
    """Everything that this process of the run says to the memory. At its end none of it is in any log."""
    heard = Heard()
    with noting(heard, tmp_path_factory.mktemp("logged") / "logged-here.log"):
        yield heard
    if leaks := heard.leaks(log_folders):
        pytest.fail("logged and must not be:\n" + "\n".join(map(str, leaks[:50])), pytrace=False)


@pytest.fixture(autouse=True)
def _taken_apart(heard: Heard) -> Iterator[None]:
    """Take apart what a test says, between it and the next, when nobody is asked."""
    yield
    heard.take_apart()


@pytest.fixture(scope="session", autouse=True)
def _no_other_servers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Where the stores are in containers, no test starts embedded ones beside them without being on the list."""

    def refused(*_given: object) -> None:
        pytest.fail("starts embedded servers: name it in tests/containers_left_out.toml, or have it use `stack`")

    with pytest.MonkeyPatch.context() as patch:
        if in_containers(request.config):
            patch.setattr(Stack, "up", refused)
        yield


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest) -> Iterator[RunStack]:
    process = os.environ.get("PYTEST_XDIST_WORKER", "")
    kept = os.environ.get("RAGPP_TEST_HOME")
    home = Path(kept) / process if kept else request.config.stash[STACKS] / (process or "stack")
    with stores(request.config, home, kept=kept is not None) as started:
        yield started


@pytest.fixture(scope="module")
def own_stack(request: pytest.FixtureRequest) -> Iterator[RunStack]:
    """Stores of the module's own, to be killed: nobody else has connections to them."""
    with stores(request.config, Path(tempfile.mkdtemp(prefix="own-", dir=request.config.stash[STACKS]))) as started:
        yield started


@pytest.fixture(scope="session")
def endpoints(stack: RunStack, heard: Heard) -> Endpoints:
    endpoints = stack.endpoints()
    for address in (*endpoints.addresses().values(), stack.postgres_superuser_dsn()):
        heard.password_of(address.get_secret_value())
    heard.secret(endpoints.neo4j_password.get_secret_value())
    return endpoints


@pytest.fixture
def scope() -> Scope:
    """A user of a tenant that no other test has."""
    return new_scope()
