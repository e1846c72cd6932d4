"""Asking for a resource of the catalog to be extracted."""

from datetime import datetime
from typing import Final

from pydantic import JsonValue

from ragpp.ledger.events import RequestKind, request_anew
from ragpp.models import Scope
from ragpp.stores.postgres import Connection

AGAIN: Final = "again"
"""In the payload of an extraction that nobody asked for by itself: of a resource that lost a part."""


async def extract_anew(connection: Connection, scope: Scope, resource_id: str, *, now: datetime) -> int:
    """Ask for the items of a resource that has changed, in the transaction that changes it; once until somebody begins.
    Returns the event's id."""
    kind: RequestKind = "catalog.requested"
    payload: dict[str, JsonValue] = {"task": "extract", "resource_id": resource_id, AGAIN: True}
    return await request_anew(connection, scope, kind, f"{AGAIN}:{resource_id}", payload, now, now=now)
