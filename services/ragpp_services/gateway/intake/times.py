"""When what is taken in may have been said."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from ragpp.errors import InvalidInput

FUTURE_TOLERANCE: Final = timedelta(minutes=5)


def refuse_future(moments: Mapping[str, datetime | None], now: datetime) -> None:
    """`moments` by where they stand in the request, such as "messages.3" or nothing. Raises InvalidInput for any over
    FUTURE_TOLERANCE ahead of `now`."""
    fields = [
        f"{place}.occurred_at".lstrip(".")
        for place, moment in moments.items()
        if moment is not None and moment > now + FUTURE_TOLERANCE
    ]
    if fields:
        reason = "is more than five minutes in the future"
        raise InvalidInput(
            f"{fields[0]} {reason}",
            suggestions=("Send the time at which it was said, with its UTC offset; check the sender's clock.",),
            details={"errors": [{"field": field, "reason": reason} for field in fields[:50]]},
        )
