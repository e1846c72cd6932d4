"""A memory that keeps what it is told, finds it by its words, and fails on request; in process or over HTTP. And what
turns with it are made of."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import uvicorn
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ragpp.api import (
    MessageIn,
    RecalledMemory,
    RecallRequest,
    RecallResponse,
    Relevance,
    SectionOut,
    StoredMessage,
    StoreRequest,
    StoreResponse,
    TierStatus,
)
from ragpp.api.hooks import MemoryRequestIn, PostMessageIn, PostResponseIn, PrePromptIn
from ragpp.context import layout
from ragpp.errors import Conflict, MemorySystemError
from ragpp.errors.problems import problem_of
from ragpp.text.lexical import query_terms, terms
from ragpp_services.governor.hooks import MemoryHooks
from ragpp_services.governor.responders import Responder
from ragpp_services.governor.tool_values import Tool
from ragpp_services.governor.values import Event, Limits, Prompt, Reply

NOON = datetime(2026, 3, 9, 12, 0, tzinfo=UTC)
PATIENT = Limits(deadline_ms=30_000, store_ms=30_000)
WEATHER = Tool(name="weather", description="Tells the weather of a town.")


def says(text: str) -> Responder:
    async def respond(_prompt: Prompt) -> str:
        return text

    return respond


class Asked:
    """A responder that keeps its prompts and answers each with the next reply."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.prompts: list[Prompt] = []

    async def __call__(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        return self.replies.pop(0) if self.replies else Reply(text="as you say")


def heard(content: str, **fields: object) -> Event:
    return Event.model_validate({"user_id": "u1", "session_id": "s1", "content": content, **fields})


class KeepingMemory:
    """Implements the governor's `Memory`.

    `fails`: raised by every call while set. `hangs`: calls wait for this event while set. `lacks`: the recall is
    partial, without that tier. `relevance`: what a recall says of what it found. `kept`: the messages by user and id,
    with their session.
    """

    def __init__(self) -> None:
        self.fails: Exception | None = None
        self.hangs: asyncio.Event | None = None
        self.lacks: str | None = None
        self.relevance: Relevance | None = None
        self.frames = True
        self.kept: dict[tuple[str, str], tuple[str, MessageIn]] = {}
        self.calls: list[StoreRequest | RecallRequest] = []
        self.on_stored: Callable[[], None] = lambda: None

    def of(self, user: str) -> list[MessageIn]:
        return [message for (owner, _), (_, message) in self.kept.items() if owner == user]

    async def remember(self, request: StoreRequest) -> StoreResponse:
        self.calls.append(request)
        await self._misbehave()
        stored = []
        for message in request.messages:
            identifier = message.id or ""
            known = self.kept.get((request.user_id, identifier))
            if known is not None and known[1].content != message.content:
                raise Conflict(f"{identifier} is known with other content")
            self.kept.setdefault((request.user_id, identifier), (request.session_id, message))
            stored.append(StoredMessage(id=identifier, duplicate=known is not None, redactions=0))
        self.on_stored()
        return StoreResponse(
            receipt="r1.1.1",
            stored=tuple(stored),
            timestamp=NOON,
            tiers={"episodic": "ok", "short_term": "ok"},
        )

    async def recall(self, request: RecallRequest) -> RecallResponse:
        self.calls.append(request)
        await self._misbehave()
        found = self._found(request)
        sections, parts = [], []
        if self.frames and request.persona:
            sections.append(SectionOut(title=layout.PERSONA, tokens=1))
            parts.append(layout.section(layout.PERSONA, request.persona))
        if found:
            sections.append(SectionOut(title=layout.PAST, tokens=1, memories=tuple(memory.id for memory in found)))
            lines = "\n".join(f"- {memory.said_by}: {memory.text}" for memory in found)
            parts.append(layout.section(layout.PAST, lines))
        if self.frames and request.situation:
            sections.append(SectionOut(title=layout.SITUATION, tokens=1))
            parts.append(layout.section(layout.SITUATION, str(request.situation)))
        lacking = {self.lacks: TierStatus(status="timeout", ms=9.0)} if self.lacks else {}
        return RecallResponse.model_validate(
            {
                "status": "partial" if self.lacks else "complete",
                "context": "\n\n".join(parts),
                "tokens": 10,
                "elapsed_ms": 1.0,
                "retrieved_at": NOON,
                "receipt_pending": 0,
                "relevance": self.relevance,
                "sections": sections,
                "memories": found,
                "tiers": {"episodic": TierStatus(status="ok", ms=1.0, hits=len(found))} | lacking,
            }
        )

    def _found(self, request: RecallRequest) -> list[RecalledMemory]:
        wanted = set(query_terms(request.query))
        found = []
        for (user, identifier), (session, message) in self.kept.items():
            said_at = message.occurred_at or NOON
            if user != request.user_id or identifier in request.exclude:
                continue
            if request.as_of is not None and said_at > request.as_of:
                continue
            if common := len(wanted & set(terms(message.content))):
                score = common / len(wanted)
                found.append(
                    RecalledMemory(
                        id=identifier,
                        tier="episodic",
                        kind="interaction",
                        text=message.content,
                        score=score,
                        similarity=score,
                        confidence=1.0,
                        tokens=5,
                        occurred_at=said_at,
                        said_by=message.name or message.role,
                        session_id=session,
                        sources=(identifier,),
                        in_context=True,
                    )
                )
        return sorted(found, key=lambda memory: -memory.score)[: request.limit]

    async def _misbehave(self) -> None:
        if self.hangs is not None:
            await self.hangs.wait()
        if self.fails is not None:
            raise self.fails


@contextmanager
def served(memory: KeepingMemory) -> Iterator[str]:
    """`memory` behind the gateway's routes on a port of its own; the address."""

    async def remember(request: Request) -> Response:
        return await _answered(memory.remember(StoreRequest.model_validate_json(await request.body())), 201)

    async def recall(request: Request) -> Response:
        return await _answered(memory.recall(RecallRequest.model_validate_json(await request.body())), 200)

    async def pending(_request: Request) -> Response:
        return JSONResponse({"pending": 0})

    routes = [
        Route("/v1/interactions", remember, methods=["POST"]),
        Route("/v1/recall", recall, methods=["POST"]),
        Route("/v1/pending", pending),
        *(_hook_routes(memory) if isinstance(memory, MemoryHooks) else ()),
    ]
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(Starlette(routes=routes), log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()  # the socket listens already: a request that comes early waits
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def _hook_routes(memory: MemoryHooks) -> list[Route]:
    async def pre_prompt(request: Request) -> Response:
        return await _answered(memory.pre_prompt(PrePromptIn.model_validate_json(await request.body())), 200)

    async def memory_request(request: Request) -> Response:
        return await _answered(memory.memory_request(MemoryRequestIn.model_validate_json(await request.body())), 200)

    async def post_response(request: Request) -> Response:
        return await _answered(memory.post_response(PostResponseIn.model_validate_json(await request.body())), 200)

    async def post_message(request: Request) -> Response:
        return await _answered(memory.post_message(PostMessageIn.model_validate_json(await request.body())), 202)

    hooks = (pre_prompt, memory_request, post_response, post_message)
    return [Route(f"/v1/hooks/{hook.__name__.replace('_', '-')}", hook, methods=["POST"]) for hook in hooks]


async def _answered(call: Awaitable[BaseModel], status: int) -> Response:
    try:
        answer = await call
    except MemorySystemError as error:
        return JSONResponse(problem_of(error).model_dump(), status_code=error.status)
    return Response(answer.model_dump_json(), status_code=status, media_type="application/json")
