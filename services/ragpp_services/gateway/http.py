"""What every route needs: the body, the principal, the audit entry."""

import time
from collections.abc import Mapping
from typing import Annotated, Final, TypeVar
from uuid import uuid4

from fastapi import Depends, Query, Request, Response, Security
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import BaseModel, Field, JsonValue, ValidationError
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as AsgiScope

from ragpp.errors import InvalidInput, MalformedBody, PayloadTooLarge, UnsupportedMediaType, problems
from ragpp.fields import Id
from ragpp.learned import Job
from ragpp.models import Value
from ragpp_services.gateway.audit import Audit
from ragpp_services.gateway.identity import Identity, Principal
from ragpp_services.gateway.store import Access

ModelT = TypeVar("ModelT", bound=Value)
JSON: Final = "application/json"
RESPONSES: Final[dict[int | str, dict[str, object]]] = {
    status: {
        "description": description,
        "content": {problems.MEDIA_TYPE: {"schema": problems.Problem.model_json_schema()}},
    }
    for status, description in {
        400: "The body is not UTF-8 encoded JSON.",
        401: "No valid key.",
        403: "The key does not allow it.",
        404: "Nothing of that id for this user.",
        409: "An id is known with other content, or what was to be changed has changed.",
        413: "The body is too large.",
        415: "The body is declared as something other than JSON.",
        422: "A value is outside what is accepted.",
        503: "A store that this needs does not answer; repeating is safe.",
    }.items()
}


async def read_body(request: Request, model: type[ModelT]) -> ModelT:
    """The request's body as `model`.

    Raises UnsupportedMediaType for a declared type other than JSON, PayloadTooLarge beyond the configured limit (before
    reading more), MalformedBody for what is not UTF-8 JSON, InvalidInput for what does not fit `model`.
    """
    _refuse_other_types(request.headers.get("content-type", ""))
    limit: int = request.app.state.parts.max_body_bytes
    raw = await _read_limited(request, limit)
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedBody(f"the body is not UTF-8: byte {error.start} cannot be decoded") from error
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        if errors and errors[0]["type"] == "json_invalid":
            raise MalformedBody(f"the body is not JSON: {problems.printable(errors[0]['msg'])}") from error
        raise problems.invalid_fields([dict(item) for item in errors]) from error


def _refuse_other_types(content_type: str) -> None:
    """None at all is taken for JSON; JSON is UTF-8 whatever parameter says otherwise (RFC 8259, section 8.1)."""
    essence = content_type.partition(";")[0].strip().lower()
    if essence and essence != JSON and not (essence.startswith("application/") and essence.endswith("+json")):
        raise UnsupportedMediaType(f"the body is declared as {problems.printable(essence, limit=100)!r}")


async def _read_limited(request: Request, limit: int) -> bytes:
    too_large = PayloadTooLarge(f"the body is over {limit:,} bytes")
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise too_large
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise too_large
        parts.append(part)
    return b"".join(parts)


def body_schema(model: type[BaseModel]) -> dict[str, object]:
    """The OpenAPI description of a body that a route reads by itself, with nothing left to refer to."""
    schema = model.model_json_schema()
    inlined = _inlined(schema, schema.pop("$defs", {}))
    return {"requestBody": {"required": True, "content": {JSON: {"schema": inlined}}}}


def _inlined(node: JsonValue, definitions: Mapping[str, JsonValue]) -> JsonValue:
    """`node` with the definitions that it refers to in the places of the references; they are not recursive."""
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        return _inlined(definitions[reference.rsplit("/", 1)[-1]], definitions)
    return {key: _inlined(item, definitions) for key, item in node.items()}


def answer(value: BaseModel, status: int = 200) -> Response:
    """`value` as JSON, written once and not validated again."""
    return Response(value.model_dump_json(), status_code=status, media_type=JSON)


def accepted(job: Job) -> Response:
    """202 with the job, and where it is."""
    response = answer(job, 202)
    response.headers["location"] = f"/v1/jobs/{job.id}"
    return response


API_KEY: Final = HTTPBearer(scheme_name="API key", description="As `ragpp up` made it.", auto_error=False)
"""Only for the OpenAPI document, whose page then asks for the key: `Identity` reads the header itself."""


async def reader(request: Request, _shown: Annotated[object, Security(API_KEY)]) -> Principal:
    """The principal of a request that only reads: it is served from a recent verification while PostgreSQL is down."""
    return await _principal(request, reading=True)


async def writer(request: Request, _shown: Annotated[object, Security(API_KEY)]) -> Principal:
    """The principal of a request that changes something."""
    return await _principal(request, reading=False)


async def _principal(request: Request, *, reading: bool) -> Principal:
    identity: Identity = request.app.state.parts.identity
    principal = await identity.verify(request.headers.get("authorization"), reading=reading)
    request.state.principal = principal
    _refuse_unknown_parameters(request)
    return principal


def _refuse_unknown_parameters(request: Request) -> None:
    """Raises InvalidInput for a parameter that the route does not have: a misspelt filter would find everything."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    known = {field.alias for field in route.dependant.query_params}
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        errors = [{"field": problems.printable(name), "reason": "is not a parameter of this route"} for name in unknown]
        raise InvalidInput(
            f"{problems.printable(unknown[0], limit=100)!r} is not a parameter of this route",
            suggestions=(f"Its parameters are: {', '.join(sorted(known)) or 'none'}.",),
            details={"errors": errors[:50]},
        )


Reader = Annotated[Principal, Depends(reader)]
Writer = Annotated[Principal, Depends(writer)]
UserId = Annotated[Id, Query(description="Whose memory.", examples=["u1"])]
Cursor = Annotated[str | None, Query(max_length=4_096, description="`next_cursor` of the page before.")]
DryRun = Annotated[bool, Query(description="Change nothing, and only tell what would go.")]
Limit = Annotated[int, Query(ge=1, le=200, description="Items a page.")]


class Note(BaseModel):
    """What a route tells the audit about itself."""

    user_id: str | None = None
    agent_id: str | None = None
    query_sha256: str | None = None
    items: int = Field(default=0, ge=0)


def note(request: Request, **fields: str | int | None) -> None:
    """Add to the audit entry of this request."""
    request.state.note = Note.model_validate(fields)


class AuditMiddleware:
    """Writes one audit entry for every request of a verified key, before its answer leaves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()

        async def audited(message: Message) -> None:
            if message["type"] == "http.response.start":
                _record(scope, message["status"], (time.perf_counter() - started) * 1_000)
            await send(message)

        try:
            await self._app(scope, receive, audited)
        except Exception:
            _record(scope, 500, (time.perf_counter() - started) * 1_000)
            raise


def _record(scope: AsgiScope, status: int, elapsed_ms: float) -> None:
    state = scope.get("state", {})
    principal: Principal | None = state.get("principal")
    if principal is None:
        return
    noted: Note = state.get("note") or Note()
    route = scope.get("route")
    audit: Audit = scope["app"].state.parts.audit
    audit.record(
        Access(
            access_id=uuid4(),
            tenant_id=principal.tenant_id,
            at=scope["app"].state.parts.clock(),
            key_id=principal.key_id,
            user_id=noted.user_id,
            agent_id=noted.agent_id or principal.agent_id,
            action=f"{scope['method']} {getattr(route, 'path', scope['path'])}",
            status=status,
            elapsed_ms=round(elapsed_ms, 3),
            query_sha256=noted.query_sha256,
            items=noted.items,
        )
    )
