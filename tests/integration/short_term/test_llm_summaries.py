"""A model's summary takes the place of the quotes, and nothing is missing before, after, or when it does not come."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Final

import pytest

from ragpp.clock import system_clock
from ragpp.ledger import Work, WorkKey
from ragpp.llm import LanguageModels
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.metered import PAUSE_S
from ragpp.llm.openai_compatible import OpenAICompatibleModel
from ragpp.models import InteractionEntry, Scope
from ragpp.testing.llm import Answered, Failed, LlmServer
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.short_term.settings import ShortTermSettings
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.repair import short_term
from ragpp_services.workers.stages.summaries import improve_summary, mend_summary
from tests.support.episodic import episodic_tier
from tests.support.short_term import NOON, short_term_entry, short_term_tier
from tests.support.workers import parts_with

pytestmark = pytest.mark.server

WINDOW: Final = ShortTermSettings(max_tokens=100, keep_messages=2, summary_tokens=60, hard_cap_factor=100)
COUNTER: Final = TokenCounter()


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with LlmServer() as running:
        running.replies(Answered(reply={"lines": ["Mira keeps bees and moved to Porto"]}))
        yield running


@pytest.fixture
def seconds() -> list[float]:
    """The times of the models' clock, which shows the last of them."""
    return [0.0]


@pytest.fixture
async def parts(endpoints: Endpoints, server: LlmServer, seconds: list[float]) -> AsyncIterator[WorkerParts]:
    model = OpenAICompatibleModel(model="m-1", base_url=server.openai_url, retries=0)
    budget = InMemoryBudget(system_clock)
    models = LanguageModels({"summary": model}, budget, concurrency=2, seconds=lambda: seconds[-1])
    async with episodic_tier(endpoints) as episodic, short_term_tier(endpoints, window=WINDOW) as memory:
        yield parts_with(short_term=memory, episodic=episodic, clock=system_clock, models=models, counter=COUNTER)
    await models.close()


def entry(number: int) -> InteractionEntry:
    return short_term_entry(
        f"Number {number}: I moved to Porto last year and I keep bees on the roof of the house.",
        id=f"m{number}",
        occurred_at=NOON + timedelta(minutes=number),
        name="Mira",
    )


async def say(parts: WorkerParts, scope: Scope, *numbers: int) -> list[Work]:
    """Store messages as the gateway does; the work that is then to be done."""
    entries = [entry(number) for number in numbers]
    await parts.episodic.store(scope, entries)
    await parts.short_term.store(scope, entries)
    return [
        Work(WorkKey(number, "short_term"), scope, "interaction.stored", f"m{number}", NOON, 1) for number in numbers
    ]


async def summary(parts: WorkerParts, scope: Scope) -> str:
    return (await parts.short_term.read(scope, 1_000)).summary


async def while_it_writes(parts: WorkerParts, server: LlmServer, scope: Scope) -> Callable[[], Awaitable[bool]]:
    """The model is at the summary of the first of eight messages; whether it was kept tells who lets it be finished."""
    await say(parts, scope, *range(8))
    assert await parts.short_term.compact(scope)
    server.gate.clear()
    writing = asyncio.create_task(improve_summary(parts, scope, await parts.short_term.epoch(scope)))
    await server.arrived.wait()

    async def finished() -> bool:
        server.gate.set()
        return await writing

    return finished


async def test_the_worker_puts_a_models_summary_in_the_place_of_the_quotes(
    parts: WorkerParts, server: LlmServer, scope: Scope
) -> None:
    await short_term(parts, await say(parts, scope, *range(8)))
    view = await parts.short_term.read(scope, 1_000)
    assert view.summary == "Mira keeps bees and moved to Porto"
    assert [message.id for message in view.messages] == ["m6", "m7"]
    asked = json.dumps(server.requests[0].body)
    assert all(f"Number {number}:" in asked for number in range(6))
    assert "Number 6:" not in asked
    assert await parts.short_term.draft_summary(scope) is None


async def test_the_next_summary_is_made_of_the_last_and_of_what_is_new(
    parts: WorkerParts, server: LlmServer, scope: Scope
) -> None:
    await short_term(parts, await say(parts, scope, *range(8)))
    server.replies(Answered(reply={"lines": ["Mira keeps bees and moved to Porto", "She counts to 15"]}))
    await short_term(parts, await say(parts, scope, *range(8, 16)))
    assert await summary(parts, scope) == "Mira keeps bees and moved to Porto\nShe counts to 15"
    asked = json.dumps(server.requests[-1].body)
    assert "Mira keeps bees and moved to Porto" in asked
    assert "Number 13:" in asked
    assert "Number 0:" not in asked


@pytest.mark.parametrize(
    "failure", [Failed(500), Answered(text="no"), Answered(reply={"lines": []})], ids=["down", "malformed", "empty"]
)
async def test_the_quotes_stay_when_the_model_fails_and_are_replaced_when_it_is_back(
    parts: WorkerParts, server: LlmServer, seconds: list[float], scope: Scope, failure: Answered | Failed
) -> None:
    good = Answered(reply={"lines": ["Mira is back"]})
    server.replies(failure)
    await short_term(parts, await say(parts, scope, *range(8)))
    quotes = await summary(parts, scope)
    assert "Mira, 1 May 2024: " in quotes
    assert parts.models is not None
    assert sum(parts.models.counts["summary"].values()) > 0
    server.replies(good)
    seconds.append(PAUSE_S)
    await short_term(parts, await say(parts, scope, *range(8, 16)))
    assert await summary(parts, scope) == "Mira is back"
    asked = json.dumps(server.requests[-1].body)
    assert all(f"Number {number}:" in asked for number in range(14))


async def test_messages_that_come_while_the_model_writes_stay(
    parts: WorkerParts, server: LlmServer, scope: Scope
) -> None:
    finished = await while_it_writes(parts, server, scope)
    await say(parts, scope, 8)
    assert await finished()
    view = await parts.short_term.read(scope, 1_000)
    assert view.summary == "Mira keeps bees and moved to Porto"
    assert [message.id for message in view.messages] == ["m6", "m7", "m8"]


async def test_what_is_forgotten_while_the_model_writes_is_in_no_summary(
    parts: WorkerParts, server: LlmServer, scope: Scope
) -> None:
    finished = await while_it_writes(parts, server, scope)
    await parts.episodic.forget(scope, ["m0"])
    await parts.short_term.forget(scope, ["m0"])
    assert not await finished()
    assert "Mira keeps" not in await summary(parts, scope)
    assert "Number 0" not in await summary(parts, scope)


async def test_what_is_forgotten_after_the_model_wrote_takes_its_lines_with_it(
    parts: WorkerParts, scope: Scope
) -> None:
    await short_term(parts, await say(parts, scope, *range(8)))
    assert await parts.short_term.forget(scope, ["m3"]) == 1
    assert await summary(parts, scope) == ""


async def test_a_summary_that_lost_lines_is_written_again_from_what_is_left(
    parts: WorkerParts, server: LlmServer, scope: Scope
) -> None:
    await short_term(parts, await say(parts, scope, *range(8)))
    await parts.episodic.forget(scope, ["m3"])
    await parts.short_term.forget(scope, ["m3"])
    server.replies(Answered(reply={"lines": ["Mira counts without the third"]}))
    await mend_summary(parts, scope)
    assert await summary(parts, scope) == "Mira counts without the third"
    asked = json.dumps(server.requests[-1].body)
    assert [number for number in range(8) if f"Number {number}:" in asked] == [0, 1, 2, 4, 5]
    assert "keeps bees and moved" not in asked
    before = len(server.requests)
    await mend_summary(parts, scope)
    assert len(server.requests) == before


async def test_quotes_of_what_is_left_take_its_place_when_the_model_is_away(
    parts: WorkerParts, server: LlmServer, scope: Scope
) -> None:
    await short_term(parts, await say(parts, scope, *range(8)))
    await parts.episodic.forget(scope, ["m5"])
    await parts.short_term.forget(scope, ["m5"])
    server.replies(Failed(500))
    await mend_summary(parts, scope)
    quotes = await summary(parts, scope)
    assert "Mira, 1 May 2024: Number" in quotes
    assert "Number 5" not in quotes
    assert "keeps bees and moved" not in quotes


async def test_a_session_that_was_deleted_is_in_no_summary_of_the_next(
    parts: WorkerParts, server: LlmServer, scope: Scope
) -> None:
    await short_term(parts, await say(parts, scope, *range(8)))
    assert await parts.short_term.delete_session(scope)
    server.replies(Answered(reply={"lines": ["Mira begins anew"]}))
    await short_term(parts, await say(parts, scope, *range(8, 16)))
    assert await summary(parts, scope) == "Mira begins anew"
    asked = json.dumps(server.requests[-1].body)
    assert [number for number in range(16) if f"Number {number}:" in asked] == [8, 9, 10, 11, 12, 13]
    assert await parts.short_term.forget(scope, ["m3"]) == 0
    assert await summary(parts, scope) == "Mira begins anew"


async def test_a_line_that_was_kept_word_for_word_keeps_what_it_rests_on(
    parts: WorkerParts, server: LlmServer, scope: Scope
) -> None:
    await short_term(parts, await say(parts, scope, *range(8)))
    server.replies(Answered(reply={"lines": ["Mira keeps bees and moved to Porto", "Something new"]}))
    await short_term(parts, await say(parts, scope, *range(8, 16)))
    await parts.short_term.forget(scope, ["m9"])
    assert await summary(parts, scope) == "Mira keeps bees and moved to Porto"


async def test_without_a_model_nothing_is_asked(parts: WorkerParts, server: LlmServer, scope: Scope) -> None:
    bare = WorkerParts(**{**vars(parts), "models": None})
    await short_term(bare, await say(parts, scope, *range(8)))
    assert "Mira, 1 May 2024: " in await summary(parts, scope)
    assert not server.requests


async def test_a_session_that_is_not_there_has_no_draft(parts: WorkerParts, scope: Scope) -> None:
    assert await parts.short_term.draft_summary(scope) is None
    assert not await parts.short_term.write_summary(scope, "0", "text", [])
