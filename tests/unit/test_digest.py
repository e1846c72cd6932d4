"""Digesting a batch: an outage only delays, a poisoned event fails alone, and a lease is held until the end."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from structlog.testing import capture_logs

from ragpp.clock import Clock
from ragpp.errors import EmbeddingError, Outdated, TierUnavailable
from ragpp.ledger import Result, Work, WorkKey
from ragpp.ledger.work import MAX_ATTEMPTS, WorkState
from ragpp.models import Health, Interaction, InteractionEntry, Scope, TierName
from ragpp.observability.metrics import REGISTRY
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.running import digest as digest_module
from ragpp_services.workers.running.digest import digest
from ragpp_services.workers.stages.stage import Stage
from tests.support.each import each_case
from tests.support.waiting import eventually
from tests.support.workers import parts_with

NOON: Final = datetime(2025, 1, 1, 12, tzinfo=UTC)


def work(event_id: int, user_id: str = "u") -> Work:
    return Work(
        key=WorkKey(event_id, "short_term"),
        scope=Scope(tenant_id="t", user_id=user_id),
        kind="interaction.stored",
        subject_id=f"m{event_id}",
        occurred_at=NOON,
        attempts=1,
    )


@dataclass
class Ledger:
    """A ledger of what became of each work. `refusals`: how often finishing fails before it works."""

    states: dict[WorkKey, str] = field(default_factory=dict)
    attempts: dict[WorkKey, int] = field(default_factory=dict)
    errors: dict[WorkKey, str] = field(default_factory=dict)
    results: dict[WorkKey, Result] = field(default_factory=dict)
    renewed: list[set[WorkKey]] = field(default_factory=list)
    beaten: asyncio.Event = field(default_factory=asyncio.Event)
    refusals: int = 0

    def hand_out(self, works: Sequence[Work]) -> list[Work]:
        """Those that are neither done nor failed, as a lease gives them."""
        given = [one for one in works if self.states.get(one.key, "pending") == "pending"]
        for one in given:
            self.states[one.key] = "leased"
            self.attempts[one.key] = self.attempts.get(one.key, 0) + 1
        return given

    async def renew(self, keys: Sequence[WorkKey], owner: str, lease_s: float) -> list[WorkKey]:
        del owner, lease_s
        held = [key for key in keys if self.states[key] == "leased"]
        self.renewed.append(set(held))
        if len(self.renewed) > 2:
            self.beaten.set()
        return held

    async def finish(
        self, keys: Sequence[WorkKey], owner: str, results: Mapping[WorkKey, Result] | None = None
    ) -> list[WorkKey]:
        del owner
        if self.refusals:
            self.refusals -= 1
            raise TierUnavailable("too many connections")
        self.results.update(results or {})
        self.states.update(dict.fromkeys(keys, "done"))
        return list(keys)

    async def postpone(self, keys: Sequence[WorkKey], owner: str, why: str) -> list[WorkKey]:
        del owner
        for key in keys:
            self.states[key], self.errors[key] = "pending", why
            self.attempts[key] -= 1
        return list(keys)

    async def fail(self, key: WorkKey, owner: str, error: str, *, retryable: bool) -> WorkState:
        del owner
        state: WorkState = "pending" if retryable and self.attempts[key] < MAX_ATTEMPTS else "failed"
        self.states[key], self.errors[key] = state, error
        return state


@dataclass
class Tier:
    """The episodic and the short-term tier. `up`: what its ping says. `poison`: ids at which `error` is raised, by a
    batch as well as alone. `gate`: what a read waits for. `outdated`: how often a write is refused as such."""

    name: TierName
    up: bool = True
    poison: frozenset[str] = frozenset()
    error: Exception = field(default_factory=lambda: TierUnavailable("too slow"))
    gate: asyncio.Event | None = None
    outdated: int = 0
    appended: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def get(self, scope: Scope, ids: Collection[str]) -> list[Interaction]:
        self.asked.append(scope.user_id)
        if self.gate is not None:
            await self.gate.wait()
        return [Interaction(id=one, content=one, occurred_at=NOON) for one in ids]

    async def epoch(self, scope: Scope) -> int:
        del scope
        return 1

    async def store(self, scope: Scope, entries: Sequence[InteractionEntry], epoch: int) -> list[None]:
        del scope, epoch
        if not self.up:
            raise TierUnavailable("down")
        if self.outdated:
            self.outdated -= 1
            raise Outdated("something was forgotten")
        if any(entry.id in self.poison for entry in entries):
            raise self.error
        self.appended += [entry.id for entry in entries]
        return []

    async def torn_summary(self, scope: Scope) -> None:
        del scope

    async def compact(self, scope: Scope, epoch: int) -> bool:
        del scope, epoch
        return False

    async def health_check(self) -> Health:
        return Health(name=self.name, ok=self.up, ms=0.0)


def parts_of(ledger: Ledger, episodic: Tier, short_term: Tier) -> WorkerParts:
    clock: Clock = lambda: NOON + timedelta(days=1)  # noqa: E731 - a clock is a function
    return parts_with(short_term=short_term, episodic=episodic, ledger=ledger, clock=clock)


async def digest_until_nothing_waits(parts: WorkerParts, ledger: Ledger, works: Sequence[Work], rounds: int) -> None:
    for _ in range(rounds):
        batch = ledger.hand_out(works)
        if batch:
            await digest(parts, batch, "me")


@each_case("error", [TierUnavailable("too slow"), EmbeddingError("a text the endpoint refuses")])
async def test_an_event_that_always_meets_a_retryable_error_fails_alone_while_everything_is_up(
    error: Exception,
) -> None:
    ledger, episodic = Ledger(), Tier("episodic")
    short_term = Tier("short_term", poison=frozenset({"m2"}), error=error)
    works = [work(1), work(2), work(3)]
    await digest_until_nothing_waits(parts_of(ledger, episodic, short_term), ledger, works, MAX_ATTEMPTS)
    assert [ledger.states[one.key] for one in works] == ["done", "failed", "done"]
    assert str(error) in ledger.errors[works[1].key]
    assert short_term.appended == ["m1", "m3"]


@each_case("events", [1, 3])
async def test_an_outage_is_waited_for_however_long_and_counts_no_attempt(events: int) -> None:
    ledger, episodic, short_term = Ledger(), Tier("episodic"), Tier("short_term", up=False)
    works = [work(number) for number in range(events)]
    parts = parts_of(ledger, episodic, short_term)
    await digest_until_nothing_waits(parts, ledger, works, 3 * MAX_ATTEMPTS)
    assert {ledger.states[one.key] for one in works} == {"pending"}
    assert {ledger.attempts[one.key] for one in works} == {0}
    short_term.up = True
    await digest_until_nothing_waits(parts, ledger, works, 1)
    assert {ledger.states[one.key] for one in works} == {"done"}


@each_case("forgettings", [1, 3, 40])
async def test_work_whose_inputs_were_forgotten_meanwhile_is_done_again_and_never_fails(forgettings: int) -> None:
    ledger, episodic, short_term = Ledger(), Tier("episodic"), Tier("short_term")
    short_term.outdated = forgettings
    works = [work(1), work(2)]
    await digest_until_nothing_waits(parts_of(ledger, episodic, short_term), ledger, works, 3 * MAX_ATTEMPTS)
    assert {ledger.states[one.key] for one in works} == {"done"}
    assert {ledger.attempts[one.key] for one in works} == {1}
    assert short_term.appended == ["m1", "m2"]
    assert len(episodic.asked) == forgettings + 1  # each time with what was there by then


async def test_the_lease_is_kept_for_all_until_the_last_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest_module, "LEASE_S", 0.01)
    gate = asyncio.Event()
    ledger, episodic, short_term = Ledger(), Tier("episodic", gate=gate), Tier("short_term")
    works = [work(number, f"u{number}") for number in range(3)]
    digesting = asyncio.create_task(digest(parts_of(ledger, episodic, short_term), ledger.hand_out(works), "me"))
    async with asyncio.timeout(60):
        await ledger.beaten.wait()
    assert ledger.renewed[2] == {one.key for one in works}
    gate.set()
    await digesting
    assert {ledger.states[one.key] for one in works} == {"done"}


async def test_work_that_another_has_by_now_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest_module, "LEASE_S", 0.01)
    ledger, episodic, short_term = Ledger(), Tier("episodic", gate=asyncio.Event()), Tier("short_term")
    works = ledger.hand_out([work(1), work(2, "other")])
    ledger.states = dict.fromkeys(ledger.states, "leased by another")
    async with asyncio.timeout(60):
        await digest(parts_of(ledger, episodic, short_term), works, "me")
    assert short_term.appended == []


async def test_a_worker_that_ends_puts_its_work_back_and_it_is_no_attempt() -> None:
    gate = asyncio.Event()
    ledger, episodic, short_term = Ledger(), Tier("episodic", gate=gate), Tier("short_term")
    works = [work(1), work(2, "other")]
    digesting = asyncio.create_task(digest(parts_of(ledger, episodic, short_term), ledger.hand_out(works), "me"))

    async def both_read() -> bool:
        return len(episodic.asked) == len(works)

    await eventually(both_read, within_s=60, what="both have begun")
    digesting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await digesting
    assert {ledger.states[one.key] for one in works} == {"pending"}
    assert {ledger.attempts[one.key] for one in works} == {0}


@each_case("refusals", [1, 4])
async def test_a_ledger_that_is_busy_for_a_moment_is_told_what_is_done(
    refusals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest_module, "FINISH_PAUSES_S", (0.0, 0.0, 0.0, 0.0))
    ledger, episodic, short_term = Ledger(refusals=refusals), Tier("episodic"), Tier("short_term")
    works = [work(1)]
    await digest(parts_of(ledger, episodic, short_term), ledger.hand_out(works), "me")
    assert {ledger.states[one.key] for one in works} == {"done"}
    assert short_term.appended == ["m1"]


async def test_how_long_after_it_was_stored_a_message_is_digested_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def observed(parts: WorkerParts, batch: Sequence[Work]) -> None:
        del parts, batch

    monkeypatch.setitem(digest_module.STAGES, "observe", Stage(observed, lambda parts: (parts.episodic,)))
    ledger = Ledger()
    parts = parts_of(ledger, Tier("episodic"), Tier("short_term"))
    asked = replace(work(1), key=WorkKey(1, "observe"), recorded_at=parts.clock() - timedelta(seconds=90))
    before = [REGISTRY.get_sample_value(f"ragpp_digestion_seconds_{what}") or 0.0 for what in ("count", "sum")]
    await digest(parts, ledger.hand_out([asked]), "me")
    after = [REGISTRY.get_sample_value(f"ragpp_digestion_seconds_{what}") or 0.0 for what in ("count", "sum")]
    assert [after[0] - before[0], after[1] - before[1]] == [1, pytest.approx(90)]


async def test_what_a_message_says_is_in_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    said = f"{NOON:%A} is secret"

    async def strict(parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Result]:
        del parts, batch
        Health.model_validate({"name": "episodic", "ok": said, "ms": said})
        return {}

    stage = Stage(strict, lambda parts: (parts.episodic,))
    monkeypatch.setattr(digest_module, "STAGES", {"short_term": stage})
    ledger = Ledger()
    works = [work(1), work(2)]
    with capture_logs() as logged:
        await digest(parts_of(ledger, Tier("episodic"), Tier("short_term")), ledger.hand_out(works), "me")
    assert {one["event"] for one in logged} == {"work.crashed", "work.failed"}
    assert not any("exc_info" in one for one in logged)
    assert said not in repr((logged, ledger.errors))
    assert {ledger.states[one.key] for one in works} == {"failed"}
    assert all("ValidationError of Health" in text and "2 problems" in text for text in ledger.errors.values())


async def test_what_came_of_a_work_is_kept_with_it_also_when_the_batch_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def halved(_parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Result]:
        if any(one.subject_id == "m2" for one in batch):
            raise ValueError("odd")
        return {one.key: {"about": one.subject_id} for one in batch}

    stage = Stage(halved, lambda parts: (parts.episodic,))
    monkeypatch.setattr(digest_module, "STAGES", {"short_term": stage})
    ledger = Ledger()
    works = [work(1), work(2), work(3)]
    parts = parts_of(ledger, Tier("episodic"), Tier("short_term"))
    await digest(parts, ledger.hand_out(works), "me")
    assert [ledger.states[one.key] for one in works] == ["done", "failed", "done"]
    assert ledger.results == {works[0].key: {"about": "m1"}, works[2].key: {"about": "m3"}}
