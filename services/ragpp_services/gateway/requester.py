"""Who asks, as a route gets to know it, and what the audit gets to know of the request."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Request, Security
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase
from pydantic import JsonValue

from ragpp.errors import Unauthenticated
from ragpp.fields import brief, identifying
from ragpp.models import Scope
from ragpp.redaction import Redactor
from ragpp.stores.forgetting import SourceMarks
from ragpp_services.gateway.identity import Identity, Principal, prefix_of

RECEIVED: Final = "ragpp.received"
"""In the scope of a request: its body, as it came."""
_LOOKED_AT: Final = 16_384
"""Bytes of a body that is looked at for its user."""
MOST_MARKS: Final = 1_000
"""Marks of what was deleted, and of what was returned or changed, in one entry of the audit."""


@dataclass
class Requester:
    """The principal of one request. The other fields are for its audit entry: whose memory it concerns, for which
    agent, the keyed hash of what was asked, how many things it found or changed, what it deleted, and the ids of the
    memories that it returned or changed, what was shown first; without any they are what the path names. `redactor`:
    by which its ids are looked at, where there is a policy for personal data."""

    principal: Principal
    user_id: str | None = None
    agent_id: str | None = None
    query_sha256: str | None = None
    items: int = 0
    details: dict[str, JsonValue] | None = None
    redactor: Redactor | None = None
    memory_ids: Sequence[str] = ()

    def tells(self, memory_ids: Iterable[str]) -> None:
        """Tell the audit which memories are returned or changed, and how many they are."""
        self.memory_ids = tuple(memory_ids)
        self.items = len(self.memory_ids)

    def deletes(
        self, marks: SourceMarks, scope: Scope, what: str, ids: Sequence[str], *, count: int, job: str | None = None
    ) -> None:
        """Tell the audit what is deleted: how many, and each of the ids as a keyed hash, of at most MOST_MARKS. What
        was forgotten is nowhere by its id; whoever knows an id can have it hashed, and find when it was deleted, and
        with which key. `job`: the one that deletes them."""
        told: list[JsonValue] = [marks.of(scope, one) for one in ids[:MOST_MARKS]]
        self.details = {"deleted": what, "count": count, "marks": told}
        if job is not None:
            self.details["job"] = job

    def scope(self, needed: str, user_id: str, *, agent_id: str | None = None, session_id: str | None = None) -> Scope:
        """As `Principal.scope`; the audit is told of `user_id` whether it is refused or not."""
        self.user_id = user_id
        return self.principal.scope(needed, user_id, agent_id=agent_id, session_id=session_id)

    def catalog(
        self, needed: str, user_id: str | None, *, agent_id: str | None = None, session_id: str | None = None
    ) -> Scope:
        """As `Principal.catalog`; the audit is told whose it is, whether it is refused or not."""
        self.user_id = user_id if user_id is not None else self.principal.user_id
        return self.principal.catalog(needed, user_id, agent_id=agent_id, session_id=session_id)

    def whole(self, needed: str, user_id: str) -> Scope:
        """As `Principal.whole`; the audit is told of `user_id` whether it is refused or not."""
        self.user_id = user_id
        return self.principal.whole(needed, user_id)


@dataclass(frozen=True, slots=True)
class RefusedKey:
    """The prefix of a key that was not taken, empty where there was none, and whether there is a key of that prefix."""

    prefix: str
    known: bool


def name_user(request: Request) -> None:
    """Tell the audit of a refused request which user it names, where its route did not come to tell."""
    requester: Requester | None = getattr(request.state, "requester", None)
    if requester is not None and requester.user_id is None:
        requester.user_id = _user_named(request)


def _user_named(request: Request) -> str | None:
    """The user in the path, the query or the body; None where none is, or in a body too long to be looked at again."""
    named = request.path_params.get("user_id") or request.query_params.get("user_id")
    raw = request.scope.get(RECEIVED, b"")
    if named is None and len(raw) <= _LOOKED_AT:
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            return None
        named = body.get("user_id") if isinstance(body, dict) else None
    try:
        return brief(identifying(named)) if isinstance(named, str) and named else None
    except ValueError:
        return None


class ApiKey(SecurityBase):
    """The key that a route wants. A `reading` request is served from a recent verification while PostgreSQL is down.

    As a dependency it is the requester whom `ragpp_services.gateway.http.KeyedRoute` has verified already.
    """

    def __init__(self, *, reading: bool) -> None:
        self.scheme_name = "API key"
        self.model = HTTPBearer(description="As `ragpp up` made it.")
        self.reading = reading

    async def verify(self, request: Request) -> Requester:
        """Raises Unauthenticated, of which the audit is told, TierUnavailable."""
        identity: Identity = request.app.state.parts.identity
        authorization = request.headers.get("authorization")
        try:
            requester = Requester(await identity.verify(authorization, reading=self.reading))
        except Unauthenticated:
            prefix = prefix_of(authorization)
            request.state.refused = RefusedKey(prefix, identity.knows(prefix))
            raise
        request.state.requester = requester
        return requester

    async def __call__(self, request: Request) -> Requester:
        requester: Requester = request.state.requester
        return requester


Reader = Annotated[Requester, Security(ApiKey(reading=True))]
Writer = Annotated[Requester, Security(ApiKey(reading=False))]
