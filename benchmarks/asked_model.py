"""A language model as an evaluation asks it: an endpoint in front of a real one, or of answers that were recorded, which
counts what it is asked.

Answers are recorded in `*.jsonl` files of a folder, a line each: `{"prompt": …, "reply": …}`, by the SHA-256 of the
prompt's data. A prompt that nobody answered goes to `unanswered.jsonl` there, whole, and is answered with nothing found.
"""

import asyncio
import hashlib
import json
import socket
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

import httpx
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from pydantic import JsonValue

from ragpp.llm.prompting import all_prompts
from ragpp.llm.replies import Reply

UNANSWERED: Final = "unanswered.jsonl"
PATIENCE_S: Final = 300.0
CHARS_OF_A_TOKEN: Final = 4
"""Tokens of recorded answers are estimated by it."""
Body = Mapping[str, JsonValue]


@dataclass
class Asked:
    """The calls so far, by prompt, with their tokens; `unanswered`: of them, whose answer nobody recorded."""

    calls: Counter[str] = field(default_factory=Counter)
    read: int = 0
    written: int = 0
    unanswered: int = 0


@dataclass
class AskedModel:
    """The endpoint. `behind`: the address of an endpoint of OpenAI's chat completions, or a folder of recordings; `key`:
    for the former."""

    behind: str
    key: str = ""
    asked: Asked = field(default_factory=Asked)

    def __post_init__(self) -> None:
        self._recorded = {} if self._is_remote else recorded_in(Path(self.behind))
        self._socket = socket.create_server(("127.0.0.1", 0))

    @property
    def url(self) -> str:
        """For LLM_OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    @property
    def _is_remote(self) -> bool:
        return self.behind.startswith(("http://", "https://"))

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["AskedModel"]:
        """Answer while inside."""
        config = uvicorn.Config(self._app(), log_config=None, access_log=False, lifespan="off")
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[self._socket]))
        try:
            yield self
        finally:
            server.should_exit = server.force_exit = True
            await task
            self._socket.close()

    def _app(self) -> FastAPI:
        app = FastAPI()

        @app.post("/v1/chat/completions")
        async def completions(request: Request) -> Response:
            body: Body = await request.json()
            system, data = _texts(body)
            self.asked.calls[_name_of(system)] += 1
            return await self._forwarded(body) if self._is_remote else self._recalled(system, data)

        return app

    async def _forwarded(self, body: Body) -> Response:
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            answer = await client.post(f"{self.behind.rstrip('/')}/chat/completions", json=body, headers=headers)
        if answer.status_code == httpx.codes.OK:
            usage = answer.json().get("usage") or {}
            self._count(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0))
        return Response(answer.content, answer.status_code, media_type=answer.headers.get("content-type"))

    def _recalled(self, system: str, data: str) -> Response:
        key = key_of(data)
        reply = self._recorded.get(key)
        if reply is None:
            self.asked.unanswered += 1
            with (Path(self.behind) / UNANSWERED).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"prompt": key, "system": system, "data": data}, ensure_ascii=False) + "\n")
            reply = {name: [] for name in _schema_of(system).model_fields}
        content = json.dumps(reply, ensure_ascii=False)
        read, written = (len(text) // CHARS_OF_A_TOKEN for text in (system + data, content))
        self._count(read, written)
        message = {"role": "assistant", "content": content}
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return JSONResponse(
            {
                "id": key,
                "object": "chat.completion",
                "created": 0,
                "model": "recorded",
                "choices": [choice],
                "usage": usage,
            }
        )

    def _count(self, read: int, written: int) -> None:
        self.asked.read += read
        self.asked.written += written


def key_of(data: str) -> str:
    """The key of a prompt's data."""
    return hashlib.sha256(data.encode()).hexdigest()


def recorded_in(folder: Path) -> dict[str, Body]:
    """The recorded answers by their keys."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) if path.name != UNANSWERED for line in _lines(path)]
    return {str(line["prompt"]): cast("Body", line["reply"]) for line in lines}


def _lines(path: Path) -> list[Body]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _texts(body: Body) -> tuple[str, str]:
    messages = cast("list[dict[str, str]]", body["messages"])
    return messages[0]["content"], messages[-1]["content"]


def _name_of(system: str) -> str:
    """The file name of the prompt with this text, which a client may have added to."""
    return next((name for name, file in all_prompts().items() if system.startswith(file.system)), "another")


def _schema_of(system: str) -> type[Reply]:
    return all_prompts()[_name_of(system)].schema
