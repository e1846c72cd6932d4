"""Requests of the workers to themselves, about the catalog."""

from pydantic import JsonValue

from ragpp.models import Scope
from ragpp_services.workers.parts import WorkerParts


async def consolidate_later(parts: WorkerParts, scope: Scope, name: str) -> None:
    """Ask for the page of a category; once until somebody begins. Raises TierUnavailable."""
    payload: dict[str, JsonValue] = {"task": "consolidate", "category": name, "force": False}
    await parts.ledger.request(scope, "catalog.requested", f"consolidate:{name}", payload, parts.clock(), anew=True)
