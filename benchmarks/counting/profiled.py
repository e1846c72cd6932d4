"""Calls and objects of this process, counted by Python's own profiler over the event loop and every thread."""

import cProfile
import inspect
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Final

_OURS: Final = ("ragpp", "ragpp_services", "ragpp_infra")
_BY_THE_CLOCK: Final = frozenset({"asyncio", "selectors.py", "threading.py", "concurrent", "contextlib.py"})
"""Parts of Python's own library: how often they are called depends on when bytes arrive."""
_COUNTING: Final = frozenset({"benchmarks", "tests", "httpx"})
_RESUMED: Final = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags of what a profile counts each time that it goes on after it waited, so more often on a busy machine."""
_MAKES: Final = frozenset({"__init__", "__new__", "model_validate", "_make", "_made"})
_CYPHER: Final = ("neo4j", "run")
_REDIS: Final = ("redis", "pack_command")


@dataclass
class Called:
    """How often each of our functions was called, by `module.function`, and what else was counted. `objects` are those
    whose making Python sees: of classes with an `__init__` in Python, dataclasses and models among them."""

    functions: Counter[str] = field(default_factory=Counter)
    library_calls: int = 0
    objects: int = 0
    cypher: int = 0
    redis_commands: int = 0

    @property
    def calls(self) -> int:
        """The calls of our functions, in all."""
        return self.functions.total()

    def add(self, code: CodeType | str, times: int) -> None:
        """Count one function of a profile. Those written in C have no code and are not counted, nor are coroutines."""
        if isinstance(code, str) or code.co_flags & _RESUMED:
            return
        parts = Path(code.co_filename).parts
        if code.co_filename == "<string>":  # what dataclasses and named tuples write for themselves
            self.objects += times * (code.co_name in _MAKES)
            return
        is_installed = "site-packages" in parts
        if not _COUNTING.isdisjoint(parts) or (not is_installed and not _BY_THE_CLOCK.isdisjoint(parts)):
            return
        self.objects += times * (code.co_name in _MAKES)
        folders = [] if is_installed else [index for index, part in enumerate(parts[:-1]) if part in _OURS]
        if folders:
            # the last folder of that name: a checkout may lie in one, too
            module = ".".join((*parts[folders[-1] : -1], Path(code.co_filename).stem))
            self.functions[f"{module}:{code.co_qualname}"] += times
            return
        self.library_calls += times
        self.cypher += times * (_CYPHER[0] in parts and code.co_name == _CYPHER[1])
        self.redis_commands += times * (_REDIS[0] in parts and code.co_name == _REDIS[1])


class Profiles:
    """A profile of this thread and of every thread that starts after it: so make one before anything is opened.

    Python's profiler is a thread's own, and nobody can begin one for another; the hook that a new thread calls does.
    """

    def __init__(self) -> None:
        self._all: list[cProfile.Profile] = []
        threading.setprofile(self._begin)
        self._begin()

    def _begin(self, *_event: object) -> None:
        profile = cProfile.Profile()
        self._all.append(profile)
        profile.enable()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """This thread without its profile, which slows it by half."""
        self._all[0].disable()
        try:
            yield
        finally:
            self._all[0].enable()

    def counted(self) -> Counter[CodeType | str]:
        """How often each function has returned since this was made."""
        found: Counter[CodeType | str] = Counter()
        for profile in self._all:
            for entry in profile.getstats():
                found[entry.code] += entry.callcount
        return found

    def since(self, before: Counter[CodeType | str]) -> Called:
        """The calls since `counted` said `before`."""
        called = Called()
        for code, times in (self.counted() - before).items():
            called.add(code, times)
        return called
