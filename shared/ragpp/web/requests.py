"""Every request has an id, which its answer and each line that is logged for it have, and one such line of its own."""

import re
import time
from typing import Final
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as AsgiScope

from ragpp.observability import traces
from ragpp.observability.correlation import working_for
from ragpp.observability.metrics import NO_ROUTE, request_answered
from ragpp.redaction import secret_in

REQUEST_ID: Final = "X-Request-ID"
TRACEPARENT: Final = "traceparent"
_SANE: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_UNTRACED: Final = ("/health/", "/metrics")
"""Where somebody looks every few seconds whether all is well."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_log = structlog.stdlib.get_logger(__name__)


class RequestMiddleware:
    """Gives each request its id, the one that came with it where that is sane and holds no secret, and logs how it was
    answered.

    What is logged is the route as it is written, such as `/v1/users/{user_id}/settings`, None where there is none, and
    never the address: ids and questions are in that. To be added last, around all that may answer.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500
        given = Headers(scope=scope).get(REQUEST_ID, "")
        request_id = given if _SANE.fullmatch(given) and secret_in(given) is None else uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id

        async def identified(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = request_id
            await send(message)

        with working_for([request_id]), _traced(scope) as span:
            try:
                await self._app(scope, receive, identified)
            finally:
                method = scope["method"] if scope["method"] in _METHODS else "other"
                route = getattr(scope.get("route"), "path", None)
                seconds = time.perf_counter() - started
                request_answered(method, route, status, seconds)
                span.named(f"{method} {route or NO_ROUTE}")
                span.note(method=method, route=route or NO_ROUTE, http_status=status)
                _log.info("request.answered", method=method, route=route, status=status, ms=round(seconds * 1_000, 2))


def _traced(scope: AsgiScope) -> traces.Span:
    """A span of the trace that came with the request, else of a new one."""
    if not traces.recording() or scope["path"].startswith(_UNTRACED):
        return traces.NOTHING
    return traces.request(Headers(scope=scope).get(TRACEPARENT))
