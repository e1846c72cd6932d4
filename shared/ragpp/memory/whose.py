"""Whose memory a manager is about, through which client; and what came of the jobs that it asks for."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import JsonValue

from ragpp.client import AsyncMemoryClient, MemoryClient
from ragpp.errors import ConfigurationError, MemorySystemError, NotFound, TierUnavailable
from ragpp.jobs import Job
from ragpp.models import Page
from ragpp.paging import pages

T = TypeVar("T")
_CODE: Final = re.compile(r"(MEM-\d{3})\b")


@dataclass(frozen=True)
class Whose:
    """`user_id` None: the key's own user, or, with a key that may, what all users of the tenant share. `patience_s`:
    longest wait for a job. `name`: of who asks, where several speak as one user."""

    client: AsyncMemoryClient
    user_id: str | None = None
    agent_id: str | None = None
    patience_s: float = 120.0
    name: str | None = None

    def __post_init__(self) -> None:
        given: object = self.client  # by whom no checker warned
        if isinstance(given, MemoryClient):
            raise ConfigurationError(
                "the catalog's face awaits its client, and a MemoryClient is none to await",
                suggestions=("Give it a ragpp.AsyncMemoryClient.",),
            )

    async def done(self, job: Job, failure: type[MemorySystemError]) -> dict[str, JsonValue]:
        """The result of `job`, once it has one. Raises the error that it ended with, `failure` where it names none;
        TierUnavailable when it does not end in time, which it may do yet."""
        patience_s = self.patience_s
        ended = await self.client.ended_job(job.id, timeout_s=patience_s)
        if ended.state == "done":
            return ended.result or {}
        if ended.state in {"pending", "leased"}:
            raise TierUnavailable(
                f"the workers have not done it after {patience_s:.0f} s, and may yet",
                suggestions=(f"See how it gets on: ragpp jobs show {ended.id}", "See `ragpp status` and `ragpp logs`."),
            )
        raise error_of_job(ended, failure)


def error_of_job(job: Job, failure: type[MemorySystemError]) -> MemorySystemError:
    """The error of a job that ended and is not done: of the class whose code stands first in the job's own error."""
    told = job.error or f"the job was {job.state}"
    code = _CODE.match(told)
    kind = MemorySystemError.by_code.get(code[1], failure) if code else failure
    return kind.worded(told, suggestions=(f"See it, and retry it: ragpp jobs show {job.id}",))


async def or_none(asked: Awaitable[T]) -> T | None:
    """The thing that is asked for; None where there is none of that id."""
    try:
        return await asked
    except NotFound:
        return None


async def listed(page: Callable[[str | None], Awaitable[Page[T]]], most: int | None = None) -> list[T]:
    """The items of every page, or the first `most`."""
    return [] if most is not None and most < 1 else [item async for item in pages(page, most=most)]
