"""In which time zone a user lives, as the user's settings say: asked once a minute at most."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from ragpp.errors import MemorySystemError
from ragpp.jobs import UserSettings
from ragpp.models import Memory, Scope

FRESH_S: Final = 60.0
MOST_KEPT: Final = 10_000
UNSET: Final = "UTC"
"""The zone of settings that nobody set: then the offset that came with a message counts."""
_MINUTE: Final = timedelta(minutes=1)


ZoneOf = Callable[[Scope], Awaitable[ZoneInfo | None]]


async def nowhere(_scope: Scope) -> None:
    """No zone, without settings."""


class Zones:
    """Answers from `settings`, and for FRESH_S from what that said; `monotonic` answers seconds."""

    def __init__(self, settings: Callable[[Scope], Awaitable[UserSettings]], monotonic: Callable[[], float]) -> None:
        self._settings, self._monotonic = settings, monotonic
        self._kept: dict[tuple[str, str], tuple[float, ZoneInfo | None]] = {}

    async def of(self, scope: Scope) -> ZoneInfo | None:
        """The user's zone; None where none is set, or where nobody can tell now."""
        key, now = scope.user_key, self._monotonic()
        kept = self._kept.get(key)
        if kept is not None and now - kept[0] < FRESH_S:
            return kept[1]
        try:
            name = (await self._settings(scope)).time_zone
        except (MemorySystemError, TimeoutError):
            return None if kept is None else kept[1]
        zone = None if name == UNSET else ZoneInfo(name)
        self._kept.pop(key, None)
        if len(self._kept) >= MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = now, zone
        return zone

    def set(self, scope: Scope) -> None:
        """The user's settings are others now."""
        self._kept.pop(scope.user_key, None)


def offset_at(zone: ZoneInfo | None, moment: datetime) -> int | None:
    """Minutes by which the clocks of `zone` are ahead of UTC at `moment`; without a zone those of the moment's own
    offset, None where that is UTC."""
    try:
        offset = moment.utcoffset() if zone is None else moment.astimezone(zone).utcoffset()
    except OverflowError:  # the first and the last day that there are
        return None
    return None if not offset else offset // _MINUTE


def told_in(zone: ZoneInfo | None, memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """`memories` by the clocks of `zone`; as they are without one."""
    if zone is None:
        return tuple(memories)
    return tuple(
        one if one.occurred_at is None else one.model_copy(update={"utc_offset": offset_at(zone, one.occurred_at)})
        for one in memories
    )
