"""How much a memory holds, for whoever awaits it and for whoever, as document 002 has it, does not."""

from collections.abc import Generator
from typing import TYPE_CHECKING, NoReturn

from ragpp.catalog import MemoryStats
from ragpp.errors import ConfigurationError
from ragpp.memory.whose import Whose


class Stats:
    """The answer of `MemoryManager.get_stats()` that is to come. Raises ConfigurationError for one that is read without
    `await`."""

    def __init__(self, whose: Whose) -> None:
        self._whose = whose

    def __await__(self) -> Generator[object, None, MemoryStats]:
        return self._whose.client.memory_stats(self._whose.user_id).__await__()

    if not TYPE_CHECKING:  # a checker knows that there is none

        def __getattr__(self, name: str) -> NoReturn:
            if name not in MemoryStats.model_fields:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise ConfigurationError(
                f"get_stats() asks the gateway, and {name} is not there before it has answered",
                suggestions=("Await it: `stats = await manager.get_stats()`.",),
            )
