"""Problems as a service answers and logs them."""

import httpx
from fastapi import FastAPI, Request
from starlette.types import Message
from structlog.testing import capture_logs

from ragpp.errors import TierUnavailable
from ragpp.web.problems import install


async def test_what_goes_wrong_is_logged_without_the_words_in_it() -> None:
    app, word = FastAPI(), "-".join(("fat", "ima"))  # a trace shows lines of code, in which it does not stand
    install(app)

    @app.get("/bug")
    async def bug() -> None:
        raise KeyError(word)

    @app.get("/outage")
    async def outage() -> None:
        raise TierUnavailable("the graph is away") from ValueError(f"name_key {word}")

    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
        with capture_logs() as logged:
            assert (await client.get("/bug")).status_code == 500
            assert (await client.get("/outage")).status_code == 503
    assert [entry["event"] for entry in logged] == ["request.crashed", "request.failed"]
    assert all("KeyError" in str(entry) or "ValueError" in str(entry) for entry in logged)
    assert word not in str(logged)


async def test_a_client_that_leaves_while_it_sends_is_no_crash() -> None:
    app = FastAPI()
    install(app)

    @app.post("/")
    async def take(request: Request) -> None:
        await request.body()

    sent: list[Message] = []
    arriving: list[Message] = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Message:
        return arriving.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    address = {"method": "POST", "path": "/", "raw_path": b"/", "query_string": b"", "headers": []}
    with capture_logs() as logged:
        await app({"type": "http", "http_version": "1.1", "scheme": "http", **address}, receive, send)
    assert [entry["event"] for entry in logged] == ["request.abandoned"]
    assert [entry["log_level"] for entry in logged] == ["info"]
    assert sent[0]["status"] == 400
