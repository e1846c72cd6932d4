"""Lists in pages: their sizes, and opaque cursors."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import orjson

from ragpp.errors import InvalidInput
from ragpp.models import Page

_MAX_CHARS: Final = 4_096
MAX_PAGE: Final = 500
Position = tuple[str | int | float | None, ...]
T = TypeVar("T")


def page_size(limit: int) -> int:
    """`limit` itself, at most 500. Raises InvalidInput when it is not positive."""
    if limit < 1:
        raise InvalidInput("limit must be at least 1")
    return min(limit, MAX_PAGE)


def page_of(kind: type[Page[T]], found: Sequence[T], size: int, position: Callable[[T], Position]) -> Page[T]:
    """The first `size` of `found`, of which there is one more where another page follows; `position`: an item's sort
    key, for the cursor."""
    items = tuple(found[:size])
    return kind(items=items, next_cursor=encode_cursor(*position(items[-1])) if len(found) > size else None)


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
