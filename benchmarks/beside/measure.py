"""One system through all phases: written, settled, restarted, searched cold and warm, and asked what LoCoMo asks."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final

from benchmarks.beside.catalogue import Entry
from benchmarks.beside.child import Child
from benchmarks.beside.endpoint import Endpoint
from benchmarks.beside.results import CLIENTS, Measured, Quality, Searches, latency_of, quality_of
from benchmarks.beside.stage import Stage, busy_seconds, staged
from benchmarks.beside.workload import Workload

LIMIT: Final = 10
COLD: Final = 100
WARMING: Final = 200
SEARCHES: Final[Mapping[int, int]] = {1: 300, 4: 600, 16: 1_200}
QUALITY_CLIENTS: Final = 2

OnPhase = Callable[[str, int], None]
"""Called with what begins, and how many messages or searches it has."""
OnProgress = Callable[[int], None]


class Course:
    """The way of one system. `limit_s`: how long made-up users are written."""

    def __init__(
        self,
        entry: Entry,
        python: Path,
        workload: Workload,
        endpoint: Endpoint,
        metrics: ModuleType,
        log: Path,
        *,
        limit_s: float,
        on_phase: OnPhase,
        on_progress: OnProgress,
    ) -> None:
        self._entry, self._python, self._log = entry, python, log
        self._workload, self._endpoint, self._metrics = workload, endpoint, metrics
        self._limit_s, self._on_phase, self._on_progress = limit_s, on_phase, on_progress

    def run(self) -> Measured:
        """All phases. Raises Failed, StackError, CalledProcessError."""
        self._endpoint.made()
        with staged(self._entry, self._endpoint.url) as stage:
            with self._child() as child:
                child.open(stage.place())
                before = stage.stored_bytes(child.pid)
                people = self._workload.people
                turns = sum(map(len, self._workload.speakers.values()))
                self._on_phase("write", turns + sum(map(len, people.values())))
                said = child.write(self._workload.speakers)
                made_up = child.write(people, self._limit_s)
                self._on_phase("settle", 0)
                settled = child.settle()
                stored = stage.stored_bytes(child.pid) - before
                written = [user for user in people if user in set(made_up.users)]
            began = time.perf_counter()
            if self._entry.keeps:
                self._on_phase("restart", 0)
                stage.down()
                began = time.perf_counter()
                stage.up()
            with self._child() as child:
                opened = child.open(stage.place())
                if not self._entry.keeps:
                    self._again(child, written)
                ready = time.perf_counter() - began
                self._on_phase("cold", min(COLD, len(written)))
                cold = child.search(self._workload.one_each(written, COLD, seed=1), 1, LIMIT)
                self._on_phase("warm up", WARMING)
                child.search(self._workload.searches(written, WARMING, seed=2), CLIENTS[1], LIMIT)
                warm = tuple(self._searches(stage, child, written, clients) for clients in CLIENTS)
                quality = self._quality(child)
        return Measured(
            settings=stage.settings() | opened.settings,
            written_users=len(written),
            messages=said.messages + made_up.messages,
            writes_per_s=made_up.messages / made_up.seconds,
            settled_s=settled.seconds,
            ready_s=ready,
            cold=latency_of(cold.ms),
            warm=warm,
            quality=quality,
            stored_bytes=max(0, stored),
            embedded=self._endpoint.made(),
        )

    def _child(self) -> Child:
        return Child(self._python, self._entry.module, self._log, self._on_progress)

    def _again(self, child: Child, users: Sequence[str]) -> None:
        """Write to a system that has kept nothing."""
        people = {user: self._workload.people[user] for user in users}
        self._on_phase("write again", sum(map(len, people.values())))
        child.write({**self._workload.speakers, **people})
        child.settle()

    def _searches(self, stage: Stage, child: Child, users: Sequence[str], clients: int) -> Searches:
        asked = self._workload.searches(users, SEARCHES[clients], seed=10 + clients)
        self._on_phase(f"search, {clients} at once", len(asked))
        before, busy = stage.cpu_seconds(child.pid), busy_seconds()
        answered = child.search(asked, clients, LIMIT)
        after, busy = stage.cpu_seconds(child.pid), busy_seconds() - busy
        spent = {name: seconds - before.get(name, 0.0) for name, seconds in after.items()}
        latency = latency_of(answered.ms)
        return Searches(
            **latency.model_dump(),
            clients=clients,
            per_s=len(asked) / answered.seconds,
            core_ms={name: seconds * 1_000 / len(asked) for name, seconds in spent.items()},
            elsewhere=max(0.0, busy - sum(spent.values())) / answered.seconds,
        )

    def _quality(self, child: Child) -> Quality:
        questions = self._workload.questions
        self._on_phase("LoCoMo", len(questions))
        asked = [(question.user, question.text) for question in questions]
        found = child.search(asked, QUALITY_CLIENTS, LIMIT).found
        scores = [
            self._metrics.evidence_metrics(ids, question.gold) for ids, question in zip(found, questions, strict=True)
        ]
        return quality_of(scores)
