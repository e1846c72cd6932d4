"""A list in pages is read in order, to its end or its bound, and no further; its cursors are its own."""

from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime

import pytest

from ragpp.errors import InvalidInput
from ragpp.models import Page
from ragpp.paging import pages
from ragpp.stores.cursors import MAX_PAGE, decode_cursor, encode_cursor, page_size
from tests.support.each import each_case


def leafing(asked: list[str | None]) -> Callable[[str | None], Awaitable[Page[int]]]:
    """Ten numbers, three a page; what is asked for is noted in `asked`."""

    async def page(cursor: str | None) -> Page[int]:
        asked.append(cursor)
        first = int(cursor or 0)
        following = str(first + 3) if first + 3 < 10 else None
        return Page[int](items=tuple(range(first, min(first + 3, 10))), next_cursor=following)

    return page


async def test_every_item_comes_once_and_in_order() -> None:
    asked: list[str | None] = []
    assert [one async for one in pages(leafing(asked))] == list(range(10))
    assert asked == [None, "3", "6", "9"]


async def test_a_bound_is_kept_and_no_page_beyond_it_is_read() -> None:
    for most, read in ((1, [None]), (3, [None]), (4, [None, "3"]), (99, [None, "3", "6", "9"])):
        asked: list[str | None] = []
        assert [one async for one in pages(leafing(asked), most=most)] == list(range(min(most, 10)))
        assert asked == read


@each_case("limit", [1, 50, MAX_PAGE])
def test_a_page_is_as_long_as_it_was_asked_for(limit: int) -> None:
    assert page_size(limit) == limit


@each_case("limit", [-1, 0, MAX_PAGE + 1])
def test_a_length_that_no_page_has_is_refused(limit: int) -> None:
    with pytest.raises(InvalidInput, match=f"limit is {limit}"):
        page_size(limit)


@each_case("number", [2**63, 2**64 - 1, 10**30, -(2**63) - 1])
def test_a_number_that_no_store_holds_is_in_no_cursor(number: int) -> None:
    assert decode_cursor(encode_cursor(2**63 - 1), int) == (2**63 - 1,)
    cursor = urlsafe_b64encode(f"[{number}]".encode()).decode().rstrip("=")
    with pytest.raises(InvalidInput, match="not one that this list gave out"):
        decode_cursor(cursor, int)


MOMENT = datetime(2024, 3, 11, 12, 30, 0, 17, tzinfo=UTC)


def test_a_cursor_gives_back_the_position_that_it_was_made_of() -> None:
    assert decode_cursor(encode_cursor(-7, "Zoë"), int, str) == (-7, "Zoë")
    assert decode_cursor(encode_cursor(date(2024, 3, 11), MOMENT, "x"), date, datetime, str) == (
        date(2024, 3, 11),
        MOMENT,
        "x",
    )


@each_case(
    "position",
    [b'"ab"', b'{"a":1,"b":2}', b"7", b"[1]", b"[1,2]", b'[true,"x"]', b'["2024-03-11T12:30:00","x"]', b"[1"],
)
@each_case("kind", [int, datetime])
def test_a_cursor_of_another_list_is_refused(position: bytes, kind: type[int | datetime]) -> None:
    with pytest.raises(InvalidInput):
        decode_cursor(urlsafe_b64encode(position).decode().rstrip("="), kind, str)
