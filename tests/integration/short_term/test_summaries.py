"""Messages that leave the window of a running conversation are in its summary, whatever happens meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from ragpp.models import Scope
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.short_term.quoting import SummaryMessage
from ragpp_services.short_term.tier import RedisShortTermTier
from tests.support.short_term import SMALL, at, fill, short_term_entry, short_term_tier

pytestmark = pytest.mark.server


async def test_what_is_over_the_window_moves_into_the_summary_and_the_last_five_stay(
    small: RedisShortTermTier, scope: Scope
) -> None:
    await fill(small, scope, 9)
    assert not await small.compact(scope)
    await fill(small, scope, 12)
    assert (await small.list_sessions(scope)).items[0].share > 1
    assert await small.compact(scope)
    assert not await small.compact(scope)
    view = await small.read(scope, 1_000)
    assert [message.id for message in view.messages] == ["m7", "m8", "m9", "m10", "m11"]
    assert "number 6" in view.summary
    assert 0 < view.summary_tokens <= 40
    [session] = (await small.list_sessions(scope)).items
    assert (session.messages, session.has_summary) == (5, True)
    assert session.tokens == view.summary_tokens + sum(message.tokens for message in view.messages)
    again = await small.store(scope, [short_term_entry("number 1 one two three four five six seven eight", id="m1")])
    assert again[0].duplicate


async def test_without_a_worker_a_write_over_the_hard_cap_summarises(small: RedisShortTermTier, scope: Scope) -> None:
    await fill(small, scope, 31)
    view = await small.read(scope, 10_000)
    assert len(view.messages) == 5
    assert view.summary


class Slow:
    """A summariser that waits for a signal."""

    def __init__(self) -> None:
        self.started, self.go_on = asyncio.Event(), asyncio.Event()

    async def summarise(self, previous: str, messages: Sequence[SummaryMessage], max_tokens: int) -> str:
        self.started.set()
        await self.go_on.wait()
        return "\n".join([previous, *(message.content for message in messages)])[: 2 * max_tokens]


@asynccontextmanager
async def while_it_is_written(
    endpoints: Endpoints, scope: Scope
) -> AsyncIterator[tuple[RedisShortTermTier, Callable[[], Awaitable[bool]]]]:
    """A summary of the first of twelve messages is begun; whether it was written tells who lets it be finished."""
    slow = Slow()
    async with short_term_tier(endpoints, window=SMALL, summariser=slow) as tier:
        await fill(tier, scope, 12)
        compaction = asyncio.create_task(tier.compact(scope))
        await slow.started.wait()

        async def finished() -> bool:
            slow.go_on.set()
            return await compaction

        yield tier, finished


async def test_nothing_is_missing_while_a_summary_is_being_written(endpoints: Endpoints, scope: Scope) -> None:
    async with while_it_is_written(endpoints, scope) as (tier, finished):
        await tier.store(scope, [short_term_entry("late", id="late", occurred_at=at(60))])
        assert len((await tier.read(scope, 1_000)).messages) == 13
        assert await finished()
        view = await tier.read(scope, 1_000)
        assert [message.id for message in view.messages][-2:] == ["m11", "late"]
        assert len(view.messages) == 6


async def test_what_is_forgotten_while_a_summary_is_written_is_not_in_it(endpoints: Endpoints, scope: Scope) -> None:
    async with while_it_is_written(endpoints, scope) as (tier, finished):
        assert await tier.forget(scope, ["m1"]) == 1
        assert not await finished()
        view = await tier.read(scope, 1_000)
        assert view.summary == ""
        assert "m1" not in {message.id for message in view.messages}


async def test_a_session_that_is_deleted_while_a_summary_is_written_stays_deleted(
    endpoints: Endpoints, scope: Scope
) -> None:
    async with while_it_is_written(endpoints, scope) as (tier, finished):
        assert await tier.delete_session(scope)
        await tier.store(scope, [short_term_entry("a new beginning", id="new")])
        assert not await finished()
        view = await tier.read(scope, 1_000)
        assert (view.summary, [message.id for message in view.messages]) == ("", ["new"])
