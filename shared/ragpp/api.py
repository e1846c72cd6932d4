"""The bodies of the public HTTP API, shared by the gateway and its clients.

Over 300 lines, a third of them the examples that the OpenAPI document shows.
"""

from datetime import date as day
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from ragpp.fields import (
    MAX_MESSAGES,
    Confidence,
    Content,
    Id,
    Label,
    Metadata,
    Moment,
    Name,
    NewId,
    Text,
    known_zone,
    storable,
)
from ragpp.jobs import UserSettings
from ragpp.learned import ReflectionKind, chosen
from ragpp.models import DEFAULT_SESSION, Health, Memory, Role, TierName, TimeRange, Value, Visibility
from ragpp.retention import RetainedTier

ChosenId = Annotated[NewId, AfterValidator(chosen)]
"""The id of what a person sets: none that the memory makes itself."""
TierStatusName = Literal["ok", "timeout", "unavailable", "error", "skipped"]

_MESSAGE_EXAMPLE: dict[str, JsonValue] = {
    "id": "m-17",
    "role": "user",
    "name": "Maria",
    "content": "My sister Elena moved to Porto last spring.",
    "occurred_at": "2026-03-08T13:56:00Z",
}


class MessageIn(Value):
    """One message to remember.

    `id`: chosen by the client, unique within the user; absent, the server makes one and a repeat is a new message.
    `occurred_at`: absent, the time of receipt; at most five minutes ahead. `learn`: false for a message that recall
    shall find and nothing shall be learned from; of an id that is known, what was said of it first counts.
    """

    model_config = ConfigDict(json_schema_extra={"example": _MESSAGE_EXAMPLE})

    id: NewId | None = None
    role: Role = "user"
    name: Name | None = None
    content: Content
    occurred_at: Moment | None = None
    message_type: Label = "conversation"
    channel: Label | None = None
    domain: Label | None = None
    task_type: Label | None = None
    metadata: Metadata = Field(default_factory=dict)
    learn: bool = True


class StoreRequest(Value):
    """Messages of one session, in the order they were said. `visibility`: `agent` for what only the agent that it was
    said to may see, and what is learned from it, `shared` for what all agents of the user may; absent, `agent` with a
    key that is bound to an agent, and `shared` otherwise."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"user_id": "u1", "session_id": "s1", "messages": [_MESSAGE_EXAMPLE]}}
    )

    user_id: NewId
    session_id: NewId = DEFAULT_SESSION
    agent_id: NewId | None = None
    visibility: Visibility | None = None
    messages: Annotated[tuple[MessageIn, ...], Field(min_length=1, max_length=MAX_MESSAGES)]


class StoredMessage(Value):
    """What became of one message. `forgotten`: a message of this id was forgotten, so it is not stored, whatever it
    says. `redactions`: how many secrets were removed from it before it was stored."""

    id: str
    duplicate: bool
    forgotten: bool = False
    redactions: int


class StoreResponse(Value):
    """Acknowledged: the messages are in the episodic tier for good, but for those that were forgotten before.
    `tiers.short_term` other than `ok` is repaired by the workers."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "receipt": "r1.2a.2a",
                "stored": [{"id": "m-17", "duplicate": False, "forgotten": False, "redactions": 0}],
                "timestamp": "2026-03-08T13:56:02Z",
                "tiers": {"episodic": "ok", "short_term": "ok"},
            }
        }
    )

    receipt: str
    stored: tuple[StoredMessage, ...]
    timestamp: datetime
    tiers: dict[TierName, TierStatusName]


class RecallRequest(Value):
    """A question to the memory of one user.

    `session_id`: the running conversation, shown as RECENT CONVERSATION; it does not narrow the search.
    `in_session`: only interactions of that session. `agent_id`: only interactions with that agent.
    `after`: a receipt; the recall waits, within its deadline, until that write has been digested.
    `as_of`: a moment in the conversations' own time; what was said later is not seen.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "session_id": "s1",
                "query": "Where does Maria's sister live?",
                "token_budget": 1000,
                "deadline_ms": 500,
            }
        }
    )

    user_id: Id
    query: Annotated[Text, Field(min_length=1, max_length=20_000)]
    session_id: Id | None = None
    agent_id: Id | None = None
    in_session: Id | None = None
    limit: int = Field(default=20, ge=1, le=200)
    token_budget: int | None = Field(default=None, ge=0, le=200_000)
    deadline_ms: int | None = Field(default=None, ge=1, le=60_000)
    tiers: Annotated[tuple[TierName, ...], Field(min_length=1)] | None = None
    time_range: TimeRange | None = None
    role: Role | None = None
    message_type: Label | None = None
    channel: Label | None = None
    domain: Label | None = None
    task_type: Label | None = None
    entities: Annotated[tuple[Name, ...], Field(max_length=50)] = ()
    similarity_threshold: Annotated[float, Field(ge=-1, le=1)] | None = None
    min_confidence: Confidence | None = None
    exclude: Annotated[frozenset[Id], Field(max_length=1_000)] = frozenset()
    after: Annotated[str, Field(max_length=64)] | None = None
    as_of: Moment | None = None
    explain: bool = False
    persona: Annotated[Text, Field(max_length=20_000)] | None = None
    tools: Annotated[tuple[Annotated[Text, Field(max_length=4_000)], ...], Field(max_length=100)] = ()
    situation: Annotated[Text, Field(max_length=20_000)] | Metadata | None = None

    @field_validator("query")
    @classmethod
    def _says_something(cls, query: str) -> str:
        if not query.strip():
            raise ValueError("says nothing")
        return query


class RecalledMemory(Memory):
    """A memory in the fused ranking. `in_context`: it is part of the assembled context. `is_excerpt`: `text` is the
    part of a long one around what was found, and `focus` counts from its beginning; its id gives the whole, whose
    length `tokens` is. `explain`, on request: its place and score in its tier, the signals that make up what the score
    is a logistic of (`raw`), and why it is not in the context (`cut`)."""

    in_context: bool = False
    is_excerpt: bool = False


class SectionOut(Value):
    """A titled part of the context; `memories` are the ids of what is shown in it."""

    title: str
    tokens: int
    memories: tuple[str, ...] = ()


class TierStatus(Value):
    """How one tier answered a recall."""

    status: TierStatusName
    ms: float
    hits: int = 0
    detail: str | None = None


class RecallResponse(Value):
    """`complete`: every tier that was asked answered in time; `partial` otherwise.

    `receipt_pending`: how many of the user's events are not yet digested; -1 when that could not be told.
    `memories`: the whole fused ranking, best first, up to `limit`.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "status": "complete",
                "context": "## RELEVANT PAST INTERACTIONS\n- [2026-03-08 18:02] Maria: My sister Elena moved to Porto "
                "last spring. (relevance: 0.91)",
                "tokens": 31,
                "elapsed_ms": 14.2,
                "retrieved_at": "2026-03-09T08:00:00Z",
                "receipt_pending": 0,
                "sections": [{"title": "RELEVANT PAST INTERACTIONS", "tokens": 31, "memories": ["m-17"]}],
                "memories": [
                    {
                        "id": "m-17",
                        "tier": "episodic",
                        "kind": "interaction",
                        "text": "My sister Elena moved to Porto last spring.",
                        "score": 0.91,
                        "similarity": 0.62,
                        "confidence": 1.0,
                        "tokens": 10,
                        "occurred_at": "2026-03-08T13:56:00Z",
                        "said_by": "Maria",
                        "session_id": "s1",
                        "sources": ["m-17"],
                        "metadata": {},
                        "in_context": True,
                    }
                ],
                "tiers": {"episodic": {"status": "ok", "ms": 6.1, "hits": 20}},
            }
        }
    )

    status: Literal["complete", "partial"]
    context: str
    tokens: int
    elapsed_ms: float
    retrieved_at: datetime
    receipt_pending: int
    sections: tuple[SectionOut, ...]
    memories: tuple[RecalledMemory, ...]
    tiers: dict[TierName, TierStatus]


class Forgotten(Value):
    """What a deletion did. A tier other than `ok` is cleaned by the workers as soon as it answers."""

    forgotten: int
    tiers: dict[TierName, TierStatusName] = Field(default_factory=dict)


class ForgottenMessage(Forgotten):
    """What deleting a message did. `repeated_by`: the messages of others than the user that repeat it, by time; with
    `replies` they went, too. `dry_run`: nothing was done, and `forgotten` would be. `job`: what forgets them,
    where they are more than 1,000."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "forgotten": 1,
                "tiers": {"episodic": "ok", "short_term": "ok", "semantic": "ok", "procedural": "ok"},
                "repeated_by": ["m-18"],
                "dry_run": False,
                "job": None,
            }
        }
    )

    repeated_by: tuple[str, ...] = ()
    dry_run: bool = False
    job: str | None = None


class AboutIn(Value):
    """Either an entity, by its id or by any name, also one that the graph does not know; or words, all of which a
    message has, in any regular form."""

    entity: Name | None = None
    words: Annotated[Text, Field(min_length=1, max_length=1_000)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.entity is None) == (self.words is None):
            raise ValueError("says either `entity` or `words`")
        return self


class ConfirmIn(Value):
    """Either ids of messages that were listed, or the `token` of the list for all of them."""

    ids: Annotated[tuple[Id, ...], Field(min_length=1, max_length=MAX_MESSAGES)] | None = None
    token: Annotated[str, Field(min_length=1, max_length=64)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.ids is None) == (self.token is None):
            raise ValueError("says either `ids` or `token`")
        return self


class ForgetRequest(Value):
    """What the messages to be found are about. `replies`: also those that only repeat one of them. `confirm`: which to
    forget; without it nothing is changed."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "about": {"entity": "Elena"}}})

    user_id: Id
    about: AboutIn
    replies: bool = True
    confirm: ConfirmIn | None = None
    cursor: Annotated[str, Field(max_length=4_096)] | None = None
    limit: int = Field(default=50, ge=1, le=200)


Why = Literal["mention", "name", "words", "repeats"]
"""mention: the graph knows it from this message; name: the message has a name of it; words: the message has the words;
repeats: it says again what one of the others says."""


class FoundMessage(Value):
    """A message that is about it."""

    id: str
    session_id: str
    occurred_at: datetime
    role: Role
    name: str | None = None
    excerpt: str
    why: tuple[Why, ...]


class ForgetAnswer(Value):
    """The messages about it, by time, a page at a time, or what is left of them. `total`: of all pages. `token`: stands
    for all of them in `confirm`. `names`: what the entity is called. `with_them`: how much that was learned would go
    as well. `forgotten`: how many messages went now, null where nothing was confirmed;
    a tier other than `ok` is cleaned by the workers. `job`: what forgets them, where they are more than 1,000."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "found": [
                    {
                        "id": "m-17",
                        "session_id": "s1",
                        "occurred_at": "2026-03-08T13:56:00Z",
                        "role": "user",
                        "name": "Maria",
                        "excerpt": "My sister Elena moved to Porto last spring.",
                        "why": ["mention", "name"],
                    }
                ],
                "total": 1,
                "next_cursor": None,
                "token": "9f86d081884c7d659a2feaa0c55ad015",
                "names": ["Elena"],
                "with_them": {"entities": 2, "relationships": 2, "preferences": 0, "rules": 0, "findings": 0},
                "forgotten": None,
                "tiers": {},
                "job": None,
            }
        }
    )

    found: tuple[FoundMessage, ...]
    total: int
    next_cursor: str | None = None
    token: str
    names: tuple[str, ...] = ()
    with_them: dict[str, int]
    forgotten: int | None = None
    tiers: dict[TierName, TierStatusName] = Field(default_factory=dict)
    job: str | None = None


class Pending(Value):
    """How many events are not yet digested."""

    pending: int


class PreferenceIn(Value):
    """A preference to set. `id` makes a repeat harmless."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"user_id": "u1", "category": "communication", "key": "tone", "value": "short and direct"}
        }
    )

    user_id: NewId
    id: ChosenId | None = None
    category: Label
    key: Label
    value: Annotated[Text, Field(min_length=1, max_length=4_000)]
    confidence: Confidence = 0.8
    stated: bool = True


class RuleIn(Value):
    """A behavioural rule to create. `id` makes a repeat harmless."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "text": "Offer a vegetarian option first.",
                "triggers": ["restaurant", "dinner"],
                "priority": 7,
            }
        }
    )

    user_id: NewId
    id: ChosenId | None = None
    text: Annotated[Text, Field(min_length=1, max_length=4_000)]
    triggers: Annotated[tuple[Label, ...], Field(max_length=50)] = ()
    priority: int = Field(default=5, ge=0, le=10)
    active: bool = True


class RuleChange(Value):
    """What to change of a rule; what is absent stays. `aside`: why it is put aside, which makes it inactive; making it
    active again clears the reason."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "priority": 9, "active": True}})

    user_id: Id
    text: Annotated[Text, Field(min_length=1, max_length=4_000)] | None = None
    triggers: Annotated[tuple[Label, ...], Field(max_length=50)] | None = None
    priority: Annotated[int, Field(ge=0, le=10)] | None = None
    active: bool | None = None
    aside: Annotated[Text, Field(min_length=1, max_length=4_000)] | None = None


class Restore(Value):
    """Which version to make current again."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "version": 2}})

    user_id: Id
    version: int = Field(ge=1, le=2**31 - 1)


class JudgementIn(Value):
    """A verdict on a preference. `value`: which of its values is meant, in case it has changed since it was read;
    absent, the one that it has now."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "value": "short and direct"}})

    user_id: Id
    value: Annotated[Text, Field(min_length=1, max_length=4_000)] | None = None


class UserIn(Value):
    """Whose it is; the path says the rest."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1"}})

    user_id: Id


class Outcome(Value):
    """Whether following a rule worked."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "success": True}})

    user_id: Id
    success: bool


class RetentionIn(Value):
    """Whether to only say what would go."""

    model_config = ConfigDict(json_schema_extra={"example": {"dry_run": True}})

    dry_run: bool = True


class Pin(Value):
    """Something that retention leaves alone."""

    tier: RetainedTier
    item_id: Id


class PinList(Value):
    """All that is pinned for a user."""

    pins: tuple[Pin, ...]


class ExtractIn(Value):
    """Which window to extract from, in the conversations' time. `end`: absent, just after the user's latest
    interaction; `start`: absent, an hour before the end. `id` makes a repeat harmless."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"start": "2026-03-08T00:00:00Z", "end": "2026-03-09T00:00:00Z"}}
    )

    id: NewId | None = None
    start: Moment | None = None
    end: Moment | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise ValueError("start is not before end")
        return self


class ReflectIn(Value):
    """What to reflect on: a day (`date`, in the user's time zone; absent, that of the user's latest interaction), or,
    `incremental`, the hour up to the latest interaction. `id` makes a repeat harmless."""

    model_config = ConfigDict(json_schema_extra={"example": {"kind": "daily", "date": "2026-03-08"}})

    id: NewId | None = None
    kind: ReflectionKind = "daily"
    date: Annotated[day, Field(ge=day(2, 1, 1), le=day(9998, 12, 31))] | None = None

    @model_validator(mode="after")
    def _a_day_has_a_date(self) -> Self:
        if self.date is not None and self.kind != "daily":
            raise ValueError("only a daily reflection has a date")
        return self


class SettingsIn(UserSettings):
    """How a user's memory is looked after; what is absent is set to its default."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"time_zone": "Europe/Lisbon", "reflect_at": 3, "plan": "default"}}
    )

    time_zone: Annotated[str, Field(min_length=1, max_length=64), AfterValidator(known_zone)] = "UTC"
    plan: Annotated[str, Field(min_length=1, max_length=64), AfterValidator(storable)] = "default"


class MergeIn(Value):
    """Which entity is the same as the one in the path and is absorbed by it."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "absorb_id": "6b0c"}})

    user_id: Id
    absorb_id: Id


class SplitIn(Value):
    """Which absorbed entity becomes its own again."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "absorbed_id": "6b0c"}})

    user_id: Id
    absorbed_id: Id


class Live(BaseModel):
    """The process answers."""

    status: Literal["live"] = "live"
    version: str


class Ready(Value):
    """`ready`: every tier's own ping succeeded. `degraded`: recalls answer as `partial`."""

    status: Literal["ready", "degraded"]
    tiers: dict[str, Health]
