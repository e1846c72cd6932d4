"""The procedural tier's own promises, on PostgreSQL."""

import asyncio
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import Conflict, EmbeddingError, EmbeddingMismatch, InvalidInput, NotFound, TierUnavailable
from ragpp.models import Entry, Filters, Interaction, InteractionEntry, MemoryQuery, RuleEntry, Scope
from ragpp.settings import PostgresSettings
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.procedural.app import open_tier
from ragpp_services.procedural.statements import SQL
from ragpp_services.procedural.tier import PostgresProceduralTier
from tests.support.asking import connected
from tests.support.each import each
from tests.support.embedding import LostEmbedder
from tests.support.procedural import NOON, preference, procedural_tier, rule
from tests.support.scopes import new_scope
from tests.support.waiting import well

pytestmark = pytest.mark.server
HOSTILE = [
    "'; DROP TABLE procedural.rules; --",
    '{"a": "}{"}',
    "line\nbreak\r\n\ttab",
    "100% * ? _ $1 \\ \\n",
    "עברית \u202eRTL\u202c 中文 🙂‍↔️",
    "x" * 100,
    "{{tag}}/../%00",
]


@pytest.mark.usefixtures("tier")
async def test_every_statement_can_be_prepared(endpoints: Endpoints) -> None:
    settings = PostgresSettings(dsn=endpoints.postgres_app_dsn)
    async with connected(settings.dsn) as connection:
        for statement in SQL.values():
            await connection.prepare(statement)


async def test_without_a_tenant_no_row_of_any_table_is_seen(
    tier: PostgresProceduralTier, endpoints: Endpoints, scope: Scope
) -> None:
    await tier.store(scope, [preference("a", "mild", sources=("i",)), rule("r", "greet")])
    await tier.forget_sources(scope, ["elsewhere"])
    async with connected(endpoints.postgres_app_dsn) as connection:
        tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'procedural'")
        assert len(tables) == 14
        for row in tables:
            try:
                seen = await connection.fetch(f"SELECT * FROM procedural.{row['tablename']}")  # noqa: S608 - from the catalog
            except asyncpg.InsufficientPrivilegeError:
                assert row["tablename"] == "embedding_model"
            else:
                assert seen == []


async def test_writing_again_keeps_the_new_value_and_the_greater_confidence(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    first = await tier.set_preference(scope, preference("a", "mild", confidence=0.9))
    second = await tier.set_preference(scope, preference("b", "hot", confidence=0.5, hours=1))
    assert (first.value, first.version) == ("mild", 1)
    assert (second.value, second.confidence, second.version, second.id) == ("hot", 0.9, 2, first.id)


async def test_an_inferred_value_waits_beside_a_stated_one(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.set_preference(scope, preference("a", "mild"))
    kept = await tier.set_preference(scope, preference("b", "hot", stated=False, confidence=0.6, hours=1))
    assert (kept.value, kept.stated, kept.waiting, kept.waiting_confidence) == ("mild", True, "hot", 0.6)


async def test_what_was_said_earlier_and_arrives_later_is_kept_as_a_version(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    await tier.set_preference(scope, preference("b", "hot", hours=5))
    current = await tier.set_preference(scope, preference("a", "mild", hours=1))
    assert current.value == "hot"
    assert [found.value for found in await tier.preference_versions(scope, current.id)] == ["mild", "hot"]


async def test_a_redelivered_entry_changes_nothing(tier: PostgresProceduralTier, scope: Scope) -> None:
    entry = preference("a", "mild")
    [first] = await tier.store(scope, [entry])
    await tier.store(scope, [preference("b", "hot", hours=1)])
    [again] = await tier.store(scope, [entry])
    assert (first.duplicate, again.duplicate) == (False, True)
    assert first.event_id == again.event_id is not None
    [page] = (await tier.list_preferences(scope)).items
    assert (page.value, page.version) == ("hot", 2)


async def test_an_id_with_other_content_is_a_conflict_for_all(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(scope, [preference("a", "mild")])
    batch: list[Entry] = [
        preference("new", "x", key="other"),
        preference("a", "hot"),
        rule("r", "do"),
        rule("r", "do not"),
    ]
    with pytest.raises(Conflict) as caught:
        await tier.store(scope, batch)
    assert caught.value.details["indexes"] == [1, 3]
    assert len((await tier.list_preferences(scope)).items) == 1
    assert (await tier.list_rules(scope)).items == ()


async def test_one_id_twice_in_a_batch_is_written_once(tier: PostgresProceduralTier, scope: Scope) -> None:
    stored = await tier.store(scope, [preference("a", "mild"), preference("a", "mild")])
    assert [found.duplicate for found in stored] == [False, True]
    assert stored[0].event_id == stored[1].event_id


async def test_two_writers_of_one_preference_lose_nothing(tier: PostgresProceduralTier, scope: Scope) -> None:
    entries = [preference(f"e{n}", f"v{n}", hours=n) for n in range(12)]
    await asyncio.gather(*(tier.store(scope, [entry]) for entry in [*entries, *entries]))
    [current] = (await tier.list_preferences(scope)).items
    assert (current.value, current.version) == ("v11", 12)
    versions = await tier.preference_versions(scope, current.id)
    assert {found.value for found in versions} == {entry.value for entry in entries}


async def test_an_earlier_version_can_be_restored(tier: PostgresProceduralTier, scope: Scope) -> None:
    first = await tier.set_preference(scope, preference("a", "mild"))
    await tier.set_preference(scope, preference("b", "hot", hours=1))
    restored = await tier.restore_preference(scope, first.id, 1)
    assert (restored.value, restored.version) == ("mild", 3)
    assert await tier.restore_preference(scope, first.id, 1) == restored
    with pytest.raises(NotFound):
        await tier.restore_preference(scope, first.id, 9)


async def test_the_user_can_take_the_waiting_value(tier: PostgresProceduralTier, scope: Scope) -> None:
    kept = await tier.set_preference(scope, preference("a", "mild"))
    await tier.set_preference(scope, preference("b", "hot", stated=False, hours=1))
    taken = await tier.restore_preference(scope, kept.id, 2)
    assert (taken.value, taken.stated, taken.waiting) == ("hot", True, None)


async def test_rules_change_by_versions(tier: PostgresProceduralTier, scope: Scope) -> None:
    created = await tier.create_rule(scope, rule("r", "Answer briefly.", "summary"))
    assert created == await tier.create_rule(scope, rule("r", "Answer briefly.", "summary"))
    changed = await tier.update_rule(scope, "r", text="Answer at length.", priority=8)
    assert (changed.version, changed.text, changed.priority, changed.triggers) == (
        2,
        "Answer at length.",
        8,
        ("summary",),
    )
    assert await tier.update_rule(scope, "r", priority=8) == changed
    restored = await tier.restore_rule(scope, "r", 1)
    assert (restored.version, restored.text, restored.priority) == (3, "Answer briefly.", 5)
    assert [found.version for found in await tier.rule_versions(scope, "r")] == [3, 2, 1]
    with pytest.raises(Conflict):
        await tier.create_rule(scope, rule("r", "Something else."))
    with pytest.raises(InvalidInput):
        await tier.update_rule(scope, "r", priority=11)
    with pytest.raises(NotFound):
        await tier.update_rule(scope, "other", priority=1)


async def test_the_success_rate_is_the_running_mean_of_outcomes(tier: PostgresProceduralTier, scope: Scope) -> None:
    assert (await tier.create_rule(scope, rule("r", "greet"))).success_rate is None
    await asyncio.gather(*(tier.record_outcome(scope, "r", success) for success in [True, False, True, True]))
    found = await tier.get_rule(scope, "r")
    assert (found.activation_count, found.outcomes, found.success_rate) == (0, 4, 0.75)
    with pytest.raises(NotFound):
        await tier.record_outcome(scope, "other", True)


async def test_retrieve_gives_rules_that_are_called_up_and_then_preferences(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    await tier.store(
        scope,
        [
            rule("called", "Ask before deleting files.", "clean up"),
            rule("inactive", "Delete at once.", "clean up"),
            rule("other", "Quote sources.", "research"),
            preference("a", "ramen", key="favourite soup"),
            preference("b", "window", category="travel", key="seat"),
        ],
    )
    await tier.update_rule(scope, "inactive", active=False)
    found = await tier.retrieve(MemoryQuery(scope=scope, text="clean up, then order my favourite soup"))
    assert [memory.text for memory in found] == [
        "Ask before deleting files.",
        "food favourite soup: ramen",
        "travel seat: window",
    ]
    assert all(memory.tokens > 0 for memory in found)
    by_task = MemoryQuery(scope=scope, filters=Filters(task_type="research"), limit=1)
    assert [memory.id for memory in await tier.retrieve(by_task)] == ["other"]


async def test_by_words_alone_nothing_is_embedded(endpoints: Endpoints, scope: Scope) -> None:
    embedder = LostEmbedder()
    settings = PostgresSettings(dsn=endpoints.postgres_app_dsn)
    async with open_tier(settings, embedder=embedder, counter=TokenCounter(), clock=lambda: NOON) as tier:
        await tier.store(scope, [preference("a", "mild"), rule("r", "Ask about allergies.", "dinner")])
        embedder.is_lost = True
        query = MemoryQuery(scope=scope, text="how much spice at dinner", mode="lexical")
        found = await tier.retrieve(query)
        assert [(memory.kind, memory.similarity) for memory in found] == [("rule", None), ("preference", None)]
        assert found[1].score > 0
        with pytest.raises(EmbeddingError):
            await tier.retrieve(query.model_copy(update={"mode": "hybrid"}))


async def test_as_of_shows_what_held_then(tier: PostgresProceduralTier, endpoints: Endpoints, scope: Scope) -> None:
    later = NOON + timedelta(days=2)
    async with procedural_tier(endpoints, clock=lambda: later) as then:
        await then.store(scope, [preference("a", "mild"), preference("b", "hot", hours=24), rule("r", "greet")])
        await then.update_rule(scope, "r", text="bow")
    for hours, texts in [(-1, set()), (1, {"food spice: mild", "greet"}), (25, {"food spice: hot", "greet"})]:
        moment = MemoryQuery(scope=scope, text="x", as_of=NOON + timedelta(hours=hours))
        assert {memory.text for memory in await tier.retrieve(moment)} == texts
    now = await tier.retrieve(MemoryQuery(scope=scope, text="x", as_of=later))
    assert {memory.text for memory in now} == {"food spice: hot", "bow"}


async def test_lists_are_paged_in_order(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(
        scope,
        [
            *(preference(f"p{n}", "v", category=f"c{n % 3}", key=f"k{n}") for n in range(7)),
            *(rule(f"r{n}", f"do {n}", priority=n % 3) for n in range(7)),
        ],
    )
    names: list[tuple[str, str]] = []
    cursor = None
    while True:
        preferences = await tier.list_preferences(scope, cursor=cursor, limit=2)
        names += [(item.category, item.key) for item in preferences.items]
        cursor = preferences.next_cursor
        if cursor is None:
            break
    assert names == sorted((f"c{n % 3}", f"k{n}") for n in range(7))
    ranks: list[tuple[int, str]] = []
    while True:
        rules = await tier.list_rules(scope, cursor=cursor, limit=3, active=True)
        ranks += [(item.priority, item.id) for item in rules.items]
        cursor = rules.next_cursor
        if cursor is None:
            break
    assert ranks == sorted(((n % 3, f"r{n}") for n in range(7)), key=lambda rank: (-rank[0], rank[1]))
    assert len((await tier.list_preferences(scope, category="c1")).items) == 2
    with pytest.raises(InvalidInput):
        await tier.list_rules(scope, cursor="not a cursor")


async def test_hostile_ids_and_texts_come_back_as_they_were(tier: PostgresProceduralTier) -> None:
    async def comes_back(text: str) -> None:
        own = Scope(tenant_id=f"{new_scope().tenant_id}{text}"[:256], user_id=text)
        await tier.store(own, [preference(text, text, category=text, key=text), rule(f"r{text}", text, text)])
        [found] = (await tier.list_preferences(own)).items
        assert (found.category, found.key, found.value) == (text, text, text)
        assert (await tier.get_rule(own, f"r{text}")).triggers == (text,)
        assert {memory.kind for memory in await tier.retrieve(MemoryQuery(scope=own, text=text))} == {
            "preference",
            "rule",
        }
        assert await tier.forget(own, [text, f"r{text}"]) == 2

    await each(HOSTILE, comes_back)


async def test_one_user_never_sees_or_changes_anothers(tier: PostgresProceduralTier) -> None:
    alice = new_scope()
    others = [Scope(tenant_id=alice.tenant_id, user_id="bob"), Scope(tenant_id="t-other", user_id=alice.user_id)]
    mine = await tier.set_preference(alice, preference("a", "mild", sources=("i1",)))
    await tier.create_rule(alice, rule("r", "greet", sources=("i1",)))
    for other in others:
        await tier.set_preference(other, preference(f"own-{alice.user_id}", "hot"))
        assert await tier.forget(other, [mine.id, "a", "r"]) == 0
        assert await tier.forget_sources(other, ["i1"]) == 0
        assert (await tier.list_rules(other)).items == ()
        assert {memory.text for memory in await tier.retrieve(MemoryQuery(scope=other, text="mild greet"))} == {
            "food spice: hot"
        }
        for call in (
            tier.get_preference(other, mine.id),
            tier.preference_versions(other, mine.id),
            tier.restore_preference(other, mine.id, 1),
            tier.get_rule(other, "r"),
            tier.rule_versions(other, "r"),
            tier.update_rule(other, "r", priority=1),
            tier.restore_rule(other, "r", 1),
            tier.record_outcome(other, "r", True),
        ):
            with pytest.raises(NotFound):
                await call
    assert (await tier.get_preference(alice, mine.id)) == mine


async def test_other_kinds_of_entries_and_vectors_of_another_size_are_refused(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    message = InteractionEntry(interaction=Interaction(id="i", content="hello", occurred_at=NOON))
    with pytest.raises(InvalidInput):
        await tier.store(scope, [message])
    with pytest.raises(InvalidInput):
        await tier.store(scope, [preference("a", "x").model_copy(update={"embedding": (1.0, 0.0)})])
    with pytest.raises(InvalidInput):
        await tier.retrieve(MemoryQuery(scope=scope, embedding=(1.0, 0.0)))


async def test_vectors_of_another_model_are_refused_before_anything_is_written(
    tier: PostgresProceduralTier, endpoints: Endpoints
) -> None:
    await well(tier)
    settings = PostgresSettings(dsn=endpoints.postgres_app_dsn)
    with pytest.raises(EmbeddingMismatch):
        async with open_tier(settings, embedder=HashingEmbedder(64), counter=TokenCounter()):
            pass


async def test_a_server_that_is_down_is_an_unavailable_tier_at_once(scope: Scope) -> None:
    settings = PostgresSettings.model_validate({"dsn": "postgresql://ragpp_app:x@127.0.0.1:1/ragpp"})
    async with open_tier(settings, embedder=HashingEmbedder(), counter=TokenCounter()) as down:
        began = datetime.now(UTC)
        with pytest.raises(TierUnavailable):
            await down.retrieve(MemoryQuery(scope=scope, text="x"))
        health = await down.health_check()
        assert not health.ok
        assert health.detail
        assert datetime.now(UTC) - began < timedelta(seconds=0.5)


async def test_the_id_of_an_activation_is_known_for_thirty_days_and_not_for_ever(
    endpoints: Endpoints, scope: Scope
) -> None:
    now = NOON
    async with procedural_tier(endpoints, clock=lambda: now) as tier:
        await tier.create_rule(scope, RuleEntry(id="r", text="greet", occurred_at=NOON))
        counts = []
        for days in (0, 29, 31, 32):
            now = NOON + timedelta(days=days)
            counts.append((await tier.record_activation(scope, "r", "a")).activation_count)
            await tier.record_activation(scope, "r", f"on day {days}")
        assert counts == [1, 2, 4, 5]
