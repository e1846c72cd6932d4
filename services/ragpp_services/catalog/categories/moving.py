"""Items that change their category."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from ragpp.ledger import NewEvent
from ragpp_services.catalog.categories.asking import ask_for_pages
from ragpp_services.catalog.categories.events import category_event
from ragpp_services.catalog.categories.values import CategoryRow, MovedItem
from ragpp_services.catalog.items.regrouping import regroup
from ragpp_services.catalog.items.sameness import same_fact
from ragpp_services.catalog.store import Rows
from ragpp_services.catalog.storing import private_to

EMPTIED_AT_ONCE: Final = 1_000
"""Items that leave a category together, in a second in which others wait."""


async def move(rows: Rows, item_ids: Collection[str], category: CategoryRow, now: datetime) -> None:
    """Let these of the user's own items that the scope sees be in `category`, each with what is one with it, and tell
    anew which are one there. Pages that they leave are made anew."""
    moved = await rows.categories.move_items(item_ids, rows.scope.view, category.name)
    if not moved:
        return
    await regroup(rows.items, [one.id for one in moved], same_fact)
    left = {one.was_in for one in moved if one.was_in is not None}
    await rows.categories.mark(left)
    await rows.record(_told(moved, category, now), now)
    await ask_for_pages(rows, {category.name, *left}, now)


def _told(moved: Sequence[MovedItem], category: CategoryRow, now: datetime) -> list[NewEvent]:
    """How many items came into the category: those that all agents see, and those that one alone sees, to it alone."""
    came = Counter(one.seen_by for one in moved if one.one_with is None)
    return [
        category_event(
            "memory.category_updated",
            category.category_id,
            category.name,
            now,
            items_moved=count,
            **private_to(agent_id),
        )
        for agent_id, count in came.items()
    ]


async def empty(rows: Rows, name: str) -> bool:
    """Let EMPTIED_AT_ONCE of the user's own items in that category be in none, and tell anew which are one there;
    whether there may be more."""
    left = await rows.categories.empty(name, EMPTIED_AT_ONCE)
    if left:
        await regroup(rows.items, [identifier for identifier, _ in left], same_fact)
    return sum(one_with is None for _, one_with in left) == EMPTIED_AT_ONCE
