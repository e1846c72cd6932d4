"""Calling what anybody wrote: a coroutine function here, anything else in a thread, so that it may wait for what it
likes."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import ParamSpec

P = ParamSpec("P")


async def called(function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> object:
    """The result of `function`, awaited where it is awaitable. Raises what it raises."""
    asynchronous = any(
        check(one)
        for check in (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
        for one in (function, getattr(function, "__call__", None))  # noqa: B004 - an object with an async __call__
    )
    given = function(*args, **kwargs) if asynchronous else await asyncio.to_thread(function, *args, **kwargs)
    return await given if isinstance(given, Awaitable) else given
