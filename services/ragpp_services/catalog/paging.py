"""Pages of what came latest first: a cursor holds the place in the order of arrival of the last that was shown."""

from typing import Final

from ragpp.errors import InvalidInput
from ragpp.stores.cursors import decode_cursor, encode_cursor

_KIND: Final = "arrival"
_MAX_BIGINT: Final = (1 << 63) - 1


def cursor_of(ordinal: int) -> str:
    """The cursor of what comes after that place."""
    return encode_cursor(_KIND, ordinal)


def place_of(cursor: str) -> int:
    """The place in `cursor`. Raises InvalidInput for a text that is not ours."""
    kind, ordinal = decode_cursor(cursor, str, int)
    if kind != _KIND or not 0 <= ordinal <= _MAX_BIGINT:
        raise InvalidInput("the cursor is not one that this list gave out", suggestions=("Start without a cursor.",))
    return ordinal
