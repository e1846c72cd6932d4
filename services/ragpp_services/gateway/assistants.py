"""The door for assistants that speak the Model Context Protocol: `/mcp`, with the keys of any other route."""

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from ragpp.aside import aside
from ragpp.errors import RateLimited, TooManyAtOnce
from ragpp.models import Value
from ragpp_services.gateway.http import received
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.requester import ApiKey

if TYPE_CHECKING:
    from ragpp.mcp.inside import Serving

_KEY: Final = ApiKey(reading=True)


class Assistants:
    """An ASGI application. What it needs is loaded when it is first asked: half a second, and 25 MB."""

    def __init__(self, path: str) -> None:
        """`path`: where it answers, by which logs, metrics and the audit name its requests."""
        self.path: Final = path
        self._serving: Serving | None = None
        self._loading = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with a valid key, admitted as any is until its body is there: what a tool asks is admitted
        by itself. Raises Unauthenticated, TierUnavailable, TooMuchAtOnce, and as `received`."""
        scope["route"] = self
        request, parts = Request(scope, receive), self._parts(scope)
        requester = await _KEY.verify(request)
        try:
            with parts.traffic.admitted(requester.principal.key_id) as underway:
                body = await received(request, parts.limits, underway)
                await aside(parts.limits.check_json, body, Value)
        except (RateLimited, TooManyAtOnce):
            request.state.too_many = True
            raise
        await (await self._loaded(scope)).answer(scope, _handed_on(body, receive), send)

    async def close(self) -> None:
        """End what is under way."""
        if self._serving is not None:
            await self._serving.close()

    async def _loaded(self, scope: Scope) -> "Serving":
        async with self._loading:
            if self._serving is None:
                parts = self._parts(scope)

                async def user_of(authorization: str) -> str | None:
                    return (await parts.identity.verify(authorization, reading=True)).user_id

                server = await asyncio.to_thread(import_module, "ragpp.mcp.inside")
                connect, usual_user = server.inside(scope["app"], user_of)
                self._serving = server.Serving(connect, usual_user, body_bytes=parts.limits.body_bytes)
            return self._serving

    @staticmethod
    def _parts(scope: Scope) -> Parts:
        parts: Parts = scope["app"].state.parts
        return parts


def _handed_on(body: bytes, receive: Receive) -> Receive:
    """The messages left to receive of a request whose body is here: that, and then what `receive` gives."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return left.pop() if left else await receive()

    return receive_again
