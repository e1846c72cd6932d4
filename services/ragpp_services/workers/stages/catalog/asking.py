"""What the workers ask of themselves about the catalog."""

from typing import Final

from pydantic import JsonValue

from ragpp.ledger.events import RequestKind
from ragpp.models import Scope
from ragpp_services.workers.parts import WorkerParts

KIND: Final[RequestKind] = "catalog.requested"
AGAIN: Final = "again"
"""In the payload of an extraction that nobody asked for by itself: of a resource that lost a part."""


async def extract_anew(parts: WorkerParts, scope: Scope, resource_id: str) -> None:
    """Ask for the items of a resource that has changed; once until somebody begins. Raises TierUnavailable."""
    payload: dict[str, JsonValue] = {"task": "extract", "resource_id": resource_id, AGAIN: True}
    await parts.ledger.request(scope, KIND, f"{AGAIN}:{resource_id}", payload, parts.clock(), anew=True)


async def consolidate_later(parts: WorkerParts, scope: Scope, name: str) -> None:
    """Ask for the page of a category; once until somebody begins. Raises TierUnavailable."""
    payload: dict[str, JsonValue] = {"task": "consolidate", "category": name, "force": False}
    await parts.ledger.request(scope, KIND, f"consolidate:{name}", payload, parts.clock(), anew=True)
