"""Choices of users and tenants, as each request asks for them: the zone of clocks, and the policy for personal data."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from ragpp.errors import MemorySystemError
from ragpp.ledger.policies import OF_ALL, Chosen
from ragpp.models import Scope
from ragpp.personal.policy import KEEP
from ragpp.personal.redactor import redactor_of
from ragpp.redaction import Redactor

FRESH_S: Final = 5.0
"""Longest that a choice that was made at another gateway does not hold at this one, as a key's revocation."""
READING_S: Final = 0.1
"""Longest that a question waits for what holds for its user: what it asks is stored nowhere."""
MOST_KEPT: Final = 10_000
UNSET: Final = "UTC"
"""The zone of settings that nobody set: then the offset that came with a message counts."""

ChosenBy = Callable[[Scope], Awaitable[Chosen]]
MaskKey = Callable[[Scope], bytes]


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices that hold for a user. `zone`: None where none is set. `redactor`: of the policy; None for the one
    that all requests have without one."""

    zone: ZoneInfo | None = None
    redactor: Redactor | None = None


UNKNOWN: Final = Choices()


class UserChoices:
    """Answers by `chosen`, and for FRESH_S by what that said; `mask_key`: of a user's masks; `monotonic` answers
    seconds."""

    def __init__(self, chosen: ChosenBy, mask_key: MaskKey, monotonic: Callable[[], float]) -> None:
        self._chosen, self._mask_key, self._monotonic = chosen, mask_key, monotonic
        self._kept: dict[tuple[str, str], tuple[float, Choices]] = {}
        self._times_set = 0

    def fresh(self, whose: tuple[str, str]) -> Choices | None:
        """The choices of a tenant's user that were asked for in the last FRESH_S; None where none were."""
        kept = self._kept.get(whose)
        return kept[1] if kept is not None and self._monotonic() - kept[0] < FRESH_S else None

    async def of(self, scope: Scope) -> Choices:
        """The choices that hold for the user now. Raises MemorySystemError where nobody can tell."""
        key, now = scope.user_key, self._monotonic()
        found = self.fresh(key)
        if found is not None:
            return found
        times_set = self._times_set
        found = self._made(scope, await self._chosen(scope))
        if times_set != self._times_set:  # somebody chose meanwhile: this may be what held before
            return await self.of(scope)
        self._kept.pop(key, None)
        if len(self._kept) >= MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = now, found
        return found

    async def known_of(self, scope: Scope) -> Choices:
        """The same for a question, within READING_S; what held last, or UNKNOWN, where nobody can tell by then."""
        found = self.fresh(scope.user_key)
        if found is not None:
            return found
        try:
            async with asyncio.timeout(READING_S):
                return await self.of(scope)
        except (MemorySystemError, TimeoutError):
            kept = self._kept.get(scope.user_key)
            return UNKNOWN if kept is None else kept[1]

    async def zone_of(self, scope: Scope) -> ZoneInfo | None:
        """The zone of the user's clocks; None where none is set, or where nobody can tell now."""
        return (await self.known_of(scope)).zone

    def set(self, scope: Scope) -> None:
        """The user chose anew, or, where the scope has no user, the tenant did, whose choice may hold for everybody."""
        self._times_set += 1
        if scope.user_id == OF_ALL:
            self._kept = {key: kept for key, kept in self._kept.items() if key[0] != scope.tenant_id}
        else:
            self._kept.pop(scope.user_key, None)

    def _made(self, scope: Scope, chosen: Chosen) -> Choices:
        zone = None if chosen.time_zone in (None, UNSET) else ZoneInfo(chosen.time_zone)
        policy = chosen.policy
        if policy.mode == KEEP.mode and not policy.keeps_passwords:
            return Choices(zone) if zone else UNKNOWN
        return Choices(zone, redactor_of(policy, self._mask_key(scope)))
