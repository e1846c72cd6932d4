"""Failures of the code of others, as the governor states them: in a few words that can be kept.

A chooser, a responder and a memory are anybody's: their errors may be long, may hold what no file can, and may not even
be able to say what they are.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ragpp.errors import MemorySystemError
from ragpp.errors.problems import printable

MAX_WORDS: Final = 500
"""Characters of what is told of an error."""


def words_of(error: BaseException) -> str:
    """The words of `error`, behind the name of its type or, of ours, its code: at most MAX_WORDS characters, all of
    which UTF-8 can encode. The name alone where it says nothing, or cannot say it; never raises."""
    name = type(error).__name__
    try:
        text = f"{error.code} {error.message}" if isinstance(error, MemorySystemError) else f"{name}: {error}"
    except (Exception, asyncio.CancelledError):  # noqa: BLE001 - it is foreign code that says what the error is
        text = name
    return printable(text.removesuffix(": "), limit=MAX_WORDS)


@contextmanager
def cancelled_by_others_alone() -> Iterator[None]:
    """Within it, a CancelledError is one: somebody cancels the running task, be it a deadline. Raises RuntimeError for
    one that foreign code raised although nobody did."""
    try:
        yield
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise RuntimeError("CancelledError, and nobody cancelled it") from error
