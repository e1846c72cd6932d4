"""An embeddings endpoint on the loopback address that speaks OpenAI's API, in this process: what it answers was
computed before, so that a system which asks it pays for the request and not for the encoder."""

import asyncio
import base64
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import orjson
import uvicorn
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from benchmarks.beside.vectors import Vectors
from ragpp.embedding.onnx import OnnxEmbedder
from ragpp.places import cache_folder

MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"
DIMENSION: Final = 384
READY_PATIENCE_S: Final = 30.0
IDLE_S: Final = 3_600
"""A connection that a system keeps is not closed while it is measured, nor between its phases."""


class _Asked(BaseModel):
    """The fields of a request that are read; the others are of no use here."""

    input: str | list[str]
    encoding_format: str = "float"


class Endpoint:
    """A server in a thread of its own, from `start` to `stop`; other threads may call its methods."""

    def __init__(self, file: Path) -> None:
        """`file`: where vectors are kept from run to run."""
        self._file = file
        self._socket = socket.create_server(("127.0.0.1", 0))
        # inherited by what is accepted, which asyncio leaves as it is: an answer's second packet would wait 40 ms
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        config = uvicorn.Config(
            self._answer,
            interface="asgi3",
            lifespan="off",
            log_config=None,
            access_log=False,
            timeout_keep_alive=IDLE_S,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="embeddings", daemon=True)
        self._ready = threading.Event()

    @property
    def url(self) -> str:
        """The base URL that clients are given."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def start(self) -> None:
        """Load the encoder and the vectors, and serve. Raises TimeoutError."""
        self._thread.start()
        if not self._ready.wait(READY_PATIENCE_S):
            raise TimeoutError("the embeddings endpoint does not start")

    def stop(self) -> None:
        """Save the vectors and stop."""
        self._server.should_exit = True
        self._thread.join()

    def know(self, texts: list[str]) -> int:
        """Embed those of `texts` that are not known yet; how many were not. They do not count in `made`."""
        before = self._vectors.made
        asyncio.run_coroutine_threadsafe(self._vectors.of(texts), self._loop).result()
        made = self._vectors.made - before
        self._vectors.made = before
        return made

    def made(self) -> int:
        """How many texts had to be embedded while they were waited for, since the last call."""
        count, self._vectors.made = self._vectors.made, 0
        return count

    def save(self) -> None:
        """Keep what was embedded for the next run."""
        self._vectors.save()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        embedder = OnnxEmbedder(cache_folder(), threads=2)
        self._loop = asyncio.get_running_loop()
        self._vectors = Vectors(self._file, embedder)
        self._ready.set()
        await self._server.serve(sockets=[self._socket])
        self._vectors.save()
        await embedder.close()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        asked = _Asked.model_validate_json(await request.body())
        texts = [asked.input] if isinstance(asked.input, str) else asked.input
        vectors = await self._vectors.of(texts)
        data = [
            {"object": "embedding", "index": index, "embedding": _written(vector, asked.encoding_format)}
            for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        body = {"object": "list", "model": MODEL, "data": data, "usage": usage}
        answer = Response(orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY), media_type="application/json")
        await answer(scope, receive, send)


def _written(vector: np.ndarray, form: str) -> np.ndarray | str:
    return base64.b64encode(vector.tobytes()).decode("ascii") if form == "base64" else vector


@contextmanager
def serving(file: Path) -> Iterator[Endpoint]:
    """An endpoint that runs inside, with the vectors of `file`."""
    endpoint = Endpoint(file)
    endpoint.start()
    try:
        yield endpoint
    finally:
        endpoint.stop()
