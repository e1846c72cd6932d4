"""Fixtures that several unit tests use."""

from collections.abc import AsyncIterator, Callable

import pytest

from ragpp import MemoryManager
from ragpp.client import AsyncMemoryClient
from ragpp.llm import LanguageModel
from ragpp.llm.openai_compatible import OpenAICompatibleModel
from ragpp.testing.llm import Answered, LlmServer
from tests.support.command_line import Done, runner
from tests.support.knowing import KnowingGateway


@pytest.fixture
def ragpp(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs a command in this process, as the shell would."""
    return runner(monkeypatch, capsys)


@pytest.fixture
def gateway() -> KnowingGateway:
    return KnowingGateway()


@pytest.fixture
async def memory(gateway: KnowingGateway) -> AsyncIterator[MemoryManager]:
    """The catalog's face, of an agent."""
    async with AsyncMemoryClient("http://gateway", "k", retries=0, transport=gateway) as client:
        yield MemoryManager(client=client, user_id="u1", agent_id="sales")


@pytest.fixture(scope="session")
async def running() -> AsyncIterator[LlmServer]:
    async with LlmServer() as running:
        yield running


@pytest.fixture
def server(running: LlmServer) -> LlmServer:
    """As if it had just been started, which takes longer than what a test asks of it."""
    running.requests.clear()
    running.unknown = ()
    running.replies(Answered(text="hello"))
    return running


@pytest.fixture
async def model(server: LlmServer) -> AsyncIterator[LanguageModel]:
    made = OpenAICompatibleModel(model="m-1", base_url=server.openai_url, retries=0)
    yield made
    await made.close()
