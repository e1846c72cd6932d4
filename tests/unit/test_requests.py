"""Each request has an id that its answer and its lines in the log have, and a line of its own without what it asked."""

import re
from collections.abc import AsyncIterator, Mapping
from typing import Final

import httpx
import pytest
import structlog
from fastapi import FastAPI
from structlog.testing import capture_logs
from structlog.typing import EventDict, WrappedLogger

from ragpp.errors import Conflict
from ragpp.observability.correlation import current_request_id, working_for
from ragpp.web.problems import install
from ragpp.web.requests import RequestMiddleware
from tests.support.each import each_case

SECRET: Final = "u-17"


def with_context(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """The event, with the context that a running service's log adds to each line."""
    return {**structlog.contextvars.get_contextvars(), **event}


@pytest.fixture
async def service() -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    install(app)

    @app.get("/things/{name}")
    async def thing(name: str) -> str | None:
        structlog.stdlib.get_logger().info("looked.up")
        if name == "taken":
            raise Conflict("it is")
        if name == "broken":
            raise KeyError(name)
        return current_request_id()

    app.add_middleware(RequestMiddleware)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
        yield client


async def answered(
    service: httpx.AsyncClient,
    path: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | Mapping[bytes, bytes] | None = None,
) -> tuple[httpx.Response, list[EventDict]]:
    """The answer, and what was logged."""
    with capture_logs(processors=[with_context]) as logged:
        answer = await service.request(method, path, headers=headers)
    return answer, logged


async def test_an_id_that_comes_with_a_request_is_its_own_everywhere(service: httpx.AsyncClient) -> None:
    answer, logged = await answered(service, "/things/a", headers={"x-request-id": "order-4711.b_2"})
    assert answer.headers["X-Request-ID"] == answer.json() == "order-4711.b_2"
    assert [(line["event"], line["request_id"]) for line in logged] == [
        ("looked.up", "order-4711.b_2"),
        ("request.answered", "order-4711.b_2"),
    ]


@each_case("given", [b"", b"x" * 65, b"a b", b'a"b', b"a{b}", b"\xe4", b"a\tb"])
async def test_an_id_that_is_none_is_replaced(service: httpx.AsyncClient, given: bytes) -> None:
    answer, _ = await answered(service, "/things/a", headers={b"x-request-id": given})
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-ID"])


@each_case("secret", ["sk-ant-api03-" + "a1B2" * 8, "AKIA" + "Q3EGVFRMTUVA5N7X", "ghp_" + "a1" * 18])
async def test_an_id_that_holds_a_secret_is_replaced_and_not_logged(service: httpx.AsyncClient, secret: str) -> None:
    for given in (secret, f"call_{secret}"):
        answer, logged = await answered(service, "/things/a", headers={"x-request-id": given})
        assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-ID"])
        assert secret not in str(logged)


async def test_no_two_requests_have_one_id(service: httpx.AsyncClient) -> None:
    ids = {(await answered(service, "/things/a"))[0].headers["X-Request-ID"] for _ in range(10)}
    assert len(ids) == 10
    assert current_request_id() is None


@each_case(
    ("method", "path", "status", "route", "logged_method"),
    [
        ("GET", f"/things/{SECRET}?user_id={SECRET}", 200, "/things/{name}", "GET"),
        ("GET", "/things/taken", 409, "/things/{name}", "GET"),
        ("GET", "/things/broken", 500, "/things/{name}", "GET"),
        ("GET", f"/{SECRET}", 404, None, "GET"),
        ("DELETE", f"/things/{SECRET}", 405, "/things/{name}", "DELETE"),
        ("U-17", f"/things/{SECRET}", 405, "/things/{name}", "other"),
    ],
)
async def test_each_request_has_one_line_also_what_is_refused_and_none_tells_of_whom(
    service: httpx.AsyncClient, method: str, path: str, status: int, route: str | None, logged_method: str
) -> None:
    answer, logged = await answered(service, path, method=method)
    (line,) = [line for line in logged if line["event"] == "request.answered"]
    assert (answer.status_code, line["status"]) == (status, status)
    assert (line["method"], line["route"]) == (logged_method, route)
    assert line["ms"] >= 0
    assert line["request_id"] == answer.headers["X-Request-ID"]
    assert SECRET not in str(logged).lower()


def test_work_of_no_request_or_of_several_names_none_of_before() -> None:
    with working_for(["outer"]):
        assert current_request_id() == "outer"
        with working_for(["a", "b"]):
            assert current_request_id() is None
            assert structlog.contextvars.get_contextvars()["request_ids"] == ["a", "b"]
            with working_for([]):
                assert not {"request_id", "request_ids"} & set(structlog.contextvars.get_contextvars())
        assert current_request_id() == "outer"
    assert current_request_id() is None
