"""One request to the gateway without any sending: repeated where that is harmless, answered by a value or our error."""

import json
import random
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final, Generic, Literal, TypeAlias, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from ragpp.api import StoreRequest, StoreResponse
from ragpp.client.outbox import Outbox
from ragpp.client.refusals import for_caller
from ragpp.errors import (
    ClientClosed,
    Conflict,
    GatewayUnreachable,
    InvalidInput,
    MemorySystemError,
    PayloadTooLarge,
    TierUnavailable,
    TooMuchAtOnce,
)
from ragpp.errors.problems import Problem, error_of
from ragpp.fields import storable, utc

T = TypeVar("T")
Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Parameter: TypeAlias = str | int | float | bool | datetime | BaseModel | Mapping[str, object] | None
Step: TypeAlias = httpx.Request | float | Callable[[], None]
"""The next step of whoever drives a call: send the request, wait so many seconds, or do what waits for a disk."""
Outcome: TypeAlias = httpx.Response | httpx.TransportError | None
"""The outcome of a step; nothing of another than a request."""
Flow: TypeAlias = Generator[Step, Outcome, T]

_UNSENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_LONGEST_WAIT_S: Final = 5.0
STORE: Final = "/v1/interactions"
LONGEST_PATIENCE_S: Final = 60.0
"""Longest that a request waits in all for its key to be allowed to ask again."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request. `told`: statuses other than 2xx whose body is a result, too. A call that is not to be `repeat`ed is
    sent again only when it never left."""

    method: Method
    path: str
    result: TypeAdapter[T]
    query: Mapping[str, Parameter] = field(default_factory=dict)
    body: BaseModel | Mapping[str, Parameter] | None = None
    repeat: bool = True
    told: frozenset[int] = frozenset()


class Caller:
    """Makes requests of calls and values of answers; `http` brings address, credential and timeout.

    `retries`: how often a request is repeated that found no connection or a 503. The first repeat waits about
    `backoff_s`, each further one twice as long, or as long as Retry-After says; never longer than five seconds. What
    was refused with a 429 and a Retry-After did nothing: with `retries` of 1 or more it is sent again, whatever it is,
    after as long as that says, until it has waited for LONGEST_PATIENCE_S in all.

    With an `outbox`, messages that cannot be stored now are kept there, and delivered before the next call is made.
    `is_connected`: the gateway did what it was asked last that it answered, and has not been away since.
    """

    def __init__(
        self, http: httpx.AsyncClient | httpx.Client, *, retries: int, backoff_s: float, outbox: Outbox | None = None
    ) -> None:
        self._http = http
        self._outbox = outbox
        self._retries = retries
        self._backoff_s = backoff_s
        self.is_connected = False

    def ask(self, call: Call[T]) -> Flow[T]:
        """The steps of `call`, then its result. Raises what the gateway answered as an error; GatewayUnreachable;
        ClientClosed."""
        if self._http.is_closed:
            raise ClientClosed("this client is closed")
        if self._outbox is None:
            return (yield from self._asked(call, self._retries))
        is_away = yield from self._deliver(self._outbox)
        said = call.body if isinstance(call.body, StoreRequest) else None
        if said is not None and is_away and (kept := (yield from _on_disk(partial(self._outbox.put, said)))):
            return call.result.validate_python(kept)  # behind what waits already
        try:
            return (yield from self._asked(call, self._retries))
        except MemorySystemError as error:
            if said is None or not error.retryable:
                raise
            kept = yield from _on_disk(partial(self._outbox.put, said))
            if kept is None:
                raise
            return call.result.validate_python(kept)

    def _deliver(self, outbox: Outbox) -> Flow[bool]:
        """Store what waits in `outbox`, once each, up to what cannot be stored; whether that may pass by itself: what
        does not, such as a revoked key, is for whoever calls to hear of."""
        waiting = outbox.waiting()
        while (one := (yield from _on_disk(lambda: next(waiting, None)))) is not None:
            path, request = one
            try:
                yield from self._asked(Call("POST", STORE, TypeAdapter(StoreResponse), body=request), 0)
            except (Conflict, InvalidInput, PayloadTooLarge, TooMuchAtOnce) as error:
                yield from _on_disk(partial(outbox.drop, path, f"was refused ({error.code})"))
            except MemorySystemError as error:
                if not error.retryable:
                    outbox.keep(path, f"was refused ({error.code})")
                return error.retryable
            else:
                yield from _on_disk(partial(outbox.remove, path))
        return False

    def _asked(self, call: Call[T], retries: int) -> Flow[T]:
        request = self._request(call)
        attempt, patience_s = 0, LONGEST_PATIENCE_S
        while True:
            last = attempt == retries
            wait_s = self._backoff_s * 2**attempt * _spread()
            outcome = yield request
            if isinstance(outcome, httpx.Response):
                asked_s = _retry_after_s(outcome)
                if outcome.status_code == 429 and retries and 0 < asked_s <= patience_s:
                    patience_s -= asked_s
                    yield asked_s * _spread() if self._backoff_s else 0.0
                    continue
                if outcome.status_code != 503 or last or not call.repeat:
                    result = _result(outcome, call)
                    self.is_connected = True
                    return result
                wait_s = max(wait_s, asked_s) if self._backoff_s else 0.0
            elif last or not (call.repeat or isinstance(outcome, _UNSENT)):
                self.is_connected = False
                where = shown_address(self._http.base_url)
                raise GatewayUnreachable(f"{where} did not answer ({type(outcome).__name__})") from outcome
            attempt += 1
            yield min(wait_s, _LONGEST_WAIT_S)

    def _request(self, call: Call[T]) -> httpx.Request:
        content = None if call.body is None else _json(call.body)
        headers = {} if content is None else {"content-type": "application/json"}
        return self._http.build_request(
            call.method, call.path, params=_texts(call.query), content=content, headers=headers
        )


def _on_disk(work: Callable[[], T]) -> Flow[T]:
    """The step of `work`, then what it answers."""
    done: list[T] = []
    yield lambda: done.append(work())
    return done[0]


def _spread() -> float:
    """So that many who were refused at one moment do not all come again at one."""
    return random.uniform(1.0, 1.5)  # noqa: S311 - no secret


def shown_address(url: httpx.URL) -> str:
    """`url` as it may be shown: without a name and a password in it."""
    return str(url.copy_with(userinfo=b"")).rstrip("/")


def path_of(template: str, ids: Mapping[str, str]) -> str:
    """`template` with each `{name}` replaced by its id, escaped, so that no id can leave its place; a dot is escaped
    lest `..` be taken as a folder."""
    return template.format_map({name: quote(value, safe="").replace(".", "%2E") for name, value in ids.items()})


def _json(body: BaseModel | Mapping[str, Parameter]) -> bytes:
    if isinstance(body, BaseModel):
        return body.model_dump_json(exclude_unset=True).encode()
    return json.dumps({name: _storable(name, value) for name, value in body.items() if value is not None}).encode()


def _storable(name: str, value: Parameter) -> Parameter:
    """A moment is written as text, in UTC, a model as JSON. Raises InvalidInput for text that is not valid Unicode."""
    try:
        written = utc(value).isoformat() if isinstance(value, datetime) else value
        written = written.model_dump_json() if isinstance(written, BaseModel) else written
        return storable(written) if isinstance(written, str) else written
    except ValueError as error:
        raise InvalidInput(f"{name}: {error}") from error


def _texts(parameters: Mapping[str, Parameter]) -> dict[str, str]:
    """A query's parameters; what is None is left out."""
    return {name: _text(_storable(name, value)) for name, value in parameters.items() if value is not None}


def _text(value: Parameter) -> str:
    """As an address has it: a filter that is given as a mapping is JSON there."""
    if isinstance(value, Mapping):
        return json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _retry_after_s(response: httpx.Response) -> float:
    value = response.headers.get("retry-after", "")
    return float(value) if value.isdigit() else 0.0


def _result(response: httpx.Response, call: Call[T]) -> T:
    if response.is_success or response.status_code in call.told:
        try:
            return call.result.validate_json(response.content)
        except ValidationError as error:
            raise MemorySystemError("the gateway's answer is not of this client's version") from error
    try:
        problem = Problem.model_validate_json(response.content)
    except ValidationError:
        unread = f"HTTP {response.status_code} without a problem document from {response.url.host}"
        raise (TierUnavailable if response.status_code >= 500 else MemorySystemError)(unread) from None
    is_single = isinstance(call.body, StoreRequest) and len(call.body.messages) == 1
    raise for_caller(error_of(problem), is_single=is_single)
