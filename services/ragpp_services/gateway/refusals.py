"""Requests without a valid key, and those that a key has too many of, counted for the audit: so many entries at most,
however many requests there are."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple
from uuid import uuid4

from ragpp.clock import Clock
from ragpp_services.gateway.store import NOBODY, Access

WINDOW_S: Final = 300.0
MOST_KEYS: Final = 20
"""Made-up keys of which one window tells apart by their prefixes; more are told together."""
MOST_KNOWN: Final = 1_000
"""The same of keys that there are: whoever makes up twenty takes no place of the one that is guessed."""
OTHERS: Final = "others"


class _Refused(NamedTuple):
    """Who is refused, and with which HTTP status."""

    tenant_id: str
    key_id: str
    status: int


@dataclass
class _Repeated:
    """The further attempts with one key in a window, after the first: `attempts`, the last of them `at`, which asked
    for `action`."""

    action: str
    at: datetime
    attempts: int = 0


class Refusals:
    """The first attempt with a key in a window is an entry at once, all others in that window are one when it is over:
    of a gateway 2 × (MOST_KEYS + MOST_KNOWN + 2) entries a window, without a key that there is 2 × (MOST_KEYS + 1), and
    two of each valid key that asks too much. Of one that is not valid nothing but its prefix, which is no secret, is
    known here; `monotonic` answers seconds."""

    def __init__(self, clock: Clock, monotonic: Callable[[], float]) -> None:
        self._clock, self._monotonic = clock, monotonic
        self._began = monotonic()
        self._repeated: dict[_Refused, _Repeated] = {}
        self._places = {True: MOST_KNOWN, False: MOST_KEYS}

    def first(self, prefix: str, action: str, *, known: bool) -> Access | None:
        """Count an attempt with the key of this prefix, empty where it had none; the entry of the first of a window.
        `known`: there is a key of that prefix, and this was not it."""
        stranger = _Refused(NOBODY, f"key_{prefix}" if prefix else "", 401)
        if stranger not in self._repeated:
            if self._places[known] > 0:
                self._places[known] -= 1
            else:
                stranger = stranger._replace(key_id=OTHERS)
        return self._counted(stranger, action)

    def first_of_key(self, tenant_id: str, key_id: str, action: str) -> Access | None:
        """Count a request of a valid key that asks too often, or too much at once; the entry of the first of a
        window."""
        return self._counted(_Refused(tenant_id, key_id, 429), action)

    def ended(self, *, stopping: bool = False) -> list[Access]:
        """Entries of what was repeated in a window that is over, or in any when `stopping`; another window begins."""
        if not stopping and self._monotonic() - self._began < WINDOW_S:
            return []
        entries = [_entry(who, one.action, one.at, one.attempts) for who, one in self._repeated.items() if one.attempts]
        self._began = self._monotonic()
        self._repeated.clear()
        self._places = {True: MOST_KNOWN, False: MOST_KEYS}
        return entries

    def _counted(self, who: _Refused, action: str) -> Access | None:
        now, known = self._clock(), self._repeated.get(who)
        if known is None:
            self._repeated[who] = _Repeated(action, now)
            return _entry(who, action, now, 1)
        known.action, known.at, known.attempts = action, now, known.attempts + 1
        return None


def _entry(who: _Refused, action: str, at: datetime, attempts: int) -> Access:
    return Access(
        access_id=uuid4(),
        tenant_id=who.tenant_id,
        at=at,
        key_id=who.key_id,
        user_id=None,
        agent_id=None,
        action=action,
        status=who.status,
        elapsed_ms=0.0,
        details={"attempts": attempts},
    )
