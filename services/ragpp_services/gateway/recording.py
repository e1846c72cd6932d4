"""The audit entry of a request: who asked for what, how it ended, and which memories it returned or changed."""

import time
from collections.abc import Sequence
from typing import Final
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as AsgiScope

from ragpp.models import Scope
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.personal.holding import is_tellable
from ragpp_services.gateway.requester import MOST_MARKS, RefusedKey, Requester
from ragpp_services.gateway.store import Access

MEMORY_PARAMETERS: Final = frozenset(
    {"interaction_id", "entity_id", "relationship_id", "item_id", "resource_id", "memory_id", "reflection_id"}
)
"""The parts of paths that name a memory."""
_REFUSED: Final = 400


class AuditMiddleware:
    """Writes one audit entry for every request of a verified key, before its answer leaves, which says how much more
    the key may ask; requests without a valid key are counted there, and those that a key has too many of."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()

        async def audited(message: Message) -> None:
            if message["type"] == "http.response.start":
                _record(scope, message["status"], (time.perf_counter() - started) * 1_000)
                MutableHeaders(scope=message).update(_left(scope))
            await send(message)

        try:
            await self._app(scope, receive, audited)
        except Exception:
            _record(scope, 500, (time.perf_counter() - started) * 1_000)
            raise


def _left(scope: AsgiScope) -> dict[str, str]:
    requester: Requester | None = scope.get("state", {}).get("requester")
    parts: Parts = scope["app"].state.parts
    return parts.traffic.headers(requester.principal.key_id) if requester is not None else {}


def _record(scope: AsgiScope, status: int, elapsed_ms: float) -> None:
    state, route = scope.get("state", {}), scope.get("route")
    requester: Requester | None = state.get("requester")
    action = f"{scope['method']} {getattr(route, 'path_format', scope['path'])}"
    if requester is None:
        refused: RefusedKey | None = state.get("refused")
        if refused is not None:
            refusing: Parts = scope["app"].state.parts
            refusing.audit.refuse(refused.prefix, action, known=refused.known)
        return
    principal = requester.principal
    memory_ids = _told(requester, scope) if status < _REFUSED else ()
    parts: Parts = scope["app"].state.parts
    if state.get("too_many"):
        parts.audit.refuse_key(principal.tenant_id, principal.key_id, action)
        return
    parts.audit.record(
        Access(
            access_id=uuid4(),
            tenant_id=principal.tenant_id,
            at=parts.clock(),
            key_id=principal.key_id,
            user_id=_unspoken(parts, requester, requester.user_id),
            agent_id=_unspoken(parts, requester, requester.agent_id or principal.agent_id),
            action=action,
            status=status,
            elapsed_ms=round(elapsed_ms, 3),
            query_sha256=requester.query_sha256,
            items=requester.items or len(memory_ids),
            details=requester.details,
            memory_ids=memory_ids,
        )
    )


def _told(requester: Requester, scope: AsgiScope) -> Sequence[str]:
    """The memories that were returned or changed; of what was deleted there are the marks in `details` alone."""
    if requester.memory_ids or "deleted" in (requester.details or ()):
        return requester.memory_ids[:MOST_MARKS]
    return [value for name, value in scope["path_params"].items() if name in MEMORY_PARAMETERS]


def _unspoken(parts: Parts, requester: Requester, named: str | None) -> str | None:
    """The id, or the keyed hash that stands for somebody who was erased where it holds a secret, or what the policy
    for personal data keeps out: what is refused or found nothing is in the journal, too."""
    if named is None or is_tellable(named, requester.redactor):
        return named
    return parts.marks.of_user(Scope.trusted(tenant_id=requester.principal.tenant_id, user_id=named))
