"""The governor's rules and labels on the real gateway: counted, judged, and kept with what an exchange tells."""

import asyncio
import json
import subprocess
import sys

import pytest

from ragpp.api import RuleIn
from ragpp.client import AsyncMemoryClient
from ragpp_services.governor.graph import Governor
from ragpp_services.governor.quoted_answer import quoted_answer
from ragpp_services.governor.values import Limits, TurnResult
from tests.support.hostile import Json
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server
USER = "mira"
LIMITS = Limits(deadline_ms=30_000, store_ms=30_000)
ASKED = "Where is the invoice of May?"


async def ruled(memory: AsyncMemoryClient) -> None:
    await memory.create_rule(RuleIn(user_id=USER, id="r1", text="Answer about an invoice in one sentence."))


async def test_a_rule_that_fired_is_counted_and_what_came_of_it_moves_its_record(memory: AsyncMemoryClient) -> None:
    await ruled(memory)
    async with Governor(memory, quoted_answer, limits=LIMITS) as governor:
        event: dict[str, Json] = {"user_id": USER, "content": ASKED, "id": "m-1"}
        first = await governor.invoke({"state": {}, "event": event, "available_tools": ["search"]})
        (fired,) = TurnResult.model_validate(first).rules_fired
        assert (fired.id, fired.success, fired.activation_count) == ("r1", None, 1)
        thanks = {"user_id": USER, "content": "Thank you, and the invoice of June?", "feedback": True}
        second = await governor.invoke({"state": first["state"], "event": thanks})
    (judged,) = TurnResult.model_validate(second).rules_judged
    assert (judged.id, judged.success, judged.success_rate) == ("r1", True, 1.0)
    rule = await memory.rule(USER, "r1")
    assert (rule.activation_count, rule.outcomes, rule.success_rate) == (2, 1, 1.0)


async def test_a_chat_reports_its_rules(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient, address: str
) -> None:
    await ruled(memory)
    key = await gateway.key(tenant)
    command = [sys.executable, "-m", "ragpp_services.governor", "chat", "--url", address, "--key", key]
    command += ["--user", USER, "--echo", "--json", "--deadline", "30000"]
    ran = await asyncio.to_thread(subprocess.run, command, input=ASKED, capture_output=True, text=True, check=True)
    told = json.loads(ran.stdout.splitlines()[0])
    assert [(rule["id"], rule["activation_count"]) for rule in told["rules_fired"]] == [("r1", 1)]
    assert told["response"]["content"] == told["response"]["text"] != ""


async def test_what_an_exchange_tells_is_of_the_events_domain_and_task_and_that_agents(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
) -> None:
    labels: dict[str, Json] = {"domain": "sql", "task_type": "date_filter"}
    said = "We decided to compare all dates of the orders table in UTC."
    event: dict[str, Json] = {"user_id": USER, "agent_id": "sales", "content": said, **labels}
    async with Governor(memory, quoted_answer, mode="catalog", limits=LIMITS) as governor:
        answer = await governor.invoke({"event": event})
        await gateway.digest(tenant)
        assert answer["problems"] == []
        (item,) = (await memory.items(USER, domain="sql", task_type="date_filter")).items
        assert (item.visibility, item.agent_id, item.domain, item.task_type) == ("agent", "sales", "sql", "date_filter")
        assert item.key.startswith("sql:date_filter:")
        asked: dict[str, Json] = {**event, "content": "How do we compare the dates of orders?"}
        told = TurnResult.model_validate(await governor.invoke({"event": asked})).catalog
        assert told is not None
        assert [one.memory_id for one in told.offered] == [item.item_id]
    assert (await memory.items(USER, domain="python")).items == ()
