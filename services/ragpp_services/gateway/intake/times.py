"""When what is taken in may have been said."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from ragpp.errors import InvalidInput

FUTURE_TOLERANCE: Final = timedelta(minutes=5)
_WHEN_SAID: Final = "Send the time at which it was said, with its UTC offset; check the sender's clock."


def refuse_future(moments: Mapping[str, datetime | None], now: datetime) -> None:
    """`moments` of what was said, by where it stands in the request, such as "messages.3" or nothing. Raises
    InvalidInput for any over FUTURE_TOLERANCE ahead of `now`."""
    fields = {f"{place}.occurred_at".lstrip("."): moment for place, moment in moments.items()}
    refuse_what_is_ahead(fields, now, _WHEN_SAID)


def refuse_what_is_ahead(moments: Mapping[str, datetime | None], now: datetime, suggestion: str) -> None:
    """The same for `moments` by the names of their fields."""
    fields = [field for field, moment in moments.items() if moment is not None and moment > now + FUTURE_TOLERANCE]
    if fields:
        reason = "is more than five minutes in the future"
        raise InvalidInput(
            f"{fields[0]} {reason}",
            suggestions=(suggestion,),
            details={"errors": [{"field": field, "reason": reason} for field in fields[:50]]},
        )
