"""Times by the clocks of the zone that a user lives in."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from ragpp.models import Memory, Scope

_MINUTE: Final = timedelta(minutes=1)


ZoneOf = Callable[[Scope], Awaitable[ZoneInfo | None]]


async def nowhere(_scope: Scope) -> None:
    """No zone, without settings."""


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
