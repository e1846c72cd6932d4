"""A cold server is warmed before recalls reach it, and a slow one is asked all the same."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from neo4j.exceptions import ConnectionAcquisitionTimeoutError, ServiceUnavailable

from ragpp.errors import TierUnavailable
from ragpp.stores.neo4j import foreign_errors
from ragpp_services.semantic.read.warming import Warming
from tests.support.each import each_case


class Server:
    """A server that is away until `back` is set, then cold until `planned` is, and slow until `quick` is."""

    def __init__(self) -> None:
        self.back, self.planned, self.quick = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.tried, self.warming = asyncio.Event(), asyncio.Event()
        self.warmings = self.answered = 0

    async def reach(self) -> None:
        self.tried.set()
        await self._connect()

    async def _connect(self) -> None:
        async with foreign_errors("fake"):
            if not self.back.is_set():
                raise ServiceUnavailable

    async def warm(self) -> None:
        await self._connect()
        self.warmings += 1
        self.warming.set()
        await self.planned.wait()

    async def answer(self) -> str:
        await self._connect()
        await self.quick.wait()
        self.answered += 1
        return "rows"

    def lose(self) -> None:
        """It is away until `back` is set again, and cold then."""
        self.back.clear()
        self.planned.clear()


@asynccontextmanager
async def warming(server: Server) -> AsyncIterator[Warming]:
    """Guard of a server that is there, warm and quick."""
    for state in (server.back, server.planned, server.quick):
        state.set()
    guard = Warming(server.reach, server.warm)
    try:
        async with asyncio.timeout(60):
            yield guard
    finally:
        await guard.close()


async def test_while_the_server_is_away_recalls_are_refused_at_once() -> None:
    server = Server()
    async with warming(server) as guard:
        server.lose()
        for _ in range(3):
            with pytest.raises(TierUnavailable, match="down"):
                await guard.recall(server.answer)
        assert guard.is_cold
        assert server.answered == 0


async def test_while_a_lost_server_is_warmed_recalls_wait_for_it_and_it_is_warmed_once() -> None:
    server = Server()
    async with warming(server) as guard:
        server.lose()
        with pytest.raises(TierUnavailable):
            await guard.recall(server.answer)
        server.back.set()
        await server.warming.wait()
        recalls = [asyncio.create_task(guard.recall(server.answer)) for _ in range(8)]
        await asyncio.sleep(0)
        assert server.answered == 0
        server.planned.set()
        assert await asyncio.gather(*recalls) == ["rows"] * 8
        assert server.warmings == 1
        assert not guard.is_cold


async def test_who_gives_up_while_the_server_is_warmed_leaves_it_to_the_others() -> None:
    server = Server()
    async with warming(server) as guard:
        server.lose()
        guard.start()
        server.back.set()
        await server.warming.wait()
        for _ in range(8):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(guard.recall(server.answer), 0)
        patient = asyncio.create_task(guard.recall(server.answer))
        server.planned.set()
        assert await patient == "rows"
        assert server.warmings == 1


async def test_a_server_that_restarted_unnoticed_is_warmed_before_it_is_asked_again() -> None:
    server = Server()
    async with warming(server) as guard:

        async def over_the_old_connection() -> str:
            async with foreign_errors("fake"):
                if server.warmings == 0:
                    raise ServiceUnavailable
            return await server.answer()

        assert await guard.recall(over_the_old_connection) == "rows"
        assert server.warmings == 1


async def test_however_many_give_up_on_a_slow_server_the_next_is_asked() -> None:
    server = Server()
    async with warming(server) as guard:
        server.quick.clear()
        for _ in range(10):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(guard.recall(server.answer), 0.01)
        server.quick.set()
        assert await guard.recall(server.answer) == "rows"
        assert server.warmings == 0


@each_case("late", [TimeoutError(), ConnectionAcquisitionTimeoutError("the pool is empty")])
async def test_a_late_answer_is_no_loss(late: Exception) -> None:
    server = Server()
    async with warming(server) as guard:

        async def too_late() -> str:
            async with foreign_errors("fake"):
                raise late

        for _ in range(10):
            with pytest.raises(TierUnavailable):
                await guard.recall(too_late)
        assert await guard.recall(server.answer) == "rows"
        assert server.warmings == 0


async def test_closing_stops_the_waiting_for_a_server_that_never_comes() -> None:
    server = Server()
    guard = Warming(server.reach, server.warm)
    guard.start()
    await server.tried.wait()
    async with asyncio.timeout(60):
        await guard.close()
    assert not guard.is_cold
