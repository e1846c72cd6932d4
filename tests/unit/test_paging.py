"""A list in pages is read in order, to its end or its bound, and no further."""

from collections.abc import Awaitable, Callable

from ragpp.models import Page
from ragpp.paging import pages


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
