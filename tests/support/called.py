"""Every verb of every tier, called with whatever an owner has."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from itertools import chain
from typing import Final, TypeAlias
from uuid import uuid4

from pydantic import JsonValue

from ragpp.catalog import CatalogTexts, ItemEntry, ItemQuery, ItemText, MemoryStats, ResourceEntry
from ragpp.clock import system_clock
from ragpp.entries.comparing import Difference
from ragpp.entries.usage import AgentUsage, EntryStatistics, ShownLately, SourceComparison, TokenBudget
from ragpp.entries.values import EntryQuery
from ragpp.episodes import EpisodeEnd, Used, Valued
from ragpp.learned import Consolidated, ProceduralText, Reflection
from ragpp.models import (
    EntityEntry,
    FindingEntry,
    Interaction,
    InteractionEntry,
    KnownAs,
    MemoryQuery,
    Observation,
    PreferenceEntry,
    RelationshipEntry,
    Repetition,
    RuleEntry,
    Scope,
    StatedRelationship,
)
from ragpp.receipts import Receipt
from ragpp.tiers import MemoryTier
from tests.support.belongings import CI, COMMON, RULE, Owner
from tests.support.real_gateway import RealGateway
from tests.support.strangers import only

MAX_EVENT: Final = 2**62
Call: TypeAlias = Callable[[Scope, Owner], Awaitable[object]]


def said(owner: Owner) -> InteractionEntry:
    """Another message under an id of the owner's."""
    moment = system_clock()
    return InteractionEntry(
        interaction=Interaction(
            id=only(owner), session_id=owner.things["session_id"], content="mine", occurred_at=moment
        )
    )


def observed(owner: Owner) -> Observation:
    """An observation that names the owner's message and event."""
    moment = system_clock()
    someone = EntityEntry(id="e", name="Nobody", label="PERSON", occurred_at=moment, sources=(only(owner),))
    return Observation(
        event_id=str(Receipt.parse(owner.things["receipt"]).first_event),
        interaction_id=only(owner),
        occurred_at=moment,
        entities=(someone,),
    )


def preferred(owner: Owner) -> PreferenceEntry:
    """A preference of the owner's name, that says it rests on the owner's message."""
    moment = system_clock()
    return PreferenceEntry(
        id="p", category="drinks", key="evening", value="water", occurred_at=moment, sources=(only(owner),)
    )


def ruled(owner: Owner) -> RuleEntry:
    """A rule under an id of the owner's."""
    return RuleEntry(id=owner.things["rules"], text="mine", occurred_at=system_clock())


def found(owner: Owner) -> FindingEntry:
    """A finding under an id of the owner's."""
    return FindingEntry(id=owner.things["findings"], finding="plan", text="mine", occurred_at=system_clock())


def reported(owner: Owner) -> Reflection:
    """A report under an id of the owner's."""
    moment = system_clock()
    return Reflection(
        id=owner.things["reflection_id"], kind="daily", date=moment.date(), status="completed", created_at=moment
    )


def kept(owner: Owner) -> ResourceEntry:
    """A resource under an id of the owner's."""
    return ResourceEntry(
        id=owner.things["resource_id"], resource_type="document", content="mine", occurred_at=system_clock()
    )


def taken(owner: Owner) -> ItemEntry:
    """An item under an id of the owner's, of the owner's resource and category, on the owner's message."""
    return ItemEntry(
        id=owner.things["items"],
        content="mine",
        source_resource_id=owner.things["resource_id"],
        sources=(only(owner),),
        category=owner.things["category"],
        occurred_at=system_clock(),
    )


def related(owner: Owner) -> RelationshipEntry:
    """A relationship under the id of one of the owner's."""
    moment = system_clock()
    return RelationshipEntry(
        id=owner.things["relationship_id"],
        source="Nobody",
        type="KNOWS",
        target="Noone",
        target_label="PERSON",
        occurred_at=moment,
        sources=(only(owner),),
    )


def stated() -> StatedRelationship:
    """A relationship to state, of nobody that an owner knows."""
    entry = RelationshipEntry(
        id=uuid4().hex,
        source="me",
        type="LIVES_IN",
        target="Atlantis",
        target_label="GPE",
        occurred_at=datetime(2024, 5, 1, tzinfo=UTC),
    )
    return StatedRelationship(entry=entry)


def calls_of(gateway: RealGateway) -> dict[str, Call]:
    """Every verb of every tier, called with whatever the owner has."""
    tiers = gateway.parts
    short_term, episodic, semantic, procedural = tiers.short_term, tiers.episodic, tiers.semantic, tiers.procedural
    catalog = tiers.catalog

    def query(scope: Scope, owner: Owner) -> MemoryQuery:
        inside = scope.in_session(owner.things["session_id"])
        return MemoryQuery(scope=inside, text=" ".join(owner.words), entities=owner.words, limit=1_000)

    def inside(scope: Scope, owner: Owner) -> Scope:
        return scope.in_session(owner.things["session_id"])

    def ids(owner: Owner) -> list[str]:
        return [only(owner), COMMON, RULE, *owner.things.values()]

    def events(owner: Owner) -> tuple[int, int]:
        receipt = Receipt.parse(owner.things["receipt"])
        return receipt.first_event, receipt.last_event

    async def changed(consolidating: Awaitable[Consolidated]) -> int:
        done = await consolidating
        return done.updated + done.archived + len(done.merged)

    async def counted(counting: Awaitable[MemoryStats]) -> int:
        stats = await counting
        return stats.total_resources + stats.total_items + stats.total_categories + stats.storage_bytes

    async def known(knowing: Awaitable[KnownAs]) -> tuple[str, ...]:
        found = await knowing
        return (*found.names, *found.sources)

    def thing(owner: Owner, kind: str) -> str:
        return owner.things[kind]

    def common(name: str, tier: MemoryTier) -> dict[str, Call]:
        return {
            f"{name}.epoch": lambda s, _: tier.epoch(s),
            f"{name}.holdings": lambda s, o: tier.holdings(s, ids(o)),
            f"{name}.erase": lambda s, _: tier.erase(s, MAX_EVENT),
            f"{name}.retrieve": lambda s, o: tier.retrieve(query(s, o)),
            f"{name}.forget": lambda s, o: tier.forget(s, ids(o)),
        }

    every = [common(name, tier) for name, tier in tiers.by_name().items()]
    return {
        **dict(chain.from_iterable(calls.items() for calls in every)),
        "short_term.store": lambda s, o: short_term.store(s, [said(o)]),
        "short_term.forget": lambda s, o: short_term.forget(inside(s, o), ids(o)),
        "short_term.read": lambda s, o: short_term.read(inside(s, o), 100_000),
        "short_term.list_sessions": lambda s, o: short_term.list_sessions(s, thing(o, "sessions.cursor")),
        "short_term.delete_session": lambda s, o: short_term.delete_session(inside(s, o)),
        "short_term.compact": lambda s, o: short_term.compact(inside(s, o)),
        "short_term.draft_summary": lambda s, o: short_term.draft_summary(inside(s, o)),
        "short_term.write_summary": lambda s, o: short_term.write_summary(inside(s, o), "", "mine", [said(o)]),
        "short_term.torn_summary": lambda s, o: short_term.torn_summary(inside(s, o)),
        "short_term.mend_summary": lambda s, o: short_term.mend_summary(inside(s, o), [said(o)]),
        "short_term.rebuild": lambda s, o: short_term.rebuild(inside(s, o), [said(o)]),
        "episodic.store": lambda s, o: episodic.store(s, [said(o)]),
        "episodic.recorded_before": lambda s, _: episodic.recorded_before(s, MAX_EVENT, 1_000),
        "episodic.recorded": lambda s, _: episodic.recorded(s),
        "episodic.get": lambda s, o: episodic.get(s, ids(o)),
        "episodic.replace": lambda s, o: episodic.replace(s, [said(o)], [only(o)]),
        "episodic.list_interactions": lambda s, o: episodic.list_interactions(
            s, None, thing(o, "interactions.cursor"), newest_first=True
        ),
        "episodic.session_tail": lambda s, o: episodic.session_tail(inside(s, o)),
        "episodic.note_repetitions": lambda s, o: episodic.note_repetitions(
            s, [Repetition(id=only(o), start=0, end=4, of=(COMMON,))]
        ),
        "episodic.repetitions": lambda s, o: episodic.repetitions(s, ids(o)),
        "episodic.repeated_by": lambda s, o: episodic.repeated_by(s, ids(o)),
        "episodic.naming": lambda s, o: episodic.naming(s, o.words),
        "episodic.containing": lambda s, o: episodic.containing(s, o.words[0]),
        "episodic.compress": lambda s, _: episodic.compress(s, datetime.now(UTC)),
        "episodic.index_sentences": lambda s, _: episodic.index_sentences(s),
        "episodic.pending": lambda s, o: episodic.pending(s, *events(o)),
        "semantic.store": lambda s, o: semantic.store(s, [related(o)]),
        "semantic.observe": lambda s, o: semantic.observe(s, [observed(o)]),
        "semantic.known_as": lambda s, o: known(semantic.known_as(s, thing(o, "entity_id"))),
        "semantic.named": lambda s, o: semantic.named(s, o.words),
        "semantic.list_entities": lambda s, o: semantic.list_entities(s, None, thing(o, "entities.cursor")),
        "semantic.get_entity": lambda s, o: semantic.get_entity(s, thing(o, "entity_id")),
        "semantic.list_relationships": lambda s, o: semantic.list_relationships(s, thing(o, "entity_id")),
        "semantic.get_relationship": lambda s, o: semantic.get_relationship(s, thing(o, "relationship_id")),
        "semantic.review_relationships": lambda s, _: semantic.review_relationships(s, 1.0),
        "semantic.judge_relationship": lambda s, o: semantic.judge_relationship(
            s, thing(o, "relationship_id"), "rejected"
        ),
        "episodic.users": lambda s, _: episodic.users(s),
        "procedural.users": lambda s, _: procedural.users(s),
        "catalog.users": lambda s, _: catalog.users(s),
        "semantic.state_relationship": lambda s, _: semantic.state_relationship(s, stated()),
        "semantic.stated_relationships": lambda s, _: semantic.stated_relationships(s),
        "semantic.relabelled": lambda s, _: semantic.relabelled(s),
        "semantic.relabel_entity": lambda s, o: semantic.relabel_entity(s, thing(o, "entities"), "mine"),
        "semantic.restore_relationship": lambda s, o: semantic.restore_relationship(s, thing(o, "relationship_id")),
        "semantic.consolidate": lambda s, _: changed(semantic.consolidate(s, system_clock(), 1.0)),
        "semantic.merge_entities": lambda s, o: semantic.merge_entities(s, thing(o, "entity_id"), thing(o, "entities")),
        "semantic.split_entity": lambda s, o: semantic.split_entity(s, thing(o, "entity_id"), thing(o, "entities")),
        "semantic.forget_sources": lambda s, o: semantic.forget_sources(s, ids(o)),
        "procedural.store": lambda s, o: procedural.store(s, [preferred(o), ruled(o), found(o)]),
        "procedural.expire": lambda s, o: procedural.expire(s, ids(o)),
        "procedural.set_preference": lambda s, o: procedural.set_preference(s, preferred(o)),
        "procedural.list_preferences": lambda s, o: procedural.list_preferences(
            s, None, thing(o, "preferences.cursor")
        ),
        "procedural.get_preference": lambda s, o: procedural.get_preference(s, thing(o, "preferences")),
        "procedural.preference_versions": lambda s, o: procedural.preference_versions(s, thing(o, "preferences")),
        "procedural.restore_preference": lambda s, o: procedural.restore_preference(s, thing(o, "preferences"), 1),
        "procedural.review_preferences": lambda s, _: procedural.review_preferences(s, 1.0),
        "procedural.judge_preference": lambda s, o: procedural.judge_preference(s, thing(o, "preferences"), "rejected"),
        "procedural.merge_preferences": lambda s, o: procedural.merge_preferences(s, thing(o, "preferences"), only(o)),
        "procedural.list_findings": lambda s, o: procedural.list_findings(s, None, None, thing(o, "findings.cursor")),
        "procedural.judge_finding": lambda s, o: procedural.judge_finding(s, thing(o, "findings"), "rejected"),
        "procedural.correct_finding": lambda s, o: procedural.correct_finding(s, thing(o, "findings"), "mine"),
        "procedural.save_reflection": lambda s, o: procedural.save_reflection(s, reported(o)),
        "procedural.list_reflections": lambda s, o: procedural.list_reflections(
            s, None, thing(o, "reflections.cursor")
        ),
        "procedural.get_reflection": lambda s, o: procedural.get_reflection(s, thing(o, "reflection_id")),
        "procedural.create_rule": lambda s, o: procedural.create_rule(s, ruled(o)),
        "procedural.update_rule": lambda s, o: procedural.update_rule(s, thing(o, "rules"), text="mine"),
        "procedural.list_rules": lambda s, o: procedural.list_rules(s, None, thing(o, "rules.cursor")),
        "procedural.get_rule": lambda s, o: procedural.get_rule(s, thing(o, "rules")),
        "procedural.rule_versions": lambda s, o: procedural.rule_versions(s, thing(o, "rules")),
        "procedural.restore_rule": lambda s, o: procedural.restore_rule(s, thing(o, "rules"), 1),
        "procedural.review_rules": lambda s, _: procedural.review_rules(s),
        "procedural.judge_rule": lambda s, o: procedural.judge_rule(s, thing(o, "proposed"), "rejected"),
        "procedural.record_activation": lambda s, o: procedural.record_activation(s, thing(o, "rules"), "a"),
        "procedural.record_outcome": lambda s, o: procedural.record_outcome(s, thing(o, "rules"), success=False),
        "procedural.texts": lambda s, _: procedural.texts(s),
        "procedural.reword": lambda s, o: procedural.reword(s, [worded(o)]),
        "procedural.forget_sources": lambda s, o: procedural.forget_sources(s, ids(o)),
        "procedural.inherit": lambda s, o: procedural.inherit(s.seen_by(only(o)), None),
        "procedural.relearned": lambda s, _: procedural.relearned(s),
        "catalog.store": lambda s, o: catalog.store(s, [kept(o)]),
        "catalog.get_resource": lambda s, o: catalog.get_resource(s, thing(o, "resource_id")),
        "catalog.list_resources": lambda s, o: catalog.list_resources(s, cursor=thing(o, "resources.cursor")),
        "catalog.index_passages": lambda s, _: catalog.index_passages(s),
        "catalog.search_resources": lambda s, o: catalog.search_resources(s, " ".join(o.words)),
        "catalog.delete_resource": lambda s, o: catalog.delete_resource(s, thing(o, "resource_id")),
        "catalog.put_extracted": lambda s, o: catalog.put_extracted(s, thing(o, "resource_id"), [taken(o)]),
        "catalog.get_item": lambda s, o: catalog.get_item(s, thing(o, "items"), vector=True),
        "catalog.list_items": lambda s, o: catalog.list_items(s, None, thing(o, "resource_id"), vectors=True),
        "catalog.search_items": lambda s, o: catalog.search_items(s, ItemQuery(text=" ".join(o.words), k=100)),
        "catalog.items_named": lambda s, o: catalog.items_named(s, thing(o, "items")),
        "catalog.find_entries": lambda s, o: catalog.find_entries(s, EntryQuery(ids=tuple(ids(o)), contents=True)),
        "catalog.content_version": lambda s, _: catalog.content_version(s),
        "catalog.withdraw_item": lambda s, o: catalog.withdraw_item(s, thing(o, "items"), only(o)),
        "catalog.create_category": lambda s, o: catalog.create_category(s, thing(o, "category"), "What is mine alone"),
        "catalog.get_category": lambda s, o: catalog.get_category(s, thing(o, "category")),
        "catalog.list_categories": lambda s, o: catalog.list_categories(s, thing(o, "categories.cursor")),
        "catalog.edit_category": lambda s, o: catalog.edit_category(s, thing(o, "category"), "mine"),
        "catalog.put_in_category": lambda s, o: catalog.put_in_category(s, thing(o, "category"), ids(o)),
        "catalog.delete_category": lambda s, o: catalog.delete_category(s, thing(o, "category")),
        "catalog.consolidate": lambda s, o: catalog.consolidate(s, thing(o, "category"), force=True),
        "catalog.due_categories": lambda s, _: catalog.due_categories(s),
        "catalog.begin_episode": lambda s, _: catalog.begin_episode(s, "mine"),
        "catalog.get_episode": lambda s, o: catalog.get_episode(s, thing(o, "episode_id")),
        "catalog.record_access": lambda s, o: catalog.record_access(
            s, thing(o, "episode_id"), Used(memory_id=thing(o, "items"))
        ),
        "catalog.end_episode": lambda s, o: catalog.end_episode(s, thing(o, "episode_id"), EpisodeEnd(final_reward=1)),
        "catalog.valued_items": lambda s, _: catalog.valued_items(s, Valued(goal="mine", limit=200)),
        "catalog.kept_entries": lambda s, _: catalog.kept_entries(s),
        "catalog.expire_entries": lambda s, o: catalog.expire_entries(s, ids(o)),
        "catalog.entry_statistics": lambda s, _: totalled(catalog.entry_statistics(s)),
        "catalog.agent_usage": lambda s, _: used(catalog.agent_usage(s, CI)),
        "catalog.put_budget": lambda s, _: catalog.put_budget(s, CI, 5),
        "catalog.put_source": lambda s, _: catalog.put_source(s, CI, "file"),
        "catalog.note_comparison": lambda s, o: catalog.note_comparison(
            s, CI, Difference(file={thing(o, "items"): 5}, catalog={})
        ),
        "catalog.comparison": lambda s, _: compared(catalog.comparison(s, CI)),
        "catalog.shown_lately": lambda s, _: shown(catalog.shown_lately(s, CI)),
        "catalog.compared_uses": lambda s, _: catalog.compared_uses(s, CI),
        "catalog.begin_turn": lambda s, o: catalog.begin_turn(s, CI, TokenBudget.of(5, 0), [thing(o, "items")]),
        "catalog.take_tokens": lambda s, o: catalog.take_tokens(s, CI, 1, 5, {thing(o, "items"): 5}),
        "catalog.judge_uses": lambda s, o: catalog.judge_uses(s, CI, {thing(o, "items"): 1.0}),
        "catalog.put_feedback": lambda s, o: catalog.put_feedback(s, CI, thing(o, "items"), -1.0, "mine"),
        "catalog.memory_uses": lambda s, _: catalog.memory_uses(s, CI),
        "catalog.stats": lambda s, _: counted(catalog.stats(s)),
        "catalog.texts": lambda s, _: told_of(catalog.texts(s)),
        "catalog.resting_on": lambda s, o: catalog.resting_on(s, ids(o)),
        "catalog.reword": lambda s, o: catalog.reword(
            s, CatalogTexts(items=(ItemText(id=thing(o, "items"), content="mine"),))
        ),
        "catalog.labels": lambda s, _: catalog.labels(s),
        "catalog.relabel": lambda s, o: catalog.relabel(s, dict.fromkeys(o.words, "mine")),
        "catalog.forget_sources": lambda s, o: catalog.forget_sources(s, ids(o)),
        "catalog.rebuild": lambda s, o: catalog.rebuild(s, thing(o, "resource_id")),
        "catalog.expire": lambda s, o: catalog.expire(s, ids(o)),
        "catalog.compress": lambda s, _: catalog.compress(s, datetime.now(UTC)),
        "catalog.drop_vectors": lambda s, _: catalog.drop_vectors(s, datetime.now(UTC)),
        "procedural.unlearn": lambda s, _: procedural.unlearn(s, datetime(2000, 1, 1, tzinfo=UTC), "UTC"),
    }


def worded(owner: Owner) -> ProceduralText:
    words: dict[str, JsonValue] = {"text": "mine", "triggers": [], "aside": None}
    return ProceduralText(kind="rule", id=owner.things["rules"], words=words)


async def told_of(asked: Awaitable[CatalogTexts]) -> CatalogTexts | None:
    """The texts of a catalog; None where there are none."""
    texts = await asked
    return None if texts == CatalogTexts() else texts


async def totalled(asked: Awaitable[EntryStatistics]) -> int:
    statistics = await asked
    return statistics.total_memories + statistics.total_tokens


async def used(asked: Awaitable[AgentUsage]) -> AgentUsage | None:
    """An agent's usage; None where it was given nothing."""
    usage = await asked
    return None if usage == AgentUsage() else usage


async def shown(asked: Awaitable[ShownLately]) -> ShownLately | None:
    """The memories that an agent was shown lately; None for none."""
    lately = await asked
    return None if lately == ShownLately() else lately


async def compared(asked: Awaitable[SourceComparison]) -> SourceComparison | None:
    """The comparison of sources; None where nothing was compared."""
    comparison = await asked
    return None if comparison == SourceComparison() else comparison


WRITING: Final = frozenset(
    {
        *("epoch", "store", "rebuild", "observe", "set_preference", "create_rule", "save_reflection"),
        "state_relationship",
        "content_version",
        "begin_episode",
        "begin_turn",
        "put_budget",
        "put_source",
        "create_category",
    }
)
"""Verbs that give the stranger something of the stranger's own."""
UNSCOPED: Final = frozenset({"health_check", "state", "is_blank", "mark", "prune_forgotten"})
"""Verbs about a store as a whole; they take no scope and tell nothing of anybody's."""
OF_THE_SCRATCH_TENANT: Final = frozenset({"sweep"})
"""Verbs that refuse everybody but a tenant that is nobody's: tests/e2e/test_health_report.py."""
OF_A_TENANT: Final = frozenset({"users"})
"""Verbs that tell whoever is of the tenant who is known there, and nothing of them."""
