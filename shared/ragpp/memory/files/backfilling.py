"""Memories of what was said to an agent before it had a catalog, from the episodic log."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from ragpp.api import ResourceIn, ResourceMessageIn
from ragpp.client import AsyncMemoryClient
from ragpp.fields import joined
from ragpp.jobs import Job
from ragpp.models import Interaction
from ragpp.paging import PAGE, pages

MOST_MESSAGES: Final = 200
MOST_CHARS: Final = 200_000
"""The longest stretch of a session that is read as one."""
MOST_OPEN: Final = 100
"""Sessions whose messages are waited for at a time; that of which nothing was heard for longest is read then."""


@dataclass
class Backfilled:
    """`messages`: how many were read; `stretches`: of how many parts of sessions, `known` of them from before; `jobs`:
    what takes memories from the others."""

    messages: int = 0
    stretches: int = 0
    known: int = 0
    jobs: list[Job] = field(default_factory=list)


async def backfill(
    client: AsyncMemoryClient,
    user_id: str,
    ci: str,
    *,
    start: datetime | None = None,
    end: datetime | None = None,
    on_messages: Callable[[int], None] = lambda _count: None,
) -> Backfilled:
    """Have memories taken from what was said to the agent, a stretch of a session at a time, which it alone sees. They
    rest on what was said, and go with it. Repeating it asks for nothing twice: a stretch to which something was added
    since is read anew, and what it says again is the memory that there is. Raises what the client raises."""
    done = Backfilled()
    async for stretch in _stretches(client, user_id, ci, start, end):
        done.messages += len(stretch)
        done.stretches += 1
        stored = await client.store_resource(_resource(user_id, ci, stretch))
        done.known += stored.duplicate
        if stored.job is not None and not stored.duplicate:
            done.jobs.append(stored.job)
        on_messages(len(stretch))
    return done


async def _stretches(
    client: AsyncMemoryClient, user_id: str, ci: str, start: datetime | None, end: datetime | None
) -> AsyncIterator[list[Interaction]]:
    """The interactions with the agent, in stretches by session, oldest first."""
    open_ones: dict[str, list[Interaction]] = {}
    said = pages(
        lambda cursor: client.interactions(
            user_id, agent_id=ci, start=start, end=end, newest_first=False, cursor=cursor, limit=PAGE
        )
    )
    async for one in said:
        if one.agent_id != ci:
            continue
        stretch = open_ones[one.session_id] = open_ones.pop(one.session_id, [])  # now the last to be given up
        chars = sum(len(before.content) for before in stretch)
        if stretch and (len(stretch) == MOST_MESSAGES or chars + len(one.content) > MOST_CHARS):
            yield open_ones.pop(one.session_id)
            stretch = open_ones.setdefault(one.session_id, [])
        stretch.append(one)
        if len(open_ones) > MOST_OPEN:
            yield open_ones.pop(next(iter(open_ones)))
    for stretch in open_ones.values():
        yield stretch


def _resource(user_id: str, ci: str, stretch: list[Interaction]) -> ResourceIn:
    first, last = stretch[0], stretch[-1]
    identity = joined(user_id, ci, first.session_id, first.id, last.id)
    return ResourceIn(
        user_id=user_id,
        id=f"res_{uuid5(NAMESPACE_URL, identity)}",
        resource_type="conversation",
        messages=tuple(
            ResourceMessageIn(id=one.id, role=one.role, name=one.name, content=one.content, occurred_at=one.occurred_at)
            for one in stretch
        ),
        metadata={"agent_name": ci},
        session_id=first.session_id,
        agent_id=ci,
        visibility="agent",
        extract=True,
    )
