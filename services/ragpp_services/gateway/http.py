"""The parts that every route is made of: the key before the body, the body as a value, the answer."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError

import ragpp.api  # noqa: F401 - the bodies of routes
from ragpp.aside import aside, asked_by
from ragpp.errors import (
    BodyTooSlow,
    InvalidInput,
    MemorySystemError,
    PayloadTooLarge,
    RateLimited,
    TooManyAtOnce,
    UnsupportedMediaType,
    problems,
)
from ragpp.errors.problems import invalid_fields
from ragpp.fields import Id, NewId
from ragpp.filtering import MAX_FILTER_CHARS, MetadataFilter
from ragpp.jobs import Job
from ragpp.models import Value, build_values
from ragpp.personal.redactor import Refusing
from ragpp_services.gateway.describing import REFUSALS
from ragpp_services.gateway.limits import RequestLimits
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.personal.holding import holding, mask_texts
from ragpp_services.gateway.personal.requests import Parameters, held_to_ask, redactor_for, see_ids
from ragpp_services.gateway.reading import value_of
from ragpp_services.gateway.requester import RECEIVED, ApiKey, Requester, name_user
from ragpp_services.gateway.traffic import Underway

build_values()  # FastAPI makes bodies of complete ones alone

JSON: Final = "application/json"
INLINE_BYTES: Final = 16_384
"""A body up to this long is read on the event loop, in under a millisecond, or a few where all of it is refused."""


async def _parts(request: Request) -> Parts:
    parts: Parts = request.app.state.parts
    return parts


GatewayParts = Annotated[Parts, Depends(_parts)]
UserId = Annotated[Id, Query(description="Id of the user whose memory this is.", examples=["u1"])]
CatalogUser = Annotated[
    Id | None,
    Query(
        description="Id of the user. Absent: the key's own user, else what all users of the tenant share, which needs "
        "the scope `global`.",
        examples=["u1"],
    ),
]
PathUser = Annotated[Id, Path(description="Id of the user whose memory this is.")]
NewPathUser = Annotated[NewId, Path(description="Id of the user whose memory this is.")]
"""A user of whom something is stored, and who may not have been there before."""
Cursor = Annotated[
    str | None, Query(max_length=4_096, description="The `next_cursor` of the page before; absent: the first page.")
]
DryRun = Annotated[bool, Query(description="True changes nothing, and only tells what would be deleted.")]
Limit = Annotated[int, Query(ge=1, le=200, description="Most things on a page.")]


FilterText = Annotated[
    str | None,
    Query(
        alias="filter",
        max_length=MAX_FILTER_CHARS,
        description="Condition on the metadata of what is listed, a `MetadataFilter` as JSON; absent: no condition.",
        examples=['{"equal": {"key": "project", "value": "apollo"}}'],
    ),
]


def filter_of(text: str | None) -> MetadataFilter | None:
    """The condition that the parameter `filter` holds. Raises InvalidInput."""
    try:
        return None if text is None else MetadataFilter.model_validate_json(text)
    except ValidationError as error:
        raise invalid_fields([{**item, "loc": ("filter", *item["loc"])} for item in error.errors()]) from error


class KeyedRoute(APIRoute):
    """A route that knows who asks before it takes what is asked, and whose body is one Value.

    FastAPI reads and parses a body before it solves dependencies: it would parse megabytes for a stranger, who would
    learn from its refusals which fields there are. So the key is verified first, and whether it may ask once more. Then
    parameters that the route does not have are refused; FastAPI forbids them in models of a query alone, so that each
    route without parameters would need an empty one. Then the body is received, as much of it as is allowed, and made
    a value, beside the event loop where it is long, which FastAPI hands to the route with the path, the query and the
    dependencies. Where the user or the tenant has a policy for personal data, the request is held to it before.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[None, None, Response]]:
        """Raises TypeError for a route that wants no key, or has a body that is not one Value."""
        answer = super().get_route_handler()
        keys = [one.call for one in self.dependant.dependencies if isinstance(one.call, ApiKey)]
        if len(keys) != 1:
            raise TypeError(f"{self.path} is no route of one key")
        model = None if self.body_field is None else self.body_field.field_info.annotation
        if model is not None and not (isinstance(model, type) and issubclass(model, Value)):
            raise TypeError(f"the body of {self.path} is not one Value")
        known = frozenset(field.alias for field in self.dependant.query_params)
        parameters, reading = Parameters(self.dependant, model), keys[0].reading

        async def handle(request: Request) -> Response:
            requester = await keys[0].verify(request)
            parts: Parts = request.app.state.parts
            key_id = requester.principal.key_id
            with parts.traffic.admitted(key_id) as underway, asked_by(key_id):
                _refuse_unknown_parameters(request, known)
                value, long = None, False
                if model is not None:
                    given = (await received(request, parts.limits, underway), model, parts.limits)
                    request.scope[RECEIVED] = given[0]
                    long = len(given[0]) > INLINE_BYTES
                    value = await aside(value_of, *given) if long else value_of(*given)
                redactor = await redactor_for(
                    parts.choices, request, requester.principal, value, reading=reading and not parameters.begins
                )
                if redactor is None:
                    return await answer(_given(request, value))
                requester.redactor = redactor
                see_ids(request, value, parameters, redactor)
                if reading:
                    if value is not None:
                        value = await aside(mask_texts, value, redactor) if long else mask_texts(value, redactor)
                    return await answer(_given(held_to_ask(request, parameters, redactor), value))
                if value is not None and isinstance(redactor, Refusing):  # it names the field, which nobody can later
                    await aside(mask_texts, value, redactor) if long else mask_texts(value, redactor)
                with holding(redactor):
                    return await answer(_given(request, value))

        async def counted(request: Request) -> Response:
            try:
                return await handle(request)
            except (MemorySystemError, RequestValidationError) as error:
                if isinstance(error, RateLimited | TooManyAtOnce):
                    request.state.too_many = True
                name_user(request)
                raise

        return counted


class _Parsed(Request):
    """A request whose body is a value already: FastAPI takes it as it is, from `json` or, where it takes the declared
    type for another, from `body`."""

    def __init__(self, request: Request, value: Value) -> None:
        super().__init__(request.scope, request.receive)
        self._value = value

    async def body(self) -> Value:  # type: ignore[override]  # instead of the bytes that it was made of
        return self._value

    async def json(self) -> Value:
        return self._value


def _given(request: Request, value: Value | None) -> Request:
    return request if value is None else _Parsed(request, value)


def keyed_router(tag: str) -> APIRouter:
    """A router of KeyedRoutes, shown under `tag` in the API's description."""
    return APIRouter(tags=[tag], responses=REFUSALS, route_class=KeyedRoute)


def _refuse_unknown_parameters(request: Request, known: frozenset[str]) -> None:
    """Raises InvalidInput for a parameter that is not `known`: a misspelt filter would find everything."""
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        errors = [{"field": problems.printable(name), "reason": "is not a parameter of this route"} for name in unknown]
        raise InvalidInput(
            f"{problems.printable(unknown[0], limit=100)!r} is not a parameter of this route",
            suggestions=(f"Its parameters are: {', '.join(sorted(known)) or 'none'}.",),
            details={"errors": errors[:50]},
        )


async def received(request: Request, limits: RequestLimits, underway: Underway) -> bytes:
    """The body as it was sent.

    Raises UnsupportedMediaType for a declared type other than JSON, PayloadTooLarge beyond the configured limit,
    TooManyAtOnce where too much is under way with it (before reading more), BodyTooSlow where it has not all come in
    time: it would hold a place of its key's for ever.
    """
    _refuse_other_types(request.headers.get("content-type", ""))
    limit = limits.body_bytes
    too_large = PayloadTooLarge(f"the body is over {limit:,} bytes")
    declared = request.headers.get("content-length", "")
    if declared.isdigit():
        if int(declared) > limit:
            raise too_large
        underway.holds(int(declared))
    parts, size = [], 0
    try:
        async with asyncio.timeout(limits.body_s or None):
            async for part in request.stream():
                size += len(part)
                if size > limit:
                    raise too_large
                if size > underway.bytes:
                    underway.holds(size)
                parts.append(part)
    except TimeoutError as error:
        raise BodyTooSlow(f"of the body {size:,} bytes have come in {limits.body_s:g} seconds") from error
    return b"".join(parts)


def _refuse_other_types(content_type: str) -> None:
    """None at all is taken for JSON; JSON is UTF-8 whatever parameter says otherwise (RFC 8259, section 8.1)."""
    essence = content_type.partition(";")[0].strip().lower()
    if essence and essence != JSON and not (essence.startswith("application/") and essence.endswith("+json")):
        raise UnsupportedMediaType(f"the body is declared as {problems.printable(essence, limit=100)!r}")


def answer(value: BaseModel, status: int = 200) -> Response:
    """`value` as JSON, with another status than the route's."""
    return Response(value.model_dump_json(), status_code=status, media_type=JSON)


def accepted(requester: Requester, job: Job) -> Response:
    """202 with the job, and where it is; the audit is told of it, too."""
    requester.details = {"job": job.id, **(requester.details or {})}
    response = answer(job, 202)
    response.headers["location"] = f"/v1/jobs/{job.id}"
    return response
