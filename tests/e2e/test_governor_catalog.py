"""The governor's catalog mode on the real gateway: what a session said is chosen in the next, by its agent alone."""

import asyncio
import json
import os
import subprocess
import sys
from typing import Final

import pytest

from ragpp import MemoryCatalog
from ragpp.client import AsyncMemoryClient
from ragpp_services.governor.graph import Governor, replay
from ragpp_services.governor.quoted_answer import quoted_answer
from ragpp_services.governor.values import AssistantState, Event, Invocation, Limits, Record, TurnResult
from tests.support.real_gateway import RealGateway

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

LIMITS: Final = Limits(deadline_ms=30_000, store_ms=30_000)
USER: Final = "mira"
TOLD: Final = "We decided to use Kafka 3.7 for the orders queue."
ASKED: Final = "Which queue did we decide to use for the orders?"


async def say(governor: Governor, content: str, session: str, agent: str | None = "sales") -> TurnResult:
    event = Event(user_id=USER, session_id=session, content=content, name="Mira", agent_id=agent)
    result = await governor.turn(Invocation(state=AssistantState(), event=event))
    assert result.memory == "ok", result.problems
    return result


async def test_what_one_session_said_is_chosen_and_answers_in_the_next(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
) -> None:
    records: list[Record] = []
    async with Governor(memory, quoted_answer, mode="catalog", limits=LIMITS, on_record=records.append) as governor:
        told = await say(governor, TOLD, "s1")
        assert told.catalog is not None
        assert told.catalog.offered == ()
        assert told.catalog.job is not None
        await gateway.digest(tenant)
        assert (await memory.job(told.catalog.job)).state == "done"
        result = await say(governor, ASKED, "s2")
    assert "Kafka 3.7" in result.response.text
    catalog = result.catalog
    assert catalog is not None
    assert [(used.tier, used.kind, used.cited) for used in result.memories_used] == [("catalog", "item", True)]
    (used,) = result.memories_used
    assert catalog.chosen == (used.id,)
    assert catalog.budget is not None
    assert (catalog.budget.limit, catalog.budget.used > catalog.tokens > 0) == (2_000, True)
    assert catalog.useful is not None
    assert catalog.useful[used.id] > 0.6
    usage = await memory.agent_usage("sales", user_id=USER)
    assert [(one.memory_id, one.offered, one.given, one.judged) for one in usage.memories] == [(used.id, 1, 1, 1)]
    assert [replay(record) for record in records] == [record.result for record in records]


async def test_what_one_agent_was_told_another_is_not_offered(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
) -> None:
    async with Governor(memory, quoted_answer, mode="catalog", limits=LIMITS) as governor:
        await say(governor, TOLD, "s1")
        await gateway.digest(tenant)
        for agent in ("care", None):
            result = await say(governor, ASKED, f"s-{agent}", agent)
            assert result.response.text == "I remember nothing about that."
            assert "Kafka" not in result.model_dump_json()


async def test_an_answer_that_repeats_a_memory_makes_no_other(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
) -> None:
    catalog = MemoryCatalog("sales", client=memory, user_id=USER)
    kept = await catalog.store(TOLD, visibility="shared")
    async with Governor(memory, quoted_answer, mode="catalog", limits=LIMITS) as governor:
        for session in ("s1", "s2"):
            result = await say(governor, ASKED, session)
            assert "Kafka 3.7" in result.response.text
            await gateway.digest(tenant)
    assert [one.memory_id for one in await catalog.search()] == [kept.memory_id]


async def test_a_budget_that_has_no_room_is_answered_without_and_said(memory: AsyncMemoryClient) -> None:
    await memory.set_agent_budget("sales", user_id=USER, limit=0)
    async with Governor(memory, quoted_answer, mode="catalog", limits=LIMITS) as governor:
        result = await say(governor, ASKED, "s1")
    assert result.catalog is not None
    assert (result.catalog.offered, result.catalog.tokens) == ((), 0)


async def test_ragpp_chat_shows_what_was_offered_chosen_given_and_useful(
    gateway: RealGateway, tenant: str, address: str
) -> None:
    key = await gateway.key(tenant)

    def chat(said: str, *more: str) -> str:
        command = [
            sys.executable,
            "-m",
            "ragpp_infra.cli.main",
            "chat",
            "--user",
            USER,
            "--catalog",
            "--agent",
            "sales",
        ]
        done = subprocess.run(
            [*command, "--echo", "--deadline", "20000", *more],
            input=said,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
            env=os.environ | {"RAGPP_URL": address, "RAGPP_API_KEY": key},
        )
        assert done.returncode == 0, done.stderr
        assert key not in done.stdout + done.stderr
        return done.stdout

    first = await asyncio.to_thread(chat, f"{TOLD}\n")
    assert "  offered 0 memories in " in first
    assert "echo> Noted." in first
    await gateway.digest(tenant)
    shown = await asyncio.to_thread(chat, f"{ASKED}\n")
    for part in (
        "  offered 1 memory in ",
        "  chose m1\n",
        "  given m1 (full) in ",
        " of 2000 tokens used",
        "Kafka 3.7",
    ):
        assert part in shown
    assert "  useful: m1 " in shown
    told = json.loads(await asyncio.to_thread(chat, f"{ASKED}\n", "--json"))
    assert "Kafka 3.7" in told["response"]["text"]
    assert told["catalog"]["chosen"] == [told["memories_used"][0]["id"]]
