"""Work that the workers are asked to do for the catalog."""

from pydantic import JsonValue

from ragpp.jobs import Job
from ragpp.models import Scope
from ragpp_services.gateway.parts import Parts


async def extraction(parts: Parts, scope: Scope, resource_id: str, category_hint: str | None) -> Job:
    """Take items from a resource; the same job while it waits."""
    hint: dict[str, JsonValue] = {} if category_hint is None else {"category_hint": category_hint}
    return await _asked(parts, scope, f"extract:{resource_id}", {"task": "extract", "resource_id": resource_id, **hint})


async def consolidation(parts: Parts, scope: Scope, category: str, *, force: bool) -> Job:
    """Make a category's page; the same job while it waits."""
    return await _asked(
        parts, scope, f"consolidate:{category}", {"task": "consolidate", "category": category, "force": force}
    )


async def rebuilding(parts: Parts, scope: Scope) -> Job:
    """Make vectors and words of a user's catalog anew; the same job while it waits."""
    return await _asked(parts, scope, "rebuild", {"task": "rebuild"})


async def _asked(parts: Parts, scope: Scope, subject: str, payload: dict[str, JsonValue]) -> Job:
    return await parts.jobs.request_anew(scope, "catalog.requested", subject, payload, parts.clock())
