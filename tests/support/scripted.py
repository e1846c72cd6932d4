"""A gateway that answers by a script, to either face of the client."""

from typing import Final

import httpx
import orjson

from ragpp.errors import MemorySystemError
from ragpp.errors.problems import MEDIA_TYPE, problem_of

NOON: Final = "2026-03-08T12:00:00Z"
RECALLED: Final = {
    "status": "complete",
    "context": "",
    "tokens": 0,
    "elapsed_ms": 1.0,
    "retrieved_at": NOON,
    "receipt_pending": 0,
    "sections": [],
    "memories": [],
    "tiers": {},
}
STORED: Final = {"receipt": "r1.1.1", "stored": [], "timestamp": NOON, "tiers": {}}


class ScriptedGateway(httpx.MockTransport):
    """Answers each request with the next of `answers`, an exception is raised; keeps what it was sent."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        super().__init__(self._answer)
        self._answers = list(answers)
        self.seen: list[httpx.Request] = []

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def bodies(self) -> list[dict[str, object]]:
        """The bodies of the requests."""
        return [orjson.loads(request.content) for request in self.seen]


def answer(value: object, status: int = 200) -> httpx.Response:
    """An answer with `value` as JSON."""
    return httpx.Response(status, json=value)


def refusal(error: MemorySystemError) -> httpx.Response:
    """The answer of a gateway that raises `error`."""
    document = problem_of(error)
    return httpx.Response(document.status, json=document.model_dump(), headers={"content-type": MEDIA_TYPE})
