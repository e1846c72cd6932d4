"""A tier over HTTP: both sides of the wire made from the signatures of its protocol.

Every public coroutine of the protocol is `POST /v1/{tier}/{verb}` with its arguments as a JSON object, answered by
its result as JSON or by a problem document, which the client raises again as the error it was. `GET /health/live`
and `/health/ready` need no credential.
"""

import asyncio
import inspect
import types
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Final, Protocol, TypeVar, cast, get_type_hints

import httpx
import orjson
from fastapi import FastAPI, Request, Response
from pydantic import Field, TypeAdapter, ValidationError, create_model

from ragpp.aside import aside, asked_by
from ragpp.bearer import bears
from ragpp.errors import ConfigurationError, MemorySystemError, TierUnavailable, Unauthenticated, problems
from ragpp.models import Health, Scope, Value, build_values
from ragpp.observability.correlation import current_request_id
from ragpp.observability.traces import traceparent
from ragpp.settings import MetricsSettings
from ragpp.tierkit.health import HEALTH_S
from ragpp.tierkit.verbs import add_verbs, verbs_of
from ragpp.tierkit.weighing import json_bytes
from ragpp.tiers import MemoryTier
from ragpp.web.metrics import install_metrics
from ragpp.web.problems import install
from ragpp.web.requests import REQUEST_ID, TRACEPARENT, RequestMiddleware

TierT = TypeVar("TierT", bound=MemoryTier)
OpenTier = Callable[[], AbstractAsyncContextManager[TierT]]
_JSON: Final = "application/json"
INLINE_BYTES: Final = 65_536
"""Up to so much is read, and written, on the event loop; more goes to a thread, so that nobody waits for it."""
TIMEOUT_S: Final = 30.0
"""Longest a tier service may take for a write; recalls and health checks have their own deadlines."""


@dataclass(frozen=True)
class Verb:
    """One coroutine of a protocol: how its arguments and its result are written as JSON."""

    name: str
    signature: inspect.Signature
    arguments: type[Value]
    result: TypeAdapter[object]
    description: str


@cache
def wire_of(protocol: type[Protocol]) -> dict[str, Verb]:  # type: ignore[valid-type]  # a protocol class as a value
    """The verbs of `protocol`, by name, as they are written."""
    verbs = {}
    for name, function in verbs_of(protocol).items():
        hints = get_type_hints(function)
        signature = inspect.signature(function)
        fields = {
            parameter.name: (
                _concrete(hints[parameter.name]),
                Field() if parameter.default is inspect.Parameter.empty else Field(default=parameter.default),
            )
            for parameter in list(signature.parameters.values())[1:]
        }
        arguments = create_model(  # type: ignore[call-overload]  # the fields are only known here
            f"{name}_arguments", __base__=Value, __config__=None, **fields
        )
        verbs[name] = Verb(name, signature, arguments, TypeAdapter(hints["return"]), inspect.getdoc(function) or "")
    return verbs


def _concrete(hint: object) -> object:
    """`Collection[str]` accepts any iterable when written, and is a list when read."""
    origin = getattr(hint, "__origin__", None)
    if origin is Collection:
        return types.GenericAlias(list, hint.__args__)  # type: ignore[attr-defined]  # a generic alias has them
    return hint


def tier_app(
    protocol: type[TierT], open_tier: OpenTier[TierT], credential: str, metrics: MetricsSettings | None = None
) -> FastAPI:
    """An application that serves one tier; `open_tier` is entered at start and left at shutdown.

    Every verb wants `Authorization: Bearer {credential}`; the tier trusts the scope that comes with it, so the
    credential is for the gateway and the workers alone. `metrics`: whether and for whom `/metrics` answers; none, it
    does not.
    """
    build_values()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_tier() as tier:
            app.state.tier = tier
            yield

    app = FastAPI(title=f"RAG++ {protocol.__name__}", lifespan=lifespan, openapi_url="/openapi.json")
    install(app)
    app.add_middleware(RequestMiddleware)
    if metrics is not None:
        install_metrics(app, metrics)

    @app.get("/health/live")
    async def live() -> dict[str, str]:
        return {"status": "live"}

    @app.get("/health/ready", response_model=Health)
    async def ready(request: Request, response: Response) -> Health:
        tier: MemoryTier = request.app.state.tier
        health = await tier.health_check()
        response.status_code = 200 if health.ok else 503
        return health

    for verb in wire_of(protocol).values():
        app.add_api_route(
            f"/v1/tier/{verb.name}",
            _endpoint(verb, credential),
            methods=["POST"],
            description=verb.description,
            openapi_extra={
                "requestBody": {"content": {_JSON: {"schema": verb.arguments.model_json_schema()}}, "required": True}
            },
        )
    return app


def _endpoint(verb: Verb, credential: str) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        if not bears(request.headers.get("authorization", ""), credential):
            raise Unauthenticated("the service credential is missing or wrong")
        raw = await request.body()
        read = verb.arguments.model_validate_json
        try:
            arguments = await aside(read, raw) if len(raw) > INLINE_BYTES else read(raw)
        except ValidationError as error:
            raise problems.invalid_fields([dict(item) for item in error.errors()]) from error
        method = getattr(request.app.state.tier, verb.name)
        given = {name: getattr(arguments, name) for name in type(arguments).model_fields}
        with asked_by(_tenant_of(given)):
            return Response(verb.result.dump_json(await method(**given)), media_type=_JSON)

    return endpoint


def _tenant_of(given: Mapping[str, object]) -> str:
    """Whose memory a call is about; empty where it is nobody's."""
    scopes = (getattr(value, "scope", value) for value in given.values())
    return next((scope.tenant_id for scope in scopes if isinstance(scope, Scope)), "")


class RemoteTier:
    """A tier behind HTTP, with a method for each verb of its protocol (`remote_tier`). Every failure to reach it is
    TierUnavailable; its own errors come back as they were."""

    def __init__(self, name: str, client: httpx.AsyncClient) -> None:
        self.name = name
        self._client = client

    async def health_check(self) -> Health:
        """The tier's own ping; a service that cannot be reached, or not in time, is not ok."""
        began = perf_counter()
        try:
            async with asyncio.timeout(HEALTH_S):
                return cast("Health", await self._call(wire_of(MemoryTier)["health_check"], {"self": None}))
        except (MemorySystemError, TimeoutError, ValueError) as error:
            detail = str(error) or "no answer in time"
            return Health(name=self.name, ok=False, ms=1_000 * (perf_counter() - began), detail=detail)

    async def _call(self, verb: Verb, bound: Mapping[str, object]) -> object:
        """The answer to `verb` with these arguments, by name."""
        given = {name: value for name, value in bound.items() if name != "self"}
        much = json_bytes(given, INLINE_BYTES) > INLINE_BYTES
        body = await aside(_written, verb, given) if much else _written(verb, given)
        try:
            response = await self._client.post(f"/v1/tier/{verb.name}", content=body, headers=_headers())
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise TierUnavailable(f"{self.name} did not answer ({type(error).__name__})") from error
        if response.status_code != 200:
            raise self._error_of(response)
        try:
            return verb.result.validate_json(response.content)
        except ValidationError as error:
            raise TierUnavailable(f"{self.name} answered {verb.name} with something else") from error

    def _error_of(self, response: httpx.Response) -> MemorySystemError:
        try:
            error = problems.error_of(problems.Problem.model_validate(orjson.loads(response.content)))
        except ValueError:
            return TierUnavailable(f"{self.name} answered HTTP {response.status_code} without a problem document")
        if isinstance(error, Unauthenticated):  # ours was refused, not the key of whoever asked us
            return ConfigurationError(f"{self.name} refuses our TIER_CREDENTIAL; it has another")
        return error


def _written(verb: Verb, given: Mapping[str, object]) -> bytes:
    return verb.arguments.model_validate(given).model_dump_json().encode()


def _headers() -> dict[str, str]:
    """With the id of the request that is answered, so that the tier's log names it, too, and the span that asks."""
    given = {"content-type": _JSON, REQUEST_ID: current_request_id(), TRACEPARENT: traceparent()}
    return {name: value for name, value in given.items() if value is not None}


def remote_client(url: str, credential: str, timeout_s: float = TIMEOUT_S) -> httpx.AsyncClient:
    """A client of the tier service at `url`, for `remote_tier`; to be closed by the caller.

    Proxies of the environment are left aside: the credential and what users said are for the service alone.
    """
    headers = {"authorization": f"Bearer {credential}"}
    return httpx.AsyncClient(base_url=url, headers=headers, timeout=timeout_s, trust_env=False)


def remote_tier(protocol: type[TierT], name: str, client: httpx.AsyncClient) -> TierT:
    """A `protocol` whose calls go through `client`, which brings base address, credential and timeout."""
    return cast("TierT", _remote_class(protocol)(name, client))


@cache
def _remote_class(protocol: type[MemoryTier]) -> type[RemoteTier]:
    wire = wire_of(protocol)

    def make(name: str) -> Callable[..., Awaitable[object]]:
        verb = wire[name]

        async def call(self: RemoteTier, *args: object, **kwargs: object) -> object:
            return await self._call(verb, verb.signature.bind(self, *args, **kwargs).arguments)

        return call

    return add_verbs(type(f"Remote{protocol.__name__}", (RemoteTier,), {}), protocol, make)
