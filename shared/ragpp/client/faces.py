"""The two faces of the client, which wait for the same steps: one in a task, the other in its thread."""

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, Final, NoReturn, ParamSpec, Self, TypeVar, cast

import httpx

from ragpp.client.arguments import told_by_name
from ragpp.client.calls import Caller, Flow, Outcome, shown_address
from ragpp.client.embedded import embedded_stack
from ragpp.client.outbox import Outbox
from ragpp.environment import gateway_of
from ragpp.errors import ConfigurationError, InvalidInput, MemorySystemError

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

    @property
    def is_connected(self) -> bool:
        """True once the gateway has done what it was asked; False from when it did not answer until it does again."""
        return self._caller.is_connected


class AsyncRunner(Face):
    """Takes the steps of calls in a task: its verbs are coroutine functions."""

    _http: httpx.AsyncClient

    @staticmethod
    def _function(verb: "Verb[P, T]") -> "Callable[Concatenate[AsyncRunner, P], Coroutine[object, None, T]]":
        """`verb` as a function of this class."""

        async def call(self: AsyncRunner, /, *args: P.args, **kwargs: P.kwargs) -> T:
            with advised():
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
            with advised():
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

    @told_by_name
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
        with advised():
            url, key = gateway_of(base_url, api_key)
            _see_numbers(timeout_s=timeout_s, retries=retries, backoff_s=backoff_s)
            box = _outbox_in(outbox)
            self._http = httpx.AsyncClient(
                base_url=_address(url),
                headers=_bearer(key),
                timeout=timeout_s,
                transport=transport,
                mounts=_DIRECT,
                verify=_verified(url),
            )
        self._caller = Caller(self._http, retries=retries, backoff_s=backoff_s, outbox=box)

    def __repr__(self) -> str:
        return f"<AsyncMemoryClient of {shown_address(self._http.base_url)}>"

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
        with advised():
            return cls(*await asyncio.to_thread(embedded_stack, home), timeout_s=timeout_s)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()


class SyncFace(SyncRunner):
    """A client of its own connections."""

    @told_by_name
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
        with advised():
            url, key = gateway_of(base_url, api_key)
            _see_numbers(timeout_s=timeout_s, retries=retries, backoff_s=backoff_s)
            box = _outbox_in(outbox)
            self._http = httpx.Client(
                base_url=_address(url),
                headers=_bearer(key),
                timeout=timeout_s,
                transport=transport,
                mounts=_DIRECT,
                verify=_verified(url),
            )
        self._caller = Caller(self._http, retries=retries, backoff_s=backoff_s, outbox=box)

    def __repr__(self) -> str:
        return f"<MemoryClient of {shown_address(self._http.base_url)}>"

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
        with advised():
            return cls(*embedded_stack(home), timeout_s=timeout_s)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


@contextmanager
def advised() -> Iterator[None]:
    """Have what is raised inside say in a traceback, too, what to do about it."""
    try:
        yield
    except MemorySystemError as error:
        error.advise()
        raise


def _see_numbers(*, timeout_s: float, retries: int, backoff_s: float) -> None:
    """Raises InvalidInput for times and counts that there are none of."""
    if not _is_number(timeout_s) or not 0 < timeout_s < math.inf:
        raise InvalidInput("timeout_s: must be a number over 0", suggestions=("Give seconds, such as timeout_s=30.",))
    if not _is_number(retries, Integral) or retries < 0:
        raise InvalidInput("retries: must be 0 or a whole number over it", suggestions=("retries=0 repeats nothing.",))
    if not _is_number(backoff_s) or not 0 <= backoff_s < math.inf:
        raise InvalidInput("backoff_s: must be 0 or a number over it", suggestions=("Give seconds, such as 0.2.",))


def _is_number(value: object, kind: type = Real) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _outbox_in(folder: str | Path | None) -> Outbox | None:
    if folder is None:
        return None
    if not isinstance(folder, str | PathLike) or not str(folder):
        raise InvalidInput("outbox: must be a folder", suggestions=("Give its path, such as outbox='.ragpp/outbox'.",))
    return Outbox(folder)


def _address(url: str) -> httpx.URL:
    """`url`, read. Raises ConfigurationError for none that a request can go to."""
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL:
        address = httpx.URL()
    if not address.host:
        raise ConfigurationError(
            "the gateway's address cannot be read", suggestions=("Write it as http://127.0.0.1:8700.",)
        )
    return address


def _verified(url: str) -> bool:
    """True where certificates are of use: to read those of the system takes 30 ms."""
    return not url.startswith("http://")


def _bearer(api_key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {api_key}"}
