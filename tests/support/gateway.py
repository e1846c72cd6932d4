"""A gateway that keeps what it is told, as an HTTP transport: it answers as the real one does, without a server."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import httpx

from ragpp.api import StoredMessage, StoreRequest, StoreResponse
from ragpp.errors import Conflict, InvalidInput, MemorySystemError, TooMuchAtOnce
from ragpp.errors.problems import MEDIA_TYPE, problem_of


class KeepingGateway(httpx.AsyncBaseTransport):
    """Holds the messages of each session in the order they came; an id is known once.

    `refuses`: contents that it calls invalid. `most`: messages that it takes at once.
    `before_answer`: called before each answer, with how many came before.
    """

    def __init__(self, *, refuses: frozenset[str] = frozenset(), most: int = 1_000) -> None:
        self.refuses, self.most = refuses, most
        self.contents: dict[str, str] = {}
        self.sessions: dict[str, list[str]] = {}
        self.requests: list[StoreRequest] = []
        self.before_answer: Callable[[int], None] = lambda _count: None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = StoreRequest.model_validate_json(await request.aread())
        self.before_answer(len(self.requests))
        self.requests.append(body)
        await asyncio.sleep(0)
        try:
            answer = self._store(body)
        except MemorySystemError as error:
            document = problem_of(error).model_dump()
            return httpx.Response(error.status, json=document, headers={"content-type": MEDIA_TYPE})
        return httpx.Response(201, content=answer.model_dump_json())

    def _store(self, body: StoreRequest) -> StoreResponse:
        if len(body.messages) > self.most:
            raise TooMuchAtOnce(f"the request has {len(body.messages)} messages, and {self.most} are taken at once")
        invalid = [index for index, message in enumerate(body.messages) if message.content in self.refuses]
        if invalid:
            errors = [{"field": f"messages.{index}.content", "reason": "is refused"} for index in invalid]
            raise InvalidInput("some messages are refused", details={"errors": errors})
        ids = [message.id or "" for message in body.messages]
        other = [
            index
            for index, message in enumerate(body.messages)
            if self.contents.get(ids[index], message.content) != message.content
        ]
        if other:
            raise Conflict("an id is known with other content", details={"indexes": other})
        stored = []
        for identifier, message in zip(ids, body.messages, strict=True):
            stored.append(StoredMessage(id=identifier, duplicate=identifier in self.contents, redactions=0))
            if identifier not in self.contents:
                self.contents[identifier] = message.content
                self.sessions.setdefault(body.session_id, []).append(message.content)
        return StoreResponse(
            receipt="r1.1.1",
            stored=tuple(stored),
            timestamp=datetime(2024, 5, 1, tzinfo=UTC),
            tiers={"episodic": "ok", "short_term": "ok"},
        )
