"""The two faces of the client, which wait for the same steps: one in a task, the other in its thread."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, Final, NoReturn, ParamSpec, Self, TypeVar, cast

import httpx

from ragpp.client.calls import Caller, Flow, Outcome
from ragpp.client.embedded import embedded_stack
from ragpp.client.outbox import Outbox
from ragpp.environment import gateway_of
from ragpp.errors import MemorySystemError

if TYPE_CHECKING:
    from ragpp.client.route import Verb

P = ParamSpec("P")
T = TypeVar("T")

_DIRECT: Final = {"all://127.0.0.1": None, "all://localhost": None}
"""A proxy of the environment is not for these."""
_OTHER: Final = "{mine} is opened by `{word}`; the client for the other kind of `with` is ragpp.{other}"


class Face:
    """The part of one client that makes its calls."""

    _caller: Caller


class AsyncRunner(Face):
    """Takes the steps of calls in a task: its verbs are coroutine functions."""

    _http: httpx.AsyncClient

    @staticmethod
    def _function(verb: "Verb[P, T]") -> "Callable[Concatenate[AsyncRunner, P], Coroutine[object, None, T]]":
        """`verb` as a function of this class."""

        async def call(self: AsyncRunner, /, *args: P.args, **kwargs: P.kwargs) -> T:
            with _advised():
                return await self._driven(verb.flow(self, *args, **kwargs))

        return call

    async def _driven(self, flow: Flow[T]) -> T:
        outcome: Outcome = None
        while True:
            try:
                step = flow.send(outcome)
            except StopIteration as end:
                return cast("T", end.value)
            outcome = None
            if isinstance(step, httpx.Request):
                try:
                    outcome = await self._http.send(step)
                except httpx.TransportError as error:
                    outcome = error
            elif isinstance(step, float | int):
                await asyncio.sleep(step)
            else:
                await asyncio.to_thread(step)


class SyncRunner(Face):
    """Takes them in its thread, which it holds up until they are done."""

    _http: httpx.Client

    @staticmethod
    def _function(verb: "Verb[P, T]") -> "Callable[Concatenate[SyncRunner, P], T]":
        """`verb` as a function of this class."""

        def call(self: SyncRunner, /, *args: P.args, **kwargs: P.kwargs) -> T:
            with _advised():
                return self._driven(verb.flow(self, *args, **kwargs))

        return call

    def _driven(self, flow: Flow[T]) -> T:
        outcome: Outcome = None
        while True:
            try:
                step = flow.send(outcome)
            except StopIteration as end:
                return cast("T", end.value)
            outcome = None
            if isinstance(step, httpx.Request):
                try:
                    outcome = self._http.send(step)
                except httpx.TransportError as error:
                    outcome = error
            elif isinstance(step, float | int):
                time.sleep(step)
            else:
                step()


class AsyncFace(AsyncRunner):
    """A client of its own connections."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout_s: float = 30.0,
        retries: int = 3,
        backoff_s: float = 0.2,
        outbox: str | Path | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        with _advised():
            url, key = gateway_of(base_url, api_key)
        self._http = httpx.AsyncClient(
            base_url=url,
            headers=_bearer(key),
            timeout=timeout_s,
            transport=transport,
            mounts=_DIRECT,
            verify=_verified(url),
        )
        box = None if outbox is None else Outbox(outbox)
        self._caller = Caller(self._http, retries=retries, backoff_s=backoff_s, outbox=box)

    async def __aenter__(self) -> Self:
        return self

    if not TYPE_CHECKING:  # a checker knows that there is none

        def __enter__(self) -> NoReturn:
            raise TypeError(_OTHER.format(mine="AsyncMemoryClient", word="async with", other="MemoryClient"))

        def __exit__(self, *_: object) -> None: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @classmethod
    async def embedded(cls, home: str | Path | None = None, *, timeout_s: float = 30.0) -> Self:
        """A client of the embedded stack in `home`, else in RAGPP_HOME, else in `.ragpp`; started unless it runs.

            async with await AsyncMemoryClient.embedded() as memory:
                await memory.remember("My sister Elena moved to Porto.", user="ana")

        It is started as `ragpp up` does, also in a notebook; the first time that takes minutes. It goes on running
        until `ragpp down`. Raises ConfigurationError where the extra `embedded` is not installed; StackError when it
        does not start.
        """
        with _advised():
            return cls(*await asyncio.to_thread(embedded_stack, home), timeout_s=timeout_s)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()


class SyncFace(SyncRunner):
    """A client of its own connections."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout_s: float = 30.0,
        retries: int = 3,
        backoff_s: float = 0.2,
        outbox: str | Path | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        with _advised():
            url, key = gateway_of(base_url, api_key)
        self._http = httpx.Client(
            base_url=url,
            headers=_bearer(key),
            timeout=timeout_s,
            transport=transport,
            mounts=_DIRECT,
            verify=_verified(url),
        )
        box = None if outbox is None else Outbox(outbox)
        self._caller = Caller(self._http, retries=retries, backoff_s=backoff_s, outbox=box)

    def __enter__(self) -> Self:
        return self

    if not TYPE_CHECKING:

        async def __aenter__(self) -> NoReturn:
            raise TypeError(_OTHER.format(mine="MemoryClient", word="with", other="AsyncMemoryClient"))

        async def __aexit__(self, *_: object) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @classmethod
    def embedded(cls, home: str | Path | None = None, *, timeout_s: float = 30.0) -> Self:
        """A client of the embedded stack in `home`, else in RAGPP_HOME, else in `.ragpp`; started unless it runs.

            memory = MemoryClient.embedded()

        It is started as `ragpp up` does, also in a notebook; the first time that takes minutes. It goes on running
        until `ragpp down`. Raises ConfigurationError where the extra `embedded` is not installed; StackError when it
        does not start.
        """
        with _advised():
            return cls(*embedded_stack(home), timeout_s=timeout_s)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


@contextmanager
def _advised() -> Iterator[None]:
    """Have what is raised inside say in a traceback, too, what to do about it."""
    try:
        yield
    except MemorySystemError as error:
        error.advise()
        raise


def _verified(url: str) -> bool:
    """True where certificates are of use: to read those of the system takes 30 ms."""
    return not url.startswith("http://")


def _bearer(api_key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {api_key}"}
