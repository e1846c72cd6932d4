"""Pages of what came latest first: a cursor holds the place in the order of arrival of the last that was shown, and of
which list it is."""

from typing import Final, Literal

from ragpp.errors import InvalidInput
from ragpp.stores.cursors import decode_cursor, encode_cursor

List = Literal["items", "resources"]
_MAX_BIGINT: Final = (1 << 63) - 1


def cursor_of(of: List, ordinal: int) -> str:
    """The cursor of what comes after that place of a list."""
    return encode_cursor(of, ordinal)


def place_of(of: List, cursor: str) -> int:
    """The place in `cursor`. Raises InvalidInput for a text that is not ours, or of another list."""
    kind, ordinal = decode_cursor(cursor, str, int)
    if kind != of or not 0 <= ordinal <= _MAX_BIGINT:
        raise InvalidInput("the cursor is not one that this list gave out", suggestions=("Start without a cursor.",))
    return ordinal
