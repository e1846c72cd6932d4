"""The methods that a system under test answers to. Standard library only: foreign environments import it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Message:
    """One message of a user: `line` is it as plain text with speaker and date, for systems that take a text alone;
    `at` is ISO 8601 with an offset."""

    id: str
    session: str
    speaker: str
    content: str
    line: str
    at: str


@dataclass(frozen=True)
class Place:
    """Where a system finds its surroundings; what it has no use for is empty.

    `postgres`: a database of its own as a URL. `embeddings`: the base URL of an endpoint that speaks OpenAI's API, for
    `model` with `dimension` numbers. `folder`: for files, its own. `gateway` and `key`: of RAG++.
    """

    folder: str
    postgres: str = ""
    embeddings: str = ""
    model: str = ""
    dimension: int = 0
    gateway: str = ""
    key: str = ""


class System(Protocol):
    """A memory for many users; one instance serves many tasks at once. What a method raises ends the run of it."""

    async def open(self, place: Place) -> Mapping[str, str]:
        """Make ready what a search needs, whether the store is empty or not; the settings that differ from the
        defaults, to be printed."""
        ...

    async def write(self, user: str, messages: Sequence[Message]) -> None:
        """Store `messages`, which are one user's, in order, and return when they would outlive a crash."""
        ...

    async def settle(self) -> None:
        """Return when all that was written can be found."""
        ...

    async def search(self, user: str, query: str, limit: int) -> list[str]:
        """Ids of that user's messages, best first, at most `limit`."""
        ...

    async def close(self) -> None:
        """Give everything back, also where `open` failed."""
        ...
