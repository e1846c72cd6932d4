"""A relay before PostgreSQL that counts what passes: transactions, statements, round trips, bytes of answers."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import quote, unquote, urlsplit, urlunsplit

_READ: Final = 65_536
_LENGTH: Final = 4
"""Bytes of a message's length. A start-up message has no type before it."""
_ASKS_FOR_TLS: Final = 80877103
_BEGINS: Final = (b"BEGIN", b"START")
_ENDS: Final = (b"COMMIT", b"ROLLB")


@dataclass
class Passed:
    """The traffic that went through. `statements`, by their text: those between BEGIN and COMMIT, and any outside of a
    transaction."""

    statements: Counter[str] = field(default_factory=Counter)
    transactions: int = 0
    round_trips: int = 0
    bytes_answered: int = 0

    def since(self, before: "Passed") -> "Passed":
        """The traffic after `before` was copied from this."""
        return Passed(
            self.statements - before.statements,
            self.transactions - before.transactions,
            self.round_trips - before.round_trips,
            self.bytes_answered - before.bytes_answered,
        )

    def copied(self) -> "Passed":
        """The same numbers, which no longer change."""
        return replace(self, statements=self.statements.copy())


class _Asked:
    """The messages of one connection's client, cut from its bytes as PostgreSQL's protocol 3 frames them."""

    def __init__(self, passed: Passed) -> None:
        self._passed, self._left, self._is_starting = passed, bytearray(), True
        self._prepared: dict[bytes, str] = {}

    def take(self, data: bytes) -> None:
        self._left += data
        while (end := self._end()) is not None:
            message = bytes(self._left[:end])
            del self._left[:end]
            if self._is_starting:
                self._is_starting = int.from_bytes(message[4:8], "big") == _ASKS_FOR_TLS
            else:
                self._count(message[:1], message[5:])

    def _end(self) -> int | None:
        start = 0 if self._is_starting else 1
        if len(self._left) < start + _LENGTH:
            return None
        end = start + int.from_bytes(self._left[start : start + _LENGTH], "big")
        return end if len(self._left) >= end else None

    def _count(self, kind: bytes, body: bytes) -> None:
        fields = body.split(b"\0", 2)
        if kind == b"P":  # name, text
            self._prepared[fields[0]] = " ".join(fields[1].decode().split())
        elif kind == b"B":  # portal, name
            self._passed.statements[self._prepared.get(fields[1], "?")] += 1
        elif kind == b"Q":
            self._passed.round_trips += 1
            if body.upper().startswith(_BEGINS):
                self._passed.transactions += 1
            elif not body.upper().startswith(_ENDS):
                self._passed.statements[" ".join(fields[0].decode().split())] += 1
        elif kind == b"S":
            self._passed.round_trips += 1


class Relay:
    """A port on loopback before a server of PostgreSQL, in a thread of its own, so that a profile of the others does
    not see it. `passed` goes on counting."""

    def __init__(self, dsn: str) -> None:
        address = urlsplit(dsn)
        folder = _folder(address.query)
        self._target = (
            (folder, address.port or 5432) if folder else (address.hostname or "localhost", address.port or 5432)
        )
        self._is_socket = folder is not None
        self.passed = Passed()
        self.port = 0

    def through(self, dsn: str) -> str:
        """`dsn` with this relay in front of the server."""
        address = urlsplit(dsn)
        user = quote(unquote(address.username or ""))
        secret = f":{quote(unquote(address.password))}" if address.password else ""
        return urlunsplit(("postgresql", f"{user}{secret}@127.0.0.1:{self.port}", address.path, "", ""))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = self._target
        if self._is_socket:
            from_server, to_server = await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
        else:
            from_server, to_server = await asyncio.open_connection(host, port)
        asked = _Asked(self.passed)

        async def ask() -> None:
            while data := await reader.read(_READ):
                asked.take(data)
                to_server.write(data)
                await to_server.drain()
            to_server.close()

        async def answer() -> None:
            while data := await from_server.read(_READ):
                self.passed.bytes_answered += len(data)
                writer.write(data)
                await writer.drain()
            writer.close()

        with suppress(ConnectionError):
            await asyncio.gather(ask(), answer())

    async def listen(self, ready: threading.Event, until: asyncio.Event) -> None:
        """Serve until `until` is set; `port` is known when `ready` is."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await until.wait()
        server.close()


def _folder(query: str) -> str | None:
    """The folder of a socket in a DSN's `?host=…`, or None."""
    fields = dict(pair.partition("=")[::2] for pair in query.split("&") if pair)
    host = unquote(fields.get("host", ""))
    return host if host.startswith("/") else None


@contextmanager
def relaying(dsn: str) -> Iterator[Relay]:
    """A relay before the server that `dsn` names, while inside."""
    relay, ready, loop = Relay(dsn), threading.Event(), asyncio.new_event_loop()
    until = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(relay.listen(ready, until)), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield relay
    finally:
        loop.call_soon_threadsafe(until.set)
        thread.join(10)
