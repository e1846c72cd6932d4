"""The limit of what one agent alone sees, held by whoever writes for it. The user's writers take turns, so none of them
lets an agent have more."""

from collections.abc import Collection
from datetime import datetime

from ragpp.errors import Conflict
from ragpp.retention import EntryRetention, entries_due
from ragpp_services.catalog.forgetting import let_go
from ragpp_services.catalog.store import Rows


async def make_room(
    rows: Rows, written: Collection[str], limits: EntryRetention, now: datetime, *, stays: bool = True
) -> None:
    """Let go of what is due (`entries_due`) of each agent that alone sees one of the items `written` and has more than
    `limits.max_count`; nothing is forgotten by it. What was just written `stays`, or goes where it is least relevant.

    Raises Conflict where too much stays that may not go.
    """
    if not written:
        return
    for agent in await rows.entries.over_limit(written, limits.max_count):
        kept = await rows.entries.kept_of(agent)
        staying = await rows.pinned() | frozenset(written if stays else ())
        going = [found.item.id for found in entries_due(kept, limits, now, staying)]
        if stays and len(kept) - len(going) > limits.max_count:
            raise _full(agent, limits)
        await let_go(rows, going, now)


def _full(agent: str, limits: EntryRetention) -> Conflict:
    return Conflict(
        f"the agent {agent!r} may keep {limits.max_count:,} memories that it alone sees, and what it would have over "
        "that are all pinned, new, or of a priority that stays",
        suggestions=(
            f"Delete some, unpin some, or write with a `priority` under {limits.permanent_priority}.",
            "Store fewer at once, or let all agents see them: `visibility` shared.",
            "Whoever runs the stack sets how many an agent may keep: MEMORY_MAX_MEMORIES_PER_CI.",
        ),
    )
