"""Leafing through lists that are given out in pages."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeVar

from ragpp.models import Page

PAGE: Final = 200
"""Of any list: what every tier gives at once."""
T = TypeVar("T")


async def pages(page: Callable[[str | None], Awaitable[Page[T]]]) -> AsyncIterator[T]:
    """Every item of a list that is given out in pages."""
    cursor: str | None = None
    while True:
        found = await page(cursor)
        for item in found.items:
            yield item
        cursor = found.next_cursor
        if cursor is None:
            return
