"""The values that travel between the parts: frozen, validated, free of any driver.

Over 300 lines and one file all the same: two dozen small values that name each other.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Annotated, Final, Generic, Literal, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from ragpp.fields import (
    RESERVED,
    Confidence,
    Id,
    Label,
    Moment,
    Name,
    StoredContent,
    StoredMetadata,
    StoredName,
    StoredStatement,
    Text,
    TokenizerName,
    UserId,
    UtcOffset,
)
from ragpp.filtering import MetadataFilter
from ragpp.names import speaker
from ragpp.preference_values import StoredPreferenceValue

TierName = Literal["short_term", "episodic", "semantic", "procedural", "catalog"]
TIER_NAMES: Final[tuple[TierName, ...]] = get_args(TierName)
"""In the order in which they are asked and answers name them."""
WITH_METADATA: Final[frozenset[TierName]] = frozenset({"episodic", "catalog"})
"""Those that keep the metadata of what is stored, and so can be narrowed by it."""
MemoryKind = Literal[
    "message", "summary", "interaction", "entity", "relationship", "preference", "rule", "finding", "item", "passage"
]
EntityLabel = Literal["PERSON", "ORG", "GPE", "EVENT", "PRODUCT"]
FindingKind = Literal[
    "pattern", "decision", "insight", "error", "plan", "event", "identity", "kin", "residence", "work", "health",
    "taste", "possession", "instruction", "opinion", "solution", "fact",
]  # fmt: skip
"""pattern: what is done repeatedly, when, in what order; decision: what was settled; insight: what was understood;
error, solution: what went wrong, and what mended it; plan: what is intended, appointments; event: what happened; kin:
family and ties; health: with diet; possession: what somebody has and where it is; instruction: how answers are to be;
fact: of the world."""
Precision = Literal["minute", "hour", "day", "week", "month", "season", "year", "decade"]
Role = Literal["user", "assistant", "system", "tool"]
Visibility = Literal["agent", "shared"]
"""Who of a user's agents may see what was said, and what was learned from it: the one it was said to, or all."""
Vector = tuple[float, ...]

DEFAULT_SESSION = "default"
SHARED = ""
"""The view of what all of a user's agents may see: no agent's id."""

_put: Final = object.__setattr__  # past what freezes a value


class Value(BaseModel):
    """A frozen value; an unknown field is an error. What checks one is built when first needed (`build_values`)."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def trusted(cls, **fields: object) -> Self:
        """One with `fields` as they are, and all others at their defaults: for dozens at a time of what was validated
        when it was stored. A Memory takes two thirds of what validation does, and a sixth of `model_construct`.
        TypeError for a name that is no field's, or a field without a default that is missing."""
        defaults, factories, required = _defaults_of(cls)
        values = defaults | fields
        if len(values) != len(defaults) or not required <= fields.keys():
            raise TypeError(f"{cls.__name__} has other fields than {sorted(fields)}")
        for name, factory in factories:
            if name not in fields:
                values[name] = factory()
        return _made(cls, values, set(fields))

    def model_copy(self, *, update: Mapping[str, object] | None = None, deep: bool = False) -> Self:
        """The same with `update`, which is not validated. What is frozen needs no copy of its fields."""
        if deep:
            return super().model_copy(update=update, deep=True)
        changed = update or {}
        return _made(type(self), {**self.__dict__, **changed}, self.model_fields_set | changed.keys())


ValueT = TypeVar("ValueT", bound=Value)


def _made(model: type[ValueT], values: dict[str, object], given: set[str]) -> ValueT:
    made = model.__new__(model)
    _put(made, "__dict__", values)
    _put(made, "__pydantic_fields_set__", given)
    _put(made, "__pydantic_extra__", None)
    _put(made, "__pydantic_private__", None)
    return made


def build_values(of: type[Value] = Value) -> None:
    """Build what checks the values that are imported, and from now on others where they are defined: a service does it
    before anybody waits. For 190 of them it takes half a second, which a client that uses three is spared."""
    of.model_config["defer_build"] = False
    of.model_rebuild()
    for value in of.__subclasses__():
        build_values(value)


@cache
def _defaults_of(
    model: type[BaseModel],
) -> tuple[dict[str, object], list[tuple[str, Callable[..., object]]], frozenset[str]]:
    """The fields of `model` in their order with their defaults (None for one that has none), those that are made anew
    each time, and the names of those without any."""
    fields = model.model_fields.items()
    made = [(name, field.default_factory) for name, field in fields if field.default_factory is not None]
    defaults = {name: None if field.is_required() else field.default for name, field in fields}
    return defaults, made, frozenset(name for name, field in fields if field.is_required())


class Scope(Value):
    """Whose memory a call touches. `tenant_id` comes from the key, never from the request.

    `view`: which part of the user's memory is seen. None: all of it; SHARED: what all of the user's agents may see; an
    agent's id: that, and what was said to this agent alone. `user_id` empty: what all users of the tenant share, which
    reads of the catalog see as well.
    """

    tenant_id: Id
    user_id: UserId
    agent_id: Id | None = None
    session_id: Id | None = None
    view: Text | None = None

    @property
    def user_key(self) -> tuple[str, str]:
        """(tenant_id, user_id): the first two columns of every user's primary key."""
        return self.tenant_id, self.user_id

    @property
    def view_key(self) -> tuple[str, str]:
        """(tenant_id, whose): what `user_key` is to a user, this is to each view of a user's memory that is kept by
        itself. No user has an id like that of a view (`ragpp.fields.Id`)."""
        return self.tenant_id, self.user_id if self.view is None else f"{self.user_id}{RESERVED}{self.view}"

    def seen_by(self, view: str | None) -> Self:
        """The same scope in another view."""
        return self.model_copy(update={"view": view})

    def in_session(self, session_id: str | None) -> Self:
        """The same scope in another session."""
        return self.model_copy(update={"session_id": session_id})


class Interaction(Value):
    """One message of a conversation; append-only, its content already redacted. `learn`: False for one that is found
    and never learned from. `visibility`: `agent`, which has an `agent_id`, for what that agent alone may see.
    `utc_offset`: of the clock of who said it, None where nobody told."""

    id: Id
    session_id: Id = DEFAULT_SESSION
    agent_id: Id | None = None
    role: Role = "user"
    name: StoredName | None = None
    content: StoredContent
    occurred_at: Moment
    message_type: Label = "conversation"
    channel: Label | None = None
    domain: Label | None = None
    task_type: Label | None = None
    metadata: StoredMetadata = Field(default_factory=dict)
    learn: bool = True
    visibility: Visibility = "shared"
    utc_offset: UtcOffset | None = None

    @property
    def wall_clock(self) -> datetime:
        """The time on the clock of who said it, as if that were UTC: "today" is the day that it was there."""
        return self.occurred_at + timedelta(minutes=self.utc_offset or 0)

    @property
    def seen_by(self) -> str | None:
        """The only agent that may see it; None for all."""
        return self.agent_id if self.visibility == "agent" else None

    @property
    def said_by(self) -> str:
        """The speaker's name, or the role of a speaker without one; see `ragpp.names.speaker`."""
        return speaker(self.name, self.role)


class Repetition(Value):
    """A stretch of a message that only repeats what was said before: `content[start:end]` of the interaction `id`, and
    the ids of the interactions that it repeats; none where it is known for one by itself."""

    id: Id
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    of: tuple[Id, ...] = ()


class EmbeddedChunk(Value):
    """A stretch of an interaction's content that the embedder can read whole, with its vector.

    `start`, `end`: character offsets into the content. `tokens`: its length without special tokens.
    `embedding`: unit length, of the embedder's dimension; of the chunk's text.
    """

    ordinal: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    tokens: int = Field(ge=0)
    embedding: Vector


class InteractionEntry(Value):
    """An interaction on its way into the episodic and short-term tiers.

    `chunks` empty: the tier cuts and embeds by itself.
    `tokens`: of the content. `redactions`: how many secrets intake removed from it.
    """

    kind: Literal["interaction"] = "interaction"
    interaction: Interaction
    chunks: tuple[EmbeddedChunk, ...] = ()
    tokens: int = Field(default=0, ge=0)
    redactions: int = Field(default=0, ge=0)

    @property
    def id(self) -> str:
        return self.interaction.id

    @property
    def without_chunks(self) -> Self:
        """The same for a tier that reads no vectors, which are many times as long as what was said."""
        return self.model_copy(update={"chunks": ()})


class EntityEntry(Value):
    """One mention of an entity. `embedding` of its name; `sources` are interaction ids."""

    kind: Literal["entity"] = "entity"
    id: Id
    name: Name
    label: EntityLabel
    aliases: tuple[Name, ...] = ()
    embedding: Vector | None = None
    occurred_at: Moment
    sources: tuple[Id, ...] = ()


class RelationshipEntry(Value):
    """One mention of a relationship between two entities, named as they were said.

    `lasting`: it hardly fades, whatever its kind. `context`: the sentence that says it. `ends`: it says that
    the relationship holds no longer, which closes its validity instead of adding to it. `verb`: the one that says so,
    in its dictionary form; empty where no verb does.
    """

    kind: Literal["relationship"] = "relationship"
    id: Id
    source: Name
    source_label: EntityLabel = "PERSON"
    type: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")]
    target: Name
    target_label: EntityLabel
    lasting: bool = False
    ends: bool = False
    context: Text = ""
    verb: Annotated[str, Field(max_length=64)] = ""
    occurred_at: Moment
    sources: tuple[Id, ...] = ()


class StatedRelationship(Value):
    """A relationship that the caller states, not a message. It holds from the entry's `occurred_at` on, until `until`;
    `is_dated`: False where that is merely when it was stated."""

    entry: RelationshipEntry
    until: Moment | None = None
    is_dated: bool = True

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.until is not None and self.until < self.entry.occurred_at:
            raise ValueError("it ends before it begins")
        return self


class PreferenceEntry(Value):
    """A preference to be written: any JSON value. `stated`: the user said it; otherwise it was inferred."""

    kind: Literal["preference"] = "preference"
    id: Id
    category: Label
    key: Label
    value: StoredPreferenceValue
    confidence: Confidence = 0.8
    stated: bool = True
    embedding: Vector | None = None
    occurred_at: Moment
    sources: tuple[Id, ...] = ()


DEFAULT_PRIORITY: Final = 5
"""A rule's priority where nobody gave another, 0 to 10."""


class RuleEntry(Value):
    """A behavioural rule: when a trigger matches, do what `text` says. Higher `priority` first, 0 to 10. `proposed`:
    nobody said it plainly, so it is not active until a person confirms it or it is said."""

    kind: Literal["rule"] = "rule"
    id: Id
    text: StoredStatement
    triggers: tuple[Label, ...] = ()
    priority: int = Field(default=DEFAULT_PRIORITY, ge=0, le=10)
    active: bool = True
    proposed: bool = False
    embedding: Vector | None = None
    occurred_at: Moment
    sources: tuple[Id, ...] = ()

    @model_validator(mode="after")
    def _inactive_while_proposed(self) -> Self:
        if self.proposed and self.active:
            raise ValueError("a rule that is proposed is not active")
        return self


class DateSpan(Value):
    """When something is or was, as an interval: `start` ≤ moment < `end`. `text`: as it was said, "last Friday"."""

    start: Moment
    end: Moment
    precision: Precision
    text: str = Field(max_length=200)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start >= self.end:
            raise ValueError("start is not before end")
        return self


class FindingEntry(Value):
    """A finding on its way into the procedural tier; its id follows from what it says, so that finding it again adds
    evidence. `occurred_at`: of the latest interaction it rests on. `meaning`: of what was said in its message, by the
    second encoder, of length 1; None without one. `details`: the words and how they were judged, or what a pattern was
    counted from."""

    kind: Literal["finding"] = "finding"
    id: Id
    finding: FindingKind
    text: StoredStatement
    confidence: Confidence = 0.6
    when: DateSpan | None = None
    embedding: Vector | None = None
    meaning: Vector | None = None
    occurred_at: Moment
    sources: tuple[Id, ...] = ()
    details: dict[str, JsonValue] = Field(default_factory=dict)


Entry = Annotated[
    InteractionEntry | EntityEntry | RelationshipEntry | PreferenceEntry | RuleEntry | FindingEntry,
    Field(discriminator="kind"),
]


class Stored(Value):
    """The outcome of one entry. `forgotten`: it was forgotten before, and is not stored again. `event_id`: its event in
    the ledger, where the tier records one; a duplicate's is that of the first write."""

    id: str
    duplicate: bool = False
    forgotten: bool = False
    event_id: int | None = None


class TimeRange(Value):
    """Half open: `start` ≤ occurred_at < `end`; either side may be open."""

    start: Moment | None = None
    end: Moment | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start is not None and self.end is not None and self.start > self.end:
            raise ValueError("start is after end")
        return self


class Filters(Value):
    """The conditions that a retrieval is narrowed to; None does not narrow. `metadata`: of interactions, items and
    resources; tiers that keep no metadata have nothing that fits it."""

    time_range: TimeRange | None = None
    session_id: Id | None = None
    agent_id: Id | None = None
    role: Role | None = None
    message_type: Label | None = None
    channel: Label | None = None
    domain: Label | None = None
    task_type: Label | None = None
    exclude: frozenset[Id] = frozenset()
    similarity_threshold: Annotated[float, Field(ge=-1, le=1)] | None = None
    min_confidence: Confidence | None = None
    metadata: MetadataFilter | None = None


SearchMode = Literal["hybrid", "dense", "lexical"]


STANDING: Final = "standing"
"""In the metadata of what always holds, whatever the query is (procedural)."""
LEAST_RELEVANCE: Final = 0.09
"""The score of an interaction, an item or a passage under which it is hardly about the question."""
MAX_STANDING: Final = 8
"""The most of what always holds in a context: it has room for few."""


class MemoryQuery(Value):
    """A question to a tier.

    `embedding`: of `text`; None lets the tier embed it. `second`: of `text` by the second encoder, where there is one
    (episodic); None leaves its vectors out. `entities`: names that the text mentions.
    `asker`: the name under which who asks speaks, whom "I" in the text means; None, whoever speaks without one.
    `as_of`: a moment in the conversations' own time; nothing said later is seen, decay is counted to it.
    `token_budget`: for tiers that cut what they return by size (short-term), in tokens of `tokenizer`, the usual one
    where that is None. `explain`: the signals of each memory are wanted. `rejected`: so are relationships that a person
    rejected, behind all others and beyond `limit`, with that verdict in their metadata and a confidence of 0: they tell
    against their `sources`, as far as their score says, and are no memories to show (semantic); and findings that a
    later one ended, likewise: what that rests on, their metadata's `ended_in`, goes before their sources (procedural).
    No filter narrows them. `situation`: what the caller says of its state, which calls up rules as the text does
    (procedural).
    """

    scope: Scope
    text: Text = ""
    embedding: Vector | None = None
    second: Vector | None = None
    entities: tuple[Name, ...] = ()
    asker: Name | None = None
    limit: int = Field(default=20, ge=1, le=1_000)
    token_budget: int | None = Field(default=None, ge=0)
    tokenizer: TokenizerName | None = None
    mode: SearchMode = "hybrid"
    filters: Filters = Filters()
    as_of: Moment | None = None
    explain: bool = False
    rejected: bool = False
    situation: Text = ""


class Memory(Value):
    """A memory as a tier returns it.

    `score`: how well it answers the query, 0 to 1, comparable within one answer of one tier only.
    `similarity`: cosine to the query where there is one, -1 to 1; `second_similarity`: that by the second encoder, on
    the scale of all-MiniLM-L6-v2's, which it may be a little beyond. `coverage`: the share of the query's information
    that its words tell, 0 to 1, where it was searched by words. `confidence`: how sure it is that this holds.
    `utc_offset`: of the clock by which `occurred_at` is told, in minutes; None, UTC. `said_by`: the name, else the
    role, of who said it; `speaker_role`: of who said an interaction.
    `tokens`: of `text`. `focus` and `focus_end`: where in `text` the part that answers begins and ends, in characters
    (None: at its end); it stands for all where there is no room. `sources`: ordered ids of the interactions or
    resources it rests on. `corrected_by`: the id of the interaction that says otherwise since, or of the relationship
    learned from it that a person rejected. `may_correct`: the id of an interaction that answers better and that it came
    after and is alike to, so it may say what has become of that.
    `explain`: how its score came about, on request.
    """

    id: str
    tier: TierName
    kind: MemoryKind
    text: str
    focus: int = Field(default=0, ge=0)
    focus_end: int | None = Field(default=None, ge=0)
    score: float = Field(ge=0, le=1)
    similarity: float | None = None
    second_similarity: float | None = None
    coverage: float | None = None
    confidence: float = Field(default=1.0, ge=0, le=1)
    tokens: int = Field(default=0, ge=0)
    occurred_at: datetime | None = None
    utc_offset: UtcOffset | None = None
    said_by: str | None = None
    speaker_role: Role | None = None
    session_id: str | None = None
    sources: tuple[str, ...] = ()
    corrected_by: str | None = None
    may_correct: str | None = None
    explain: dict[str, JsonValue] | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def always_holds(self) -> bool:
        """True for a rule or a preference that is for every question. Metadata of what was said are their writer's."""
        return self.tier == "procedural" and STANDING in self.metadata


class Health(Value):
    """A part's ability to do its work now. `ms`: how long its ping took; `detail`: why not, or its version."""

    name: str
    ok: bool
    ms: float = Field(ge=0)
    detail: str = ""


T = TypeVar("T")


class Page(Value, Generic[T]):
    """A stretch of a list. `next_cursor`: opaque, given back to continue; None at the end."""

    items: tuple[T, ...]
    next_cursor: str | None = None


class SessionInfo(Value):
    """A running conversation in short-term memory. `share`: tokens used ÷ the window's size."""

    session_id: str
    messages: int
    tokens: int
    share: float
    has_summary: bool
    last_at: datetime | None = None
    expires_in_s: int | None = None


class SessionMessage(Value):
    """A raw message of a session. `sequence` grows by one with every message appended to the session. `tokens`: of its
    content."""

    sequence: int
    id: str
    role: str
    name: str | None
    content: str
    occurred_at: datetime
    tokens: int
    truncated: bool = False
    utc_offset: UtcOffset | None = None


class SessionView(Value):
    """A session as it is read into a context: the summary of what was, then the latest messages, oldest first.
    `tokens`: of both as a reader is shown them, each message as `name: content`, with the ends of their lines. `share`:
    of its window that the whole session takes."""

    session_id: str
    summary: str = ""
    summary_tokens: int = 0
    messages: tuple[SessionMessage, ...] = ()
    tokens: int = 0
    share: float = 0.0


class SummaryDraft(Value):
    """The input for a better writer of a session's summary. `text` is the summary as it stands, partly quotes; all that
    was said before `until` is in it or was left out of it, and before `written_until` a model has read it all. `moved`:
    ids of the messages that the session no longer shows raw. `max_tokens`: as much as may be written. `revision` tells
    whether the session has changed since."""

    session_id: str
    revision: str
    text: str
    until: datetime
    written_until: datetime | None = None
    moved: frozenset[str] = frozenset()
    max_tokens: int


class KnownUser(Value):
    """A user of whom something is kept. `last_at`: when the latest message was said; None without any."""

    user_id: str
    last_at: datetime | None = None


LISTED_SOURCES: Final = 20
"""The latest interactions that an entity or a relationship lists; its evidence is complete."""


class Entity(Value):
    """A node of the user's graph. `sources`: the latest LISTED_SOURCES."""

    id: str
    name: str
    label: EntityLabel
    aliases: tuple[str, ...] = ()
    mentions: int = 0
    first_mention: datetime
    last_mention: datetime
    sources: tuple[str, ...] = ()
    merged_from: tuple[str, ...] = ()


class KnownAs(Value):
    """All that the graph knows something by: every name, and every interaction that it is known from."""

    names: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class Relabelled(Value):
    """The name and the label that a person gave an entity; what it was called and taken for before."""

    name: str
    label: EntityLabel
    former_names: tuple[str, ...] = ()
    former_labels: tuple[EntityLabel, ...] = ()


class Relationship(Value):
    """An edge of the user's graph. `confidence` is decayed to the moment of the question, `believed` is what its
    evidence left when it was last said.

    It held from `valid_from` until `valid_to`, None while it holds; `learned_at` is when that was first said, in the
    conversations' own time, and `ended_by` the interaction that ended it. An `archived` one has faded below the floor:
    not shown, restorable. `verdict`: what a person said of it. `sources`: the latest LISTED_SOURCES. `context` is the
    sentence that said so last, `verb` the verb that it did so with, in its dictionary form, empty where none did.
    """

    id: str
    source_id: str
    source: str
    type: str
    target_id: str
    target: str
    weight: float
    confidence: float
    believed: float
    lasting: bool
    context: str = ""
    verb: str = ""
    first_mention: datetime
    last_mention: datetime
    valid_from: datetime
    valid_to: datetime | None = None
    learned_at: datetime
    ended_by: str | None = None
    archived: bool = False
    verdict: Literal["confirmed", "rejected"] | None = None
    sources: tuple[str, ...] = ()


class Observation(Value):
    """The entities and relationships that one interaction taught. `event_id` makes its effect exactly-once."""

    event_id: Id
    interaction_id: Id
    occurred_at: Moment
    entities: tuple[EntityEntry, ...] = ()
    relationships: tuple[RelationshipEntry, ...] = ()


class Preference(Value):
    """A learned setting: any JSON value. `version` grows by one with every change; `waiting`: an inferred value held
    beside it, which there is where it has a `waiting_confidence`.

    This value held from `valid_from` until `valid_to`, None while it holds; `learned_at` is when it was first said.
    `verdict`: what a person said of it.
    """

    id: str
    category: str
    key: str
    value: JsonValue
    confidence: float
    stated: bool
    version: int
    updated_at: datetime
    occurred_at: datetime
    valid_from: datetime
    valid_to: datetime | None = None
    learned_at: datetime
    verdict: Literal["confirmed", "rejected"] | None = None
    sources: tuple[str, ...] = ()
    deleted: bool = False
    waiting: JsonValue = None
    waiting_confidence: float | None = None


class OneValue(Value):
    """Which of a preference's values is meant, where `null` is one as well."""

    value: StoredPreferenceValue


class Rule(Value):
    """A behavioural rule with its record. `activation_count`: how often the host has reported that it was activated;
    `outcomes`: how often it has reported how that worked out, `success_rate` None before the first. `aside`: why it was
    put aside, for a rule that conflicted with a better one. `proposed`: nobody said it plainly, and no person confirmed
    it; it is not active."""

    id: str
    text: str
    triggers: tuple[str, ...] = ()
    priority: int
    active: bool
    aside: str | None = None
    proposed: bool = False
    activation_count: int = 0
    outcomes: int = 0
    success_rate: float | None = None
    version: int
    updated_at: datetime
    occurred_at: datetime
    sources: tuple[str, ...] = ()
    deleted: bool = False
