"""Vectors from the embeddings endpoint, for systems that take a function: standard library only."""

import asyncio
import base64
import http.client
import json
import queue
import struct
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from benchmarks.beside.system import Place

CONNECTIONS: Final = 16


class Embeddings:
    """Connections to the endpoint of `place`, kept open; threads and tasks may share one."""

    def __init__(self, place: Place) -> None:
        address = urlsplit(place.embeddings)
        self._path = f"{address.path}/embeddings"
        self._model = place.model
        self._free: queue.LifoQueue[http.client.HTTPConnection] = queue.LifoQueue()
        for _ in range(CONNECTIONS):
            self._free.put(http.client.HTTPConnection(address.hostname or "", address.port))

    def of(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order. Raises OSError, and ValueError for an answer that is none."""
        body = json.dumps({"model": self._model, "input": list(texts), "encoding_format": "base64"})
        connection = self._free.get()
        try:
            connection.request("POST", self._path, body, {"Content-Type": "application/json"})
            answered = connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            connection.close()
            raise
        finally:
            self._free.put(connection)
        rows: list[str] = [datum["embedding"] for datum in json.loads(answered)["data"]]
        return [list(struct.unpack(f"<{len(raw) // 4}f", raw)) for raw in map(base64.b64decode, rows)]

    async def later(self, texts: Sequence[str]) -> list[list[float]]:
        """The same, in a thread."""
        return await asyncio.to_thread(self.of, texts)
