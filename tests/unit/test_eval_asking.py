"""Requests of evaluations to a gateway that may be of another version."""

from datetime import UTC, datetime

import httpx
import pytest
from rich.console import Console

from benchmarks.asking import knows, query, ways_of
from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput
from tests.support.recalled import answer
from tests.support.scripted import ScriptedGateway, refusal


def refused(field: str) -> httpx.Response:
    return refusal(InvalidInput(f"{field}: Extra inputs", details={"errors": [{"field": field, "reason": "extra"}]}))


def answered() -> httpx.Response:
    return httpx.Response(200, json=answer().model_dump(mode="json"))


def client_of(gateway: ScriptedGateway) -> AsyncMemoryClient:
    return AsyncMemoryClient("http://gateway", "rk_test", transport=gateway)


async def test_a_gateway_is_asked_both_ways_where_it_knows_fill_and_one_way_where_it_does_not() -> None:
    console = Console(quiet=True)
    async with client_of(ScriptedGateway(answered())) as client:
        assert await ways_of(client, console) == ("default", "fill")
    async with client_of(ScriptedGateway(refused("fill"))) as client:
        assert await ways_of(client, console) == ("default",)


async def test_another_refusal_is_not_taken_for_an_answer() -> None:
    async with client_of(ScriptedGateway(refused("query"))) as client:
        with pytest.raises(InvalidInput):
            await knows(client, "name")


async def test_what_a_gateway_may_not_know_is_sent_only_where_it_is_wanted() -> None:
    gateway, moment = ScriptedGateway(answered(), answered()), datetime(2026, 5, 1, tzinfo=UTC)
    async with client_of(gateway) as client:
        await client.recall(query("u", "who?", way="default", limit=5, token_budget=100))
        await client.recall(query("u", "who?", way="fill", limit=5, token_budget=100, name="Jo", as_of=moment))
    plain, full = gateway.bodies()
    assert plain == {"user_id": "u", "query": "who?", "limit": 5, "token_budget": 100, "deadline_ms": 5_000}
    assert full == plain | {"fill": True, "name": "Jo", "as_of": "2026-05-01T00:00:00Z"}
