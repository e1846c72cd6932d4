"""The doing anew of what found something of the user forgotten meanwhile."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

from ragpp.errors import Outdated

ATTEMPTS: Final = 5
"""How often it is done at most."""
T = TypeVar("T")


async def done_anew(do: Callable[[], Awaitable[T]]) -> T:
    """The result of `do`, which reads an epoch before anything else and writes under it: the caller of a request has
    done nothing wrong where somebody forgets. Raises Outdated where it happens each time, and what `do` raises."""
    for _ in range(ATTEMPTS - 1):
        with suppress(Outdated):
            return await do()
    return await do()
