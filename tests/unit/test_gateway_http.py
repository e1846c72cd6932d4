"""A route knows who asks before it takes what is asked, takes no more than it allows, and tells the audit of it."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Annotated, Final

import httpx
import pytest
import uvicorn
from fastapi import Body, FastAPI

from ragpp.api import UserIn
from ragpp.errors import BodyTooSlow, RateLimited, TooManyAtOnce, TooMuchAtOnce, Unauthenticated
from ragpp.ledger.policies import Chosen
from ragpp.models import Scope
from ragpp.web import problems
from ragpp_services.gateway.http import KeyedRoute, keyed_router
from ragpp_services.gateway.identity import Principal
from ragpp_services.gateway.limits import RequestLimits
from ragpp_services.gateway.personal.choices import UserChoices
from ragpp_services.gateway.recording import AuditMiddleware
from ragpp_services.gateway.requester import Reader, Writer
from ragpp_services.gateway.store import Access
from ragpp_services.gateway.traffic import Traffic
from tests.support.each import each_case
from tests.support.operations import ROUTES, checked_problem

LIMIT: Final = 100
BODY_S: Final = 0.5
KEY: Final = {"authorization": "Bearer k"}
KNOWN: Final = "0123456789ab"


class OneKey:
    """An identity that knows one key, which may write for Ann."""

    async def verify(self, authorization: str | None, *, reading: bool) -> Principal:
        del reading
        if authorization != KEY["authorization"]:
            raise Unauthenticated("unknown")
        return Principal("key_1", "acme", frozenset({"write"}), "ann", None)

    def knows(self, prefix: str) -> bool:
        return prefix == KNOWN


class Recorded(list[Access]):
    """An audit in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: list[tuple[str, str, bool]] = []
        self.too_many: list[tuple[str, str, str]] = []

    def record(self, access: Access) -> None:
        self.append(access)

    def refuse(self, prefix: str, action: str, *, known: bool) -> None:
        self.refused.append((prefix, action, known))

    def refuse_key(self, tenant_id: str, key_id: str, action: str) -> None:
        self.too_many.append((tenant_id, key_id, action))


class Sent:
    """A body in pieces, which counts how many of them were taken."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces, self.taken = pieces, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            self.taken += 1
            yield piece


@asynccontextmanager
async def served(app: FastAPI) -> AsyncIterator[int]:
    """A server of `app` on a port of the loopback address."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        await serving
        listening.close()


async def said_to(port: int, body: bytes, length: int) -> bytes:
    """All that is answered, until the connection is closed, to a body that is said to have `length` bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /v1/things HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer k\r\nContent-Length: {length}\r\n\r\n"
    writer.write(head.encode() + body)
    try:
        return await reader.read()
    finally:
        writer.close()


@pytest.fixture
def audit() -> Recorded:
    return Recorded()


@pytest.fixture
def traffic() -> Traffic:
    return Traffic(lambda: 0.0, per_s=1, burst=3, at_once=2, key_bytes=120)


@pytest.fixture
def app(audit: Recorded, traffic: Traffic) -> FastAPI:
    app, router = FastAPI(), keyed_router("test")

    @router.post("/v1/things")
    async def make(requester: Writer, body: UserIn, limit: int = 1) -> UserIn:
        requester.items = limit
        requester.scope("write", body.user_id)
        return body

    app.include_router(router)
    problems.install(app)
    app.add_middleware(AuditMiddleware)
    app.state.parts = SimpleNamespace(
        identity=OneKey(),
        audit=audit,
        limits=RequestLimits(LIMIT, characters=20, body_s=BODY_S),
        traffic=traffic,
        choices=UserChoices(unset, lambda _: b"", lambda: 0.0),
        clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
    )
    return app


async def unset(_scope: Scope) -> Chosen:
    return Chosen()


@pytest.fixture
async def gateway(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://gateway") as client:
        yield client


async def test_of_a_stranger_nothing_is_read_and_to_a_stranger_nothing_is_told(
    gateway: httpx.AsyncClient, audit: Recorded
) -> None:
    body = Sent(b"{", b"}")
    answer = await gateway.post("/v1/things?unknown=1", content=body, headers={"content-type": "text/plain"})
    checked_problem(answer, 401, Unauthenticated.code)
    assert body.taken == 0
    assert audit == []
    assert audit.refused == [("", "POST /v1/things", False)]


@each_case(("prefix", "known"), [(KNOWN, True), ("ba9876543210", False)])
async def test_the_audit_is_told_whether_there_is_a_key_of_the_prefix_that_was_sent(
    prefix: str, known: bool, gateway: httpx.AsyncClient, audit: Recorded
) -> None:
    wrong = {"authorization": f"Bearer rp_{prefix}_{'x' * 43}"}
    audit.refused.clear()
    checked_problem(await gateway.post("/v1/things", headers=wrong), 401, Unauthenticated.code)
    assert audit.refused == [(prefix, "POST /v1/things", known)]


async def test_a_parameter_that_the_route_has_not_is_refused_before_the_body_is_read(
    gateway: httpx.AsyncClient,
) -> None:
    body = Sent(b"{", b"}")
    problem = checked_problem(await gateway.post("/v1/things?limt=2", content=body, headers=KEY), 422, "MEM-020")
    assert [error.field for error in problem.errors] == ["limt"]
    assert problem.recovery_suggestions == ["Its parameters are: limit."]
    assert body.taken == 0


async def test_no_more_of_a_body_is_read_than_is_allowed(gateway: httpx.AsyncClient) -> None:
    body = Sent(*[b" " * 60] * 10)
    checked_problem(await gateway.post("/v1/things", content=body, headers=KEY), 413, "MEM-023")
    assert body.taken == 2


@pytest.mark.parametrize("declared", [None, "application/json", "application/ld+json; charset=x", ";"])
async def test_a_body_is_a_value_however_its_json_is_declared(gateway: httpx.AsyncClient, declared: str | None) -> None:
    headers = KEY if declared is None else {**KEY, "content-type": declared}
    answer = await gateway.post("/v1/things", content=b'{"user_id": "ann"}', headers=headers)
    assert (answer.status_code, answer.json()) == (200, {"user_id": "ann"})


async def test_the_audit_names_the_user_and_what_was_done_or_refused(
    gateway: httpx.AsyncClient, audit: Recorded
) -> None:
    assert (await gateway.post("/v1/things?limit=7", json={"user_id": "ann"}, headers=KEY)).status_code == 200
    checked_problem(await gateway.post("/v1/things", json={"user_id": "bob"}, headers=KEY), 403)
    checked_problem(await gateway.post("/v1/things", json={"user": "bob"}, headers=KEY), 422)
    assert [(one.user_id, one.items, one.status) for one in audit] == [("ann", 7, 200), ("bob", 1, 403), (None, 0, 422)]
    assert {(one.key_id, one.action) for one in audit} == {("key_1", "POST /v1/things")}


async def test_a_key_that_asks_too_often_is_told_when_to_ask_again_before_its_body_is_read(
    gateway: httpx.AsyncClient, audit: Recorded
) -> None:
    left = []
    for _ in range(3):
        answer = await gateway.post("/v1/things", json={"user_id": "ann"}, headers=KEY)
        assert answer.status_code == 200
        left.append(answer.headers["RateLimit"])
    assert left == [f'"key";r={remaining};t={3 - remaining}' for remaining in (2, 1, 0)]
    body = Sent(b"{", b"}")
    answer = await gateway.post("/v1/things", content=body, headers=KEY)
    problem = checked_problem(answer, 429, RateLimited.code)
    assert problem.details == {"retry_after_s": 1}
    assert (answer.headers["Retry-After"], answer.headers["RateLimit-Policy"]) == ("1", '"key";q=3;w=3')
    assert body.taken == 0
    assert [one.status for one in audit] == [200, 200, 200]
    assert audit.too_many == [("acme", "key_1", "POST /v1/things")]


async def test_a_key_has_no_more_requests_under_way_than_it_may(gateway: httpx.AsyncClient, traffic: Traffic) -> None:
    with traffic.admitted("key_1"), traffic.admitted("key_1"):
        answer = await gateway.post("/v1/things", json={"user_id": "ann"}, headers=KEY)
        checked_problem(answer, 429, TooManyAtOnce.code)
        assert answer.headers["Retry-After"] == "1"
    assert (await gateway.post("/v1/things", json={"user_id": "ann"}, headers=KEY)).status_code == 200


async def test_a_key_has_no_more_in_bodies_under_way_than_it_may(gateway: httpx.AsyncClient, traffic: Traffic) -> None:
    with traffic.admitted("key_1") as large:
        large.holds(70)
        declared = Sent(b" " * 60)
        answer = await gateway.post("/v1/things", content=declared, headers={**KEY, "content-length": "60"})
        checked_problem(answer, 429, TooManyAtOnce.code)
        assert (answer.headers["Retry-After"], declared.taken) == ("1", 0)
        undeclared = Sent(*[b" " * 30] * 3)
        checked_problem(await gateway.post("/v1/things", content=undeclared, headers=KEY), 429, TooManyAtOnce.code)
        assert undeclared.taken == 2
        large.holds(120)  # nothing of what was refused is counted


@pytest.mark.timeout(60)
async def test_bodies_that_do_not_come_are_given_up_and_their_key_has_its_places_again(
    app: FastAPI, audit: Recorded
) -> None:
    traffic = app.state.parts.traffic = Traffic(lambda: 0.0, at_once=2)
    async with served(app) as port:
        answers = await asyncio.gather(said_to(port, b"{", 50), said_to(port, b"", 50))
        for answer in answers:
            head, _, body = answer.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 408 ")
            assert json.loads(body)["code"] == BodyTooSlow.code
        with traffic.admitted("key_1"), traffic.admitted("key_1"):
            pass
    assert [one.status for one in audit] == [408, 408]


async def test_an_address_that_there_is_not_wants_no_key_and_takes_nothing_of_its_rate(
    gateway: httpx.AsyncClient,
) -> None:
    for method, path, status in (("POST", "/v1/nothing", 404), ("PUT", "/v1/things", 405)):
        for _ in range(5):
            answer = await gateway.request(method, path, headers=KEY)
            assert (answer.status_code, "RateLimit" in answer.headers) == (status, False), path
    answer = await gateway.post("/v1/things", json={"user_id": "ann"}, headers=KEY)
    assert answer.headers["RateLimit"].startswith('"key";r=2;')


async def test_a_stranger_takes_nothing_of_a_keys_rate(gateway: httpx.AsyncClient) -> None:
    for _ in range(5):
        answer = await gateway.post("/v1/things", json={"user_id": "ann"}, headers={"authorization": "Bearer x"})
        checked_problem(answer, 401, Unauthenticated.code)
        assert "RateLimit" not in answer.headers
    assert (await gateway.post("/v1/things", json={"user_id": "ann"}, headers=KEY)).status_code == 200


async def test_a_body_with_too_much_in_it_is_refused_with_how_much_may_be(gateway: httpx.AsyncClient) -> None:
    answer = await gateway.post("/v1/things", json={"user_id": "x" * 21}, headers=KEY)
    problem = checked_problem(answer, 413, TooMuchAtOnce.code)
    assert problem.details == {"of": "characters", "most": 20, "found": 21}


def test_a_route_without_a_key_cannot_be_made() -> None:
    async def open_to_all() -> None: ...

    with pytest.raises(TypeError, match="no route of one key"):
        keyed_router("test").get("/v1/open")(open_to_all)


def test_a_body_that_is_no_value_cannot_be_taken() -> None:
    async def loose(requester: Reader, body: Annotated[dict[str, int], Body()]) -> None: ...

    with pytest.raises(TypeError, match="not one Value"):
        keyed_router("test").post("/v1/loose")(loose)


def test_every_public_route_but_health_wants_a_key() -> None:
    assert {name for name, route in ROUTES if not isinstance(route, KeyedRoute)} == {
        "GET /health/live",
        "GET /health/ready",
    }
