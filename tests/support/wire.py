"""A TCP connection to a server that can be held: what the server says waits until it is let go, as under load."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

_CHUNK = 65_536


class Wire:
    """Passes on what is said both ways; `free` is set unless the server's side is held."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._ends: set[asyncio.StreamWriter] = set()
        self.port = 0
        self.free = asyncio.Event()
        self.free.set()

    async def join(self, asked: asyncio.StreamReader, answered: asyncio.StreamWriter) -> None:
        """One connection, until either end leaves."""
        reader, writer = await asyncio.open_connection(self._host, self._port)
        ends = {answered, writer}
        self._ends |= ends
        with suppress(ConnectionError):
            await asyncio.gather(self._pass(asked, writer, held=False), self._pass(reader, answered, held=True))
        self._ends -= ends

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, held: bool) -> None:
        while said := await source.read(_CHUNK):
            if held:
                await self.free.wait()
            sink.write(said)
            await sink.drain()
        sink.close()

    def cut(self) -> None:
        """Break every connection, as a restart of the server does."""
        for end in self._ends:
            end.transport.abort()


@asynccontextmanager
async def wired(host: str, port: int) -> AsyncIterator[Wire]:
    """A wire to `host` and `port`, listening on its own `port` of 127.0.0.1."""
    wire = Wire(host, port)
    async with await asyncio.start_server(wire.join, "127.0.0.1", 0) as server:
        wire.port = server.sockets[0].getsockname()[1]
        yield wire
        wire.free.set()
        wire.cut()
