"""The relay leaves a hint where there is work and a thread for it, waits when it must, and never gives up."""

import asyncio
import os
from collections.abc import Collection, Sequence
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from ragpp.errors import TierUnavailable
from ragpp_services.workers.running import relay as relay_module
from ragpp_services.workers.running.heartbeat import Heartbeat
from ragpp_services.workers.running.relay import Relay
from tests.support.each import each_case


class Ledger:
    """Says that `due` have work, after as many failures as it is told."""

    def __init__(self, due: Sequence[str], failures: Sequence[Exception] = ()) -> None:
        self.waiting, self.failures = set(due), list(failures)
        self.asked: list[set[str]] = []

    async def due(self, stages: Collection[str]) -> list[str]:
        self.asked.append(set(stages))
        if self.failures:
            raise self.failures.pop(0)
        return sorted(self.waiting & set(stages))


class Broker:
    """Keeps the hints, which nobody takes while it is `deaf`, and what was begun without them; `enough` is set when
    there are `expected` of either. It raises the errors that it is given first."""

    def __init__(self, expected: int, errors: Sequence[Exception] = (), *, deaf: bool = False) -> None:
        self.hints: list[str] = []
        self.begun: list[str] = []
        self.errors, self.deaf = list(errors), deaf
        self.expected, self.enough = expected, asyncio.Event()

    async def hint(self, stage: str) -> bool:
        if self.errors:
            raise self.errors.pop(0)
        if self.deaf and stage in self.hints:
            return False
        self.hints.append(stage)
        self._count()
        return True

    def begin(self, stage: str) -> None:
        self.begun.append(stage)
        self._count()

    def _count(self) -> None:
        if len(self.hints) + len(self.begun) >= self.expected:
            self.enough.set()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay_module, "DOWN_S", 0.001)


async def run_until_hinted(relay: Relay, broker: Broker) -> None:
    running = asyncio.create_task(relay.run())
    async with asyncio.timeout(60):
        await broker.enough.wait()
    relay.stop()
    await running


async def test_a_stage_with_work_is_hinted_at_and_no_other() -> None:
    ledger, broker = Ledger(["observe", "forget"]), Broker(4)
    relay = Relay(ledger, broker.hint, lambda: ["observe", "extract", "forget"], broker.begin)  # type: ignore[arg-type]
    await run_until_hinted(relay, broker)
    assert set(broker.hints) == {"observe", "forget"}


async def test_stages_whose_threads_are_all_at_work_are_not_asked_for() -> None:
    ledger, broker = Ledger(["observe", "forget"]), Broker(2)
    free = [["forget"], [], ["forget"]]
    relay = Relay(ledger, broker.hint, lambda: free.pop(0) if free else ["forget"], broker.begin)  # type: ignore[arg-type]
    await run_until_hinted(relay, broker)
    assert set(broker.hints) == {"forget"}
    assert all(asked == {"forget"} for asked in ledger.asked)


@each_case("error", [TierUnavailable("down"), RuntimeError("bug")])
async def test_a_ledger_that_is_down_or_a_bug_only_delays(error: Exception) -> None:
    ledger, broker = Ledger(["observe"], [error, error]), Broker(1)
    relay = Relay(ledger, broker.hint, lambda: ["observe"], broker.begin)  # type: ignore[arg-type]
    await run_until_hinted(relay, broker)
    assert broker.hints == ["observe"]


async def test_only_a_look_at_the_ledger_that_succeeded_is_a_heartbeat(tmp_path: Path) -> None:
    """Else a worker that cannot reach its ledger would look as well as one that works."""
    ledger, broker = Ledger(["observe"], [TierUnavailable("down"), TierUnavailable("down")]), Broker(2)
    looks, heart = list[int](), Heartbeat(tmp_path / "heart", iter([0.0, 0.5, *range(1, 1000)]).__next__)

    def looked() -> None:
        looks.append(len(ledger.asked))
        heart.beat()

    relay = Relay(ledger, broker.hint, lambda: ["observe"], broker.begin, looked)  # type: ignore[arg-type]
    await run_until_hinted(relay, broker)
    assert looks[0] == 3
    assert (tmp_path / "heart").exists()


def test_a_heart_beats_once_a_second_and_not_at_all_without_a_file(tmp_path: Path) -> None:
    moments = iter([0.0, 0.9, 1.0])
    file = tmp_path / "heart"
    heart = Heartbeat(file, moments.__next__)
    heart.beat()
    os.utime(file, (0, 0))
    heart.beat()
    assert file.stat().st_mtime == 0
    heart.beat()
    assert file.stat().st_mtime > 0
    Heartbeat(None).beat()


def test_a_worker_works_on_where_its_heartbeat_cannot_be_written(tmp_path: Path) -> None:
    """A folder of root's, once, kept three workers from all work."""
    with capture_logs() as logged:
        heart = Heartbeat(tmp_path / "none" / "heart", iter([0.0, 1.0, 2.0]).__next__)
        for _ in range(3):
            heart.beat()
    assert [line["event"] for line in logged] == ["heartbeat.not_written"]


async def test_what_is_due_is_begun_without_a_broker() -> None:
    ledger, broker = Ledger(["observe", "forget"]), Broker(3, [OSError("no broker")])
    relay = Relay(ledger, broker.hint, lambda: ["observe", "forget"], broker.begin)  # type: ignore[arg-type]
    await run_until_hinted(relay, broker)
    assert sorted(broker.begun) == ["forget", "observe"]
    assert broker.hints


async def test_what_is_due_is_begun_where_nobody_takes_the_hints() -> None:
    ledger, broker = Ledger(["observe"]), Broker(3, deaf=True)
    relay = Relay(ledger, broker.hint, lambda: ["observe"], broker.begin)  # type: ignore[arg-type]
    await run_until_hinted(relay, broker)
    assert broker.hints == ["observe"]
    assert set(broker.begun) == {"observe"}


async def test_a_bug_in_leaving_hints_only_delays() -> None:
    ledger, broker = Ledger(["observe"]), Broker(1, [RuntimeError("bug"), RuntimeError("bug")])
    relay = Relay(ledger, broker.hint, lambda: ["observe"], broker.begin)  # type: ignore[arg-type]
    await run_until_hinted(relay, broker)
    assert broker.hints == ["observe"]
    assert not broker.begun
