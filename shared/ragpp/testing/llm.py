"""A server that speaks the APIs of OpenAI and Anthropic, for tests of what asks language models: on a port of its own,
to the real client libraries, with whatever goes wrong in real life as well. It needs the extra `server`.

    async with LlmServer() as server:
        server.replies(Answered(reply={"lines": ["…"]}), Failed(status=429, retry_after="7"), …)
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self, cast

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

JsonObject = Mapping[str, object]
INPUT_TOKENS: Final = 11
OUTPUT_TOKENS: Final = 7
"""The tokens of every answer, unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A model's answer: `reply` as JSON, else `text`. `stop`: why it ended, as OpenAI says. `usage`: whether it tells
    what it cost. A stream that is `cut` ends without its end; one that is `dropped` loses its connection."""

    reply: JsonObject | None = None
    text: str = ""
    stop: str = "stop"
    usage: bool = True
    cut: bool = False
    dropped: bool = False

    @property
    def words(self) -> str:
        return self.text if self.reply is None else json.dumps(self.reply)


@dataclass(frozen=True, slots=True)
class Failed:
    """An error of the API."""

    status: int
    message: str = "it failed"
    code: str | None = None
    retry_after: str | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """A body that is not of the protocol."""

    body: str
    status: int = 200
    media_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Silence:
    """No answer, as long as the server lives."""


Reply = Answered | Failed | Raw | Silence


@dataclass(frozen=True, slots=True)
class Received:
    """A request: the path it came to, its headers (lower-case names) and its body."""

    path: str
    headers: Mapping[str, str]
    body: JsonObject


@dataclass
class LlmServer:
    """The server; entering it starts it on a free port of the loopback address.

    `requests`: what came; `arrived` is set once something has. While `gate` is not set nothing is answered.
    `most_at_once`: of requests that had come and were not answered yet. `unknown`: fields of a request that it
    refuses by name, as older servers do.
    """

    requests: list[Received] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    unknown: Sequence[str] = ()
    most_at_once: int = 0

    def __post_init__(self) -> None:
        self.gate.set()
        self._script: list[Reply] = [Answered(text="hello")]
        self._by: Callable[[JsonObject], Reply] | None = None
        self._open = 0
        self._stopped = asyncio.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(self._app(), log_config=None, access_log=False, lifespan="off")
        self._server = uvicorn.Server(config)

    def replies(self, *script: Reply) -> None:
        """Set what to answer from now on: one after the other, and the last one again and again."""
        self._script, self._by = list(script), None

    def answers(self, by: Callable[[JsonObject], Reply]) -> None:
        """Answer from now on by what a request says, which is its body."""
        self._by = by

    @property
    def url(self) -> str:
        """For LLM_ANTHROPIC_BASE_URL."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    @property
    def openai_url(self) -> str:
        """For LLM_OPENAI_BASE_URL."""
        return f"{self.url}/v1"

    async def __aenter__(self) -> Self:
        self._serving = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopped.set()
        self.gate.set()
        self._server.should_exit = self._server.force_exit = True
        await self._serving
        self._socket.close()

    def _app(self) -> FastAPI:
        app = FastAPI()

        @app.post("/v1/chat/completions")
        async def openai(request: Request) -> Response:
            return await self._respond(request, _OPENAI)

        @app.post("/v1/messages")
        async def anthropic(request: Request) -> Response:
            return await self._respond(request, _ANTHROPIC)

        return app

    def _next(self) -> Reply:
        return self._script.pop(0) if len(self._script) > 1 else self._script[0]

    async def _respond(self, request: Request, api: "_Api") -> Response:
        body: dict[str, object] = await request.json()
        self.requests.append(Received(request.url.path, dict(request.headers), body))
        self.arrived.set()
        self._open += 1
        self.most_at_once = max(self.most_at_once, self._open)
        try:
            await self.gate.wait()
            for name in self.unknown:
                if name in json.dumps(body):
                    return api.error(Failed(400, f"unknown field: {name}"))
            reply = self._next() if self._by is None else self._by(body)
            if isinstance(reply, Silence):
                await self._stopped.wait()
        finally:
            self._open -= 1
        match reply:
            case Answered() if body.get("stream"):
                return StreamingResponse(api.stream(reply, body), media_type="text/event-stream")
            case Answered():
                return JSONResponse(api.answer(reply, body))
            case Failed():
                return api.error(reply)
            case Raw():
                return Response(reply.body, reply.status, media_type=reply.media_type)
            case Silence():
                return Response(status_code=503)


@dataclass(frozen=True, slots=True)
class _Api:
    """How one provider writes answers, streams of events and errors."""

    answer: Callable[[Answered, JsonObject], JsonObject]
    stream: Callable[[Answered, JsonObject], AsyncIterator[str]]
    error: Callable[[Failed], Response]


def _openai_answer(reply: Answered, body: JsonObject) -> JsonObject:
    answer: dict[str, object] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": reply.words}, "finish_reason": reply.stop}
        ],
    }
    if reply.usage:
        answer["usage"] = _OPENAI_USAGE
    return answer


async def _openai_stream(reply: Answered, body: JsonObject) -> AsyncIterator[str]:
    def chunk(choices: Sequence[JsonObject], usage: JsonObject | None = None) -> str:
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        return f"data: {json.dumps({**head, 'choices': choices, 'usage': usage})}\n\n"

    yield chunk([{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}])
    for piece in _pieces(reply):
        yield chunk([{"index": 0, "delta": {"content": piece}, "finish_reason": None}])
    _break_off(reply)
    if not reply.cut:
        yield chunk([{"index": 0, "delta": {}, "finish_reason": reply.stop}])
        if reply.usage and "stream_options" in body:
            yield chunk([], _OPENAI_USAGE)
        yield "data: [DONE]\n\n"


def _openai_error(failed: Failed) -> Response:
    error = {"message": failed.message, "type": "error", "param": None, "code": failed.code}
    return JSONResponse({"error": error}, failed.status, headers=_retry_after(failed))


def _anthropic_answer(reply: Answered, body: JsonObject) -> JsonObject:
    content: JsonObject = {"type": "text", "text": reply.text}
    if reply.reply is not None and "tool_choice" in body:
        name = cast("JsonObject", body["tool_choice"])["name"]
        content = {"type": "tool_use", "id": "toolu_1", "name": name, "input": reply.reply}
    return {**_anthropic_head(body), "content": [content], "stop_reason": _ANTHROPIC_STOPS.get(reply.stop, reply.stop)}


async def _anthropic_stream(reply: Answered, body: JsonObject) -> AsyncIterator[str]:
    def event(kind: str, fields: JsonObject) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

    yield event("message_start", {"message": {**_anthropic_head(body), "content": [], "stop_reason": None}})
    yield event("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}})
    yield event("ping", {})
    for piece in _pieces(reply):
        yield event("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": piece}})
    _break_off(reply)
    if not reply.cut:
        yield event("content_block_stop", {"index": 0})
        stop = {"stop_reason": _ANTHROPIC_STOPS.get(reply.stop, reply.stop), "stop_sequence": None}
        yield event("message_delta", {"delta": stop, "usage": {"output_tokens": OUTPUT_TOKENS}})
        yield event("message_stop", {})


def _anthropic_head(body: JsonObject) -> JsonObject:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "stop_sequence": None,
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }


def _anthropic_error(failed: Failed) -> Response:
    error = {"type": failed.code or "error", "message": failed.message}
    return JSONResponse({"type": "error", "error": error}, failed.status, headers=_retry_after(failed))


def _pieces(reply: Answered) -> list[str]:
    return [reply.words[start : start + 4] for start in range(0, len(reply.words), 4)]


def _break_off(reply: Answered) -> None:
    if reply.dropped:
        raise ConnectionResetError("as the script has it")


def _retry_after(failed: Failed) -> dict[str, str]:
    return {} if failed.retry_after is None else {"retry-after": failed.retry_after}


_OPENAI_USAGE: Final = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}
_ANTHROPIC_STOPS: Final = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
_OPENAI: Final = _Api(_openai_answer, _openai_stream, _openai_error)
_ANTHROPIC: Final = _Api(_anthropic_answer, _anthropic_stream, _anthropic_error)
