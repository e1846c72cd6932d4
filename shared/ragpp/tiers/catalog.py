"""The contract of the tier that holds curated knowledge.

Over 300 lines and one file all the same: nothing but signatures and what they promise.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from ragpp.catalog import (
    CatalogInput,
    CatalogTexts,
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
from ragpp.filtering import MetadataFilter
from ragpp.models import Entry, KnownUser, Page, Scope, Stored
from ragpp.retention import KeptEntry
from ragpp.tiers.memory import MemoryTier


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

    async def texts(self, scope: Scope, after: str | None = None, limit: int = 50) -> CatalogTexts:
        """The texts of the user's own things by id, about `limit` of those behind `after`, fewer where they are long:
        every statement by itself, and nothing of what all users share."""
        ...

    async def resting_on(self, scope: Scope, interaction_ids: Collection[str]) -> list[Resource]:
        """The user's own resources that hold any of these interactions, whoever sees them."""
        ...

    async def reword(self, scope: Scope, texts: CatalogTexts, epoch: int | None = None) -> None:
        """Put these in the place of what the user's own things of these ids say, and nothing of what they said stays:
        items that were extracted from a resource go and are extracted anew, pages that were made of what changed lose
        that. Ids, values, and who sees them stay. What is gone, and a category that was changed meanwhile, is left. It
        begins an epoch; Outdated, and nothing is done, where something was forgotten since `epoch`."""
        ...

    async def labels(self, scope: Scope) -> list[str]:
        """The words that no item has: goals and domains of episodes, goals of values, reasons of feedback."""
        ...

    async def relabel(self, scope: Scope, labels: Mapping[str, str]) -> None:
        """Put these words in the place of those; of two values that are then of one goal the later one stays."""
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

    async def drop_vectors(self, scope: Scope, before: datetime) -> int:
        """Delete the vectors of the passages of resources from before that moment, for good: they are found by words
        alone, and their resource says so. Items keep theirs. Returns of how many resources."""
        ...
