"""Opaque cursors for paginated lists."""

import base64
import binascii
from typing import Final

import orjson

from ragpp.errors import InvalidInput

_MAX_CHARS: Final = 4_096


def encode_cursor(*position: str | int | float | None) -> str:
    """A URL-safe text that holds the sort key of the last item shown."""
    return base64.urlsafe_b64encode(orjson.dumps(position)).decode().rstrip("=")


def decode_cursor(cursor: str, *kinds: type) -> tuple[str | int | float, ...]:
    """The sort key in `cursor`, one value for each of `kinds`. Raises InvalidInput for a text that is not ours."""
    problem = InvalidInput("the cursor is not one that this list gave out", suggestions=("Start without a cursor.",))
    if len(cursor) > _MAX_CHARS:
        raise problem
    try:
        position = orjson.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError) as error:
        raise problem from error
    if not isinstance(position, list) or len(position) != len(kinds):
        raise problem
    for value, kind in zip(position, kinds, strict=True):
        if type(value) is not kind or (isinstance(value, str) and "\x00" in value):
            raise problem
    return tuple(position)
