"""The common part of all stores' states: a clock that is read, and how much there is."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version as installed
from time import perf_counter
from typing import Final

from ragpp.clock import Clock
from ragpp.health import SchemaState, StoreState
from ragpp.observability.metrics import Held

STATE_S: Final = 5.0
"""Longest that a store may take to tell how it is."""


@dataclass(frozen=True, slots=True)
class ClockReading:
    """A store's clock, the service's in the middle of the question, and how many seconds that took."""

    store: datetime
    service: datetime
    seconds: float


async def read_clock(clock: Clock, ask: Callable[[], Awaitable[datetime]]) -> ClockReading:
    """Ask a store for the time. `clock`: the service's own."""
    began, before = perf_counter(), clock()
    moment = await ask()
    seconds = perf_counter() - began
    return ClockReading(moment, before + timedelta(seconds=seconds / 2), seconds)


def store_state(
    product: str, version: str, reading: ClockReading, held: Held, schemas: Sequence[SchemaState] = ()
) -> StoreState:
    """The state of a store, as a service of this version saw it; kinds of which there is nothing are left out."""
    return StoreState(
        product=product,
        version=version,
        service_version=installed("ragpp"),
        schemas=tuple(schemas),
        store_time=reading.store,
        service_time=reading.service,
        asked_ms=reading.seconds * 1_000,
        holds={kind: count for kind, count in held.counts.items() if count},
        bytes=held.size,
        limit_bytes=held.limit,
    )
