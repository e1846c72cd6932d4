"""MemoryClient: the gateway from Python.

    async with MemoryClient("http://127.0.0.1:8700", key) as memory:
        await memory.remember(StoreRequest(user_id="u1", messages=(MessageIn(content="I moved to Porto."),)))
        answer = await memory.recall(RecallRequest(user_id="u1", query="Where do I live?"))
        print(answer.context)

Bodies are the models of `ragpp.api`, results those and the values of `ragpp.models`; a problem document is raised as
the error that its code names (`ragpp.errors`), and a gateway that cannot be reached as GatewayUnreachable.

Over 300 lines, since there is a short method for every route.
"""

import asyncio
import time
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar
from uuid import uuid4

import httpx

from ragpp.api import (
    ConfirmIn,
    ExtractIn,
    ForgetAnswer,
    ForgetRequest,
    Forgotten,
    ForgottenMessage,
    JudgementIn,
    MergeIn,
    Outcome,
    Pending,
    PreferenceIn,
    RecallRequest,
    RecallResponse,
    ReflectIn,
    Restore,
    RuleChange,
    RuleIn,
    SettingsIn,
    SplitIn,
    StoreRequest,
    StoreResponse,
    UserIn,
)
from ragpp.jobs import Job, JobState, LagReport, UserSettings
from ragpp.learned import (
    Finding,
    Reflection,
    ReflectionKind,
    RelationshipState,
    ReviewList,
)
from ragpp.models import (
    Entity,
    EntityLabel,
    FindingKind,
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

    async def forget_interaction(
        self, user_id: str, interaction_id: str, *, replies: bool = False, dry_run: bool = False
    ) -> ForgottenMessage:
        """Delete one interaction, and what was learned from it; with `replies` also the messages that repeat
        it."""
        asked: dict[str, Parameter] = {"user_id": user_id}
        asked |= {name: True for name, wanted in (("replies", replies), ("dry_run", dry_run)) if wanted}
        return await self._ask("DELETE", path_of("interactions", interaction_id), ForgottenMessage, asked)

    async def forget_about(self, request: ForgetRequest) -> ForgetAnswer:
        """Find what is about somebody or something, a page at a time; forget it where the request confirms it. Conflict
        when what is confirmed is not what there is about it."""
        return await self._ask("POST", "/v1/forget", ForgetAnswer, body=request, repeat=request.confirm is None)

    async def confirm_forget(self, request: ForgetRequest, found: ForgetAnswer) -> ForgetAnswer:
        """Forget everything that `found` lists, on all of its pages. Conflict when there is more or less by now."""
        confirm = ConfirmIn(token=found.token)
        return await self.forget_about(request.model_copy(update={"confirm": confirm, "cursor": None}))

    async def sessions(self, user_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[SessionInfo]:
        """The running conversations, the one used last first."""
        return await self._page("/v1/sessions", Page[SessionInfo], user_id, cursor, limit)

    async def session(self, user_id: str, session_id: str) -> SessionView:
        """Summary and latest messages of a running conversation."""
        return await self._ask("GET", path_of("sessions", session_id), SessionView, {"user_id": user_id})

    async def end_session(self, user_id: str, session_id: str) -> Forgotten:
        """Remove a running conversation from short-term memory; its interactions stay."""
        asked: dict[str, Parameter] = {"user_id": user_id, "interactions": "keep"}
        return await self._ask("DELETE", path_of("sessions", session_id), Forgotten, asked)

    async def forget_session(self, user_id: str, session_id: str, *, dry_run: bool = False) -> Job:
        """Forget a session's interactions and what was learned from them; `ended_job` then has the report."""
        asked: dict[str, Parameter] = {"user_id": user_id, "dry_run": dry_run}
        return await self._ask("DELETE", path_of("sessions", session_id), Job, asked)

    async def erase_user(self, user_id: str, *, dry_run: bool = False) -> Job:
        """Forget everything of a user; `ended_job` then has the report."""
        return await self._ask("DELETE", path_of("users", user_id), Job, {"dry_run": dry_run})

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
        state: RelationshipState = "current",
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Relationship]:
        """Relationships of one entity or of all that are, or at `as_of` were, of this state."""
        asked: dict[str, Parameter] = {"entity_id": entity_id, "as_of": as_of, "state": state}
        return await self._page("/v1/relationships", Page[Relationship], user_id, cursor, limit, **asked)

    async def relationship(self, user_id: str, relationship_id: str) -> Relationship:
        """NotFound when there is none of that id."""
        return await self._ask("GET", path_of("relationships", relationship_id), Relationship, {"user_id": user_id})

    async def confirm_relationship(self, user_id: str, relationship_id: str) -> Relationship:
        """Its confidence is 1 from now."""
        return await self._tell(relationship_id, "confirm", user_id)

    async def reject_relationship(self, user_id: str, relationship_id: str) -> Relationship:
        """It is not shown, and not learned again."""
        return await self._tell(relationship_id, "reject", user_id)

    async def restore_relationship(self, user_id: str, relationship_id: str) -> Relationship:
        """Bring an archived one back. Conflict when it is not archived."""
        return await self._tell(relationship_id, "restore", user_id)

    async def _tell(self, relationship_id: str, what: str, user_id: str) -> Relationship:
        path, body = path_of("relationships", relationship_id, what), UserIn(user_id=user_id)
        return await self._ask("POST", path, Relationship, body=body, repeat=what != "restore")

    async def forget_relationship(self, user_id: str, relationship_id: str) -> Forgotten:
        """Delete a relationship; its entities stay."""
        return await self._ask("DELETE", path_of("relationships", relationship_id), Forgotten, {"user_id": user_id})

    async def preferences(
        self,
        user_id: str,
        *,
        category: str | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Preference]:
        """Preferences by category and key; as they are, or as they were at `as_of`."""
        page = Page[Preference]
        return await self._page("/v1/preferences", page, user_id, cursor, limit, category=category, as_of=as_of)

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

    async def confirm_preference(self, user_id: str, preference_id: str, value: str | None = None) -> Preference:
        """Its value, or `value`, which it has or had, counts as stated, with a confidence of 1."""
        return await self._judge(preference_id, "confirm", user_id, value)

    async def reject_preference(self, user_id: str, preference_id: str, value: str | None = None) -> Preference:
        """Its value, or `value`, is not shown, and not learned again; answers the one before, where there is one."""
        return await self._judge(preference_id, "reject", user_id, value)

    async def _judge(self, preference_id: str, how: str, user_id: str, value: str | None) -> Preference:
        body = JudgementIn(user_id=user_id) if value is None else JudgementIn(user_id=user_id, value=value)
        # without a value a repeat would judge whatever the first one has left
        path = path_of("preferences", preference_id, how)
        return await self._ask("POST", path, Preference, body=body, repeat=value is not None)

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

    async def confirm_rule(self, user_id: str, rule_id: str) -> Rule:
        """It is active, and no longer proposed."""
        return await self._ask("POST", path_of("rules", rule_id, "confirm"), Rule, body=UserIn(user_id=user_id))

    async def reject_rule(self, user_id: str, rule_id: str) -> Rule:
        """A proposed one is deleted and not learned again; answered as it was. Conflict for any other."""
        path = path_of("rules", rule_id, "reject")
        return await self._ask("POST", path, Rule, body=UserIn(user_id=user_id), repeat=False)

    async def forget_rule(self, user_id: str, rule_id: str) -> Forgotten:
        """Delete a rule."""
        return await self._ask("DELETE", path_of("rules", rule_id), Forgotten, {"user_id": user_id})

    async def review(self, user_id: str, *, below: float | None = None, limit: int = 50) -> ReviewList:
        """Relationships and preferences that are not sure, on which nobody has judged, the surest first; and rules that
        are proposed, with what was said."""
        asked: dict[str, Parameter] = {"below": below, "limit": limit}
        return await self._ask("GET", path_of("users", user_id, "review"), ReviewList, asked)

    async def findings(
        self,
        user_id: str,
        *,
        finding: FindingKind | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Finding]:
        """Patterns, decisions, insights, errors, plans and dated events, the latest first; or what had been found by
        `as_of`."""
        page = Page[Finding]
        return await self._page("/v1/findings", page, user_id, cursor, limit, finding=finding, as_of=as_of)

    async def forget_finding(self, user_id: str, finding_id: str) -> Forgotten:
        """Delete a finding; it is not made again."""
        return await self._ask("DELETE", path_of("findings", finding_id), Forgotten, {"user_id": user_id})

    async def reflections(
        self, user_id: str, *, kind: ReflectionKind | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Reflection]:
        """The reports of reflections, the latest date first."""
        asked: dict[str, Parameter] = {"kind": kind, "cursor": cursor, "limit": limit}
        return await self._ask("GET", path_of("users", user_id, "reflections"), Page[Reflection], asked)

    async def reflection(self, user_id: str, reflection_id: str) -> Reflection:
        """NotFound when there is none of that id."""
        return await self._ask("GET", path_of("users", user_id, "reflections", reflection_id), Reflection)

    async def jobs(
        self,
        user_id: str | None = None,
        *,
        stage: str | None = None,
        state: JobState | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Job]:
        """What the workers do, did or failed at, newest first; of one user, or of all that the key may read."""
        asked: dict[str, Parameter] = {
            "user_id": user_id,
            "stage": stage,
            "state": state,
            "cursor": cursor,
            "limit": limit,
        }
        return await self._ask("GET", "/v1/jobs", Page[Job], asked)

    async def job(self, job_id: str) -> Job:
        """NotFound when there is none of that id."""
        return await self._ask("GET", path_of("jobs", job_id), Job)

    async def ended_job(self, job_id: str, *, timeout_s: float = 60.0) -> Job:
        """The job once it no longer waits and is not being done, or as it is after `timeout_s`."""
        ends = time.monotonic() + timeout_s
        pause_s = 0.05
        while True:
            job = await self.job(job_id)
            if job.state not in {"pending", "leased"} or time.monotonic() >= ends:
                return job
            await asyncio.sleep(min(pause_s, max(0.0, ends - time.monotonic())))
            pause_s = min(2 * pause_s, 1.0)

    async def retry_job(self, job_id: str) -> Job:
        """Give a failed or cancelled job another round of attempts. Conflict when it is neither."""
        return await self._ask("POST", path_of("jobs", job_id, "retry"), Job, repeat=False)

    async def cancel_job(self, job_id: str) -> Job:
        """Let a job that waits never be done. Conflict when it no longer waits, or forgets."""
        return await self._ask("POST", path_of("jobs", job_id, "cancel"), Job, repeat=False)

    async def lag(self, user_id: str | None = None) -> LagReport:
        """How far the workers are behind, with one user or with all."""
        return await self._ask("GET", "/v1/lag", LagReport, {"user_id": user_id})

    async def extract(self, user_id: str, request: ExtractIn | None = None) -> Job:
        """Extract from a window, by default the hour up to the latest interaction; see `ended_job`."""
        path = path_of("users", user_id, "extract")
        return await self._ask("POST", path, Job, body=_named(request or ExtractIn()))

    async def reflect(self, user_id: str, request: ReflectIn | None = None) -> Job:
        """Reflect, by default on the day of the latest interaction; see `ended_job`."""
        path = path_of("users", user_id, "reflect")
        return await self._ask("POST", path, Job, body=_named(request or ReflectIn()))

    async def user_settings(self, user_id: str) -> UserSettings:
        """How the user's memory is looked after; the defaults where nothing was set."""
        return await self._ask("GET", path_of("users", user_id, "settings"), UserSettings)

    async def set_user_settings(self, user_id: str, settings: SettingsIn) -> UserSettings:
        """Set all of them; InvalidInput for a time zone that there is none of."""
        return await self._ask("PUT", path_of("users", user_id, "settings"), UserSettings, body=settings)

    async def _page(
        self, path: str, kind: type[T], user_id: str, cursor: str | None, limit: int, **narrowed: Parameter
    ) -> T:
        return await self._ask("GET", path, kind, {"user_id": user_id, "limit": limit, "cursor": cursor, **narrowed})


NamedT = TypeVar("NamedT", ExtractIn, ReflectIn)


def _named(request: NamedT) -> NamedT:
    return request if request.id is not None else request.model_copy(update={"id": uuid4().hex})


def _with_id(request: PreferenceIn | RuleIn) -> PreferenceIn | RuleIn:
    return request if request.id is not None else request.model_copy(update={"id": uuid4().hex})
