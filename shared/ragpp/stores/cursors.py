"""Lists in pages: their sizes, and opaque cursors."""

import base64
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Final, TypeVar, overload

import orjson

from ragpp.errors import InvalidInput
from ragpp.models import Page

_MAX_CHARS: Final = 4_096
_MAX_BIGINT: Final = (1 << 63) - 1
MAX_PAGE: Final = 1_000
"""The longest page of any tier's lists. The API gives out fewer."""
Value = str | int | date
"""The parts of a sort key; a moment has a time zone."""
T = TypeVar("T")
A = TypeVar("A", bound=Value)
B = TypeVar("B", bound=Value)
C = TypeVar("C", bound=Value)


def page_size(limit: int) -> int:
    """`limit` itself. Raises InvalidInput for one that no page has: below 1, or above MAX_PAGE."""
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidInput(f"limit is {limit}, and must be between 1 and {MAX_PAGE:,}")
    return limit


def page_of(kind: type[Page[T]], found: Sequence[T], size: int, position: Callable[[T], tuple[Value, ...]]) -> Page[T]:
    """The first `size` of `found`, of which there is one more where another page follows; `position`: an item's sort
    key, for the cursor."""
    items = tuple(found[:size])
    return kind(items=items, next_cursor=encode_cursor(*position(items[-1])) if len(found) > size else None)


def encode_cursor(*position: Value) -> str:
    """A URL-safe text that holds the sort key of the last item shown."""
    return base64.urlsafe_b64encode(orjson.dumps(position)).decode().rstrip("=")


@overload
def decode_cursor(cursor: str, first: type[A], /) -> tuple[A]: ...


@overload
def decode_cursor(cursor: str, first: type[A], second: type[B], /) -> tuple[A, B]: ...


@overload
def decode_cursor(cursor: str, first: type[A], second: type[B], third: type[C], /) -> tuple[A, B, C]: ...


def decode_cursor(cursor: str, *kinds: type) -> tuple[object, ...]:
    """The sort key in `cursor`, one value for each of `kinds`, of which a number is one that a bigint holds. Raises
    InvalidInput for a text that is not ours."""
    try:
        return tuple(_value(value, kind) for value, kind in zip(_position(cursor), kinds, strict=True))
    except (ValueError, TypeError) as error:
        raise InvalidInput(
            "the cursor is not one that this list gave out", suggestions=("Start without a cursor.",)
        ) from error


def cursor_of(of: str, place: int) -> str:
    """The cursor of what comes after that place, such as the order of arrival, of the list that is called so."""
    return encode_cursor(of, place)


def place_of(of: str, cursor: str) -> int:
    """The place in `cursor`. Raises InvalidInput for a text that is not ours, or that is another list's."""
    kind, place = decode_cursor(cursor, str, int)
    if kind != of or place < 0:
        raise InvalidInput("the cursor is not one that this list gave out", suggestions=("Start without a cursor.",))
    return place


def _position(cursor: str) -> list[object]:
    """Raises ValueError, TypeError."""
    if len(cursor) > _MAX_CHARS:
        raise ValueError("longer than any of ours")
    position = orjson.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    if not isinstance(position, list):
        raise TypeError("not a position")
    return position


def _value(value: object, kind: type) -> object:
    """Raises ValueError, TypeError."""
    if isinstance(value, str) and issubclass(kind, date):
        moment = kind.fromisoformat(value)
        if isinstance(moment, datetime) and moment.tzinfo is None:
            raise ValueError("a moment without a time zone")
        return moment
    if type(value) is not kind or (isinstance(value, str) and "\x00" in value):
        raise TypeError("a value of another kind")
    if isinstance(value, int) and not -_MAX_BIGINT <= value <= _MAX_BIGINT:
        raise ValueError("a number that no store holds")
    return value
