"""Leafing through lists that are given out in pages."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeVar

from ragpp.models import Page

PAGE: Final = 200
"""The length of any list that every tier gives at once."""
T = TypeVar("T")


async def pages(page: Callable[[str | None], Awaitable[Page[T]]], *, most: int | None = None) -> AsyncIterator[T]:
    """The items of a list that is given out in pages: all, or the first `most`, and no page beyond those is read."""
    cursor: str | None = None
    read = 0
    while True:
        found = await page(cursor)
        for item in found.items:
            yield item
            read += 1
            if read == most:
                return
        cursor = found.next_cursor
        if cursor is None:
            return


async def read_all(page: Callable[[str | None], Awaitable[Page[T]]], *, most: int | None = None) -> list[T]:
    """The items of `pages` together."""
    return [item async for item in pages(page, most=most)]
