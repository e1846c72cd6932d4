"""`ragpp mcp`: the memory as an MCP server on standard input and output, for an editor or an assistant."""

import asyncio
import logging
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from ragpp.client import AsyncMemoryClient, GatewayUnreachable
from ragpp.errors import StackError, Unauthenticated
from ragpp.mcp.connecting import Connected
from ragpp.mcp.server import make_server
from ragpp_infra.cli.options import KeyOption, UrlOption
from ragpp_infra.embedded.home import Home, NotRunning
from ragpp_infra.embedded.standby import IDLE_S, Standby

OWN_HOME: Final = Path("~/.ragpp")
"""One memory for all editors, whatever folder they start in."""
_AGAIN_S: Final = 5.0
"""How long after a start another is not tried."""


def mcp(
    user: Annotated[
        str, typer.Option("--user", "-u", envvar="RAGPP_USER", help="Whose memory, where a tool names nobody.")
    ] = "me",
    home: Annotated[
        Path, typer.Option("--home", envvar="RAGPP_HOME", help="Folder of the embedded stack, which is started.")
    ] = OWN_HOME,
    idle_minutes: Annotated[
        float, typer.Option(min=0.1, help="A stack that was started here stops when nobody was there for so long.")
    ] = IDLE_S / 60,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Serve the memory to a program that speaks the Model Context Protocol on standard input and output.

    It answers at once; the embedded stack starts behind it, unless it runs or --url names a gateway, and tools say so
    until it is there. Several programs share one stack.

    Example, as an editor's settings have it: [bold]{"command": "ragpp", "args": ["mcp", "--user", "ana"]}[/bold]
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)  # standard output is the protocol's
    if url:
        asyncio.run(_serve(_Elsewhere(Home(home).client(url, key), user), user))
        return
    stack = _Embedded(Home(home), user, key, idle_s=idle_minutes * 60)
    with stack.standby.attended():
        stack.start()
        asyncio.run(_serve(stack, user))


async def _serve(reached: "_Elsewhere | _Embedded", user: str) -> None:
    async def usual_user(_headers: Mapping[str, str] | None) -> str | None:
        return user or None

    try:
        await make_server(reached.connect, usual_user).run_stdio_async()
    finally:
        await reached.close()


class _Elsewhere:
    """A gateway that somebody else runs."""

    def __init__(self, client: AsyncMemoryClient, user: str) -> None:
        self._client, self._user = client, user

    @asynccontextmanager
    async def connect(self, _headers: Mapping[str, str] | None) -> AsyncIterator[Connected]:
        """The client, for one request."""
        yield Connected(self._client, self._user)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


class _Embedded:
    """The embedded stack of a folder, started when it does not run."""

    def __init__(self, home: Home, user: str, key: str | None, *, idle_s: float) -> None:
        self.standby = Standby(home)
        self._home, self._user, self._key, self._idle_s = home, user, key, idle_s
        self._client: AsyncMemoryClient | None = None
        self._dropped: list[AsyncMemoryClient] = []
        self._making, self._started = asyncio.Lock(), 0.0

    def start(self) -> None:
        """Begin to start it, if that was not begun just now; harmless where it runs."""
        if time.monotonic() - self._started >= _AGAIN_S:
            self._started = time.monotonic()
            self.standby.launch(idle_s=self._idle_s)

    @asynccontextmanager
    async def connect(self, _headers: Mapping[str, str] | None) -> AsyncIterator[Connected]:
        """The client, for one request. Raises StackError while the stack starts, or where it cannot."""
        async with self._making:
            client = self._client = self._client or await self._reached()
        try:
            yield Connected(client, self._user)
        except (GatewayUnreachable, Unauthenticated):
            if self._client is client:  # others may still wait for it, so it is closed at the end
                self._client = None
                self._dropped.append(client)
            await (await self._reached()).aclose()  # where it answers it was slow, or the key is another one now
            raise

    async def _reached(self) -> AsyncMemoryClient:
        """A client of a gateway that answers."""
        try:
            client = self._home.client(key=self._key)
        except NotRunning as error:
            raise self._starting() from error
        try:
            await client.live()
        except GatewayUnreachable as error:
            await client.aclose()
            raise self._starting() from error
        return client

    def _starting(self) -> StackError:
        """Why there is no gateway; it is started again."""
        problem = self.standby.problem()
        self.start()
        return problem or StackError(
            "the memory is starting", suggestions=("Ask again in some seconds; the very first start takes minutes.",)
        )

    async def close(self) -> None:
        """Close the connections."""
        for client in (*self._dropped, *((self._client,) if self._client else ())):
            await client.aclose()
