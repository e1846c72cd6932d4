"""The tools without await: from a thread, from within an event loop, and closed."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError

import httpx
import pytest

from ragpp import MemoryManager
from ragpp.client import AsyncMemoryClient
from ragpp.errors import ConfigurationError
from ragpp.tools import SyncMemoryTools
from ragpp.tools.sync import THREAD
from tests.support.knowing import KnowingGateway

NOTHING = "No relevant memories found for: x"


def tools_of(transport: httpx.AsyncBaseTransport) -> SyncMemoryTools:
    return SyncMemoryTools(
        MemoryManager(client=AsyncMemoryClient("http://gateway", "k", transport=transport), user_id="u1")
    )


@pytest.fixture
def tools() -> Iterator[SyncMemoryTools]:
    with tools_of(KnowingGateway()) as tools:
        yield tools


def test_a_call_returns_what_it_is_answered(tools: SyncMemoryTools) -> None:
    assert tools.call("recall", {"query": "x"}) == NOTHING
    assert not tools.answer("get_category", {"name": "prices"}).ok


async def test_a_call_within_a_running_loop_is_answered_as_well(tools: SyncMemoryTools) -> None:
    assert tools.call("recall", {"query": "x"}) == NOTHING


async def test_a_call_can_be_awaited_in_any_loop(tools: SyncMemoryTools) -> None:
    calls = [asyncio.wrap_future(tools.submit("recall", {"query": "x"})) for _ in range(5)]
    assert [answer.text for answer in await asyncio.gather(*calls)] == [NOTHING] * 5


def test_the_connections_of_its_loop_are_closed_with_it() -> None:
    gateway = KnowingGateway()
    with tools_of(gateway) as tools:
        tools.call("list_categories")
        assert not gateway.closed
    assert gateway.closed


def test_threads_share_one(tools: SyncMemoryTools) -> None:
    said: list[str] = []
    threads = [threading.Thread(target=lambda: said.append(tools.call("recall", {"query": "x"}))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == [NOTHING] * 8


class Silent(httpx.AsyncBaseTransport):
    """A gateway that never answers. `asked`: whether it was."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    async def handle_async_request(self, _request: httpx.Request) -> httpx.Response:
        self.asked.set()
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]


def test_closing_ends_its_thread_and_whatever_is_not_answered_yet() -> None:
    transport = Silent()
    tools = tools_of(transport)
    waiting = tools.submit("recall", {"query": "x"})
    assert transport.asked.wait(timeout=60)
    tools.close()
    tools.close()
    with pytest.raises(CancelledError):
        waiting.result(timeout=60)
    with pytest.raises(ConfigurationError, match="closed"):
        tools.call("recall", {"query": "x"})
    assert THREAD not in {thread.name for thread in threading.enumerate()}


def test_whoever_calls_while_they_are_closed_is_told_and_waits_for_nothing() -> None:
    tools = tools_of(KnowingGateway())
    asked, ended = threading.Barrier(5), list[BaseException]()

    def ask() -> None:
        try:
            tools.call("list_categories")
            asked.wait(timeout=60)
            while True:
                tools.call("list_categories")
        except (CancelledError, ConfigurationError) as error:
            ended.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    asked.wait(timeout=60)
    tools.close()
    for thread in threads:
        thread.join(timeout=60)
    assert len(ended) == 4


def test_a_call_that_is_given_up_is_given_up_there_too() -> None:
    transport = Silent()
    with tools_of(transport) as tools:
        waiting = tools.submit("recall", {"query": "x"})
        assert transport.asked.wait(timeout=60)
        assert waiting.cancel()
