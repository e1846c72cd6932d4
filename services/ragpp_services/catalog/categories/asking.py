"""Asking for pages to be made anew, in the transaction after which they have to be."""

from collections.abc import Collection
from datetime import datetime

from ragpp_services.catalog.store import Rows


async def ask_for_pages(rows: Rows, names: Collection[str], now: datetime) -> None:
    """Have the pages of these of the user's own categories made anew that lost something or have as many new items as
    the operator wants (document 002 §6.6); fewer wait for the day's upkeep. For one and the same page this is asked
    once. Names of none are ignored."""
    if not names:
        return
    for due in await rows.categories.due(rows.consolidation_interval, names):
        payload: dict[str, str | int | bool | None] = {"task": "consolidate", "category": due["name"], "force": False}
        await rows.request(f"page:{due['id']}:{due['version']}", payload, now)
