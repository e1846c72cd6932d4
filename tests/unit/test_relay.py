"""The relay leaves a hint where there is work and a thread for it, waits when it must, and never gives up."""

import asyncio
from collections.abc import Collection, Sequence

import pytest

from ragpp.errors import TierUnavailable
from services.workers import relay as relay_module
from services.workers.relay import Relay


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
    """Keeps the hints; `enough` is set when there are `expected`. It raises the errors that it is given first."""

    def __init__(self, expected: int, errors: Sequence[Exception] = ()) -> None:
        self.hints: list[str] = []
        self.errors = list(errors)
        self.expected, self.enough = expected, asyncio.Event()

    async def hint(self, stage: str) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.hints.append(stage)
        if len(self.hints) >= self.expected:
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
    relay = Relay(ledger, broker.hint, lambda: ["observe", "extract", "forget"])  # type: ignore[arg-type]
    await run_until_hinted(relay, broker)
    assert set(broker.hints) == {"observe", "forget"}


async def test_stages_whose_threads_are_all_at_work_are_not_asked_for() -> None:
    ledger, broker = Ledger(["observe", "forget"]), Broker(2)
    free = [["forget"], [], ["forget"]]
    relay = Relay(ledger, broker.hint, lambda: free.pop(0) if free else ["forget"])  # type: ignore[arg-type]
    await run_until_hinted(relay, broker)
    assert set(broker.hints) == {"forget"}
    assert all(asked == {"forget"} for asked in ledger.asked)


@pytest.mark.parametrize("error", [TierUnavailable("down"), RuntimeError("bug")])
async def test_a_ledger_that_is_down_or_a_bug_only_delays(error: Exception) -> None:
    ledger, broker = Ledger(["observe"], [error, error]), Broker(1)
    await run_until_hinted(Relay(ledger, broker.hint, lambda: ["observe"]), broker)  # type: ignore[arg-type]
    assert broker.hints == ["observe"]


@pytest.mark.parametrize("error", [OSError("no broker"), RuntimeError("bug")])
async def test_a_broker_that_is_down_only_delays(error: Exception) -> None:
    ledger, broker = Ledger(["observe"]), Broker(1, [error, error])
    await run_until_hinted(Relay(ledger, broker.hint, lambda: ["observe"]), broker)  # type: ignore[arg-type]
    assert broker.hints == ["observe"]
