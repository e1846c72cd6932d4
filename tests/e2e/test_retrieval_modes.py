"""The three modes of a retrieval, on the real stores, with a scripted server for the language model."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final, cast

import pytest

from ragpp import HybridRetriever, LLMRetriever, MemoryManager, RAGRetriever
from ragpp.catalog import RetrievalResult
from ragpp.client import AsyncMemoryClient
from ragpp.clock import system_clock
from ragpp.errors import RetrievalError
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.factory import make_language_models
from ragpp.settings import LanguageModelSettings
from ragpp.testing.llm import Answered, Failed, LlmServer, Silence
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server

USER: Final = "ann"
FACTS: Final = ("Oakhurst cancelled the Pro plan.", "Pro costs $299 a month.", "Oakhurst found the Pro plan too slow.")
WHY: Final = "Why did Oakhurst cancel the Pro plan?"
PLAIN: Final = "Pro costs $299 a month"


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with LlmServer() as running:
        yield running


@asynccontextmanager
async def asking(
    gateway: RealGateway, server: LlmServer, *, timeout_s: float = 20.0, tokens: int = 0, retries: int = 0
) -> AsyncIterator[None]:
    """The gateway, with a language model for retrieval while inside."""
    settings = LanguageModelSettings(
        retrieval="openai:m-1",
        openai_base_url=server.openai_url,
        retrieval_max_retries=retries,
        retrieval_backoff_base=0,
    )
    models = make_language_models(settings, InMemoryBudget(system_clock, tokens_per_day=tokens))
    assert models is not None
    gateway.app.state.parts = replace(
        gateway.parts, models=models, retrieval_timeout_s=timeout_s, record_retrievals=True
    )
    try:
        yield
    finally:
        gateway.app.state.parts = gateway.parts
        await models.close()


@pytest.fixture
async def kept(memory: AsyncMemoryClient) -> AsyncMemoryClient:
    """A client of a catalog with FACTS."""
    stored = await memory.store_resource(
        user_id=USER, resource_type="document", content="\n".join(FACTS), extract=False
    )
    resource_id = stored.resource.resource_id
    items = [{"content": content, "source_resource_id": resource_id} for content in FACTS]
    await memory.store_items(user_id=USER, items=items)
    return memory


def texts(found: RetrievalResult) -> list[str]:
    return [item.content for item in found.items]


def candidates(server: LlmServer) -> list[str]:
    """The texts that the model was shown last, in their order."""
    messages = cast("list[dict[str, str]]", server.requests[-1].body["messages"])
    lines = [json.loads(line) for line in messages[-1]["content"].splitlines() if line.startswith('{"n"')]
    return [line["text"] for line in lines]


def choice(*said: tuple[int, float]) -> Answered:
    return Answered(reply={"chosen": [{"n": n, "score": score} for n, score in said]})


async def test_what_the_llm_mode_returns_follows_the_models_order(
    gateway: RealGateway, kept: AsyncMemoryClient, server: LlmServer
) -> None:
    server.replies(choice((3, 0.9), (1, 0.4), (77, 0.4), (3, 0.1)))
    async with asking(gateway, server):
        found = await kept.retrieve(user_id=USER, query=WHY, mode="llm", k=2)
    shown = candidates(server)
    assert sorted(shown) == sorted(FACTS)
    assert texts(found) == [shown[2], shown[0]]
    assert (found.mode_used, found.escalated, found.confidence_scores) == ("llm", False, (0.9, 0.4))
    assert len(found.similarities) == 2


async def test_hybrid_escalates_and_says_why_and_a_sure_answer_asks_no_model(
    gateway: RealGateway, kept: AsyncMemoryClient, server: LlmServer
) -> None:
    server.replies(choice((2, 0.8)))
    async with asking(gateway, server):
        why = await kept.retrieve(user_id=USER, query=WHY, mode="hybrid", k=2)
        assert (why.mode_used, why.escalated, why.escalation_reason) == ("llm", True, "the question asks why")
        assert texts(why) == [candidates(server)[1]]
        asked = len(server.requests)
        sure = await kept.retrieve(user_id=USER, query=PLAIN, mode="hybrid", k=2)
        assert (sure.mode_used, sure.escalated, sure.escalation_reason) == ("rag", False, None)
        assert len(server.requests) == asked
        forced = await kept.retrieve(user_id=USER, query="blue elephants", k=2, escalation_threshold=1.0)
        assert (forced.escalated, "is below 1.00" in str(forced.escalation_reason)) == (True, True)
        let = await kept.retrieve(user_id=USER, query="blue elephants", k=2, escalation_threshold=0.0)
        assert (let.escalated, let.mode_used) == (False, "rag")
    first, *_, last = [one.payload for one in (await kept.events(USER)).items if one.event_type.endswith("performed")]
    assert (last["mode"], last["escalated"], last["result_count"]) == ("llm", True, 1)
    assert (first["mode"], first["escalated"]) == ("rag", False)


async def test_a_model_that_fails_is_asked_twice_more_and_hybrid_goes_on_without_it(
    gateway: RealGateway, kept: AsyncMemoryClient, server: LlmServer
) -> None:
    server.replies(Failed(500))
    async with asking(gateway, server, retries=2):
        with pytest.raises(RetrievalError, match="MEM-041"):
            await kept.retrieve(user_id=USER, query=WHY, mode="llm", k=2)
        assert len(server.requests) == 3
    async with asking(gateway, server):
        found = await kept.retrieve(user_id=USER, query=WHY, mode="hybrid", k=2)
    assert (found.mode_used, found.escalated, len(found.items)) == ("rag", False, 2)
    assert "the question asks why; answered by words and meaning" in str(found.escalation_reason)


async def test_spent_tokens_ask_no_model(gateway: RealGateway, kept: AsyncMemoryClient, server: LlmServer) -> None:
    async with asking(gateway, server, tokens=10):
        found = await kept.retrieve(user_id=USER, query=WHY, mode="hybrid")
        with pytest.raises(RetrievalError, match="MEM-044"):
            await kept.retrieve(user_id=USER, query=WHY, mode="llm")
    assert (found.escalated, "MEM-044" in str(found.escalation_reason)) == (False, True)
    assert server.requests == []


async def test_a_model_that_does_not_answer_is_waited_for_once_and_no_longer_than_set(
    gateway: RealGateway, kept: AsyncMemoryClient, server: LlmServer
) -> None:
    server.replies(Silence())
    async with asking(gateway, server, timeout_s=0.2):
        for _ in range(3):  # whoever asks next is answered at once
            found = await asyncio.wait_for(kept.retrieve(user_id=USER, query=WHY, mode="hybrid"), 20)
            assert (found.mode_used, "unavailable" in str(found.escalation_reason)) == ("rag", True)
    assert len(server.requests) == 1


async def test_each_retriever_works_alone_through_the_gateway(
    gateway: RealGateway, kept: AsyncMemoryClient, server: LlmServer
) -> None:
    server.replies(choice((1, 0.9)))
    items = MemoryManager(client=kept, user_id=USER).item_layer
    fast, careful = RAGRetriever(items), LLMRetriever(items, max_candidates=2)
    async with asking(gateway, server):
        assert len((await fast.retrieve(WHY, k=3)).items) == 3
        assert len((await careful.retrieve(WHY)).items) == 1
        assert len(candidates(server)) == 2
        both = await HybridRetriever(fast, careful).retrieve(WHY)
    assert (both.escalated, both.escalation_reason, len(both.items)) == (True, "the question asks why", 1)
