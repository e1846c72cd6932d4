"""Requests without a valid key, counted for the audit: so many entries at most, however many requests there are."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import uuid4

from ragpp.clock import Clock
from ragpp_services.gateway.store import NOBODY, Access

WINDOW_S: Final = 300.0
MOST_KEYS: Final = 20
"""Made-up keys of which one window tells apart by their prefixes; more are told together."""
MOST_KNOWN: Final = 1_000
"""The same of keys that there are: whoever makes up twenty takes no place of the one that is guessed."""
OTHERS: Final = "others"


@dataclass
class _Repeated:
    """What else came with one key in a window, after the first: `attempts`, the last of them `at`, which asked for
    `action`."""

    action: str
    at: datetime
    attempts: int = 0


class Refusals:
    """The first attempt with a key in a window is an entry at once, all others in that window are one when it is over:
    of a gateway 2 × (MOST_KEYS + MOST_KNOWN + 1) entries a window, and without a key that there is 2 × (MOST_KEYS + 1).
    Of a key nothing but its prefix, which is no secret, is known
    here; `monotonic` answers seconds."""

    def __init__(self, clock: Clock, monotonic: Callable[[], float]) -> None:
        self._clock, self._monotonic = clock, monotonic
        self._began = monotonic()
        self._repeated: dict[str, _Repeated] = {}
        self._places = {True: MOST_KNOWN, False: MOST_KEYS}

    def first(self, prefix: str, action: str, *, known: bool) -> Access | None:
        """Count an attempt with the key of this prefix, empty where it had none; the entry of the first of a window.
        `known`: there is a key of that prefix, and this was not it."""
        key = f"key_{prefix}" if prefix else ""
        if key not in self._repeated:
            if self._places[known] > 0:
                self._places[known] -= 1
            else:
                key = OTHERS
        now, before = self._clock(), self._repeated.get(key)
        if before is None:
            self._repeated[key] = _Repeated(action, now)
            return _entry(key, action, now, 1)
        before.action, before.at, before.attempts = action, now, before.attempts + 1
        return None

    def ended(self, *, stopping: bool = False) -> list[Access]:
        """Entries of what was repeated in a window that is over, or in any when `stopping`; another window begins."""
        if not stopping and self._monotonic() - self._began < WINDOW_S:
            return []
        entries = [_entry(key, one.action, one.at, one.attempts) for key, one in self._repeated.items() if one.attempts]
        self._began = self._monotonic()
        self._repeated.clear()
        self._places = {True: MOST_KNOWN, False: MOST_KEYS}
        return entries


def _entry(key: str, action: str, at: datetime, attempts: int) -> Access:
    return Access(
        access_id=uuid4(),
        tenant_id=NOBODY,
        at=at,
        key_id=key,
        user_id=None,
        agent_id=None,
        action=action,
        status=401,
        elapsed_ms=0.0,
        details={"attempts": attempts},
    )
