"""Every route of the gateway, as a method; those of the catalog are in a module of their own.

Over 300 lines: an entry for each, a table more than code.
"""

# mypy: disable-error-code="empty-body"
# what `@route` decorates is a signature alone

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from ragpp.api import (
    ActivationIn,
    AuditEntry,
    AuditOutcome,
    ConfirmIn,
    EntityChange,
    ExtractIn,
    FindingChange,
    ForgetAnswer,
    ForgetRequest,
    Forgotten,
    ForgottenMessage,
    HealthReport,
    KeyIn,
    KeyInfo,
    KeyMade,
    Live,
    MergeIn,
    Outcome,
    Pending,
    Pin,
    PinList,
    PreferenceIn,
    Profile,
    Ready,
    RecallRequest,
    RecallResponse,
    ReflectIn,
    RelationshipIn,
    Restore,
    RetentionIn,
    RuleChange,
    RuleIn,
    SettingsIn,
    SplitIn,
    StoreRequest,
    StoreResponse,
)
from ragpp.client.calls import STORE, Flow
from ragpp.client.catalog_verbs import CatalogVerbs
from ragpp.client.hook_verbs import HookVerbs
from ragpp.client.personal_verbs import PersonalVerbs
from ragpp.client.plain import message, question
from ragpp.client.route import composed, route
from ragpp.fields import TokenizerName
from ragpp.filtering import MetadataFilter
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
    KnownUser,
    Page,
    Preference,
    Relationship,
    Role,
    Rule,
    SessionInfo,
    SessionView,
)
from ragpp.retention import RetainedTier


def _only_lists(given: Mapping[str, object]) -> bool:
    request = given["request"]
    return isinstance(request, ForgetRequest) and request.confirm is None


def _names_the_value(given: Mapping[str, object]) -> bool:
    """Without a value a repeat would judge whatever the first one has left."""
    return given["value"] is not None


class Verbs(CatalogVerbs, HookVerbs, PersonalVerbs):
    """The public API; how its calls are made is its subclass's."""

    @route("POST", STORE, body=StoreRequest, plain=message)
    def remember(self, request: StoreRequest) -> StoreResponse:
        """Store a message; several are given by the fields of a StoreRequest, or as one. Acknowledged, they are kept.

            from ragpp import MemoryClient
            from ragpp.api import MessageIn

            with MemoryClient() as memory:
                written = memory.remember("My sister Elena moved to Porto.", user="ana")
                memory.remember("She likes it there.", user="ana", session="monday", role="assistant")
                print(memory.pending("ana", written.receipt))
                memory.remember(user_id="ana", messages=[MessageIn(content="Hello."), MessageIn(content="Goodbye.")])

        Recall finds the words at once. It is learned from them in the background, some seconds later: `pending` answers
        0 then, and a recall with `after=written.receipt` waits for it.

        Raises Conflict when an id is known with other content; TextTooLong for one of over 100,000 characters;
        InvalidInput for what else is no message; TypeError for an argument that there is not; TooMuchAtOnce;
        Unauthenticated; Forbidden; RateLimited; GatewayUnreachable. With an outbox neither of the last two is raised:
        the message is kept, and the answer has no receipt.
        """

    @route("POST", "/v1/recall", body=RecallRequest, plain=question)
    def recall(self, request: RecallRequest) -> RecallResponse:
        """The memory's answer to a query, as one context and as a ranking; RecallRequest and its fields do, too.

            from ragpp import MemoryClient

            apollo = {"equal": {"key": "project", "value": "apollo"}}  # what `metadata` has
            with MemoryClient() as memory:
                answer = memory.recall("Where does my sister live?", user="ana", token_budget=500)
                print(answer.context if answer.relevance != "none" else "I do not know.")
                print(memory.recall("What is decided?", user="ana", filter=apollo).memories)

        A tier that is away makes the answer `partial`, and is no error. What was learned from a message comes some
        seconds after it: give its receipt as `after`.

        Raises InvalidInput for what is no question; TypeError for an argument that there is not; Unauthenticated;
        Forbidden; RateLimited; TierUnavailable when no tier answers; GatewayUnreachable.
        """

    @route("GET", "/v1/pending")
    def _pending(self, user_id: str, receipt: str | None = None) -> Pending:
        """How many events are not yet digested."""

    @composed
    def pending(self, user_id: str, receipt: str | None = None) -> Flow[int]:
        """How many of the user's events are not yet digested; of one write, or of all.

            written = memory.remember("I prefer tea.", user="ana")
            memory.pending("ana", written.receipt)  # 0: it can be recalled with all that was learned from it

        `user_id`: id of the user, 1 to 256 characters.
        `receipt`: of one write, as `remember` answers it; else all are counted.

        Raises InvalidInput for what is no receipt.
        """
        answer = yield from Verbs._pending.flow(self, user_id, receipt)
        return answer.pending

    @route("GET", "/v1/interactions")
    def interactions(
        self,
        user_id: str,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        role: Role | None = None,
        message_type: str | None = None,
        channel: str | None = None,
        domain: str | None = None,
        task_type: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
        filter: MetadataFilter | Mapping[str, object] | None = None,  # noqa: A002 - as the route calls it
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Interaction]:
        """Interactions by time, the newest first unless wanted otherwise; of one session, agent …, or all.

            page = memory.interactions("ana", session_id="monday", limit=20)
            more = memory.interactions("ana", session_id="monday", cursor=page.next_cursor)

        Raises InvalidInput for a cursor of another question.
        """

    @route("GET", "/v1/interactions/{interaction_id}")
    def interaction(self, user_id: str, interaction_id: str) -> Interaction:
        """NotFound when there is none of that id."""

    @route("DELETE", "/v1/interactions/{interaction_id}")
    def forget_interaction(
        self, user_id: str, interaction_id: str, *, replies: bool = False, dry_run: bool = False
    ) -> ForgottenMessage:
        """Delete one interaction, and what was learned from it; with `replies` also the messages that repeat it.

            memory.forget_interaction("ana", "m-17", dry_run=True)  # what would go
            memory.forget_interaction("ana", "m-17", replies=True)

        Raises NotFound when there is none of that id; Forbidden when the key may not forget.
        """

    @route("POST", "/v1/forget", body=ForgetRequest, repeat=_only_lists)
    def forget_about(self, request: ForgetRequest) -> ForgetAnswer:
        """Find what is about somebody or something, a page at a time; forget it where the request confirms it.

            from ragpp.api import AboutIn, ForgetRequest

            request = ForgetRequest(user_id="ana", about=AboutIn(entity="Elena"))
            found = memory.forget_about(request)  # lists, and forgets nothing
            memory.confirm_forget(request, found)

        Raises Conflict when what is confirmed is not what there is about it; Forbidden when the key may not forget.
        """

    @composed
    def confirm_forget(self, request: ForgetRequest, found: ForgetAnswer) -> Flow[ForgetAnswer]:
        """Forget everything that `found` lists, on all of its pages. Conflict when there is more or less by now."""
        confirm = ConfirmIn(token=found.token)
        confirmed = request.model_copy(update={"confirm": confirm, "cursor": None})
        return (yield from Verbs.forget_about.flow(self, confirmed))

    @route("GET", "/v1/sessions")
    def sessions(self, user_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[SessionInfo]:
        """The running conversations, the one used last first."""

    @route("GET", "/v1/sessions/{session_id}")
    def session(
        self,
        user_id: str,
        session_id: str,
        *,
        token_budget: int | None = None,
        tokenizer: TokenizerName | None = None,
    ) -> SessionView:
        """Summary and latest messages of a running conversation."""

    @route("DELETE", "/v1/sessions/{session_id}")
    def end_session(self, user_id: str, session_id: str, *, interactions: Literal["keep"] = "keep") -> Forgotten:
        """Remove a running conversation from short-term memory; its interactions stay."""

    @route("DELETE", "/v1/sessions/{session_id}")
    def forget_session(self, user_id: str, session_id: str, *, dry_run: bool = False) -> Job:
        """Forget a session's interactions and what was learned from them; `ended_job` then has the report."""

    @route("DELETE", "/v1/users/{user_id}")
    def erase_user(self, user_id: str, *, dry_run: bool = False) -> Job:
        """Forget everything of a user; `ended_job` then has the report.

            job = memory.erase_user("ana")
            print(memory.ended_job(job.id, timeout_s=120).result)

        Raises Forbidden when the key may not forget.
        """

    @route("GET", "/v1/entities")
    def entities(
        self, user_id: str, *, label: EntityLabel | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Entity]:
        """Entities by name."""

    @route("GET", "/v1/entities/{entity_id}")
    def entity(self, user_id: str, entity_id: str) -> Entity:
        """NotFound when there is none of that id."""

    @route("PATCH", "/v1/entities/{entity_id}", after_id=EntityChange)
    def relabel_entity(self, entity_id: str, change: EntityChange) -> Entity:
        """Say what an entity is called, and what it is; its old name becomes an alias."""

    @route("POST", "/v1/entities/{entity_id}/merge", after_id=MergeIn, repeat=False)
    def merge_entities(self, entity_id: str, request: MergeIn) -> Entity:
        """Make one entity of two that are the same; the absorbed name becomes an alias."""

    @route("POST", "/v1/entities/{entity_id}/split", after_id=SplitIn, repeat=False)
    def split_entity(self, entity_id: str, request: SplitIn) -> Page[Entity]:
        """Undo a merge: the entity, then the one that is its own again."""

    @route("DELETE", "/v1/entities/{entity_id}")
    def forget_entity(self, user_id: str, entity_id: str) -> Forgotten:
        """Delete an entity and its relationships."""

    @route("GET", "/v1/relationships")
    def relationships(
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

    @route("POST", "/v1/relationships", body=RelationshipIn)
    def state_relationship(self, request: RelationshipIn) -> Relationship:
        """State a relationship; it is confirmed, and rests on no message."""

    @route("GET", "/v1/relationships/{relationship_id}")
    def relationship(self, user_id: str, relationship_id: str) -> Relationship:
        """NotFound when there is none of that id."""

    @route("POST", "/v1/relationships/{relationship_id}/confirm")
    def confirm_relationship(self, user_id: str, relationship_id: str) -> Relationship:
        """Its confidence is 1 from now."""

    @route("POST", "/v1/relationships/{relationship_id}/reject")
    def reject_relationship(self, user_id: str, relationship_id: str) -> Relationship:
        """It is not shown, and not learned again."""

    @route("POST", "/v1/relationships/{relationship_id}/restore", repeat=False)
    def restore_relationship(self, user_id: str, relationship_id: str) -> Relationship:
        """Bring an archived one back. Conflict when it is not archived."""

    @route("DELETE", "/v1/relationships/{relationship_id}")
    def forget_relationship(self, user_id: str, relationship_id: str) -> Forgotten:
        """Delete a relationship; its entities stay."""

    @route("GET", "/v1/preferences")
    def preferences(
        self,
        user_id: str,
        *,
        category: str | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Preference]:
        """Preferences by category and key; as they are, or as they were at `as_of`.

            print(memory.preferences("ana", category="drink").items)

        Raises InvalidInput for a cursor of another question.
        """

    @route("POST", "/v1/preferences", body=PreferenceIn)
    def set_preference(self, request: PreferenceIn) -> Preference:
        """Write a preference; an inferred value never replaces a stated one.

            memory.set_preference(user_id="ana", category="drink", key="milk", value="oat")

        Raises InvalidInput for a value that cannot be stored.
        """

    @route("GET", "/v1/preferences/{preference_id}")
    def preference(self, user_id: str, preference_id: str) -> Preference:
        """NotFound when there is none of that id."""

    @route("GET", "/v1/preferences/{preference_id}/versions")
    def preference_versions(self, user_id: str, preference_id: str) -> Page[Preference]:
        """Every version, newest first."""

    @route("POST", "/v1/preferences/{preference_id}/restore", after_id=Restore, repeat=False)
    def restore_preference(self, preference_id: str, request: Restore) -> Preference:
        """Make an earlier version current again, as a new version."""

    @route("POST", "/v1/preferences/{preference_id}/confirm", repeat=_names_the_value)
    def confirm_preference(self, user_id: str, preference_id: str, value: JsonValue = None) -> Preference:
        """Its value, or `value`, which it has or had, counts as stated, with a confidence of 1."""

    @route("POST", "/v1/preferences/{preference_id}/reject", repeat=_names_the_value)
    def reject_preference(self, user_id: str, preference_id: str, value: JsonValue = None) -> Preference:
        """Its value, or `value`, is not shown, and not learned again; answers the one before, where there is one."""

    @route("DELETE", "/v1/preferences/{preference_id}")
    def forget_preference(self, user_id: str, preference_id: str) -> Forgotten:
        """Delete a preference."""

    @route("GET", "/v1/rules")
    def rules(
        self, user_id: str, *, active: bool | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Rule]:
        """Rules by priority, highest first."""

    @route("POST", "/v1/rules", body=RuleIn)
    def create_rule(self, request: RuleIn) -> Rule:
        """Conflict when the id is known with another text."""

    @route("GET", "/v1/rules/{rule_id}")
    def rule(self, user_id: str, rule_id: str) -> Rule:
        """NotFound when there is none of that id."""

    @route("PATCH", "/v1/rules/{rule_id}", after_id=RuleChange, repeat=False)
    def update_rule(self, rule_id: str, change: RuleChange) -> Rule:
        """Change what is given, as a new version."""

    @route("GET", "/v1/rules/{rule_id}/versions")
    def rule_versions(self, user_id: str, rule_id: str) -> Page[Rule]:
        """Every version, newest first."""

    @route("POST", "/v1/rules/{rule_id}/restore", after_id=Restore, repeat=False)
    def restore_rule(self, rule_id: str, request: Restore) -> Rule:
        """Make an earlier version current again, as a new version."""

    @route("POST", "/v1/rules/{rule_id}/activations", after_id=ActivationIn)
    def record_activation(self, rule_id: str, activation: ActivationIn) -> Rule:
        """Count that the rule was activated, once for its id."""

    @route("POST", "/v1/rules/{rule_id}/outcomes", after_id=Outcome, repeat=False)
    def record_outcome(self, rule_id: str, outcome: Outcome) -> Rule:
        """Count an outcome and move the success rate, once for its id."""

    @route("POST", "/v1/rules/{rule_id}/confirm")
    def confirm_rule(self, user_id: str, rule_id: str) -> Rule:
        """It is active, and no longer proposed."""

    @route("POST", "/v1/rules/{rule_id}/reject", repeat=False)
    def reject_rule(self, user_id: str, rule_id: str) -> Rule:
        """It is deleted, and not learned again; answered as it was."""

    @route("DELETE", "/v1/rules/{rule_id}")
    def forget_rule(self, user_id: str, rule_id: str) -> Forgotten:
        """Delete a rule."""

    @route("GET", "/v1/users")
    def users(self, *, cursor: str | None = None, limit: int = 50) -> Page[KnownUser]:
        """The tenant's users who have messages, preferences, rules or findings, by id; a bound key's own one."""

    @route("GET", "/v1/users/{user_id}/profile")
    def profile(self, user_id: str, *, min_confidence: float = 0.1, limit: int = 50) -> Profile:
        """A user's profile: one paragraph, and lists by kind with their ids.

            print(memory.profile("ana").text)

        `user_id`: id of the user, 1 to 256 characters; of one who said nothing the profile is empty.
        `min_confidence`: least confidence of what is in it, 0 to 1; else 0.1.
        `limit`: most things of each kind, 1 to 200; else 50.

        Raises Forbidden for another user than the one that the key is bound to.
        """

    @route("GET", "/v1/users/{user_id}/review")
    def review(self, user_id: str, *, below: float | None = None, limit: int = 50) -> ReviewList:
        """Relationships and preferences that are not sure, on which nobody has judged, the surest first; and rules that
        are proposed, with what was said.

            for doubtful in memory.review("ana").preferences:
                print(doubtful.id, doubtful.key, doubtful.value)  # confirm_preference and reject_preference judge it

        `user_id`: id of the user, 1 to 256 characters.
        `below`: only what has less confidence than this, 0 to 1; else the gateway's LEARNING_REVIEW_BELOW, 0.5.
        `limit`: most things of each kind, 1 to 200; else 50.

        Raises Forbidden for another user than the one that the key is bound to.
        """

    @route("GET", "/v1/findings")
    def findings(
        self,
        user_id: str,
        *,
        finding: FindingKind | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Finding]:
        """Findings of one kind or of all, the latest first; or what had been found by `as_of`.

            for plan in memory.findings("ana", finding="plan").items:
                print(plan.id, plan.text)

        `user_id`: id of the user, 1 to 256 characters.
        `finding`: kind of them, such as `plan`, `taste` or `event`; else all.
        `as_of`: moment, in UTC where it has no offset; else now.
        `cursor`: `next_cursor` of the page before; else the first page.
        `limit`: most findings on the page, 1 to 200; else 50.

        Raises InvalidInput for a cursor of another question.
        """

    @route("PATCH", "/v1/findings/{finding_id}", after_id=FindingChange, repeat=False)
    def correct_finding(self, finding_id: str, change: FindingChange) -> Finding:
        """Put a person's words in place of the finding's, which stay whatever is said later."""

    @route("POST", "/v1/findings/{finding_id}/confirm")
    def confirm_finding(self, user_id: str, finding_id: str) -> Finding:
        """It is sure, and holds also where something that was said before seemed to end it."""

    @route("POST", "/v1/findings/{finding_id}/reject", repeat=False)
    def reject_finding(self, user_id: str, finding_id: str) -> Finding:
        """It is deleted, and not made again; answered as it was."""

    @route("DELETE", "/v1/findings/{finding_id}")
    def forget_finding(self, user_id: str, finding_id: str) -> Forgotten:
        """Delete a finding; it is not made again."""

    @route("GET", "/v1/users/{user_id}/reflections")
    def reflections(
        self, user_id: str, *, kind: ReflectionKind | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Reflection]:
        """The reports of reflections, the latest date first."""

    @route("GET", "/v1/users/{user_id}/reflections/{reflection_id}")
    def reflection(self, user_id: str, reflection_id: str) -> Reflection:
        """NotFound when there is none of that id."""

    @route("GET", "/v1/jobs")
    def jobs(
        self,
        user_id: str | None = None,
        *,
        stage: str | None = None,
        state: JobState | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Job]:
        """Jobs the workers do, did or failed at, newest first; of one user, or of all that the key may read."""

    @route("GET", "/v1/jobs/{job_id}")
    def job(self, job_id: str, *, user_id: str | None = None) -> Job:
        """NotFound when there is none of that id."""

    @composed
    def ended_job(self, job_id: str, *, timeout_s: float = 60.0) -> Flow[Job]:
        """The job once it no longer waits and is not being done, or as it is after `timeout_s`.

            job = memory.ended_job(memory.reflect("ana").id)
            print(job.state, job.result)

        Raises NotFound when there is none of that id.
        """
        ends = time.monotonic() + timeout_s
        pause_s = 0.05
        while True:
            job = yield from Verbs.job.flow(self, job_id)
            if job.state not in {"pending", "leased"} or time.monotonic() >= ends:
                return job
            yield min(pause_s, max(0.0, ends - time.monotonic()))
            pause_s = min(2 * pause_s, 1.0)

    @route("POST", "/v1/jobs/{job_id}/retry", repeat=False)
    def retry_job(self, job_id: str, *, user_id: str | None = None) -> Job:
        """Give a failed or cancelled job another round of attempts. Conflict when it is neither."""

    @route("POST", "/v1/jobs/{job_id}/cancel", repeat=False)
    def cancel_job(self, job_id: str, *, user_id: str | None = None) -> Job:
        """Let a job that waits never be done. Conflict when it no longer waits, or forgets."""

    @route("GET", "/v1/lag")
    def lag(self, user_id: str | None = None) -> LagReport:
        """How far the workers are behind, with one user or with all."""

    @route("POST", "/v1/users/{user_id}/extract", after_id=ExtractIn)
    def extract(self, user_id: str, request: ExtractIn | None = None) -> Job:
        """Extract from a window, by default the hour up to the latest interaction; see `ended_job`."""

    @route("POST", "/v1/users/{user_id}/reflect", after_id=ReflectIn)
    def reflect(self, user_id: str, request: ReflectIn | None = None) -> Job:
        """Reflect, by default on the day of the latest interaction; see `ended_job`."""

    @route("GET", "/v1/users/{user_id}/settings")
    def user_settings(self, user_id: str) -> UserSettings:
        """How the user's memory is looked after; the defaults where nothing was set."""

    @route("PUT", "/v1/users/{user_id}/settings", after_id=SettingsIn)
    def set_user_settings(self, user_id: str, settings: SettingsIn) -> UserSettings:
        """Set all of them; InvalidInput for a time zone that there is none of."""

    @route("POST", "/v1/users/{user_id}/retention", after_id=RetentionIn, repeat=False)
    def retain(self, user_id: str, request: RetentionIn | None = None) -> Job:
        """Apply the retention policy, or, by default, only see what it would let go; see `ended_job`."""

    @route("GET", "/v1/users/{user_id}/pins")
    def pins(self, user_id: str) -> PinList:
        """The entries that retention leaves alone, by tier and id."""

    @route("PUT", "/v1/users/{user_id}/pins/{tier}/{item_id}")
    def pin(self, user_id: str, tier: RetainedTier, item_id: str) -> Pin:
        """Keep an item whatever the retention policy says, until it is unpinned or forgotten on request."""

    @route("DELETE", "/v1/users/{user_id}/pins/{tier}/{item_id}")
    def unpin(self, user_id: str, tier: RetainedTier, item_id: str) -> Pin:
        """From then on the retention policy applies to it. NotFound when it is not pinned."""

    @route("POST", "/v1/keys", body=KeyIn, repeat=False)
    def create_key(self, request: KeyIn) -> KeyMade:
        """Make a key of the own tenant, shown this once. The own key has the scope `admin` and whatever it gives.

            made = memory.create_key(scopes=("read", "write"), user="ana")
            print(made.key)  # the secret, which is not where `made` is printed

        Raises Forbidden for a key that may not: `ragpp key create --scopes …` makes one.
        """

    @route("GET", "/v1/keys")
    def keys(self, *, cursor: str | None = None, limit: int = 50) -> Page[KeyInfo]:
        """The tenant's keys, oldest first, without their secrets. The key has the scope `admin`."""

    @route("DELETE", "/v1/keys/{key_id}")
    def revoke_key(self, key_id: str, *, last: bool = False) -> KeyInfo:
        """Revoke a key, within seconds. Conflict for the last that could make one like it, unless `last`."""

    @route("GET", "/v1/audit")
    def audit(
        self,
        *,
        user_id: str | None = None,
        key_id: str | None = None,
        route: str | None = None,
        outcome: AuditOutcome | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        memory_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[AuditEntry]:
        """Who asked for what, and which memories that returned or changed, newest first. The key has the scope `admin`.

            for entry in memory.audit(user="ana", memory_id="m-17").items:
                print(entry.at, entry.key_id, entry.action)  # who has seen, changed or deleted it

        `route`: a path of the API, or method and path, as in `POST /v1/recall`. A memory that was forgotten is found
        with its user alone.
        """

    @route("POST", "/v1/health/report", repeat=False)
    def make_health_report(self) -> HealthReport:
        """Try everything out; takes seconds, a minute where the workers do nothing. The key has the scope `admin`."""

    @route("GET", "/v1/health/report")
    def health_report(self) -> HealthReport:
        """The last one that was made. NotFound where none was."""

    @route("GET", "/health/live")
    def live(self) -> Live:
        """That the gateway answers, and its version."""

    @route("GET", "/health/ready", repeat=False, told=frozenset({503}))
    def ready(self) -> Ready:
        """The readiness of the gateway: whether every tier answers, each named."""
