"""The SDK: what it sends, what it repeats, and what it raises."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from ragpp.api import MessageIn, Outcome, PreferenceIn, RecallRequest, StoreRequest
from ragpp.client import AsyncMemoryClient, GatewayUnreachable
from ragpp.client.calls import path_of
from ragpp.errors import BudgetSpent, Conflict, InvalidInput, MemorySystemError, RateLimited, TierUnavailable
from ragpp.errors.problems import problem_of
from ragpp.filtering import MetadataFilter
from tests.support.scripted import ScriptedGateway, refusal

KEY = "rk_test"
STORED = {
    "receipt": "r1.1.1",
    "stored": [{"id": "m-1", "duplicate": False, "redactions": 0}],
    "timestamp": "2026-03-08T13:56:02Z",
    "tiers": {"episodic": "ok", "short_term": "ok"},
}


@asynccontextmanager
async def client_of(gateway: ScriptedGateway) -> AsyncIterator[AsyncMemoryClient]:
    async with AsyncMemoryClient("http://gateway", KEY, retries=2, backoff_s=0, transport=gateway) as client:
        yield client


def one_message(**fields: str) -> StoreRequest:
    return StoreRequest(user_id="u1", messages=(MessageIn.model_validate({"content": "hello", **fields}),))


async def test_every_request_carries_the_key() -> None:
    gateway = ScriptedGateway(httpx.Response(200, json={"pending": 3}))
    async with client_of(gateway) as client:
        assert await client.pending("u1") == 3
    assert gateway.seen[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_write_that_is_repeated_carries_the_same_id_so_that_nothing_is_stored_twice() -> None:
    gateway = ScriptedGateway(
        refusal(TierUnavailable("episodic did not answer")),
        httpx.ReadError("connection reset"),
        httpx.Response(201, json=STORED),
    )
    async with client_of(gateway) as client:
        await client.remember(one_message())
    first, second, third = gateway.bodies()
    assert first == second == third
    assert first["messages"][0]["id"]  # type: ignore[index]  # JSON


async def test_an_id_that_the_caller_chose_is_kept() -> None:
    gateway = ScriptedGateway(httpx.Response(201, json=STORED))
    async with client_of(gateway) as client:
        await client.remember(one_message(id="m-1"))
    assert gateway.bodies()[0]["messages"] == [{"id": "m-1", "content": "hello"}]


async def test_a_preference_without_an_id_gets_one_that_its_repeats_keep() -> None:
    gateway = ScriptedGateway(refusal(TierUnavailable("away")), refusal(Conflict("taken")))
    async with client_of(gateway) as client:
        with pytest.raises(Conflict):
            await client.set_preference(PreferenceIn(user_id="u1", category="tone", key="length", value="short"))
    first, second = gateway.bodies()
    assert first["id"] == second["id"] != ""


async def test_repeats_are_bounded_and_then_the_problem_is_raised() -> None:
    gateway = ScriptedGateway(*(refusal(TierUnavailable("episodic did not answer")) for _ in range(3)))
    async with client_of(gateway) as client:
        with pytest.raises(TierUnavailable, match="episodic did not answer"):
            await client.recall(RecallRequest(user_id="u1", query="x"))
    assert len(gateway.seen) == 3


def later(seconds: int = 2) -> httpx.Response:
    error = RateLimited("this key may send 1 request a second", details={"retry_after_s": seconds})
    return httpx.Response(429, json=problem_of(error).model_dump(), headers={"retry-after": str(seconds)})


async def test_what_a_key_asks_too_often_is_asked_again_also_what_counts_since_nothing_was_done() -> None:
    gateway = ScriptedGateway(later(), later(), later(), later(), refusal(Conflict("reached")))
    async with client_of(gateway) as client:
        with pytest.raises(Conflict):
            await client.record_outcome("r1", Outcome(user_id="u1", success=True))
    assert len(gateway.seen) == 5


async def test_a_key_that_is_refused_for_a_minute_is_told_so() -> None:
    gateway = ScriptedGateway(*(later(20) for _ in range(10)))
    async with client_of(gateway) as client:
        with pytest.raises(RateLimited, match="1 request a second"):
            await client.pending("u1")
    assert len(gateway.seen) == 4


async def test_a_client_that_repeats_nothing_is_told_at_once_that_its_key_asks_too_often() -> None:
    gateway = ScriptedGateway(later())
    async with AsyncMemoryClient("http://gateway", KEY, retries=0, transport=gateway) as client:
        with pytest.raises(RateLimited):
            await client.pending("u1")


async def test_a_day_whose_tokens_are_spent_is_not_waited_for() -> None:
    gateway = ScriptedGateway(refusal(BudgetSpent("spent")))
    async with client_of(gateway) as client:
        with pytest.raises(BudgetSpent):
            await client.pending("u1")


async def test_what_counts_is_not_sent_twice_when_it_may_have_arrived() -> None:
    gateway = ScriptedGateway(httpx.ReadError("connection reset"))
    async with client_of(gateway) as client:
        with pytest.raises(GatewayUnreachable):
            await client.record_outcome("r1", Outcome(user_id="u1", success=True))
    assert len(gateway.seen) == 1


async def test_what_counts_is_sent_again_when_no_connection_was_made() -> None:
    gateway = ScriptedGateway(httpx.ConnectError("refused"), refusal(Conflict("reached")))
    async with client_of(gateway) as client:
        with pytest.raises(Conflict):
            await client.record_outcome("r1", Outcome(user_id="u1", success=True))


async def test_a_gateway_that_is_not_there_is_named() -> None:
    gateway = ScriptedGateway(*(httpx.ConnectError("refused") for _ in range(3)))
    async with client_of(gateway) as client:
        with pytest.raises(GatewayUnreachable, match="http://gateway did not answer"):
            await client.pending("u1")


async def test_a_problem_comes_back_as_the_error_it_was_with_its_details() -> None:
    gateway = ScriptedGateway(refusal(Conflict("2 ids are known", details={"indexes": [0, 4]})))
    async with client_of(gateway) as client:
        with pytest.raises(Conflict) as caught:
            await client.remember(one_message())
    assert caught.value.details["indexes"] == [0, 4]
    assert caught.value.suggestions


async def test_an_answer_that_is_not_ours_is_an_error_and_not_a_crash() -> None:
    gateway = ScriptedGateway(httpx.Response(502, text="<html>"), httpx.Response(200, text="<html>"))
    async with client_of(gateway) as client:
        with pytest.raises(TierUnavailable, match="HTTP 502"):
            await client.pending("u1")
        with pytest.raises(MemorySystemError, match="version"):
            await client.pending("u1")


async def test_text_that_is_not_unicode_is_refused_before_anything_is_sent() -> None:
    gateway = ScriptedGateway()
    async with client_of(gateway) as client:
        with pytest.raises(InvalidInput):
            await client.pending("\ud800")
    assert gateway.seen == []


async def test_a_filter_that_is_a_mapping_narrows_a_list_as_the_model_does() -> None:
    condition: dict[str, JsonValue] = {"in": {"key": ["customer", "id"], "values": ["c1", None]}}
    gateway = ScriptedGateway(*[httpx.Response(200, json={"items": []})] * 4)
    async with client_of(gateway) as client:
        for given_as in (condition, MetadataFilter.model_validate(condition)):
            await client.interactions("u1", filter=given_as)
            await client.items("u1", filter=given_as)
    assert [json.loads(request.url.params["filter"]) for request in gateway.seen] == [condition] * 4


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_no_id_leaves_its_place_in_the_path(identifier: str) -> None:
    url = httpx.URL("http://gateway").join(path_of("/v1/interactions/{interaction_id}", {"interaction_id": identifier}))
    prefix, name = url.raw_path.decode().rsplit("/", 1)
    assert prefix == "/v1/interactions"
    assert url.path == f"/v1/interactions/{identifier}"
    assert "?" not in name
