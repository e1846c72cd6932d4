"""A tier behind HTTP behaves as the tier itself does, its errors included."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Protocol, cast

import httpx
import orjson
import pytest
import structlog
from pydantic import field_serializer

from ragpp.errors import ConfigurationError, Conflict, InvalidInput, TierUnavailable
from ragpp.models import Filters, Interaction, InteractionEntry, MemoryQuery, Value
from ragpp.testing.tiers import InMemoryTier
from ragpp.tierkit.remote import remote_client, remote_tier, tier_app, wire_of
from ragpp.tiers import EpisodicTier, MemoryTier, ProceduralTier, SemanticTier, ShortTermTier
from tests.support.each import each_case
from tests.support.scopes import new_scope

CREDENTIAL = "service-credential"


def entry(identifier: str, content: str) -> InteractionEntry:
    return InteractionEntry(
        interaction=Interaction(id=identifier, content=content, occurred_at=datetime(2024, 5, 1, tzinfo=UTC))
    )


@asynccontextmanager
async def served(local: InMemoryTier, credential: str = CREDENTIAL) -> AsyncIterator[MemoryTier]:
    @asynccontextmanager
    async def open_tier() -> AsyncIterator[InMemoryTier]:
        yield local

    app = tier_app(MemoryTier, open_tier, CREDENTIAL)
    headers = {"authorization": f"Bearer {credential}"}
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://tier", headers=headers) as client,
    ):
        yield remote_tier(MemoryTier, "episodic", client)


async def test_what_is_stored_over_http_is_retrieved_over_http() -> None:
    scope = new_scope()
    async with served(InMemoryTier()) as tier:
        stored = await tier.store(scope, [entry("a'\n{}", "the launch code is 0000")])
        found = await tier.retrieve(
            MemoryQuery(scope=scope, text="launch code", filters=Filters(exclude=frozenset({"x"})))
        )
        assert [item.id for item in stored] == ["a'\n{}"]
        assert [memory.text for memory in found] == ["the launch code is 0000"]
        assert await tier.forget(scope, {"a'\n{}", "unknown"}) == 1


async def test_many_entries_arrive_as_few_do() -> None:
    scope = new_scope()
    entries = [entry(f"m{number}", f"the launch code is {number} " + "x" * 3_000) for number in range(40)]
    async with served(InMemoryTier()) as tier:
        stored = await tier.store(scope, entries)
        again = await tier.store(scope, entries)
    assert [(one.id, one.duplicate) for one in stored] == [(f"m{number}", False) for number in range(40)]
    assert all(one.duplicate for one in again)


async def test_an_error_of_the_tier_comes_back_as_the_same_class_with_its_details() -> None:
    scope = new_scope()
    async with served(InMemoryTier()) as tier:
        await tier.store(scope, [entry("a", "one")])
        with pytest.raises(Conflict) as caught:
            await tier.store(scope, [entry("b", "new"), entry("a", "two")])
        assert caught.value.details["indexes"] == [1]
        assert caught.value.suggestions


async def test_a_tier_that_is_down_is_unavailable_and_its_health_says_so() -> None:
    local = InMemoryTier()
    local.available = False
    async with served(local) as tier:
        with pytest.raises(TierUnavailable):
            await tier.retrieve(MemoryQuery(scope=new_scope(), text="x"))
        assert not (await tier.health_check()).ok


async def test_a_service_that_cannot_be_reached_is_unavailable() -> None:
    async with httpx.AsyncClient(base_url="http://127.0.0.1:9", timeout=1) as client:
        tier = remote_tier(MemoryTier, "episodic", client)
        with pytest.raises(TierUnavailable):
            await tier.store(new_scope(), [entry("a", "one")])
        assert not (await tier.health_check()).ok


def answering(answer: Callable[[httpx.Request], Coroutine[None, None, httpx.Response]]) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url="http://tier", transport=httpx.MockTransport(answer))


@pytest.mark.deadline
async def test_a_service_that_hangs_is_not_healthy_and_says_so_within_two_seconds() -> None:
    async def never(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        return httpx.Response(200, request=request)

    async with answering(never) as client, asyncio.timeout(2.0):
        health = await remote_tier(MemoryTier, "episodic", client).health_check()
    assert not health.ok
    assert health.detail


class Kept(Value):
    """A text that tells in which thread it is written."""

    text: str

    @field_serializer("text")
    def _written(self, text: str) -> str:
        return f"{threading.get_ident()}{text}"


class Keeping(Protocol):
    """A tier of one verb."""

    async def keep(self, entries: list[Kept]) -> str:
        """Answers what it got."""
        ...


@each_case(("size", "inline"), [(10, True), (100_000, False)])
async def test_how_much_there_is_decides_whether_it_is_written_on_the_event_loop(size: int, inline: bool) -> None:
    async def answer(request: httpx.Request) -> httpx.Response:
        written = orjson.loads(request.content)["entries"][0]["text"]
        return httpx.Response(200, content=orjson.dumps(written.rstrip("x")), request=request)

    async with answering(answer) as client:
        tier = cast("Keeping", remote_tier(cast("type[MemoryTier]", Keeping), "keeping", client))
        thread = await tier.keep([Kept(text="x" * size)] * 4)
    assert (thread == str(threading.get_ident())) is inline


@each_case("body", [b"", b"<html>", b"[]", b'{"name": 3}'])
async def test_an_answer_that_is_something_else_is_an_unavailable_tier(body: bytes) -> None:
    async def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=body, request=request)

    async with answering(answer) as client:
        tier = remote_tier(MemoryTier, "episodic", client)
        assert not (await tier.health_check()).ok
        with pytest.raises(TierUnavailable):
            await tier.forget(new_scope(), {"a"})


async def test_a_client_of_a_tier_service_brings_the_credential_and_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with remote_client("http://tier:1", CREDENTIAL, 3.0) as client:
        assert client.headers["authorization"] == f"Bearer {CREDENTIAL}"
        assert client.timeout.read == 3.0
        assert not client.trust_env


async def test_a_wrong_credential_is_refused() -> None:
    async with served(InMemoryTier(), credential="wrong") as tier:
        with pytest.raises(ConfigurationError, match="TIER_CREDENTIAL"):
            await tier.retrieve(MemoryQuery(scope=new_scope(), text="x"))


async def test_arguments_that_do_not_fit_are_named_and_not_a_crash() -> None:
    @asynccontextmanager
    async def open_tier() -> AsyncIterator[InMemoryTier]:
        yield InMemoryTier()

    app = tier_app(MemoryTier, open_tier, CREDENTIAL)
    headers = {"authorization": f"Bearer {CREDENTIAL}"}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://tier", headers=headers) as client,
    ):
        response = await client.post("/v1/tier/retrieve", content=b'{"query": {"text": 3}}')
        assert response.status_code == InvalidInput.status
        assert {item["field"] for item in response.json()["errors"]} >= {"query.scope", "query.text"}


@each_case("protocol", [ShortTermTier, EpisodicTier, SemanticTier, ProceduralTier])
def test_every_verb_of_every_tier_can_be_written_as_json(protocol: type[MemoryTier]) -> None:
    verbs = wire_of(protocol)
    assert {"store", "retrieve", "forget", "health_check"} <= set(verbs)
    for verb in verbs.values():
        assert verb.arguments.model_json_schema()["type"] == "object"
        assert verb.result.json_schema(mode="serialization")


@each_case("request_id", ["ask-1", None])
async def test_a_tier_is_told_which_request_it_works_for(request_id: str | None) -> None:
    asked: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("X-Request-ID"))
        return httpx.Response(200, json=7)

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://tier") as client:
        tier = remote_tier(MemoryTier, "episodic", client)
        with structlog.contextvars.bound_contextvars(**({} if request_id is None else {"request_id": request_id})):
            assert await tier.epoch(new_scope()) == 7
    assert asked == [request_id]
