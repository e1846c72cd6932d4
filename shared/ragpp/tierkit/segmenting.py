"""Segments of large scopes (`ragpp.ranking.segments`), made behind the searches that want them."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import AbstractAsyncContextManager
from time import monotonic
from typing import Final, TypeVar

import structlog

from ragpp.errors import MemorySystemError, VectorIndexError
from ragpp.models import Scope
from ragpp.stores.segments import ROWS, Segmented, SegmentRows

FoundT = TypeVar("FoundT")

WITHOUT_S: Final = 60.0
"""So long a scope is taken to have no segments after it had none: nobody else's search waits to be told so again."""
TRIED_S: Final = 5.0
"""Segments of a scope are asked for as often at most: what was stored a moment ago may not be ready for them."""
KNOWN_SCOPES: Final = 10_000
MOST_IN_VAIN: Final = 3
"""So often in a row rows are read again that were changed meanwhile; then they are left to a later search."""
_log = structlog.stdlib.get_logger(__name__)


Rows = Callable[[Scope], AbstractAsyncContextManager[SegmentRows]]
"""Opens a transaction on one user's rows."""


class Segmenter:
    """Keeps the segments of one tier, in one process. Nothing depends on them but how long a search takes: where they
    cannot be read the search goes over all rows, which is counted in `failures`, and they are made anew."""

    def __init__(
        self,
        tier: str,
        reading: Rows,
        writing: Rows,
        *,
        least_rows: int,
        shared: Collection[str] = (),
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        """`writing`: in which nobody else changes the user's rows. `least_rows`: from so many rows on a scope has
        segments. `shared`: user ids whose rows every scope sees. `seconds`: a clock that only goes forward."""
        self._tier, self._reading, self._writing, self._shared = tier, reading, writing, shared
        self._least_rows, self._seconds = least_rows, seconds
        self._without: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._tried: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._building: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._turn = asyncio.Semaphore(1)
        self.failures = 0

    def has_none(self, scope: Scope) -> bool:
        """True where the scope was found without any a moment ago."""
        return self._seconds() < self._without.get(scope.user_key, 0.0)

    def note(self, scope: Scope, found: Segmented | None, rows: int) -> None:
        """Note what a search met: the segments, None where it did not look for any, and how many `rows` lay in none."""
        if found is not None and not found.segments:
            _keep(self._without, scope.user_key, self._seconds() + WITHOUT_S)
        most = 2 * ROWS if found is not None and found.segments else self._least_rows
        if rows > most and self._seconds() >= self._tried.get(scope.user_key, 0.0):
            _keep(self._tried, scope.user_key, self._seconds() + TRIED_S)
            self.want(scope)

    def want(self, scope: Scope) -> None:
        """Make what is missing, behind whoever asks."""
        self._behind(scope, self._build)

    async def built(self, scope: Scope) -> None:
        """Make all that is missing, and wait for it. The rows are read and packed before writers have to wait; those
        that were changed meanwhile are read again. Raises TierUnavailable, StorageError."""
        async with self._turn:
            for whose in self._all_of(scope):
                in_vain = 0
                while in_vain < MOST_IN_VAIN and (made := await self._build_next(whose)) is not None:
                    in_vain = 0 if made else in_vain + 1
            self._without.pop(scope.user_key, None)

    async def drop(self, scope: Scope) -> None:
        """Drop all: searches go over all rows until they are made anew. Raises TierUnavailable, StorageError."""
        for whose in self._all_of(scope):
            async with self._writing(whose) as rows:
                await rows.drop(whose.user_id)

    async def searched(self, scope: Scope, search: Callable[[bool], Awaitable[FoundT]]) -> FoundT:
        """The result of `search`: by segments (True), or over all rows (False) where there are none that can be
        read."""
        try:
            return await search(not self.has_none(scope))
        except VectorIndexError as error:
            self.failures += 1
            _log.warning("index.broken", tier=self._tier, code=error.code, detail=str(error), failures=self.failures)
            self._behind(scope, self._mend)
        return await search(False)

    def told_in(self, version: str) -> str:
        """A store's version, as a health check tells it, with how often the segments failed, where they did."""
        return f"{version}; index failures: {self.failures}" if self.failures else version

    async def close(self) -> None:
        """Leave off; what was made stays."""
        tasks = list(self._building.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _all_of(self, scope: Scope) -> list[Scope]:
        own = scope.seen_by(None)
        users = dict.fromkeys((own.user_id, *self._shared))
        return [own.model_copy(update={"user_id": user}) for user in users]

    def _behind(self, scope: Scope, work: Callable[[Scope], Coroutine[None, None, None]]) -> None:
        if scope.user_key not in self._building:
            task = asyncio.create_task(work(scope))
            self._building[scope.user_key] = task
            task.add_done_callback(lambda _: self._building.pop(scope.user_key, None))

    async def _build_next(self, scope: Scope) -> bool | None:
        """True where the next one that is missing was made; None where none is."""
        async with self._reading(scope) as rows:
            # of the users whose rows a scope sees one has so many, where all of them have `least_rows`
            missing = await rows.missing(scope.user_id, self._least_rows // (1 + len(self._shared)))
            if missing is None:
                return None
            read = await rows.read_missing(missing)
        source = await asyncio.to_thread(read.source)
        async with self._writing(scope) as rows:
            return await rows.insert(missing, read.version, source)

    async def _build(self, scope: Scope) -> None:
        try:
            await self.built(scope)
        except MemorySystemError as error:
            _log.warning("index.not_built", tier=self._tier, code=error.code, detail=str(error))

    async def _mend(self, scope: Scope) -> None:
        try:
            await self.drop(scope)
            await self._build(scope)
        except MemorySystemError as error:
            _log.warning("index.not_mended", tier=self._tier, code=error.code, detail=str(error))


def _keep(moments: OrderedDict[tuple[str, str], float], key: tuple[str, str], moment: float) -> None:
    moments[key] = moment
    moments.move_to_end(key)
    while len(moments) > KNOWN_SCOPES:
        moments.popitem(last=False)
