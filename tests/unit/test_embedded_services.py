"""The gateway and the workers of a folder: which there are to be, how they are started, looked after and stopped."""

import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest

from ragpp_infra.embedded import lifecycle as lifecycle_module
from ragpp_infra.embedded import preloading as preloading_module
from ragpp_infra.embedded import services as services_module
from ragpp_infra.embedded.environment import print_of, share_of_connections
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_infra.embedded.processes import Command, birth
from ragpp_infra.embedded.services import ServiceReport, Services, is_worker
from tests.support.each import each_case


def test_a_folder_has_one_worker_until_it_remembers_more(tmp_path: Path) -> None:
    services = Services(Home(tmp_path))
    assert services.names() == ["gateway", "workers"]
    services.home.remember("workers", "3")
    assert Services(Home(tmp_path)).names() == ["gateway", "workers", "workers-2", "workers-3"]


def test_schemas_are_brought_up_to_date_before_a_running_service_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, done = Services(Home(tmp_path)), list[str]()
    services.home.create()
    before = {"POSTGRES_DSN": "here"}
    for name in services.names():
        (services.home.run / f"{name}.pid").write_text(f"{os.getpid()}\n{birth(os.getpid())}\n", encoding="utf-8")
        services.home.remember(f"{name}_settings", print_of(before))
    monkeypatch.setattr(services_module, "_migrate", lambda *_: done.append("migrated"))

    def start(_: Services, name: str, __: dict[str, str]) -> ServiceReport:
        done.append(name)
        return ServiceReport("gateway", "attached", 0.0, 1)

    monkeypatch.setattr(Services, "_start", start)
    monkeypatch.setattr(services_module, "wait_until_ready", lambda *_: 0.0)
    for settings, expected in ((before, ["gateway"]), ({**before, "FORGETTING_KEY": "k"}, ["migrated", "gateway"])):
        monkeypatch.setattr(services_module, "environment_of", lambda *_, now=settings: now)
        done.clear()
        services._start_gateway(None, lambda _, __: None)  # type: ignore[arg-type]  # nothing is asked of the endpoints
        assert done == expected


@each_case("moved", [False, True])
def test_a_gateway_that_was_preloaded_for_stores_elsewhere_is_ended_and_another_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: bool
) -> None:
    class Noted:
        settings: ClassVar = {"NEO4J_URI": "there" if moved else "here"}

        def __getattr__(self, verb: str) -> Callable[[], subprocess.CompletedProcess[str]]:
            return partial(noted, verb)

    def start(_: Services, name: str, __: dict[str, str]) -> ServiceReport:
        done.append(name)
        return ServiceReport("gateway", "started" if moved else "attached", 0.0, 1)

    def noted(what: str, **_: object) -> subprocess.CompletedProcess[str]:
        done.append(what)
        return subprocess.CompletedProcess((), 0)

    services, done = Services(Home(tmp_path)), list[str]()
    services.home.create()
    monkeypatch.setattr(Services, "_start", start)
    monkeypatch.setattr(services_module, "migrate", partial(noted, "migrate anew"))
    monkeypatch.setattr(services_module, "wait_until_ready", lambda *_: 0.0)
    monkeypatch.setattr(services_module, "environment_of", lambda *_: {"NEO4J_URI": "here"})
    _, report = services._start_gateway(None, lambda _, __: None, None, Noted())  # type: ignore[arg-type]  # as above
    assert done == (["cancel", "migrate anew", "gateway"] if moved else ["migrate", "gateway", "serve"])
    assert report.action == "started"


@pytest.fixture
def preloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """Services whose gateway and migrations only wait to be told."""
    waits = [sys.executable, "-c", "input()"]
    services = Services(Home(tmp_path))
    services.home.create()
    monkeypatch.setattr(preloading_module, "program", lambda *_: waits)
    monkeypatch.setattr(services_module, "environment_of", lambda *_: {"NEO4J_URI": "here"})
    monkeypatch.setattr(Services, "_command", lambda *_: Command(waits, log=tmp_path / "gateway.log"))
    yield services
    services.down(fast=True)


@each_case("own", [True, False])
def test_a_gateway_that_waits_for_another_up_is_not_waited_for(
    preloads: Services, monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    """The other may itself wait for the lock: neither would get on."""

    def start(services: Services, *_: object) -> tuple[dict[str, str], ServiceReport]:
        found.append(services.pid("gateway"))
        return {}, ServiceReport("gateway", "started", 0.0, 1)

    found = list[int | None]()
    preloaded = preloads.preload(None)  # type: ignore[arg-type]  # nothing is asked of the endpoints
    assert preloaded is not None
    monkeypatch.setattr(Services, "_start_gateway", start)
    monkeypatch.setattr(Services, "_start", lambda *_: ServiceReport("workers", "started", 0.0, 1))
    preloads.up(None, preloaded=preloaded if own else None)  # type: ignore[arg-type]  # as above
    assert found == [preloaded.pid if own else None]
    preloaded.cancel()


@each_case("cancelled", [False, True])
def test_cancelling_leaves_the_gateway_that_was_started_in_its_place(preloads: Services, cancelled: bool) -> None:
    """By another `up`; or by the same one, for stores elsewhere, when it had cancelled what it had preloaded."""
    before = preloads.preload(None)  # type: ignore[arg-type]  # as above
    assert before is not None
    if cancelled:
        before.cancel()
    preloads.down(fast=True)
    now = preloads.preload(None)  # type: ignore[arg-type]  # as above
    assert now is not None
    before.cancel()
    assert preloads.pid("gateway") == now.pid
    now.cancel()
    assert preloads.pid("gateway") is None


@each_case(("workers", "each"), [(1, "10"), (4, "10"), (10, "6"), (64, "1")])
def test_workers_share_the_connections_that_there_are(workers: int, each: str) -> None:
    assert share_of_connections(workers) == {"POSTGRES_POOL_MAX": each}


def test_only_a_worker_that_runs_is_one_too_many(tmp_path: Path) -> None:
    services = Services(Home(tmp_path))
    services.home.create()
    running, alive = services.home.run, f"{os.getpid()}\n{birth(os.getpid())}\n"
    for name in ("workers", "workers-2", "workers-x"):
        (running / f"{name}.pid").write_text(alive, encoding="utf-8")
    (running / "workers-3.pid").write_text("1\nanother birth\n", encoding="utf-8")
    assert services.surplus() == ["workers-2"]
    services.home.remember("workers", "2")
    assert services.surplus() == []


def test_worker_names_are_the_ones_that_are_given() -> None:
    assert all(map(is_worker, ("workers", "workers-2", "workers-64")))
    assert not any(map(is_worker, ("workers-0", "workers-1", "workers-02", "workers-", "gateway", "../workers-2")))


def test_the_key_is_readable_by_its_owner_alone_and_whole(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.key() is None
    home.write_key("first")
    home.write_key("second")
    assert home.key() == "second"
    assert home.key_path.stat().st_mode & 0o777 == 0o600


def test_what_ends_by_itself_is_told_until_another_stops_the_stack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lifecycle = Lifecycle(tmp_path)
    lifecycle.home.create()
    whole = {*lifecycle.names()}
    seen = iter([whole, whole - {"gateway"}, whole, whole - {"neo4j", "workers"}])
    monkeypatch.setattr(lifecycle_module, "WATCH_S", 0.0)
    monkeypatch.setattr(Lifecycle, "running", lambda _: next(seen))
    told = []
    for gone in lifecycle.endings():
        told.append(gone)
        lifecycle.services.want(up=len(told) < 2)
    assert told == [["gateway"], ["neo4j", "workers"]]


def test_an_interrupt_while_stopping_makes_it_quick_and_leaves_what_ran_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lifecycle, stopped = Lifecycle(tmp_path), list[tuple[set[str], bool]]()

    def bring_down(_: Lifecycle, only: Collection[str], *, fast: bool) -> None:
        stopped.append(({*only}, fast))
        if not fast:
            raise KeyboardInterrupt

    monkeypatch.setattr(Lifecycle, "running", lambda _: {"postgres", "gateway", "workers"})
    monkeypatch.setattr(Lifecycle, "bring_down", bring_down)
    said = list[bool]()
    lifecycle.stop_what_was_started({"postgres"}, said.append)
    assert stopped == [({"gateway", "workers"}, False), ({"gateway", "workers"}, True)]
    assert said == [False, True]
