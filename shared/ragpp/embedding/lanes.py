"""A thread that runs a model for many callers: short requests pass long ones, and share a run where they meet."""

from __future__ import annotations

import atexit
import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from ragpp.errors import EmbeddingError, MemorySystemError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragpp.embedding.port import FloatMatrix

SLICE_TOKENS: Final = 64
"""Tokens, padding included, of one run: what a short request waits for when it meets a long one, about 10 ms. Larger
runs are no faster a token on a CPU (`benchmarks/embedding.py`)."""

QUICK_CHARACTERS: Final = 500
"""A request of no more characters in all, and of no more texts than QUICK_TEXTS, takes the quick lane; requests are
joined in one run up to the same size."""
QUICK_TEXTS: Final = 8

PATIENCE: Final = 8
"""After so many quick runs in a row, a waiting long request gets one slice, so that it always moves on."""

WINDOW_TEXTS: Final = 64
"""Texts of a long request that are tokenised at once, shortest first, to be grouped by their number of tokens."""

TokenIds = list[int]


class Model(Protocol):
    """The model that the threads run, all at once when there are several; it may load itself in the first call."""

    def tokenise(self, text: str) -> TokenIds:
        """The text's token ids, at least one and as many as the model reads."""
        ...

    def run(self, batch: Sequence[TokenIds]) -> FloatMatrix:
        """One row for each of `batch`, in order."""
        ...


def slices(lengths: Sequence[int], limit: int) -> list[list[int]]:
    """Group the indexes of `lengths`, shortest first, so that in each group the count times the longest is at most
    `limit`; what is longer than `limit` is alone. Every index is in one group."""
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if groups and (len(groups[-1]) + 1) * lengths[index] <= limit:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


Place = tuple["_Request", int]
"""A text: whose it is, and its index there."""


@dataclass(eq=False, slots=True)
class _Request:
    """The texts of one caller and how far they are; guarded by the lock of its Lanes."""

    texts: Sequence[str]
    future: Future[FloatMatrix] = field(default_factory=Future)
    rows: list[FloatMatrix | None] = field(init=False)
    left: int = field(init=False)
    untouched: deque[int] = field(init=False)
    planned: deque[list[tuple[Place, TokenIds]]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.rows = [None] * len(self.texts)
        self.left = len(self.texts)
        self.untouched = deque(sorted(range(len(self.texts)), key=lambda index: len(self.texts[index])))

    @property
    def characters(self) -> int:
        return sum(map(len, self.texts))

    def finish(self) -> None:
        if not self.future.done() and self.future.set_running_or_notify_cancel():
            self.future.set_result(np.stack([row for row in self.rows if row is not None]))

    def fail(self, error: MemorySystemError) -> None:
        if not self.future.done() and self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)


class Lanes:
    """Runs `model` in threads of its own, which start with the first request and end with `stop`.

    Requests come from any thread or event loop. Long requests take turns, one slice each. A cancelled request is
    dropped before its next slice.
    """

    def __init__(self, model: Model, *, name: str, threads: int = 1, slice_tokens: int = SLICE_TOKENS) -> None:
        """`name`: of the threads. `slice_tokens`: the size of a run; a longer text is a run of its own.
        ValueError when `threads` is below 1."""
        if threads < 1:
            raise ValueError(f"threads is {threads}, and must be at least 1")
        self._model = model
        self._name = name
        self._slice_tokens = slice_tokens
        self._wanted_threads = threads
        self._threads: list[threading.Thread] = []
        self._changed = threading.Condition()
        self._quick: deque[_Request] = deque()
        self._long: deque[_Request] = deque()
        self._quick_runs = 0
        self._stopped = False

    def submit(self, texts: Sequence[str]) -> Future[FloatMatrix]:
        """The rows of `texts`, at least one, in order. Fails with EmbeddingError when the model does, or after
        `stop`."""
        request = _Request(texts)
        quick = len(texts) <= QUICK_TEXTS and request.characters <= QUICK_CHARACTERS
        with self._changed:
            if self._stopped:
                raise EmbeddingError("the embedder is closed")
            (self._quick if quick else self._long).append(request)
            if not (self._threads and self._threads[0].is_alive()):  # a forked child has the object, not the threads
                self._start()
            self._changed.notify()
        return request.future

    def stop(self) -> None:
        """End the threads after their current slice and fail what waits; harmless to repeat."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        atexit.unregister(self.stop)
        for request in (*self._quick, *self._long):
            request.fail(EmbeddingError("the embedder was closed"))
        self._quick.clear()
        self._long.clear()

    def _start(self) -> None:
        self._threads = [
            threading.Thread(target=self._serve, name=f"{self._name}-{number}", daemon=True)
            for number in range(self._wanted_threads)
        ]
        for thread in self._threads:
            thread.start()
        atexit.register(self.stop)

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or self._quick or self._long)
                if self._stopped:
                    return
                requests, work = self._take()
            try:
                work()
            except MemorySystemError as error:
                self._give_up(requests, error)
            except Exception as error:  # noqa: BLE001 - a runtime's own errors are its callers', and the thread lives on
                failure = EmbeddingError(f"the model failed ({type(error).__name__})")
                failure.__cause__ = error
                self._give_up(requests, failure)

    def _take(self) -> tuple[list[_Request], Callable[[], None]]:
        """The next piece of work, and whose it is: all of some quick requests, or a part of one long one."""
        if self._quick and not (self._long and self._quick_runs >= PATIENCE):
            self._quick_runs += 1
            requests = self._take_quick()
            return requests, partial(self._answer, requests)
        self._quick_runs = 0
        request = self._long.popleft()
        if request.future.done():
            return [], _nothing
        work: Callable[[], None]
        if request.planned:
            work = partial(self._run, request.planned.popleft())
        else:
            count = min(WINDOW_TEXTS, len(request.untouched))
            work = partial(self._plan, request, [request.untouched.popleft() for _ in range(count)])
        if request.planned or request.untouched:
            self._long.append(request)
        return [request], work

    def _take_quick(self) -> list[_Request]:
        """As many of the quick requests as fit in one run, at least one; without those that were cancelled."""
        taken: list[_Request] = []
        texts = characters = 0
        while self._quick:
            texts += len(self._quick[0].texts)
            characters += self._quick[0].characters
            if taken and (texts > QUICK_TEXTS or characters > QUICK_CHARACTERS):
                break
            taken.append(self._quick.popleft())
        return [request for request in taken if not request.future.done()]

    def _answer(self, requests: Sequence[_Request]) -> None:
        for batch in self._batches([(request, index) for request in requests for index in range(len(request.texts))]):
            self._run(batch)

    def _plan(self, request: _Request, window: Sequence[int]) -> None:
        """Tokenise a part of a long request and queue its slices."""
        batches = self._batches([(request, index) for index in window])
        with self._changed:
            request.planned.extend(batches)
            if request not in self._long:
                self._long.append(request)
            self._changed.notify_all()

    def _batches(self, places: Sequence[Place]) -> list[list[tuple[Place, TokenIds]]]:
        ids = [self._model.tokenise(request.texts[index]) for request, index in places]
        groups = slices([len(one) for one in ids], self._slice_tokens)
        return [[(places[place], ids[place]) for place in group] for group in groups]

    def _run(self, batch: Sequence[tuple[Place, TokenIds]]) -> None:
        """Run one slice and finish the requests that it completes."""
        rows = self._model.run([ids for _, ids in batch])
        finished: list[_Request] = []
        with self._changed:
            for ((request, index), _), row in zip(batch, rows, strict=True):
                request.rows[index] = row
                request.left -= 1
                if request.left == 0:
                    finished.append(request)
        for request in finished:
            request.finish()

    def _give_up(self, requests: Sequence[_Request], error: MemorySystemError) -> None:
        with self._changed:
            for request in requests:
                request.untouched.clear()
                request.planned.clear()
                if request in self._long:
                    self._long.remove(request)
        for request in requests:
            request.fail(error)


def _nothing() -> None:
    """The work of a request that was cancelled or has failed."""
