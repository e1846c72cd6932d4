"""MemoryClient: the gateway from Python.

    async with MemoryClient("http://127.0.0.1:8700", key) as memory:
        await memory.remember(StoreRequest(user_id="u1", messages=(MessageIn(content="I moved to Porto."),)))
        answer = await memory.recall(RecallRequest(user_id="u1", query="Where do I live?"))
        print(answer.context)

Bodies are the models of `ragpp.api`, results those and the values of `ragpp.models`; a problem document is raised as
the error that its code names (`ragpp.errors`), and a gateway that cannot be reached as GatewayUnreachable.
"""

from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar
from uuid import uuid4

import httpx

from ragpp.api import (
    Forgotten,
    MergeIn,
    Outcome,
    Pending,
    PreferenceIn,
    RecallRequest,
    RecallResponse,
    Restore,
    RuleChange,
    RuleIn,
    SplitIn,
    StoreRequest,
    StoreResponse,
)
from ragpp.models import (
    Entity,
    EntityLabel,
    Interaction,
    Page,
    Preference,
    Relationship,
    Rule,
    SessionInfo,
    SessionView,
)
from ragpp.web.calls import Caller, GatewayUnreachable, Parameter, path_of

__all__ = ["GatewayUnreachable", "MemoryClient"]

T = TypeVar("T")


class MemoryClient:
    """The public API of one gateway under one key; one instance serves many tasks at once.

    `timeout_s`: longest wait for one answer. `retries`: how often a request is repeated that found no connection or
    a 503; the first repeat waits about `backoff_s`, each further one twice as long, or as long as the answer's
    Retry-After says. Writes are repeated too: they carry an id, made here when absent, which makes that harmless.
    What counts or makes a version (`record_outcome`, `restore_…`, merge and split) is repeated only when it was
    never sent.

    Raises, from any method: what the gateway answered as an error; GatewayUnreachable.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_s: float = 30.0,
        retries: int = 3,
        backoff_s: float = 0.2,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._client = httpx.AsyncClient(
            base_url=base_url,
            headers={"authorization": f"Bearer {api_key}"},
            timeout=timeout_s,
            transport=transport,
            mounts={"all://127.0.0.1": None, "all://localhost": None},  # a proxy of the environment is not for these
        )
        self._ask = Caller(self._client, retries=retries, backoff_s=backoff_s)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def remember(self, request: StoreRequest) -> StoreResponse:
        """Store messages; acknowledged means that they are kept. Conflict when an id is known with other content."""
        messages = tuple(
            message if message.id is not None else message.model_copy(update={"id": uuid4().hex})
            for message in request.messages
        )
        sent = request.model_copy(update={"messages": messages})
        return await self._ask("POST", "/v1/interactions", StoreResponse, body=sent)

    async def recall(self, request: RecallRequest) -> RecallResponse:
        """What the memory has to say to a query, as one context and as a ranking."""
        return await self._ask("POST", "/v1/recall", RecallResponse, body=request)

    async def pending(self, user_id: str, receipt: str | None = None) -> int:
        """How many of the user's events are not yet digested; of one write, or of all."""
        answer = await self._ask("GET", "/v1/pending", Pending, {"user_id": user_id, "receipt": receipt})
        return answer.pending

    async def interactions(
        self, user_id: str, *, session_id: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Interaction]:
        """Interactions by time, the newest first; of one session, or of all."""
        return await self._page("/v1/interactions", Page[Interaction], user_id, cursor, limit, session_id=session_id)

    async def interaction(self, user_id: str, interaction_id: str) -> Interaction:
        """NotFound when there is none of that id."""
        return await self._ask("GET", path_of("interactions", interaction_id), Interaction, {"user_id": user_id})

    async def forget_interaction(self, user_id: str, interaction_id: str) -> Forgotten:
        """Delete one interaction, and what was learned from it alone."""
        return await self._ask("DELETE", path_of("interactions", interaction_id), Forgotten, {"user_id": user_id})

    async def sessions(self, user_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[SessionInfo]:
        """The running conversations, the one used last first."""
        return await self._page("/v1/sessions", Page[SessionInfo], user_id, cursor, limit)

    async def session(self, user_id: str, session_id: str) -> SessionView:
        """Summary and latest messages of a running conversation."""
        return await self._ask("GET", path_of("sessions", session_id), SessionView, {"user_id": user_id})

    async def delete_session(self, user_id: str, session_id: str) -> Forgotten:
        """Remove a running conversation from short-term memory; its interactions stay."""
        return await self._ask("DELETE", path_of("sessions", session_id), Forgotten, {"user_id": user_id})

    async def entities(
        self, user_id: str, *, label: EntityLabel | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Entity]:
        """Entities by name."""
        return await self._page("/v1/entities", Page[Entity], user_id, cursor, limit, label=label)

    async def entity(self, user_id: str, entity_id: str) -> Entity:
        """NotFound when there is none of that id."""
        return await self._ask("GET", path_of("entities", entity_id), Entity, {"user_id": user_id})

    async def merge_entities(self, entity_id: str, request: MergeIn) -> Entity:
        """Make one entity of two that are the same; the absorbed name becomes an alias."""
        return await self._ask("POST", path_of("entities", entity_id, "merge"), Entity, body=request, repeat=False)

    async def split_entity(self, entity_id: str, request: SplitIn) -> Page[Entity]:
        """Undo a merge: the entity, then the one that is its own again."""
        path = path_of("entities", entity_id, "split")
        return await self._ask("POST", path, Page[Entity], body=request, repeat=False)

    async def forget_entity(self, user_id: str, entity_id: str) -> Forgotten:
        """Delete an entity and its relationships."""
        return await self._ask("DELETE", path_of("entities", entity_id), Forgotten, {"user_id": user_id})

    async def relationships(
        self,
        user_id: str,
        *,
        entity_id: str | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Relationship]:
        """Relationships, of one entity or of all; confidence decayed to `as_of`, or to the present."""
        page = Page[Relationship]
        return await self._page("/v1/relationships", page, user_id, cursor, limit, entity_id=entity_id, as_of=as_of)

    async def relationship(self, user_id: str, relationship_id: str) -> Relationship:
        """NotFound when there is none of that id."""
        return await self._ask("GET", path_of("relationships", relationship_id), Relationship, {"user_id": user_id})

    async def forget_relationship(self, user_id: str, relationship_id: str) -> Forgotten:
        """Delete a relationship; its entities stay."""
        return await self._ask("DELETE", path_of("relationships", relationship_id), Forgotten, {"user_id": user_id})

    async def preferences(
        self, user_id: str, *, category: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Preference]:
        """Preferences by category and key."""
        return await self._page("/v1/preferences", Page[Preference], user_id, cursor, limit, category=category)

    async def set_preference(self, request: PreferenceIn) -> Preference:
        """Write a preference; an inferred value never replaces a stated one."""
        return await self._ask("POST", "/v1/preferences", Preference, body=_with_id(request))

    async def preference(self, user_id: str, preference_id: str) -> Preference:
        """NotFound when there is none of that id."""
        return await self._ask("GET", path_of("preferences", preference_id), Preference, {"user_id": user_id})

    async def preference_versions(self, user_id: str, preference_id: str) -> Page[Preference]:
        """Every version, newest first."""
        path = path_of("preferences", preference_id, "versions")
        return await self._ask("GET", path, Page[Preference], {"user_id": user_id})

    async def restore_preference(self, preference_id: str, request: Restore) -> Preference:
        """Make an earlier version current again, as a new version."""
        path = path_of("preferences", preference_id, "restore")
        return await self._ask("POST", path, Preference, body=request, repeat=False)

    async def forget_preference(self, user_id: str, preference_id: str) -> Forgotten:
        """Delete a preference."""
        return await self._ask("DELETE", path_of("preferences", preference_id), Forgotten, {"user_id": user_id})

    async def rules(
        self, user_id: str, *, active: bool | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Rule]:
        """Rules by priority, highest first."""
        return await self._page("/v1/rules", Page[Rule], user_id, cursor, limit, active=active)

    async def create_rule(self, request: RuleIn) -> Rule:
        """Conflict when the id is known with another text."""
        return await self._ask("POST", "/v1/rules", Rule, body=_with_id(request))

    async def rule(self, user_id: str, rule_id: str) -> Rule:
        """NotFound when there is none of that id."""
        return await self._ask("GET", path_of("rules", rule_id), Rule, {"user_id": user_id})

    async def update_rule(self, rule_id: str, change: RuleChange) -> Rule:
        """Change what is given, as a new version."""
        return await self._ask("PATCH", path_of("rules", rule_id), Rule, body=change, repeat=False)

    async def rule_versions(self, user_id: str, rule_id: str) -> Page[Rule]:
        """Every version, newest first."""
        return await self._ask("GET", path_of("rules", rule_id, "versions"), Page[Rule], {"user_id": user_id})

    async def restore_rule(self, rule_id: str, request: Restore) -> Rule:
        """Make an earlier version current again, as a new version."""
        return await self._ask("POST", path_of("rules", rule_id, "restore"), Rule, body=request, repeat=False)

    async def record_outcome(self, rule_id: str, outcome: Outcome) -> Rule:
        """Count an activation and move the success rate."""
        return await self._ask("POST", path_of("rules", rule_id, "outcomes"), Rule, body=outcome, repeat=False)

    async def forget_rule(self, user_id: str, rule_id: str) -> Forgotten:
        """Delete a rule."""
        return await self._ask("DELETE", path_of("rules", rule_id), Forgotten, {"user_id": user_id})

    async def _page(
        self, path: str, kind: type[T], user_id: str, cursor: str | None, limit: int, **narrowed: Parameter
    ) -> T:
        return await self._ask("GET", path, kind, {"user_id": user_id, "limit": limit, "cursor": cursor, **narrowed})


def _with_id(request: PreferenceIn | RuleIn) -> PreferenceIn | RuleIn:
    return request if request.id is not None else request.model_copy(update={"id": uuid4().hex})
