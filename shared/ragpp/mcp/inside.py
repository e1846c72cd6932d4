"""The server within the gateway: what a tool asks goes through the same routes as any request of its key."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import httpx
from starlette.types import ASGIApp, Receive, Scope, Send

from ragpp.client import AsyncMemoryClient
from ragpp.mcp.connecting import Connect, Connected, UsualUser
from ragpp.mcp.server import make_server

UserOf = Callable[[str], Awaitable[str | None]]
"""The user that the key of an `Authorization` header is bound to, if it is to one. Raises Unauthenticated."""
_HERE = "http://gateway"


def inside(app: ASGIApp, user_of: UserOf) -> tuple[Connect, UsualUser]:
    """Connects to the routes of `app`, with the key of the request itself: verified, counted and audited as any is;
    and tells the user of that key."""

    async def usual_user(headers: Mapping[str, str] | None) -> str | None:
        return await user_of((headers or {}).get("authorization", ""))

    @asynccontextmanager
    async def connect(headers: Mapping[str, str] | None) -> AsyncIterator[Connected]:
        authorization = (headers or {}).get("authorization", "")
        user, key = await usual_user(headers), authorization.strip().partition(" ")[2].strip()
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with AsyncMemoryClient(_HERE, key, transport=transport, retries=0) as client:
            yield Connected(client, user)

    return connect, usual_user


class Serving:
    """The streamable HTTP transport, stateless: any replica of the gateway answers any request."""

    def __init__(self, connect: Connect, usual_user: UsualUser, *, body_bytes: int) -> None:
        """`body_bytes`: of the longest request."""
        server = make_server(connect, usual_user)
        # a host of its own: who may ask is told by the key, and no name of this machine stands for one
        server.streamable_http_app(
            json_response=True, stateless_http=True, max_request_body_size=body_bytes, host="gateway"
        )
        self._manager = server.session_manager
        self._opened, self._closing = asyncio.Event(), asyncio.Event()
        self._running = asyncio.create_task(self._run(), name="mcp.serve")

    async def _run(self) -> None:
        async with self._manager.run():
            self._opened.set()
            await self._closing.wait()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._opened.wait()
        await self._manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        """End what is under way."""
        self._closing.set()
        await self._running
