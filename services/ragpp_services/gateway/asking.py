"""Asking one tier under a deadline: its answer, or why there is none."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

import structlog

from ragpp.api import TierStatusName
from ragpp.embedding import Embedder, SecondEncoder
from ragpp.errors import MemorySystemError, TierUnavailable
from ragpp.errors.summaries import safe_summary, trace_of
from ragpp.models import Memory, MemoryQuery, TierName, Vector
from ragpp.names import SPEAKER
from ragpp.observability.metrics import step as counted_step
from ragpp.observability.traces import step
from ragpp.text.lexical import read_question
from ragpp.tiers import MemoryTier

INLINE_CHARS: Final = 1_000
"""Characters of a question whose words are found on the event loop, in a few milliseconds."""
MAX_NAME_CHARS: Final = 200
MOST_NAMES: Final = 50
ENCODING_SHARE: Final = 0.25
"""Share of the time for the question's vector by the second encoder: who waits for it does without a late one."""
Encoding = asyncio.Task[Vector | None]
ResultT = TypeVar("ResultT")
_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Answer:
    """The answer of one tier: `memories` is empty unless `status` is ok."""

    status: TierStatusName
    ms: float
    memories: tuple[Memory, ...] = ()
    detail: str | None = None


def names_in(found: Iterable[str], asker: str | None) -> tuple[str, ...]:
    """The names that a question mentions, as far as a query takes them; before SPEAKER the name of who asks."""
    named = (name for one in found if one for name in ([asker, one] if asker and one == SPEAKER else [one]))
    return tuple(dict.fromkeys(name[:MAX_NAME_CHARS] for name in named))[:MOST_NAMES]


async def read_long(question: str) -> None:
    """Find the words of a long question in a thread, before it is asked: who asks for them then has them at once."""
    if len(question) > INLINE_CHARS:
        await asyncio.to_thread(read_question, question)


async def embedded(embedder: Embedder, question: str, seconds: float) -> Vector:
    """The question's vector. Raises TimeoutError after so many `seconds`, EmbeddingError."""
    with counted_step("embed"):
        async with asyncio.timeout(max(0.0, seconds)):
            (vector,) = (await embedder.embed([question])).tolist()
    return tuple(vector)


def encoding(encoder: SecondEncoder | None, question: str, ends: float) -> Encoding | None:
    """The question's vector by the second encoder, on its way; it has ENCODING_SHARE of the time until `ends`."""
    if encoder is None:
        return None
    return asyncio.create_task(_encoded(encoder, question, (ends - time.perf_counter()) * ENCODING_SHARE))


async def _encoded(encoder: SecondEncoder, question: str, seconds: float) -> Vector | None:
    try:
        with step("encode"):
            async with asyncio.timeout(max(0.0, seconds)):
                (vector,) = (await encoder.encode_questions([question])).tolist()
    except (MemorySystemError, TimeoutError) as error:
        _log.warning("recall.not_encoded", error=safe_summary(error))
        return None
    return tuple(vector)


async def retrieved(tier: MemoryTier, query: MemoryQuery, second: Encoding | None) -> list[Memory]:
    """The answer of `tier`; with the `second` vector of the question, once that is there."""
    vector = None if second is None else await second
    return await tier.retrieve(query if vector is None else query.model_copy(update={"second": vector}))


async def finished(task: "asyncio.Future[ResultT]", ends: float) -> bool:
    """True where `task` is done by `ends`. One that is not is cancelled and left alone: a driver may take seconds to
    give up on a server that hangs."""
    done, _ = await asyncio.wait({task}, timeout=max(0.0, ends - time.perf_counter()))
    if not done:
        task.cancel()
        task.add_done_callback(_look_at)
    return bool(done)


class Asked:
    """A tier that is being asked, from when this is made."""

    def __init__(self, name: TierName, call: Callable[[], Awaitable[Sequence[Memory]]]) -> None:
        """`call`: asks the tier `name`."""
        self._started, self._ended = time.perf_counter(), 0.0
        self._task = asyncio.ensure_future(_traced(name, call))
        self._task.add_done_callback(self._end)

    async def answer(self, ends: float) -> Answer:
        """The tier's memories, or why there are none by `ends` (of time.perf_counter)."""
        if not (self._task.done() or await finished(self._task, ends)):
            return Answer("timeout", self._ms(), detail="no answer within the deadline")
        try:
            return Answer("ok", self._ms(), tuple(self._task.result()))
        except TimeoutError:
            return Answer("timeout", self._ms(), detail="no answer within the deadline")
        except MemorySystemError as error:
            status = _status_of(error)
            told = error.message if status == "unavailable" else f"{error.code}: {error.message}"
            return Answer(status, self._ms(), detail=told)
        except Exception as error:  # noqa: BLE001 - a bug in one tier must not take the others' answers with it
            _log.error("tier.crashed", error=safe_summary(error), where=trace_of(error))
            return Answer("error", self._ms(), detail=f"unexpected {type(error).__name__}; see the log")

    def cancel(self) -> None:
        """Leave off: nobody wants the answer any more."""
        self._task.cancel()

    def _end(self, task: "asyncio.Future[Sequence[Memory]]") -> None:
        self._ended = time.perf_counter()
        task.cancelled() or task.exception()  # marks its error as seen, where nobody waits for it

    def _ms(self) -> float:
        return round(((self._ended or time.perf_counter()) - self._started) * 1_000, 2)


async def answers_of(asked: Mapping[TierName, Asked | Answer], ends: float) -> dict[TierName, Answer]:
    """The answer of each of `asked` by `ends`."""
    return {name: one if isinstance(one, Answer) else await one.answer(ends) for name, one in asked.items()}


@contextmanager
def asking() -> Iterator[dict[TierName, Asked | Answer]]:
    """The tiers that are being asked, for whoever asks them to add to. Where nobody waits for them any more, none is
    asked any longer."""
    asked: dict[TierName, Asked | Answer] = {}
    try:
        yield asked
    except BaseException:  # whatever it was goes on
        for one in asked.values():
            if isinstance(one, Asked):
                one.cancel()
        raise


async def _traced(name: TierName, call: Callable[[], Awaitable[Sequence[Memory]]]) -> Sequence[Memory]:
    with step("ask", tier=name) as span:
        try:
            memories = await call()
        except BaseException as error:  # whatever it is goes on
            span.note(status=_status_of(error))
            raise
        span.note(status="ok", hits=len(memories))
    return memories


def _status_of(error: BaseException) -> TierStatusName:
    if isinstance(error, TimeoutError | asyncio.CancelledError):
        return "timeout"
    return "unavailable" if isinstance(error, TierUnavailable) else "error"


def _look_at(late: "asyncio.Future[ResultT]") -> None:
    """Mark its error as seen, for nobody waits for it."""
    late.cancelled() or late.exception()
