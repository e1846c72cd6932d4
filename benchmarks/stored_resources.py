"""Resources for the evaluations of the catalog, stored and extracted through the public API."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchmarks.waiting import digested, done
from ragpp.api import MessageIn, ResourceIn, ResourceMessageIn
from ragpp.client import AsyncMemoryClient


async def extract_all(client: AsyncMemoryClient, user: str, resources: Iterable[ResourceIn]) -> int:
    """Store a user's `resources`, which ask to be extracted, and wait until all of them are and nothing else is left to
    do; returns how many items they gave. Raises RuntimeError for a job that failed."""
    stored = [await client.store_resource(one) for one in resources]
    items = 0
    for one in stored:
        if one.job is not None:
            ended = await done(client, one.job.id, f"the extraction of {one.resource.resource_id}")
            count = (ended.result or {}).get("item_count")
            items += count if isinstance(count, int) else 0
    await digested(client, user)
    return items


def of_sessions(user: str, sessions: Mapping[str, Sequence[MessageIn]]) -> Iterator[ResourceIn]:
    """Each session of a user as a conversation, whose messages are interactions already."""
    for session, messages in sessions.items():
        yield ResourceIn(
            user_id=user,
            id=f"{user}-{session}",
            resource_type="conversation",
            session_id=session,
            messages=tuple(
                ResourceMessageIn(
                    id=message.id,
                    role=message.role,
                    name=message.name,
                    content=message.content,
                    occurred_at=message.occurred_at,
                )
                for message in messages
            ),
            extract=True,
        )
