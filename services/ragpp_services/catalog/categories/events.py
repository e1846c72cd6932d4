"""The events of a category, without the category's content."""

from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from ragpp.ledger import NewEvent

Kind = Literal[
    "memory.category_created",
    "memory.category_updated",
    "memory.category_consolidated",
    "memory.category_deleted",
]


def category_event(kind: Kind, category_id: str, name: str, now: datetime, **what: JsonValue) -> NewEvent:
    """The event; `what`: numbers beside its id and name."""
    return NewEvent(kind, category_id, now, {"category_id": category_id, "name": name, **what})
