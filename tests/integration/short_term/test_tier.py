"""The short-term tier's own promises, on Redis."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from ragpp.errors import Conflict, InvalidInput, TierUnavailable
from ragpp.models import Filters, MemoryQuery, PreferenceEntry, Scope, TimeRange
from ragpp.settings import RedisSettings
from ragpp.stores.redis import Client, load_script
from ragpp.text.readers import Tokenizers
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.short_term.app import open_tier
from ragpp_services.short_term.settings import ShortTermSettings
from ragpp_services.short_term.store import PACKAGE, SCRIPTS
from ragpp_services.short_term.tier import RedisShortTermTier
from tests.support.each import each
from tests.support.scopes import new_scope
from tests.support.short_term import COUNTER, NOON, at, fill, keys_of, redis_settings, short_term_entry, short_term_tier

pytestmark = pytest.mark.server
HOSTILE = [
    "'; FLUSHALL; --",
    "{a}{b}:c",
    "line\nbreak\r\n$3\r\nDEL\r\n",
    "100% * ? [a-z] $1 \\ \\n",
    "עברית \u202eRTL\u202c 中文 🙂‍↔️",
    "x" * 256,
    "-",
    '"quoted" \u2028 |:| ',
]


async def test_every_script_can_be_loaded(client: Client) -> None:
    for name in SCRIPTS:
        assert await client.script_load(load_script(PACKAGE, name))


async def test_messages_are_read_in_the_order_in_which_they_were_said(tier: RedisShortTermTier, scope: Scope) -> None:
    for minutes in (3, 1, 2):
        await tier.store(scope, [short_term_entry(f"at {minutes}", occurred_at=at(minutes))])
    await tier.store(scope, [short_term_entry("also at 2", occurred_at=at(2))])
    view = await tier.read(scope, 1_000)
    assert [message.content for message in view.messages] == ["at 1", "at 2", "also at 2", "at 3"]
    assert [message.sequence for message in view.messages] == [2, 3, 4, 1]
    assert view.tokens == COUNTER.count("".join(f"user: {message.content}\n" for message in view.messages))
    assert view.share == sum(message.tokens for message in view.messages) / 2_000


async def test_a_repeated_message_is_counted_once(tier: RedisShortTermTier, scope: Scope) -> None:
    entry = short_term_entry("hello there")
    stored = await tier.store(scope, [entry, entry])
    assert [found.duplicate for found in stored] == [False, True]
    assert [found.duplicate for found in await tier.store(scope, [entry])] == [True]
    assert (await tier.list_sessions(scope)).items[0].tokens == 2


async def test_an_id_with_other_content_is_a_conflict_for_all(tier: RedisShortTermTier, scope: Scope) -> None:
    await tier.store(scope, [short_term_entry("one", id="a")])
    batch = [
        short_term_entry("new", id="b"),
        short_term_entry("two", id="a"),
        short_term_entry("x", id="c", session_id="other"),
        short_term_entry("y", id="c", session_id="other"),
    ]
    with pytest.raises(Conflict) as caught:
        await tier.store(scope, batch)
    assert caught.value.details["indexes"] == [1, 3]
    assert [message.content for message in (await tier.read(scope, 100)).messages] == ["one"]
    assert (await tier.read(scope.in_session("other"), 100)).messages == ()


async def test_two_writers_never_lose_a_message(small: RedisShortTermTier, scope: Scope) -> None:
    texts = [f"w{writer} message {n} and some words more" for writer in range(4) for n in range(40)]

    async def write(part: Sequence[str]) -> None:
        for text in part:
            await small.store(scope, [short_term_entry(text, id=text)])
            await small.compact(scope)

    await asyncio.gather(*(write(texts[start::4]) for start in range(4)))
    again = await small.store(scope, [short_term_entry(text, id=text) for text in texts])
    assert all(found.duplicate for found in again)
    view = await small.read(scope, 10_000)
    assert len({message.sequence for message in view.messages}) == len(view.messages)
    [session] = (await small.list_sessions(scope)).items
    lines = view.summary.splitlines()
    assert session.tokens == sum(message.tokens for message in view.messages) + sum(map(COUNTER.count, lines))


async def test_a_read_never_exceeds_its_budget(small: RedisShortTermTier) -> None:
    async def within(budget: int) -> None:
        scope = new_scope()
        await fill(small, scope, 12)
        await small.compact(scope)
        long = [short_term_entry("word " * 3_000, id=f"long{n}", occurred_at=at(100 + n)) for n in range(3)]
        await small.store(scope, long)
        view = await small.read(scope, budget)
        counter = Tokenizers().named()
        lines = [*([view.summary] if view.summary else []), *(f"user: {message.content}" for message in view.messages)]
        assert view.tokens == counter.count("".join(f"{line}\n" for line in lines)) <= budget
        assert all(message.truncated == (message.id.startswith("long")) for message in view.messages if budget > 60)
        memories = await small.retrieve(MemoryQuery(scope=scope, token_budget=budget))
        assert sum(memory.tokens for memory in memories) <= budget
        if budget >= 60:
            assert view.messages[-1].id == "long2"
            assert len(view.messages[-1].content) > 50

    await each([0, 1, 7, 60, 500, 2_000], within)


async def test_use_refreshes_the_time_to_live(tier: RedisShortTermTier, client: Client, scope: Scope) -> None:
    await tier.store(scope, [short_term_entry("hello", id="a")])
    week = 7 * 86_400
    for use in (
        lambda: tier.read(scope, 100),
        lambda: tier.store(scope, [short_term_entry("hello", id="a")]),
        lambda: tier.retrieve(MemoryQuery(scope=scope)),
    ):
        for key in keys_of(scope):
            await client.expire(key, 100)
        await use()
        lives = [await client.ttl(key) for key in keys_of(scope)]
        assert {live for live in lives if live > 0} <= {week, week - 1}
        assert -1 not in lives


async def test_a_lost_session_reads_empty_and_can_be_rebuilt(
    tier: RedisShortTermTier, client: Client, scope: Scope
) -> None:
    entries = [short_term_entry(f"text {n}", id=f"m{n}", occurred_at=at(n)) for n in range(4)]
    await tier.store(scope, entries)
    before = await tier.read(scope, 1_000)
    await client.delete(*keys_of(scope)[:-1])
    assert (await tier.read(scope, 1_000)).messages == ()
    assert (await tier.list_sessions(scope)).items == ()
    await tier.store(scope, entries[3:])
    assert await tier.rebuild(scope, entries) == 3
    assert await tier.rebuild(scope, [short_term_entry("other words", id="m0")]) == 0
    after = await tier.read(scope, 1_000)
    assert [message.content for message in after.messages] == [message.content for message in before.messages]


async def test_sessions_are_listed_by_last_use_and_paged(endpoints: Endpoints, scope: Scope) -> None:
    now = NOON

    async with short_term_tier(endpoints, clock=lambda: now) as tier:
        for n in range(7):
            now = at(n // 2)
            await tier.store(scope, [short_term_entry("hi", session_id=f"s{n}", occurred_at=at(n))])
        now = at(50)
        await tier.read(scope.in_session("s1"), 10)
        names: list[str] = []
        cursor = None
        while True:
            page = await tier.list_sessions(scope, cursor=cursor, limit=2)
            names += [session.session_id for session in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert names == ["s1", "s6", "s5", "s4", "s3", "s2", "s0"]
        now = at(50) + timedelta(days=8)
        assert (await tier.list_sessions(scope)).items == ()
        with pytest.raises(InvalidInput):
            await tier.list_sessions(scope, cursor="bad")


async def test_compaction_is_no_use_of_a_session(small: RedisShortTermTier, client: Client, scope: Scope) -> None:
    await fill(small, scope, 12)
    for key in keys_of(scope):
        await client.expire(key, 100)
    assert await small.compact(scope)
    assert {await client.ttl(key) for key in keys_of(scope)} <= {99, 100}
    await small.forget(scope, ["m6"])
    assert -1 not in [await client.ttl(key) for key in keys_of(scope)]


async def test_more_callers_than_connections_wait_for_their_turn(endpoints: Endpoints, scope: Scope) -> None:
    settings = redis_settings(endpoints, pool_max=1)
    async with open_tier(settings, ShortTermSettings(), tokenizers=Tokenizers()) as tier:
        await asyncio.gather(*(tier.store(scope, [short_term_entry("hi")]) for _ in range(20)))
        assert [session.messages for session in (await tier.list_sessions(scope)).items] == [20]


async def test_retrieve_gives_the_latest_first_and_the_summary_last(small: RedisShortTermTier, scope: Scope) -> None:
    await fill(small, scope, 12)
    await small.compact(scope)
    found = await small.retrieve(MemoryQuery(scope=scope, text="anything"))
    assert [memory.id for memory in found] == ["m11", "m10", "m9", "m8", "m7", "summary:default"]
    assert [memory.kind for memory in found] == ["message"] * 5 + ["summary"]
    scores = [memory.score for memory in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1.0
    assert set(found[-1].sources) <= {f"m{n}" for n in range(7)}
    short = await small.retrieve(MemoryQuery(scope=scope, limit=3))
    assert [memory.id for memory in short] == ["m11", "m10", "summary:default"]


async def test_filters_and_as_of_narrow(small: RedisShortTermTier, scope: Scope) -> None:
    await fill(small, scope, 12)
    await small.compact(scope)
    await small.store(scope, [short_term_entry("yes?", id="answer", role="assistant", occurred_at=at(20))])

    async def ids(filters: Filters | None = None, as_of: datetime | None = None) -> list[str]:
        query = MemoryQuery(scope=scope, filters=filters or Filters(), as_of=as_of)
        return [memory.id for memory in await small.retrieve(query)]

    assert await ids(Filters(role="assistant")) == ["answer"]
    assert await ids(Filters(exclude=frozenset({"answer", "m11"}))) == ["m10", "m9", "m8", "m7", "summary:default"]
    assert await ids(Filters(time_range=TimeRange(start=at(10), end=at(11)))) == ["m10"]
    assert await ids(as_of=at(8)) == ["m8", "m7", "summary:default"]
    assert await ids(as_of=at(-1)) == []
    assert await ids(Filters(session_id="other")) == []


async def test_hostile_ids_and_texts_come_back_as_they_were(tier: RedisShortTermTier) -> None:
    async def comes_back(text: str) -> None:
        own = Scope(tenant_id=f"{new_scope().tenant_id}{text}"[:256], user_id=text, session_id=text)
        entry = short_term_entry(text * 3, id=text, session_id=text, name=text[:200])
        await tier.store(own, [entry])
        [message] = (await tier.read(own, 10_000)).messages
        assert (message.id, message.content, message.name) == (text, text * 3, text[:200])
        assert [session.session_id for session in (await tier.list_sessions(own)).items] == [text]
        assert await tier.forget(own, [text]) == 1
        assert (await tier.list_sessions(own)).items == ()
        await tier.store(own, [short_term_entry("more", session_id=text)])
        assert await tier.delete_session(own)

    await each(HOSTILE, comes_back)


async def test_one_user_never_sees_or_changes_anothers(tier: RedisShortTermTier) -> None:
    alice = Scope(tenant_id=new_scope().tenant_id, user_id="a/b")
    others = [
        Scope(tenant_id=alice.tenant_id, user_id="a"),
        Scope(tenant_id=f"{alice.tenant_id}/a", user_id="b"),
        Scope(tenant_id=new_scope().tenant_id, user_id="a/b"),
    ]
    await tier.store(alice, [short_term_entry("mine", id="m"), short_term_entry("mine too", id="n", occurred_at=at(1))])
    for other in others:
        assert (await tier.read(other, 100)).messages == ()
        assert await tier.retrieve(MemoryQuery(scope=other, text="mine")) == []
        assert (await tier.list_sessions(other)).items == ()
        assert await tier.forget(other, ["n"]) == 0
        assert not await tier.delete_session(other)
        assert not (await tier.store(other, [short_term_entry("not the same", id="m")]))[0].duplicate
    assert [message.content for message in (await tier.read(alice, 100)).messages] == ["mine", "mine too"]


async def test_other_kinds_of_entries_are_refused(tier: RedisShortTermTier, scope: Scope) -> None:
    entry = PreferenceEntry(id="p", category="c", key="k", value="v", occurred_at=NOON)
    with pytest.raises(InvalidInput):
        await tier.store(scope, [entry])
    with pytest.raises(InvalidInput):
        await tier.read(scope, -1)


async def test_a_server_that_is_down_is_an_unavailable_tier_at_once(scope: Scope) -> None:
    settings = RedisSettings.model_validate({"url": "redis://127.0.0.1:1/0"})
    async with open_tier(settings, ShortTermSettings(), tokenizers=Tokenizers()) as down:
        began = datetime.now(UTC)
        with pytest.raises(TierUnavailable):
            await down.read(scope, 100)
        health = await down.health_check()
        assert not health.ok
        assert health.detail
        assert datetime.now(UTC) - began < timedelta(seconds=0.5)
