"""Calls to the gateway: one request, repeated where that is harmless, answered by a value or raised as our error."""

import asyncio
import random
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, TypeAlias, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from ragpp.errors import InvalidInput, MemorySystemError, TierUnavailable
from ragpp.fields import storable
from ragpp.web.problems import Problem, error_of

T = TypeVar("T")
Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Parameter: TypeAlias = str | int | float | bool | datetime | None

_UNSENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_LONGEST_WAIT_S: Final = 5.0


class GatewayUnreachable(
    MemorySystemError,
    code="MEM-031",
    status=503,
    title="The gateway cannot be reached",
    retryable=True,
    suggestions=("Start it with `ragpp up`, or check the address.",),
):
    """No answer came back. A write may have happened: repeat it with the same ids."""


class Caller:
    """Sends requests through `client`, which brings address, credential and timeout.

    `retries`: how often a request is repeated that found no connection or a 503. The first repeat waits about
    `backoff_s`, each further one twice as long, or as long as Retry-After says; never longer than five seconds.
    """

    def __init__(self, client: httpx.AsyncClient, *, retries: int, backoff_s: float) -> None:
        self._client = client
        self._retries = retries
        self._backoff_s = backoff_s

    async def __call__(
        self,
        method: Method,
        path: str,
        kind: type[T],
        parameters: Mapping[str, Parameter] | None = None,
        *,
        body: BaseModel | None = None,
        repeat: bool = True,
    ) -> T:
        """The answer as a `kind`. A call that is not to be `repeat`ed is sent again only when it never left.

        Raises what the gateway answered as an error; GatewayUnreachable.
        """
        content = None if body is None else body.model_dump_json(exclude_unset=True).encode()
        request = self._client.build_request(
            method,
            path,
            params=_query(parameters or {}),
            content=content,
            headers={} if content is None else {"content-type": "application/json"},
        )
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            wait_s = self._backoff_s * 2**attempt * random.uniform(0.75, 1.25)  # noqa: S311 - spreads clients, no secret
            try:
                response = await self._client.send(request)
            except httpx.TransportError as error:
                if last or not (repeat or isinstance(error, _UNSENT)):
                    where = str(self._client.base_url).rstrip("/")
                    raise GatewayUnreachable(f"{where} did not answer ({type(error).__name__})") from error
            else:
                if response.status_code != 503 or last or not repeat:
                    return _result(response, kind)
                wait_s = max(wait_s, _retry_after_s(response)) if self._backoff_s else 0.0
            await asyncio.sleep(min(wait_s, _LONGEST_WAIT_S))
        raise AssertionError("the last attempt returns or raises")


def path_of(*parts: str) -> str:
    """`/v1/…` with ids escaped, so that no id can leave its place; a dot is escaped lest `..` be taken as a folder."""
    return "/v1/" + "/".join(quote(part, safe="").replace(".", "%2E") for part in parts)


def _query(parameters: Mapping[str, Parameter]) -> dict[str, str]:
    """What is None is left out. Raises InvalidInput for text that is not valid Unicode."""
    given: dict[str, str] = {}
    for name, value in parameters.items():
        if value is None:
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        try:
            given[name] = storable(value.isoformat() if isinstance(value, datetime) else text)
        except ValueError as error:
            raise InvalidInput(f"{name}: {error}") from error
    return given


def _retry_after_s(response: httpx.Response) -> float:
    value = response.headers.get("retry-after", "")
    return float(value) if value.isdigit() else 0.0


def _result(response: httpx.Response, kind: type[T]) -> T:
    if response.is_success:
        try:
            return TypeAdapter(kind).validate_json(response.content)
        except ValidationError as error:
            raise MemorySystemError("the gateway's answer is not of this client's version") from error
    try:
        problem = Problem.model_validate_json(response.content)
    except ValidationError:
        unread = f"HTTP {response.status_code} without a problem document from {response.url.host}"
        raise (TierUnavailable if response.status_code >= 500 else MemorySystemError)(unread) from None
    raise error_of(problem)
