"""A cold server is warmed before recalls reach it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ragpp.errors import TierUnavailable
from ragpp_services.semantic.read.warming import Warming


class Server:
    """A server that is away until `back` is set, and cold until it has been warmed."""

    def __init__(self, *, slow_s: float = 1.0) -> None:
        self.slow_s, self.now_s = slow_s, 0.0
        self.back = asyncio.Event()
        self.tried = asyncio.Event()
        self.warmed = asyncio.Event()

    def clock(self) -> float:
        """Whoever asks it has waited for `slow_s` since it was asked last."""
        self.now_s += self.slow_s
        return self.now_s

    async def warm(self) -> None:
        self.tried.set()
        if not self.back.is_set():
            raise TierUnavailable("away")
        self.warmed.set()


@asynccontextmanager
async def warming(server: Server) -> AsyncIterator[Warming]:
    guard = Warming(server.warm, server.clock)
    try:
        yield guard
    finally:
        await guard.close()


async def lose(guard: Warming) -> None:
    with pytest.raises(TierUnavailable):
        async with guard.recall():
            raise TierUnavailable("gone")


async def give_up(guard: Warming) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0), guard.recall():
            await asyncio.Event().wait()


async def test_after_a_loss_recalls_are_refused_until_the_server_is_warm() -> None:
    server = Server()
    async with warming(server) as guard:
        assert not guard.is_cold
        await lose(guard)
        await server.tried.wait()
        with pytest.raises(TierUnavailable, match="warming"):
            async with guard.recall():
                pytest.fail("a recall reached a cold server")
        server.back.set()
        async with asyncio.timeout(5):
            await server.warmed.wait()
        await asyncio.sleep(0)
        async with guard.recall():
            pass


async def test_one_late_answer_is_forgiven_three_in_a_row_are_not() -> None:
    server = Server()
    async with warming(server) as guard:
        for _ in range(2):
            await give_up(guard)
            await give_up(guard)
            async with guard.recall():
                pass
        for _ in range(3):
            assert not guard.is_cold
            await give_up(guard)
        assert guard.is_cold


async def test_hasty_callers_shut_nobody_else_out() -> None:
    async with warming(Server(slow_s=0.001)) as guard:
        for _ in range(10):
            await give_up(guard)
            assert not guard.is_cold


async def test_closing_stops_the_waiting_for_a_server_that_never_comes() -> None:
    server = Server()
    guard = Warming(server.warm)
    await lose(guard)
    async with asyncio.timeout(5):
        await guard.close()
    assert not guard.is_cold
