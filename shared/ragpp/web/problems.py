"""Every error leaves a service as a problem document."""

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from ragpp.errors import InvalidInput, MalformedBody, MemorySystemError, NotFound
from ragpp.errors.problems import MEDIA_TYPE, Problem, invalid_fields, printable, problem_of
from ragpp.errors.summaries import safe_summary, trace_of
from ragpp.web.requests import REQUEST_ID

_log = structlog.stdlib.get_logger(__name__)


def respond(problem: Problem, headers: dict[str, str] | None = None) -> JSONResponse:
    """The HTTP response that carries `problem`."""
    content = problem.model_dump(exclude_defaults=False)
    for optional in ("errors", "details"):
        if not content[optional]:
            del content[optional]
    content["detail"] = printable(str(content["detail"]), limit=1_000)
    return JSONResponse(content, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


def install(app: FastAPI) -> None:
    """Answer every error of `app` with a problem document, bugs included (logged, not told)."""

    async def ours(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, MemorySystemError)  # noqa: S101 - registered for this class alone
        headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}
        if error.status == 408:
            headers["Connection"] = "close"  # the rest of the body would be taken for another request
        retry_after_s = error.details.get("retry_after_s", 1 if error.status == 503 else None)
        if retry_after_s is not None:
            headers["Retry-After"] = str(retry_after_s)
        if error.status >= 500:
            _log.warning("request.failed", code=error.code, error=safe_summary(error))
        return respond(problem_of(error), headers)

    async def validation(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class alone
        errors = [{**item, "loc": tuple(item["loc"])[1:]} for item in error.errors()]  # without "body", "query" …
        return respond(problem_of(invalid_fields(errors)))

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class alone
        if error.status_code == 404:
            return respond(problem_of(NotFound("there is no such route", suggestions=("See GET /docs.",))))
        problem = Problem(
            title=str(error.detail),
            status=error.status_code,
            detail=f"{request.method} is not answered here" if error.status_code == 405 else str(error.detail),
            code=InvalidInput.code,
            recovery_suggestions=["See GET /docs for what each route takes."],
        )
        return respond(problem, dict(error.headers or {}))

    async def gone(_request: Request, _error: Exception) -> JSONResponse:
        _log.info("request.abandoned")  # the answer is for the audit: nobody is there to read it
        return respond(problem_of(MalformedBody("the client left before the whole body had come")))

    async def bug(request: Request, error: Exception) -> JSONResponse:
        request_id = getattr(request.state, "request_id", None)  # answered around what names every other answer
        _log.error("request.crashed", error=safe_summary(error), where=trace_of(error), request_id=request_id)
        problem = problem_of(MemorySystemError("an unexpected error; the service's log has its trace"))
        return respond(problem, {REQUEST_ID: request_id} if request_id else None)

    app.add_exception_handler(MemorySystemError, ours)
    app.add_exception_handler(RequestValidationError, validation)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(ClientDisconnect, gone)
    app.add_exception_handler(Exception, bug)
