"""The episodic tier's own promises, on PostgreSQL."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Any, Final

import asyncpg
import pytest

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import Conflict, EmbeddingMismatch, InvalidInput, TierUnavailable
from ragpp.models import Filters, Interaction, InteractionEntry, MemoryQuery, PreferenceEntry, Repetition, Role, Scope
from ragpp.settings import PostgresSettings
from ragpp.stores.postgres import as_tenant
from ragpp.text.repeating import repetitions
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.episodic.app import open_tier
from ragpp_services.episodic.statements import SQL
from ragpp_services.episodic.tier import PostgresEpisodicTier
from tests.support.asking import connected
from tests.support.each import each
from tests.support.episodic import COUNTER, NOON, at, episodic_entry, episodic_query, episodic_tier, found
from tests.support.scopes import new_scope
from tests.support.waiting import well

pytestmark = pytest.mark.server
HOSTILE = [
    "'; DROP TABLE episodic.interactions; --",
    '{"a": "}{"}',
    "line\nbreak\r\n\ttab",
    "100% * ? _ $1 \\ \\n",
    "עברית \u202eRTL\u202c 中文 🙂‍↔️",
    "x" * 256,
    "{{tag}}/../%00",
    "\ufeff\u200b\u2028",
    " ",
]


async def test_every_statement_can_be_prepared(endpoints: Endpoints, tier: PostgresEpisodicTier) -> None:
    await well(tier)
    async with connected(endpoints.postgres_app_dsn) as connection:
        for name in SQL:
            assert await connection.prepare(SQL[name]), name


async def test_what_is_stored_reads_back_as_it_was(tier: PostgresEpisodicTier, scope: Scope) -> None:
    entries = [
        episodic_entry(
            f"{text} is what was said",
            id=text,
            session_id=text,
            agent_id=text,
            role="tool",
            name=text[:200],
            message_type=text[:100],
            channel=text[:100],
            domain=text[:100],
            task_type=text[:100],
            metadata={text: [text, 1, 2.5, None, True, {"n": 10**30}]},
            occurred_at=at(index + 0.000001 / 60),
        )
        for index, text in enumerate(HOSTILE)
    ]
    await tier.store(scope, entries)
    assert await tier.get(scope, HOSTILE) == [entry.interaction for entry in entries]
    (memory,) = await tier.retrieve(
        MemoryQuery(scope=scope, text=f"{HOSTILE[0]} said", limit=1, filters=Filters(session_id=HOSTILE[0]))
    )
    assert memory.text == entries[0].interaction.content
    assert memory.metadata == entries[0].interaction.metadata
    assert memory.said_by == HOSTILE[0]
    assert memory.sources == (HOSTILE[0],)


async def test_the_application_cannot_change_what_was_said(
    endpoints: Endpoints, tier: PostgresEpisodicTier, scope: Scope
) -> None:
    await tier.store(scope, [episodic_entry("The key is under the pot.", id="a")])
    for column, value in (("content", "'elsewhere'"), ("occurred_at", "now()"), ("role", "'assistant'"), ("id", "'b'")):
        async with connected(endpoints.postgres_app_dsn) as connection, as_tenant(connection, scope.tenant_id):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(f"UPDATE episodic.interactions SET {column} = {value}")  # noqa: S608 - constants
    (kept,) = await tier.get(scope, ["a"])
    assert kept.content == "The key is under the pot."


@pytest.mark.parametrize("moment", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
async def test_the_first_and_the_last_moment_of_the_calendar_are_kept(
    tier: PostgresEpisodicTier, scope: Scope, moment: datetime
) -> None:
    await tier.store(scope, [episodic_entry("long ago and far ahead", id="a", occurred_at=moment)])
    assert [item.occurred_at for item in await tier.get(scope, ["a"])] == [moment]
    assert await found(tier, episodic_query(scope, "far ahead")) == ["a"]
    page = await tier.list_interactions(scope)
    assert [item.id for item in page.items] == ["a"]


async def test_a_batch_with_an_id_twice_keeps_the_first_and_calls_the_second_a_duplicate(
    tier: PostgresEpisodicTier, scope: Scope
) -> None:
    stored = await tier.store(scope, [episodic_entry("same", id="a"), episodic_entry("same", id="a", session_id="s2")])
    assert [item.duplicate for item in stored] == [False, True]
    assert stored[0].event_id == stored[1].event_id
    assert [item.session_id for item in await tier.get(scope, ["a"])] == ["default"]


async def test_a_batch_with_an_id_for_two_contents_is_a_conflict_that_stores_nothing(
    tier: PostgresEpisodicTier, scope: Scope
) -> None:
    with pytest.raises(Conflict) as caught:
        await tier.store(
            scope, [episodic_entry("one", id="a"), episodic_entry("other", id="b"), episodic_entry("two", id="a")]
        )
    assert caught.value.details["indexes"] == [2]
    assert await tier.get(scope, ["a", "b"]) == []
    assert await tier.pending(scope) == 0


async def test_another_role_name_or_text_is_other_content(tier: PostgresEpisodicTier) -> None:
    async def refused(other: InteractionEntry) -> None:
        scope = new_scope()
        await tier.store(scope, [episodic_entry("hello", id="a", name="Ann")])
        with pytest.raises(Conflict):
            await tier.store(scope, [other])

    await each(
        [
            episodic_entry("hello", id="a", role="assistant", name="Ann"),
            episodic_entry("hello", id="a", name="Bob"),
            episodic_entry("hello", id="a"),
            episodic_entry("hello ", id="a", name="Ann"),
        ],
        refused,
    )


async def test_a_retry_at_another_time_is_a_duplicate_with_the_first_event(
    tier: PostgresEpisodicTier, scope: Scope
) -> None:
    (first,) = await tier.store(scope, [episodic_entry("hello", id="a")])
    (again,) = await tier.store(scope, [episodic_entry("hello", id="a", occurred_at=at(9))])
    assert (first.duplicate, again.duplicate) == (False, True)
    assert first.event_id == again.event_id
    assert [item.occurred_at for item in await tier.get(scope, ["a"])] == [NOON]


async def test_writers_of_overlapping_batches_neither_block_each_other_for_good_nor_store_twice(
    tier: PostgresEpisodicTier, scope: Scope
) -> None:
    entries = [episodic_entry(f"message {number}", id=f"m{number}") for number in range(40)]
    orders = [entries[start:] + entries[:start] for start in range(0, 40, 5)]
    answers = await asyncio.gather(*(tier.store(scope, order) for order in orders))
    assert sum(not item.duplicate for answer in answers for item in answer) == 40
    assert len(await tier.get(scope, [entry.id for entry in entries])) == 40
    assert len({item.event_id for answer in answers for item in answer}) == 40
    assert await tier.pending(scope) == 40


async def test_events_of_a_user_grow_in_the_order_of_the_batch(tier: PostgresEpisodicTier, scope: Scope) -> None:
    stored = await tier.store(scope, [episodic_entry("x", id=identifier) for identifier in "zyxabc"])
    ids = [item.event_id for item in stored if item.event_id is not None]
    assert ids == sorted(set(ids))
    assert len(ids) == 6
    assert await tier.pending(scope, ids[1], ids[3]) == 3
    page = await tier.list_interactions(scope, newest_first=False)
    assert [item.id for item in page.items] == list("zyxabc")


async def test_only_interactions_are_taken(tier: PostgresEpisodicTier, scope: Scope) -> None:
    entry = PreferenceEntry(id="p", category="food", key="spice", value="mild", occurred_at=NOON)
    with pytest.raises(InvalidInput):
        await tier.store(scope, [episodic_entry("x"), entry])
    assert await tier.store(scope, []) == []


async def test_forgetting_leaves_no_row_and_tells_the_ledger(
    endpoints: Endpoints, tier: PostgresEpisodicTier, scope: Scope
) -> None:
    await tier.store(scope, [episodic_entry("saffron", id=f"m{n}", session_id="s1") for n in range(3)])
    assert await tier.forget(scope, ["m0", "m1", "m1", "unknown"]) == 2
    assert await tier.forget(scope, ["m0", "m1"]) == 0
    assert [item.id for item in await tier.get(scope, ["m0", "m1", "m2"])] == ["m2"]
    async with connected(endpoints.postgres_app_dsn) as connection, as_tenant(connection, scope.tenant_id):
        assert await connection.fetchval("SELECT count(*) FROM episodic.chunks") == 1
        rows = await connection.fetch(
            """SELECT subject_id, payload, stage FROM ledger.events JOIN ledger.work USING (event_id)
                    WHERE kind = 'interaction.forgotten' ORDER BY event_id"""
        )
    assert [(row["subject_id"], row["payload"], row["stage"]) for row in rows] == [
        ("m0", '{"session_id": "s1"}', "forget"),
        ("m1", '{"session_id": "s1"}', "forget"),
    ]


async def test_an_id_that_was_forgotten_stays_so_and_the_rest_of_its_batch_is_stored(
    tier: PostgresEpisodicTier, scope: Scope
) -> None:
    other = new_scope()
    for user in (scope, other):
        await tier.store(user, [episodic_entry("saffron", id="a")])
    await tier.forget(scope, ["a"])
    waiting = await tier.pending(scope)
    for said in ("saffron", "granite"):
        again, fresh = await tier.store(scope, [episodic_entry(said, id="a"), episodic_entry("basalt", id="b")])
        assert (again.forgotten, again.duplicate, again.event_id) == (True, False, None)
        assert not fresh.forgotten
    assert [one.id for one in await tier.get(scope, ["a", "b"])] == ["b"]
    assert await tier.pending(scope) == waiting + 1  # the other message alone
    (theirs,) = await tier.store(other, [episodic_entry("saffron", id="a")])
    assert (theirs.forgotten, theirs.duplicate) == (False, True)


@pytest.mark.parametrize("newest_first", [True, False])
async def test_a_list_is_paged_without_gaps_while_others_write(
    tier: PostgresEpisodicTier, scope: Scope, *, newest_first: bool
) -> None:
    await tier.store(scope, [episodic_entry("x", id=f"m{n:02}", occurred_at=at(n // 3)) for n in range(20)])
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = await tier.list_interactions(scope, cursor=cursor, limit=6, newest_first=newest_first)
        seen += [item.id for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
        behind = at(100) if newest_first else at(-100)
        await tier.store(scope, [episodic_entry("late", occurred_at=behind)])
    assert seen == sorted((f"m{n:02}" for n in range(20)), reverse=newest_first)


CURSORS = ["", "x", "W10", "WzEsMl0x", "WyJhIiwxXQ", "WzkyMjMzNzIwMzY4NTQ3NzU4MDcsMV0", "é"]


async def test_a_cursor_that_is_not_ours_is_refused(tier: PostgresEpisodicTier) -> None:
    async def refused(cursor: str) -> None:
        scope = new_scope()
        with pytest.raises(InvalidInput):
            await tier.list_interactions(scope, cursor=cursor)

    await each(CURSORS, refused)


async def test_a_page_has_a_sensible_size(tier: PostgresEpisodicTier) -> None:
    async def refused(limit: int) -> None:
        scope = new_scope()
        with pytest.raises(InvalidInput):
            await tier.list_interactions(scope, limit=limit)

    await each([0, -1, 1_001], refused)


async def test_the_tail_of_a_session_is_oldest_first(tier: PostgresEpisodicTier, scope: Scope) -> None:
    await tier.store(scope, [episodic_entry("x", id=f"m{n}", session_id=f"s{n % 2}") for n in range(8)])
    tail = await tier.session_tail(scope.in_session("s0"), limit=2)
    assert [item.id for item in tail] == ["m4", "m6"]
    assert await tier.session_tail(scope) == []


async def test_no_verb_reaches_another_user(tier: PostgresEpisodicTier, scope: Scope) -> None:
    await tier.store(scope, [episodic_entry("the launch code", id="a", session_id="s1")])
    strangers = [
        scope.model_copy(update={"tenant_id": new_scope().tenant_id}),
        scope.model_copy(update={"user_id": new_scope().user_id}),
    ]
    for stranger in strangers:
        assert await tier.get(stranger, ["a"]) == []
        assert await tier.forget(stranger, ["a"]) == 0
        assert await tier.pending(stranger) == 0
        assert (await tier.list_interactions(stranger)).items == ()
        assert await tier.session_tail(stranger.in_session("s1")) == []
        assert await found(tier, episodic_query(stranger, "the launch code")) == []
        assert await found(tier, episodic_query(stranger, "")) == []
    assert len(await tier.get(scope, ["a"])) == 1


async def test_another_model_is_refused_before_the_first_write(
    endpoints: Endpoints, tier: PostgresEpisodicTier, scope: Scope
) -> None:
    await well(tier)
    with pytest.raises(EmbeddingMismatch):
        async with episodic_tier(endpoints, embedder=HashingEmbedder(64)):
            pytest.fail("a store with other vectors was opened")
    assert await tier.get(scope, ["a"]) == []


async def test_a_server_that_is_down_is_said_at_once_and_stops_nobody_from_opening() -> None:
    settings = PostgresSettings(dsn="postgresql://ragpp_app:x@127.0.0.1:1/ragpp", query_timeout_s=600)
    async with open_tier(settings, embedder=HashingEmbedder(), counter=COUNTER, clock=lambda: NOON) as closed:
        async with asyncio.timeout(60):
            with pytest.raises(TierUnavailable):
                await closed.store(new_scope(), [episodic_entry("x")])
            with pytest.raises(TierUnavailable):
                await closed.retrieve(episodic_query(new_scope(), "x"))
            assert not (await closed.health_check()).ok


async def test_a_severed_connection_is_replaced(endpoints: Endpoints, tier: PostgresEpisodicTier, scope: Scope) -> None:
    await tier.store(scope, [episodic_entry("saffron", id="a")])
    async with tier._store._pool.acquire() as held:
        backend = await held.fetchval("SELECT pg_backend_pid()")
    async with connected(endpoints.postgres_app_dsn) as connection:
        await connection.execute("SELECT pg_terminate_backend($1, 5000)", backend)
    assert await found(tier, episodic_query(scope, "saffron")) == ["a"]


ROLES: Final[list[Role]] = ["user", "assistant", "system", "tool"]


async def test_every_role_is_kept(tier: PostgresEpisodicTier) -> None:
    async def kept(role: Role) -> None:
        scope = new_scope()
        await tier.store(scope, [episodic_entry("x", id="a", role=role)])
        (item,) = await tier.get(scope, ["a"])
        assert isinstance(item, Interaction)
        assert item.role == role

    await each(ROLES, kept)


@pytest.mark.deadline
async def test_looking_long_for_what_repeats_a_message_holds_no_transaction(
    endpoints: Endpoints, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(*given: Any) -> list[Repetition]:
        time.sleep(2.0)  # longer than a transaction may be silent
        return repetitions(*given)

    monkeypatch.setattr("ragpp_services.episodic.repeats.repetitions", slowly)
    said = episodic_entry("My sister Elena moved to Porto last spring.", id="said")
    reply = episodic_entry("Your sister Elena moved to Porto last spring.", id="reply", role="assistant")
    async with episodic_tier(endpoints, idle_s=1.0) as hasty:
        await hasty.store(scope, [said])
        await hasty.store(scope, [reply])
        assert await hasty.repeated_by(scope, ["said"]) == ["reply"]
        assert await hasty.forget(scope, ["said"]) == 1


async def test_messages_of_very_many_words_can_be_forgotten(tier: PostgresEpisodicTier, scope: Scope) -> None:
    said = [
        episodic_entry(" ".join(f"w{number}x{word}" for word in range(6_000)), id=f"m{number}") for number in range(3)
    ]
    reply = episodic_entry("You spoke of w2x5999 and w2x5998, did you?", id="reply", role="assistant")
    for entry in (*said, reply):
        await tier.store(scope, [entry])
    assert await tier.repeated_by(scope, [entry.id for entry in said]) == ["reply"]
    assert await tier.forget(scope, [entry.id for entry in said]) == 3
