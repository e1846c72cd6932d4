"""The measurements of a system, as values and as a file that a later run goes on with."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from benchmarks.proof import quantile

CLIENTS: Final = (1, 4, 16)
COSTED: Final = 4
"""The number of clients whose searches are what a search costs in the table."""


class Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Latency(Value):
    """Latencies of `count` searches, in milliseconds; `first_ms`: of the first one."""

    count: int
    first_ms: float
    p50_ms: float
    p95_ms: float


class Searches(Latency):
    """With so many clients at once. `core_ms`: a search's CPU time by process. `elsewhere`: how many cores the machine
    spent on what is no part of this: with more than a tenth, latencies are not to be relied upon."""

    clients: int
    per_s: float
    core_ms: dict[str, float]
    elsewhere: float

    @property
    def cost_ms(self) -> float:
        """The sum over processes, in core-milliseconds."""
        return sum(self.core_ms.values())


class Quality(Value):
    """Over the questions of LoCoMo, each in 0 to 1."""

    questions: int
    recall_1: float
    recall_10: float
    mrr: float


class Measured(Value):
    """All of one system. `written_users`: how many of the made-up users were written before the time for it was over.
    `settled_s`: until all could be found, after the last write. `ready_s`: from nothing running until it can be
    searched, with its servers. `embedded`: texts that the endpoint had to embed while they were waited for."""

    settings: dict[str, str]
    written_users: int
    messages: int
    writes_per_s: float
    settled_s: float
    ready_s: float
    cold: Latency
    warm: tuple[Searches, ...]
    quality: Quality
    stored_bytes: int
    embedded: int

    def with_clients(self, clients: int) -> Searches:
        """Those of so many clients. Raises StopIteration where that was not measured."""
        return next(one for one in self.warm if one.clients == clients)

    @property
    def bytes_a_message(self) -> float:
        return self.stored_bytes / max(1, self.messages)


class Row(Value):
    """A system in the table: measured, or `failed` with what it said. `asked`: how much it was given."""

    name: str
    title: str
    version: str
    asked: dict[str, int]
    measured: Measured | None = None
    failed: str = ""

    @property
    def key(self) -> str:
        """The key that a row is kept by: a system may have been measured with several numbers of users."""
        return key_of(self.name, self.asked)


class Report(Value):
    """All rows so far by their keys, and the machine."""

    machine: dict[str, str]
    rows: dict[str, Row] = {}

    def of(self, asked: Mapping[str, int]) -> list[Row]:
        """Those that were given so much."""
        return [row for row in self.rows.values() if row.asked == asked]


def key_of(name: str, asked: Mapping[str, int]) -> str:
    """The key of a row: of a system that was given so much."""
    return " ".join([name, *(f"{what}={number}" for what, number in sorted(asked.items()))])


def latency_of(ms: Sequence[float]) -> Latency:
    """The quantiles of some searches, in the order in which they were asked; at least one."""
    return Latency(count=len(ms), first_ms=ms[0], p50_ms=quantile(ms, 0.5), p95_ms=quantile(ms, 0.95))


def quality_of(scores: Sequence[Mapping[str, float]]) -> Quality:
    """The means of what the metrics say of each question; at least one."""
    count = len(scores)
    means = {name: sum(score[name] for score in scores) / count for name in ("R@1", "R@10", "MRR")}
    return Quality(questions=count, recall_1=means["R@1"], recall_10=means["R@10"], mrr=means["MRR"])


def load(file: Path, machine: Mapping[str, str]) -> Report:
    """The report in `file`, which goes on where it is of this machine; else an empty one."""
    if file.exists():
        report = Report.model_validate_json(file.read_text(encoding="utf-8"))
        if report.machine == machine:
            return report
    return Report(machine=dict(machine))


def save(report: Report, file: Path) -> None:
    """Write it, whole or not at all."""
    draft = file.with_suffix(".new")
    draft.write_text(json.dumps(report.model_dump(), indent=2), encoding="utf-8")
    draft.replace(file)
