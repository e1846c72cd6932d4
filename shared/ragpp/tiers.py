"""The contract of a memory tier, and the verbs that each tier has beside it.

The gateway knows tiers by these protocols only, whether they live in its process or behind HTTP
(`ragpp.tierkit.remote` makes both sides of the wire from the signatures here). Over 300 lines and one file all the
same: nothing but signatures and what they promise.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol, cast, get_type_hints

from ragpp.catalog import (
    CatalogInput,
    ItemEntry,
    ItemQuery,
    MemoryCategory,
    MemoryItem,
    MemoryStats,
    PageSection,
    Resource,
    ResourceType,
    RetrievalResult,
)
from ragpp.entries.comparing import Difference
from ragpp.entries.usage import (
    AgentSource,
    AgentUsage,
    ComparedUse,
    EntryStatistics,
    MemoryUse,
    ShownLately,
    SourceComparison,
    TokenBudget,
    Turn,
    ValueMove,
)
from ragpp.entries.values import EntryQuery, FoundEntry
from ragpp.episodes import Episode, EpisodeAccess, EpisodeEnd, Used, Valued, ValueUpdate
from ragpp.fields import TokenizerName
from ragpp.filtering import MetadataFilter
from ragpp.health import StoreState
from ragpp.learned import (
    Consolidated,
    Finding,
    Reflection,
    ReflectionKind,
    RelationshipState,
    Verdict,
)
from ragpp.models import (
    Entity,
    EntityLabel,
    Entry,
    Filters,
    FindingKind,
    Health,
    Interaction,
    KnownAs,
    KnownUser,
    Memory,
    MemoryQuery,
    Observation,
    OneValue,
    Page,
    Preference,
    PreferenceEntry,
    Relabelled,
    Relationship,
    Repetition,
    Rule,
    RuleEntry,
    Scope,
    SessionInfo,
    SessionView,
    StatedRelationship,
    Stored,
    SummaryDraft,
    TierName,
    TimeRange,
)
from ragpp.retention import KeptEntry

ERASED_AT_ONCE = 500
"""The most that one `erase` of a tier takes of each kind of thing: a fifth of a second, in which others wait."""


class MemoryTier(Protocol):
    """A place where memories are kept and found again; one instance serves many tasks at once.

    A call is confined to its `Scope`: it never returns, counts or deletes what belongs to another. Of a scope with a
    `view` the episodic tier shows what is in it; the others keep each view by itself, as if it were another user's
    memory, which holds what the workers let it learn.

    A write that is derived from memory carries the `epoch` that was read before what it is derived from. It raises
    Outdated, and nothing is written, when anything of the user was forgotten since, as far as the store knows; so what
    a worker that was stopped in its work brings back late is refused. None: not derived, but said by somebody now. What
    rests on forgotten sources alone is not kept either way.

    What is listed or put up for review comes in pages of 1 to 1,000; InvalidInput for another `limit`.

    Raises, from any method: TierUnavailable. A write may then have happened or not; repeating it with the
    same ids is safe.
    """

    @property
    def name(self) -> TierName:
        """Which tier this is."""
        ...

    async def epoch(self, scope: Scope) -> int:
        """Which epoch of forgetting the user's memory is in, in this tier's store: another one, never to come again,
        after anything of it was forgotten. Read it before what a write is derived from, and hand it to the write."""
        ...

    async def store(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> list[Stored]:
        """Store all of `entries` or none; answers in the same order. An id that is known is a duplicate when
        its content is the same, and a Conflict for all of `entries` when it is not; `details["indexes"]` names
        the conflicting positions. InvalidInput for a kind of entry that this tier does not hold."""
        ...

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        """At most `query.limit` memories, best first, and behind them what `query.rejected` adds; empty when nothing
        matches."""
        ...

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """Delete; return how many existed. Unknown ids are ignored, so a retry is harmless."""
        ...

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        """How much is held of the user, by kind; a kind of which there is nothing is left out. `sources`: only what is
        one of these interactions, or rests on any of them. `before`: only what `erase` would take."""
        ...

    async def erase(self, scope: Scope, before: int) -> bool:
        """Delete a part of all that is held of the user, but for what was written by the event `before` or later, as
        far as the tier keeps events; True while there may be more. Begins an epoch, each time. The epoch itself and
        what is known of ids that were forgotten stay."""
        ...

    async def health_check(self) -> Health:
        """Ping the tier's own store; answers within two seconds and never raises."""
        ...

    async def state(self) -> StoreState:
        """How the tier's own store is: version, schema, clock, and how much it holds of all tenants. It takes as long
        as counting does, some milliseconds to a second; StorageError where the store refuses to tell."""
        ...


class ShortTermTier(MemoryTier, Protocol):
    """The running conversations. A scope without a session means the session `default`."""

    async def read(self, scope: Scope, token_budget: int, tokenizer: TokenizerName | None = None) -> SessionView:
        """Summary and latest messages, at most `token_budget` tokens of text however long the messages are, as
        `tokenizer`, or the usual one, counts them; an unknown session is empty. Refreshes the session's time to
        live."""
        ...

    async def list_sessions(self, scope: Scope, cursor: str | None = None, limit: int = 50) -> Page[SessionInfo]:
        """The user's sessions, the one used last first."""
        ...

    async def delete_session(self, scope: Scope, only_if_empty: bool = False) -> bool:
        """Remove the scope's session; False when there was none, or when it has messages and is `only_if_empty`."""
        ...

    async def compact(self, scope: Scope, epoch: int | None = None) -> bool:
        """Move what is over the window into the summary; False when nothing was due or another did it first."""
        ...

    async def draft_summary(self, scope: Scope) -> SummaryDraft | None:
        """The input that is needed to put words of one's own in the place of the quotes in the session's summary; None
        when it has no quotes."""
        ...

    async def write_summary(
        self, scope: Scope, revision: str, text: str, entries: Sequence[Entry], epoch: int | None = None
    ) -> bool:
        """Replace the session's summary by `text`, a line a statement, made from it and from `entries`
        (InteractionEntry): whatever line does not quote rests on all of them. False, and nothing done, when the
        session has changed since `revision` otherwise than by new messages, one of `entries` was forgotten, or `text`
        says nothing."""
        ...

    async def torn_summary(self, scope: Scope) -> frozenset[str] | None:
        """Ids of the messages that the session no longer shows raw, when lines of its summary went with others that
        were forgotten; None when none did."""
        ...

    async def mend_summary(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> bool:
        """Put quotes of `entries` (InteractionEntry, oldest first), the latest of `torn_summary`, in the place of what
        is left of it about them. False, and nothing done, when it is not torn, or the session changes meanwhile
        otherwise than by new messages."""
        ...

    async def rebuild(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> int:
        """Bring a session that was lost back from `entries` (InteractionEntry, oldest first); messages that are
        there stay as they are. Returns how many were added."""
        ...

    async def sweep(self, scope: Scope, sources: Collection[str]) -> None:
        """Take away what forgetting and erasing leave of a user of the SCRATCH_TENANT: the epoch, and what is known of
        these interactions. InvalidInput for another tenant's: a late worker could bring back what was forgotten."""
        ...

    async def is_blank(self) -> bool:
        """True where the store is new or has lost everything: the mark that `mark` leaves is not there."""
        ...

    async def mark(self) -> None:
        """Leave the mark: whatever was to be brought back has been."""
        ...


class EpisodicTier(MemoryTier, Protocol):
    """Every interaction, append-only. `store` writes the rows and their `interaction.stored` events in one
    transaction. What is read by whoever has a view is in the view alone; the others' words count for nothing in it."""

    async def users(self, scope: Scope, after: str = "", limit: int = 50, only: str | None = None) -> list[KnownUser]:
        """Users of the scope's tenant of whom there are messages, by id from after one on: whoever the scope's is. Of
        `only` that one."""
        ...

    async def get(self, scope: Scope, ids: Collection[str]) -> list[Interaction]:
        """Those of `ids` that exist, by time."""
        ...

    async def list_interactions(
        self,
        scope: Scope,
        filters: Filters | None = None,
        cursor: str | None = None,
        limit: int = 50,
        newest_first: bool = True,
    ) -> Page[Interaction]:
        """Interactions by time, without a query. InvalidInput for a cursor that is not ours."""
        ...

    async def recorded_before(self, scope: Scope, event_id: int, limit: int) -> list[str]:
        """The ids of `limit` interactions at most that were stored by events of before that one, oldest first, as
        `erase` takes them; only of the scope's session and agent, where it names them."""
        ...

    async def recorded(self, scope: Scope, after: int = 0, limit: int = 500) -> dict[str, int]:
        """The ids of `limit` interactions at most, each with the event that recorded it, in the order of these, from
        after that one: of the scope's view."""
        ...

    async def session_tail(self, scope: Scope, limit: int = 20) -> list[Interaction]:
        """The last `limit` messages of the scope's session, oldest first."""
        ...

    async def note_repetitions(self, scope: Scope, found: Sequence[Repetition], epoch: int | None = None) -> None:
        """Keep with messages what in them only repeats what was said before, until they are forgotten; that of messages
        that are not there is left out. What repeats a message that is forgotten is noted by the forgetting itself."""
        ...

    async def repetitions(self, scope: Scope, ids: Collection[str]) -> list[Repetition]:
        """The repetitions noted of these messages, in order, without what they repeat."""
        ...

    async def repeated_by(self, scope: Scope, ids: Collection[str]) -> list[str]:
        """The other messages that repeat any of these, by time: what the user did not say and has said before."""
        ...

    async def naming(self, scope: Scope, names: Collection[str], filters: Filters | None = None) -> list[str]:
        """Every interaction, by time, whose words or whose speaker's name have one of `names`, word for word and as a
        whole; case, accents and a possessive ending make no difference. Reads everything that the filters leave."""
        ...

    async def containing(self, scope: Scope, text: str, filters: Filters | None = None) -> list[str]:
        """Every interaction, by time, that has all the words of `text`, as lexical search takes them: in whatever form
        and order, function words only where there is nothing else. Reads everything that the filters leave."""
        ...

    async def compress(self, scope: Scope, before: datetime) -> int:
        """Keep the raw text of interactions from before that moment compressed, where that saves space; what is read
        back stays the same byte for byte, and is found as before. Returns how many were compressed."""
        ...

    async def index_sentences(self, scope: Scope, limit: int = 32) -> int:
        """Embed what stored interactions tell sentence by sentence, with who "I" and "you" are written out, for
        searches to find a long one by the sentence that answers: of `limit` chunks at most that were not looked at, the
        oldest first, of the whole memory; and each chunk as a whole by the second encoder where there is one, for which
        what was looked at before is looked at again. Until then they are found as a whole. Returns how many were looked
        at; 0 when none is left. Repeating it is harmless."""
        ...

    async def pending(self, scope: Scope, first_event: int | None = None, last_event: int | None = None) -> int:
        """How many of the user's events are not yet digested, of all or of those with ids between the two."""
        ...


class SemanticTier(MemoryTier, Protocol):
    """The user's graph of entities and relationships."""

    async def observe(
        self,
        scope: Scope,
        observations: Sequence[Observation],
        epoch: int | None = None,
        instead_of: Sequence[str] = (),
    ) -> list[bool]:
        """Apply each observation exactly once, all in one transaction; False for one applied before. `instead_of`: the
        interactions of these observations, or more, whose evidence they are from now on, whatever was learned from them
        before; then all are applied, each as arrived when it was the first time. That begins an epoch."""
        ...

    async def sweep(self, scope: Scope, sources: Collection[str]) -> None:
        """As the short-term tier's."""
        ...

    async def list_entities(
        self, scope: Scope, label: EntityLabel | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Entity]:
        """Entities by name."""
        ...

    async def get_entity(self, scope: Scope, entity_id: str) -> Entity:
        """NotFound when there is none of that id in the scope."""
        ...

    async def list_relationships(
        self,
        scope: Scope,
        entity_id: str | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
        state: RelationshipState = "current",
    ) -> Page[Relationship]:
        """Relationships, of one entity or of all; confidence decayed to `as_of`, or to now. `state` is as of then:
        what ended later is current."""
        ...

    async def review_relationships(self, scope: Scope, below: float, limit: int = 50) -> list[Relationship]:
        """Current relationships of a confidence under `below` on which nobody has judged, the surest first."""
        ...

    async def judge_relationship(self, scope: Scope, relationship_id: str, verdict: Verdict) -> Relationship:
        """Confirmed: its confidence is 1 from now. Rejected: it is not shown, and not learned again however often it
        is said. The last verdict counts. NotFound when there is none of that id."""
        ...

    async def state_relationship(self, scope: Scope, stated: StatedRelationship, confirm: bool = True) -> Relationship:
        """Take in what the caller states, once for the entry's id, and confirm it: it ends others and is ended by them
        as what messages say, and rests on none. A rejection of the same is taken back. Without `confirm` it is one
        more mention, and any verdict stays. Conflict when the id is known with other content, or was forgotten;
        InvalidInput for what is said of one and the same."""
        ...

    async def stated_relationships(self, scope: Scope) -> list[StatedRelationship]:
        """All that was stated and is still known, whether it holds or not, in the order in which it was."""
        ...

    async def restore_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        """Bring an archived relationship back at the confidence of a first mention. NotFound; Conflict when it is not
        archived."""
        ...

    async def consolidate(
        self, scope: Scope, now: datetime, floor: float | None, epoch: int | None = None
    ) -> Consolidated:
        """Merge entities that are the same, persist decay to `now`, archive what has faded below `floor` (0 to 1);
        without a floor only merge. Repeated for the same `now`, it changes nothing. InvalidInput."""
        ...

    async def get_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        """NotFound when there is none of that id in the scope."""
        ...

    async def merge_entities(self, scope: Scope, keep_id: str, absorb_id: str) -> Entity:
        """Make one entity of two that are the same; the absorbed name becomes an alias."""
        ...

    async def relabel_entity(
        self, scope: Scope, entity_id: str, name: str | None = None, label: EntityLabel | None = None
    ) -> Entity:
        """Say what an entity is called and what it is. What it was called becomes an alias, its relationships stay, and
        later mentions are recognised by either name, and by what it was taken for. It goes with the last that mentions
        it. NotFound; Conflict, with `entity_id`, when another of that kind bears the name."""
        ...

    async def relabelled(self, scope: Scope) -> list[Relabelled]:
        """The names and labels that people gave entities, and what those were called and taken for before; in the order
        in which they did."""
        ...

    async def split_entity(self, scope: Scope, entity_id: str, absorbed_id: str) -> tuple[Entity, Entity]:
        """Undo a merge: both entities as they were, with what was learned since staying on the first."""
        ...

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> int:
        """Take forgotten interactions out of the evidence; what then rests on nothing is deleted. Returns how
        many entities and relationships were changed or deleted."""
        ...

    async def known_as(self, scope: Scope, entity: str) -> KnownAs:
        """The names of the entities of that id, name or alias, and all interactions that mention them or state
        something of them; empty where there is none."""
        ...

    async def named(self, scope: Scope, names: Collection[str]) -> list[Entity]:
        """The entities of any of these names or aliases, as names are compared in the graph."""
        ...

    async def prune_forgotten(self, before: datetime, limit: int) -> int:
        """Delete the marks of what was forgotten before that moment, whoever's, `limit` at most; returns how many there
        were. The tiers of PostgreSQL share theirs, which the ledger prunes, and Redis lets its own expire."""
        ...


class ProceduralTier(MemoryTier, Protocol):
    """Preferences, behavioural rules and findings, every version of a rule or preference readable; and the reports of
    reflections. `store` takes PreferenceEntry, RuleEntry and FindingEntry."""

    async def store(
        self,
        scope: Scope,
        entries: Sequence[Entry],
        epoch: int | None = None,
        instead_of: Sequence[str] = (),
    ) -> list[Stored]:
        """As every tier's. `instead_of`: interactions that are not forgotten, of which in the same transaction all goes
        first that rests on them, as by `forget_sources`, and may be learned again. That begins an epoch."""
        ...

    async def users(self, scope: Scope, after: str = "", limit: int = 50, only: str | None = None) -> list[KnownUser]:
        """As the episodic tier's: of whom there are preferences, rules or findings; without `last_at`."""
        ...

    async def set_preference(self, scope: Scope, entry: PreferenceEntry) -> Preference:
        """Write a preference: the new value and the greater confidence are kept; an inferred value never
        replaces a stated one and waits beside it. The confidence of what rests on interactions grows with them, and a
        value that changed begins with its own. Idempotent by the entry's id."""
        ...

    async def list_preferences(
        self,
        scope: Scope,
        category: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
        as_of: datetime | None = None,
    ) -> Page[Preference]:
        """Preferences by category and key, without deleted and rejected ones; as they were at `as_of`, or as they
        are."""
        ...

    async def review_preferences(self, scope: Scope, below: float, limit: int = 50) -> list[Preference]:
        """Preferences of a confidence under `below` on which nobody has judged, the surest first."""
        ...

    async def judge_preference(
        self, scope: Scope, preference_id: str, verdict: Verdict, value: OneValue | None = None
    ) -> Preference:
        """Judge its current value, or `value`, one that it has or had. Confirmed: stated, with confidence 1. Rejected:
        not shown, and this value not learned again; another value of the same key is. The last verdict counts. Answers
        the preference as it is then: where an earlier value is left after a rejection, with that one. NotFound when
        there is none of that id, or it never had the value."""
        ...

    async def merge_preferences(
        self, scope: Scope, keep_id: str, absorb_id: str, epoch: int | None = None
    ) -> Preference:
        """Make one preference of two that ask the same question: the versions of both, by their time, under the kept
        name; what is said later under the absorbed name goes to the kept one. Repeating it changes nothing."""
        ...

    async def list_findings(
        self,
        scope: Scope,
        finding: FindingKind | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Finding]:
        """Findings of one kind or of all, the latest first; what had been found by `as_of`."""
        ...

    async def save_reflection(self, scope: Scope, reflection: Reflection, epoch: int | None = None) -> Reflection:
        """Keep a report, once for its id; answers the one that is kept."""
        ...

    async def list_reflections(
        self, scope: Scope, kind: ReflectionKind | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Reflection]:
        """Reports, the latest date first."""
        ...

    async def get_reflection(self, scope: Scope, reflection_id: str) -> Reflection:
        """NotFound when there is none of that id in the scope."""
        ...

    async def get_preference(self, scope: Scope, preference_id: str) -> Preference:
        """NotFound when there is none of that id in the scope."""
        ...

    async def preference_versions(self, scope: Scope, preference_id: str) -> list[Preference]:
        """Every version, newest first."""
        ...

    async def restore_preference(self, scope: Scope, preference_id: str, version: int) -> Preference:
        """Make an earlier version's value current again, as a new version."""
        ...

    async def create_rule(self, scope: Scope, entry: RuleEntry) -> Rule:
        """Idempotent by the entry's id; Conflict when the id is known with another text."""
        ...

    async def update_rule(
        self,
        scope: Scope,
        rule_id: str,
        text: str | None = None,
        triggers: Sequence[str] | None = None,
        priority: int | None = None,
        active: bool | None = None,
        aside: str | None = None,
        epoch: int | None = None,
    ) -> Rule:
        """Change what is given, as a new version. `aside`: the reason why it is put aside, which makes it inactive;
        making it active again clears the reason. Who gives a rule that is proposed `active`, `aside` or other words has
        decided on it."""
        ...

    async def review_rules(self, scope: Scope, limit: int = 50) -> list[Rule]:
        """Rules that are proposed: nobody said them plainly, and no person confirmed them. The latest first."""
        ...

    async def judge_rule(self, scope: Scope, rule_id: str, verdict: Verdict) -> Rule:
        """Confirmed: the rule is active, and stays when only what is proposed is left of what it rests on. Rejected:
        it is deleted, answered as it was, and not learned again. NotFound when there is none of that id."""
        ...

    async def list_rules(
        self,
        scope: Scope,
        active: bool | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Rule]:
        """Rules by priority, highest first; those that are proposed among the ones that are not `active`."""
        ...

    async def get_rule(self, scope: Scope, rule_id: str) -> Rule:
        """NotFound when there is none of that id in the scope."""
        ...

    async def rule_versions(self, scope: Scope, rule_id: str) -> list[Rule]:
        """Every version, newest first."""
        ...

    async def restore_rule(self, scope: Scope, rule_id: str, version: int) -> Rule:
        """Make an earlier version current again, as a new version. What is proposed stays so, and what is not does not
        become it again."""
        ...

    async def record_activation(self, scope: Scope, rule_id: str, activation_id: str | None = None) -> Rule:
        """Count that the rule was activated, once for an id, which is known for 30 days. NotFound when there is no rule
        of that id in the scope."""
        ...

    async def record_outcome(self, scope: Scope, rule_id: str, success: bool) -> Rule:
        """Count an outcome and move the success rate; NotFound as above. It is no activation."""
        ...

    async def inherit(self, scope: Scope, of: str | None, beside: Sequence[str] = ()) -> int:
        """Begin the scope's view with what people set, judged and deleted in the view `of` (None: the whole memory),
        which no message says; but for what was set in a view of `beside` alone. Harmless to repeat. Returns how much
        was set."""
        ...

    async def expire(self, scope: Scope, ids: Collection[str]) -> int:
        """As `forget`, but what is said or found again is learned again."""
        ...

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> int:
        """Take forgotten interactions out of what was learned; what rested on any of them is made of the evidence that
        does not, or deleted with every version, but for what a person did. Returns how many preferences, rules,
        findings and reports changed or went."""
        ...

    async def unlearn(
        self,
        scope: Scope,
        since: datetime,
        time_zone: str,
        read: Sequence[TimeRange] = (),
        days: Sequence[date] | None = None,
    ) -> None:
        """Drop what windows of messages taught, so that they can teach it anew: patterns seen since that moment with
        what came of them, rules first told since its day, what a language model read in the times `read`, the reports
        of `days` or, where that is None, of all days from which on windows are to be looked at again. The ledger notes
        from when on that is. What a person said, wrote or judged stays. Begins an epoch."""
        ...

    async def relearned(self, scope: Scope) -> None:
        """All that was dropped has been looked at again: what a person did to a rule that nobody teaches any more, and
        that they confirmed a value that nobody says any more, is not kept for whoever teaches it later. While the
        ledger notes more to look at, nothing happens."""
        ...


class CatalogTier(MemoryTier, Protocol):
    """Curated knowledge beside the four tiers: resources, the items taken from them, and pages of categories. `store`
    takes ResourceEntry and ItemEntry; `retrieve` finds items (kind `item`) and, where none answers, what resources say
    as it stands (kind `passage`), `forget` takes ids of resources and items.

    Reads of a user include what all users of the tenant share, which lives under the empty user id; writes are of the
    scope's own user alone. A scope with a view sees what all of the user's agents may see, and its agent's own.

    An item always has a living source: with its resource it goes, unless another says the same, or a stub is left.
    Items of one category, one visibility, one domain and one kind of task that say the same are one, under the id of
    the first that came; where that goes, they are told apart anew, as if it had never been.
    """

    async def store(
        self, scope: Scope, entries: Sequence[Entry | CatalogInput], epoch: int | None = None
    ) -> list[Stored]:
        """As every tier's; an item whose resource is not there is a ResourceNotFoundError for all of `entries`, one for
        a category that is not there a CategoryNotFoundError. The `id` that is answered for an item is that of the item
        it is one with."""
        ...

    async def users(self, scope: Scope, after: str = "", limit: int = 50, only: str | None = None) -> list[KnownUser]:
        """As the episodic tier's: of whom there are resources, items or categories of their own; without `last_at`."""
        ...

    async def get_resource(self, scope: Scope, resource_id: str) -> Resource:
        """Raises ResourceNotFoundError."""
        ...

    async def list_resources(
        self,
        scope: Scope,
        resource_type: ResourceType | None = None,
        session_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Resource]:
        """Resources, the one stored last first; their content cut to 200 characters."""
        ...

    async def search_resources(
        self, scope: Scope, text: str, resource_type: ResourceType | None = None, limit: int = 10
    ) -> list[Resource]:
        """Full-text: resources by the best of their chunks, best first, their content cut to that; empty where none has
        a word of `text`."""
        ...

    async def delete_resource(self, scope: Scope, resource_id: str, cascade: bool = True) -> bool:
        """Delete it, with its items; False when there was none. Not `cascade`: a stub without content stays, and keeps
        its items sourced. Pages are made anew of what is left."""
        ...

    async def put_extracted(
        self,
        scope: Scope,
        resource_id: str,
        entries: Sequence[ItemEntry],
        epoch: int | None = None,
        took_ms: float | None = None,
    ) -> list[MemoryItem]:
        """Make `entries` all that was extracted from the resource: items of it that are not among them go, but for
        those stored by hand, and what a person deleted stays away. Repeating it changes nothing. `took_ms`: the
        extraction, for the event. Raises ResourceNotFoundError."""
        ...

    async def get_item(self, scope: Scope, item_id: str, vector: bool = False) -> MemoryItem:
        """Also by the id of one that became one with another. NotFound when there is none."""
        ...

    async def list_items(
        self,
        scope: Scope,
        category: str | None = None,
        resource_id: str | None = None,
        vectors: bool = False,
        cursor: str | None = None,
        limit: int = 50,
        metadata: MetadataFilter | None = None,
    ) -> Page[MemoryItem]:
        """Items, the latest first; of those that are one, the first one's metadata is what a filter looks at."""
        ...

    async def search_items(self, scope: Scope, query: ItemQuery) -> RetrievalResult:
        """The best `query.k` items by meaning and words, in one exact scan; and where no item answers, the passages of
        resources that do, unless a category is named. CategoryNotFoundError for one that is not there."""
        ...

    async def index_passages(self, scope: Scope, limit: int = 32) -> int:
        """Embed what the user's own resources say, passage by passage: `limit` passages at most that have no vector.
        Until then they are found by their words. Returns how many; 0 when none is left. Repeating it is harmless."""
        ...

    async def withdraw_item(self, scope: Scope, item_id: str, agent_id: str) -> int:
        """Delete what that agent contributed to an item: it goes where nobody else did, and is theirs otherwise.
        Returns how many statements went, 0 where none is the agent's."""
        ...

    async def find_entries(self, scope: Scope, query: EntryQuery) -> list[FoundEntry]:
        """The light view of items: those that answer `query.text` best, or the latest, within its filters; of
        `query.ids` those that there are, in that order, one that became one with another as that."""
        ...

    async def items_named(self, scope: Scope, name: str) -> list[str]:
        """Ids of the different items that the scope sees under that name: the one of that id, else those that are
        called so elsewhere, the user's own before all users'; in a view that agent's before what it shares."""
        ...

    async def content_version(self, scope: Scope) -> str:
        """The version that entries found in the scope rest on: another, with the change itself, whenever one that the
        scope may see is stored, changes or goes, or is worth something else to its user. None comes back, also after an
        erasure; what was read before a search is that of what it found, or of what was there before."""
        ...

    async def create_category(self, scope: Scope, name: str, description: str, contributor: str = "") -> MemoryCategory:
        """`contributor`: of one that all users share, the user whose erasure takes it away. InvalidInput
        for a name that is no snake_case of 1 to 64 characters, or a description that is not 10 to 500 long;
        CategoryExistsError."""
        ...

    async def get_category(self, scope: Scope, name: str) -> MemoryCategory:
        """By its name or its id; of two of one name the user's own. CategoryNotFoundError."""
        ...

    async def list_categories(self, scope: Scope, cursor: str | None = None, limit: int = 50) -> Page[MemoryCategory]:
        """By name."""
        ...

    async def edit_category(self, scope: Scope, name: str, content: str) -> MemoryCategory:
        """Let a person's words be its page, which is consolidated only when that is forced. CategoryNotFoundError."""
        ...

    async def put_in_category(self, scope: Scope, name: str, item_ids: Collection[str]) -> MemoryCategory:
        """Move these items into it; ids of none are ignored. CategoryNotFoundError."""
        ...

    async def delete_category(self, scope: Scope, name: str) -> bool:
        """Its items stay, without a category. False when there was none."""
        ...

    async def consolidate(
        self,
        scope: Scope,
        name: str,
        force: bool = False,
        sections: Sequence[PageSection] | None = None,
        epoch: int | None = None,
    ) -> MemoryCategory:
        """Make its page of its items: of `sections` that somebody wrote, of which lines that name no item of it are
        left out, or by the tier itself. Without anything new since the last time, and where a person edited it, only
        when `force`. CategoryNotFoundError; ConsolidationError, and the page is as it was."""
        ...

    async def due_categories(self, scope: Scope, new_items: int = 1) -> list[str]:
        """Names of the user's own categories with so many new items since their pages were made, that no person
        edited."""
        ...

    async def begin_episode(self, scope: Scope, goal: str, domain: str | None = None) -> Episode:
        """Begin a run of use towards a goal; it stays until it ends. In a view, that agent's alone."""
        ...

    async def get_episode(self, scope: Scope, episode_id: str) -> Episode:
        """One that has not ended. NotFound; also for another agent's in a view."""
        ...

    async def record_access(self, scope: Scope, episode_id: str, used: Used) -> EpisodeAccess | None:
        """Note that an item was used, with what it is worth for the goal now; None where there is no such item. A
        content is looked for in its domain, the episode's where it names none. NotFound for an episode that is not
        there or has ended."""
        ...

    async def end_episode(self, scope: Scope, episode_id: str, end: EpisodeEnd) -> list[ValueUpdate]:
        """End it: what was used in it moves by what came of it (`ragpp.td_lambda`), each value from what it is by now,
        in the order of their last use. A goal that the end names takes the place of the one that it began with: what
        was used was worth then what it is worth for that now. Episodes that end with it are one with it: what was used
        in any of them, by time, moves once. NotFound, and nothing ends, where one is not there or has ended."""
        ...

    async def valued_items(self, scope: Scope, wanted: Valued) -> list[MemoryItem]:
        """Items by what they are worth to the user for a goal, best first, with their values; those never used for it
        stand, the latest first, between those that proved better and those that proved worse."""
        ...

    async def agent_usage(self, scope: Scope, agent_id: str) -> AgentUsage:
        """The usage of the user's agent, and the turn that it is in; nothing for one that nobody knows."""
        ...

    async def put_budget(self, scope: Scope, agent_id: str, budget: int | None) -> AgentUsage:
        """Let that be its tokens of a turn, from the next one on; None: as many as one has of which nobody said."""
        ...

    async def shown_lately(self, scope: Scope, agent_id: str, limit: int = 100) -> ShownLately:
        """The memories that it was offered or given last, and whether what it says may rest on something that was
        forgotten meanwhile."""
        ...

    async def put_source(self, scope: Scope, agent_id: str, source: AgentSource) -> AgentUsage:
        """Where its memories come from; with `parallel` a comparison begins anew."""
        ...

    async def note_comparison(self, scope: Scope, agent_id: str, told: Difference) -> None:
        """Count how a turn's memories differ by where they come from; nothing while the agent's source is another than
        `parallel`."""
        ...

    async def comparison(self, scope: Scope, agent_id: str) -> SourceComparison:
        """The counts since the agent's source was set to `parallel` last."""
        ...

    async def compared_uses(self, scope: Scope, agent_id: str, offset: int = 0, limit: int = 50) -> list[ComparedUse]:
        """The memories that were compared, those given most differently first."""
        ...

    async def begin_turn(
        self,
        scope: Scope,
        agent_id: str,
        budget: TokenBudget,
        offered: Sequence[str] = (),
        given: Mapping[str, int] | None = None,
    ) -> Turn:
        """Begin its next turn, of which `budget.used` is used: by a catalog of what was `offered`, in the order of the
        handles, or by what was `given`, with the tokens of each."""
        ...

    async def take_tokens(
        self, scope: Scope, agent_id: str, turn: int, tokens: int, given: Mapping[str, int]
    ) -> TokenBudget | None:
        """Use so many tokens of the turn of that number for what is `given`, with the tokens of each; None where it has
        not so many left, or is over, and nothing is used. Of two at once never more is used than there is."""
        ...

    async def judge_uses(self, scope: Scope, agent_id: str, useful: Mapping[str, float]) -> list[ValueMove]:
        """How useful memories were for its answer, 0 to 1: what they are worth moves (`ragpp.entries.usage`). Once a
        turn; what the agent judged by itself stays as it said."""
        ...

    async def put_feedback(
        self, scope: Scope, agent_id: str, memory_id: str, value: float, reason: str | None = None
    ) -> ValueMove:
        """Store what the agent thinks of a memory, −1 to 1: its value moves. NotFound."""
        ...

    async def memory_uses(self, scope: Scope, agent_id: str, offset: int = 0, limit: int = 50) -> list[MemoryUse]:
        """The uses of each memory that it was shown, those given most tokens first."""
        ...

    async def stats(self, scope: Scope) -> MemoryStats:
        """How much there is in the scope's view."""
        ...

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> list[str]:
        """Take forgotten interactions out of resources that have them, and delete the items that rest on any. Answers
        the ids of the resources that are left, which are asked to be extracted anew in the same transaction."""
        ...

    async def rebuild(self, scope: Scope, after: str | None = None, limit: int = 500) -> str | None:
        """Make vectors and words of the user's own items and resources anew from what they say: `limit` at most, those
        after the id `after`. Answers the last id while there may be more."""
        ...

    async def expire(self, scope: Scope, resource_ids: Collection[str]) -> int:
        """Drop the content of these resources and leave stubs, their items staying. Returns how many there were."""
        ...

    async def kept_entries(self, scope: Scope) -> list[KeptEntry]:
        """The user's own entries that one agent alone sees, and those that have a moment at which they expire."""
        ...

    async def expire_entries(self, scope: Scope, ids: Collection[str]) -> int:
        """Delete these statements, with the sources that say nothing else; they may be stored again. Returns how many
        there were."""
        ...

    async def entry_statistics(self, scope: Scope, agent_id: str | None = None) -> EntryStatistics:
        """How many entries the scope sees, of how many tokens, since when; of one agent where it is named."""
        ...

    async def compress(self, scope: Scope, before: datetime) -> int:
        """Keep the content of resources from before that moment compressed, byte for byte."""
        ...


@dataclass(frozen=True, kw_only=True)
class Tiers:
    """The tiers of a deployment, each in this process or behind HTTP; nothing that uses them can tell."""

    short_term: ShortTermTier
    episodic: EpisodicTier
    semantic: SemanticTier
    procedural: ProceduralTier
    catalog: CatalogTier

    def by_name(self) -> dict[TierName, MemoryTier]:
        """All of them by name, in the order above."""
        return {name: getattr(self, name) for name in PROTOCOLS}


PROTOCOLS = cast("Mapping[TierName, type[MemoryTier]]", get_type_hints(Tiers))
"""The protocol of each tier of a deployment."""
