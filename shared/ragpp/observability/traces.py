"""Spans: what a process does for a request or a batch of work, each step inside the one that it is part of.

Nothing is recorded, and no library loaded for it, until a recorder is installed (`ragpp.observability.recording`, where
an endpoint is set); until then a step costs a look at a variable. A trace begins with a request that is answered or
with a batch of work; a step outside of both is none, so that nobody who looks for work every second makes traces.

What a span may tell is a closed list, `Attributes`: names that the code has and numbers. None holds a tenant, a user,
a session, an id or a text, and the name of a span is written in the code, too.
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Final, ParamSpec, Protocol, TypedDict, TypeVar, Unpack, cast

P = ParamSpec("P")
T = TypeVar("T")


class Attributes(TypedDict, total=False):
    """A span's attributes. `route`: as it is written; `status`: of an answer, a tier or work, one of a few words;
    `code`: of an error of ours, or the name of another's class; `model`: of an embedder; the rest are numbers."""

    method: str
    route: str
    http_status: int
    tier: str
    stage: str
    status: str
    code: str
    relevance: str
    hits: int
    messages: int
    works: int
    attempt: int
    tokens: int
    budget: int
    texts: int


class Span(Protocol):
    """A step that is under way while inside; an error that leaves it is told by its code."""

    def __enter__(self) -> "Span": ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None: ...

    def note(self, **attributes: Unpack[Attributes]) -> None:
        """Tell something that was not known at its beginning."""

    def named(self, name: str) -> None:
        """Call it otherwise: a request's route is known when it is answered."""


class Recorder(Protocol):
    """Makes spans and tells which is under way, for the task or thread that asks."""

    def request(self, traceparent: str | None) -> Span:
        """The first span that this process has of a request, in the caller's trace where that came with it."""

    def work(self, name: str, attributes: Attributes, causes: Sequence[str]) -> Span:
        """The first span of a batch of work, linked to the spans that caused it, which are given as `traceparent`."""

    def step(self, name: str, attributes: Attributes) -> Span:
        """A part of the span that is under way; nothing outside of any."""

    def note(self, attributes: Attributes) -> None:
        """Tell something of the span that is under way."""

    def traceparent(self) -> str | None:
        """The span that is under way as W3C's header of that name; None outside of any."""

    def trace_id(self) -> str | None:
        """32 hexadecimal digits of the trace that is under way and recorded; None outside of any."""


class _Nothing:
    """A step that nobody records."""

    def __enter__(self) -> Span:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        pass

    def note(self, **attributes: Unpack[Attributes]) -> None:
        pass

    def named(self, name: str) -> None:
        pass


NOTHING: Final[Span] = _Nothing()
_installed: list[Recorder] = []
"""The one that records, at the end; those before it had their turn and have it again."""


def install(recorder: Recorder) -> Callable[[], None]:
    """Record from now on, until what is returned is called."""
    _installed.append(recorder)
    return lambda: _installed.remove(recorder)


def recording() -> bool:
    """True where anybody records."""
    return bool(_installed)


def request(traceparent: str | None) -> Span:
    """See `Recorder.request`."""
    return _installed[-1].request(traceparent) if _installed else NOTHING


def work(name: str, causes: Sequence[str], **attributes: Unpack[Attributes]) -> Span:
    """See `Recorder.work`."""
    return _installed[-1].work(name, attributes, causes) if _installed else NOTHING


def step(name: str, **attributes: Unpack[Attributes]) -> Span:
    """See `Recorder.step`."""
    return _installed[-1].step(name, attributes) if _installed else NOTHING


def note(**attributes: Unpack[Attributes]) -> None:
    """See `Recorder.note`."""
    if _installed:
        _installed[-1].note(attributes)


def traceparent() -> str | None:
    """See `Recorder.traceparent`."""
    return _installed[-1].traceparent() if _installed else None


def trace_id() -> str | None:
    """See `Recorder.trace_id`."""
    return _installed[-1].trace_id() if _installed else None


def stepped(name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Each call of the function, or coroutine, is a step of that name."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*args: P.args, **kwargs: P.kwargs) -> object:
                with step(name):
                    return await function(*args, **kwargs)

            return cast("Callable[P, T]", awaited)

        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            with step(name):
                return function(*args, **kwargs)

        return called

    return decorate
