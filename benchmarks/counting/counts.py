"""Counting requests, and comparing the counts with those of a file."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median_low
from typing import Final

from benchmarks.counting.profiled import Profiles
from benchmarks.counting.relay import Relay
from benchmarks.counting.requests import NotAnsweredError, Request

RECORDED: Final = Path(__file__).parent.parent / "data" / "counts.json"
RECORDED_ON: Final = (3, 11)
"""The version of Python whose calls are recorded."""
WARMING: Final = 6
CONNECTIONS: Final = 4
"""Connections of each pool. One prepares a statement when it first sees it, so all of them are warmed up at once."""
RUNS: Final = 5
PAUSES: Final = 5
"""At most so many runs of a request are begun again since a tier did not answer in them."""
NAMED: Final = 20
"""At most so many functions or statements are named where there are more."""
STATEMENT_CHARS: Final = 100
OF_STORES: Final = ("statements", "transactions", "round_trips", "bytes", "cypher", "redis")
MEASURES: Final = (*OF_STORES, "calls", "library", "objects")
TOLERANCE: Final[Mapping[str, float]] = {"bytes": 0.02, "library": 0.02}
"""By how much a measure differs between two runs of the same code, as `make count RUNS=10` shows: ids and moments have
answers of different lengths, libraries retry and clean up by the clock. Every other measure is the same each time."""

OF_WORKERS: Final = ("digestion", "extraction", "forgetting")
OF_THE_GRAPH: Final = 0.15
"""The same of calls, objects and Cypher statements OF_WORKERS: they go over the graph by ids, which are other
ones each time. The least of five runs of one code differed by 5 % for a forgetting, by 2 % for a digestion."""


@dataclass(frozen=True)
class Counts:
    """The counts of one request: MEASURES in all, and how often each of our functions was called."""

    totals: dict[str, int]
    functions: dict[str, int] = field(default_factory=dict)
    statements: dict[str, int] = field(default_factory=dict)


async def count(
    request: Request,
    settle: Callable[[], Awaitable[None]],
    profiles: Profiles,
    relay: Relay,
    runs: int = RUNS,
    against: Mapping[str, Counts] | None = None,
) -> list[Counts]:
    """The counts of so many runs of `request`, after some that warm up what is read once. `settle`: awaited before
    each and as its end, so that what is done for it a little later counts, and nothing of another. `against`: what is
    recorded; then those that warm up count too, and the first that costs no more is the last. Raises NotAnsweredError
    where tiers fail in more than PAUSES runs."""
    warming = WARMING if against is None else 1
    for _ in range(warming):
        asked = [request.ask() for _ in range(CONNECTIONS if request.is_read else 1)]
        for failed in await asyncio.gather(*asked, return_exceptions=True):
            if failed is not None and not isinstance(failed, NotAnsweredError):
                raise failed
        if request.prepare is not None:
            await request.prepare()
    found: list[Counts] = []
    pauses = 0
    while len(found) < runs + WARMING - warming:
        if request.prepare is not None:
            await request.prepare()
        await settle()
        before, passed = profiles.counted(), relay.passed.copied()
        try:
            await request.ask()
        except NotAnsweredError:
            if (pauses := pauses + 1) > PAUSES:
                raise
            continue
        await settle()
        called, through = profiles.since(before), relay.passed.since(passed)
        totals = {
            "statements": through.statements.total(),
            "transactions": through.transactions,
            "round_trips": through.round_trips,
            "bytes": through.bytes_answered,
            "cypher": called.cypher,
            "redis": called.redis_commands,
            "calls": called.calls,
            "library": called.library_calls,
            "objects": called.objects,
        }
        found.append(Counts(totals, dict(called.functions), _by_beginning(through.statements)))
        if against is not None and not grown({request.name: least(found)}, against):
            break
    return found


def _by_beginning(statements: Mapping[str, int]) -> dict[str, int]:
    """The statements by their first STATEMENT_CHARS, of which ours say what they are for."""
    shown = Counter[str]()
    for text, times in statements.items():
        shown[text[:STATEMENT_CHARS]] += times
    return dict(shown)


def usual(counts: Sequence[Counts]) -> Counts:
    """The usual cost, which is recorded: of each measure the lower median."""
    totals = {measure: median_low(one.totals[measure] for one in counts) for measure in MEASURES}
    middle = _by_calls(counts)[(len(counts) - 1) // 2]
    return Counts(totals, middle.functions, middle.statements)


def least(counts: Sequence[Counts]) -> Counts:
    """The cost of a run that nothing came between, which is compared: of each measure the least, so that a busy machine
    is no growth."""
    totals = {measure: min(one.totals[measure] for one in counts) for measure in MEASURES}
    fewest = _by_calls(counts)[0]
    return Counts(totals, fewest.functions, fewest.statements)


def _by_calls(counts: Sequence[Counts]) -> list[Counts]:
    return sorted(counts, key=lambda one: one.totals["calls"])


def measures() -> Sequence[str]:
    """The measures that are compared here: another version of Python calls other functions and asks stores the same."""
    return MEASURES if sys.version_info[:2] == RECORDED_ON else OF_STORES


def grown(now: Mapping[str, Counts], recorded: Mapping[str, Counts]) -> list[str]:
    """A line for each measure of each request that is above the recorded one, and which functions it is."""
    lines = []
    for name, counts in now.items():
        if name not in recorded:
            lines.append(f"{name}: not recorded")
            continue
        before = recorded[name]
        more = [measure for measure in measures() if counts.totals[measure] > _allowed(name, measure, before)]
        lines += [f"{name}: {measure} {before.totals[measure]:,} → {counts.totals[measure]:,}" for measure in more]
        if "statements" in more:
            lines += _more(counts.statements, before.statements)
        if "calls" in more:
            lines += _more(counts.functions, before.functions)
    return lines


def _allowed(request: str, measure: str, recorded: Counts) -> int:
    of_the_graph = request.startswith(OF_WORKERS) and measure in {"calls", "objects", "cypher"}
    tolerance = OF_THE_GRAPH if of_the_graph else TOLERANCE.get(measure, 0.0)
    return round(recorded.totals[measure] * (1 + tolerance))


def _more(now: Mapping[str, int], before: Mapping[str, int]) -> list[str]:
    """A line for each of the NAMED that have grown the most."""
    grown_by = sorted(((times - before.get(one, 0), one) for one, times in now.items()), reverse=True)
    return [f"    {one} {before.get(one, 0)} → {now[one]}" for times, one in grown_by[:NAMED] if times > 0]


def read(path: Path = RECORDED) -> dict[str, Counts]:
    """The recorded counts by request."""
    held = json.loads(path.read_text(encoding="utf-8"))
    return {name: Counts(**counts) for name, counts in held.items()}


def write(counts: Mapping[str, Counts], path: Path = RECORDED) -> None:
    """Record `counts`, a function a line, so that a change shows which were added."""
    held = {name: asdict(one) for name, one in counts.items()}
    path.write_text(json.dumps(held, indent=1, sort_keys=True) + "\n", encoding="utf-8")
