"""Messages and sessions of running conversations that are forgotten or deleted, and do not come back."""

import pytest

from ragpp.models import Scope, Stored
from ragpp.stores.redis import Client, Keys
from ragpp_services.short_term.tier import RedisShortTermTier
from ragpp_services.short_term.upkeep import FORGOTTEN
from tests.support.short_term import at, fill, keys_of, short_term_entry

pytestmark = pytest.mark.server


async def test_a_forgotten_message_survives_in_no_summary_and_does_not_come_back(
    small: RedisShortTermTier, scope: Scope
) -> None:
    secret = short_term_entry("My locker code is heron.", id="secret", occurred_at=at(-1))
    await small.store(scope, [secret])
    await fill(small, scope, 12)
    for start in range(20, 60, 12):
        await small.compact(scope)
        await small.store(scope, [short_term_entry(f"more {n} " * 5, occurred_at=at(start + n)) for n in range(12)])
    await small.compact(scope)
    assert await small.forget(scope, ["secret", "unknown"]) == 1
    assert await small.forget(scope, ["secret"]) == 0
    assert "heron" not in (await small.read(scope, 10_000)).summary
    assert [found.duplicate for found in await small.store(scope, [secret])] == [True]
    assert await small.rebuild(scope, [secret]) == 0
    assert "heron" not in str(await small.read(scope, 10_000))


async def test_a_session_of_which_everything_was_forgotten_is_none(
    tier: RedisShortTermTier, client: Client, scope: Scope
) -> None:
    entries = [short_term_entry("hello", id=f"in {name}", session_id=name) for name in ("gone", "left")]
    await tier.store(scope, entries)
    assert await tier.forget(scope, ["in gone"]) == 1
    keys = Keys("ragpp:")
    assert await client.zrange(keys.user("st:sessions", scope), 0, -1) == [b"left"]
    assert await client.exists(keys.session("st:meta", scope.in_session("gone"))) == 0
    await tier.store(scope, [short_term_entry("again", id="new", session_id="gone")])
    assert [message.id for message in (await tier.read(scope.in_session("gone"), 100)).messages] == ["new"]


async def test_a_session_with_messages_stays_however_often_its_summary_was_torn(
    small: RedisShortTermTier, scope: Scope
) -> None:
    """Its window and its summary are empty; what is left of what they were of is to be told again."""
    await fill(small, scope, 12)
    await small.compact(scope)
    draft = await small.draft_summary(scope)
    assert draft is not None
    left = [message.id for message in (await small.read(scope, 10_000)).messages]
    summed_up = [f"m{number}" for number in range(12) if f"m{number}" not in left]
    entries = [short_term_entry(identifier, id=identifier) for identifier in summed_up]
    assert await small.write_summary(scope, draft.revision, "they counted", entries)
    await small.forget(scope, left)

    for identifier in summed_up[:2]:
        await small.forget(scope, [identifier])

    assert await small.torn_summary(scope) == frozenset(summed_up[2:])
    assert [session.session_id for session in (await small.list_sessions(scope)).items] == ["default"]
    await small.forget(scope, summed_up[2:])
    assert (await small.list_sessions(scope)).items == ()


async def test_a_session_was_last_spoken_in_at_its_latest_message_that_is_left(
    tier: RedisShortTermTier, scope: Scope
) -> None:
    await fill(tier, scope, 3)
    ids = [message.id for message in (await tier.read(scope, 1_000)).messages]
    await tier.forget(scope, ids[2:])
    (session,) = (await tier.list_sessions(scope)).items
    assert session.last_at == at(1)
    await tier.forget(scope, ids[:1])
    (session,) = (await tier.list_sessions(scope)).items
    assert session.last_at == at(1)


async def test_forgetting_reaches_every_session_of_the_user(tier: RedisShortTermTier, scope: Scope) -> None:
    sessions = ["default", "s2", "s3"]
    for session_id in sessions:
        await tier.store(scope, [short_term_entry(session_id, id=f"in {session_id}", session_id=session_id)])
    assert await tier.forget(scope, [f"in {session_id}" for session_id in sessions]) == 3
    for session_id in sessions:
        view = await tier.read(scope.in_session(session_id), 100)
        assert (view.messages, view.tokens) == ((), 0)


async def test_a_deleted_session_leaves_the_ids_of_its_messages_alone(
    tier: RedisShortTermTier, client: Client, scope: Scope
) -> None:
    await tier.store(scope, [short_term_entry("hello", id="a"), short_term_entry("x", session_id="other")])
    assert await tier.delete_session(scope)
    assert not await tier.delete_session(scope)
    log, texts, ids, meta, summary, _ = keys_of(scope)
    assert await client.exists(log, texts, meta, summary) == 0
    assert await client.hgetall(ids) == {b"a": b"-"}
    assert await client.ttl(ids) > 0
    assert [session.session_id for session in (await tier.list_sessions(scope)).items] == ["other"]


async def test_a_deleted_session_is_not_brought_back_by_what_is_delivered_again(
    small: RedisShortTermTier, scope: Scope
) -> None:
    old = [short_term_entry(f"text {n}", id=f"m{n}", occurred_at=at(n)) for n in range(3)]
    await small.store(scope, old)
    assert await small.delete_session(scope)
    assert all(found.duplicate for found in await small.store(scope, old))
    assert await small.rebuild(scope, old) == 0
    assert (await small.read(scope, 100)).messages == ()
    assert (await small.list_sessions(scope)).items == ()
    assert not await small.delete_session(scope)
    await small.store(scope, [*old, short_term_entry("hello again", id="new", occurred_at=at(9))])
    assert [message.id for message in (await small.read(scope, 100)).messages] == ["new"]
    assert [session.messages for session in (await small.list_sessions(scope)).items] == [1]


async def test_what_is_forgotten_before_it_arrives_does_not_arrive(
    tier: RedisShortTermTier, client: Client, scope: Scope
) -> None:
    await tier.store(scope, [short_term_entry("here", id="here", session_id="s2")])
    late = [short_term_entry("late", id="late", session_id=session_id) for session_id in ("s2", "named", "default")]
    assert await tier.forget(scope.in_session("named"), ["late"]) == 0
    assert await tier.forget(scope, ["late"]) == 0
    assert await tier.store(scope, late[:2]) == [Stored(id="late", duplicate=True)] * 2
    assert [message.id for message in (await tier.read(scope.in_session("s2"), 100)).messages] == ["here"]
    assert [session.session_id for session in (await tier.list_sessions(scope)).items] == ["s2"]
    assert await client.ttl(Keys("ragpp:").user(FORGOTTEN, scope)) > 0


async def test_what_one_session_has_forgotten_is_not_marked_in_the_others(
    tier: RedisShortTermTier, client: Client, scope: Scope
) -> None:
    await tier.store(scope, [short_term_entry("x", id="x", session_id="s1"), short_term_entry("y", session_id="s2")])
    assert [await tier.forget(scope, ["x"]) for _ in range(2)] == [1, 0]
    assert not await client.hexists(Keys("ragpp:").session("st:ids", scope.in_session("s2")), "x")
