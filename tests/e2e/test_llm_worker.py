"""A worker with a language model: what it reads is learned, and when it cannot, the local extractors go on."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import httpx
import pytest

from ragpp.clock import system_clock
from ragpp.llm import LanguageModels
from ragpp.llm.budget import PostgresBudget
from ragpp.llm.factory import make_language_models
from ragpp.settings import LanguageModelSettings, PostgresSettings
from ragpp.stores.postgres import create_pool, ensure_open
from ragpp.testing.llm import INPUT_TOKENS, OUTPUT_TOKENS, Answered, Failed, LlmServer
from ragpp_services.all_in_one import open_tiers
from ragpp_services.workers.app import open_parts
from tests.support.real_gateway import RealGateway

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]

SAID: Final = "I keep bees on the roof, and I moved to Porto. I prefer tea over coffee."
READ: Final[dict[str, list[dict[str, object]]]] = {
    "relationships": [],
    "preferences": [
        {
            "category": "hobbies",
            "key": "beekeeping",
            "value": "keeps bees on the roof",
            "stated": True,
            "confidence": 0.9,
            "messages": [1],
            "quote": "I keep bees on the roof",
        }
    ],
    "findings": [],
}


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with LlmServer() as running:
        yield running


@pytest.fixture
async def budget(gateway: RealGateway) -> AsyncIterator[PostgresBudget]:
    pool = create_pool(PostgresSettings(), dsn=gateway.settings["POSTGRES_RELAY_DSN"], vectors=False)
    await ensure_open(pool)
    yield PostgresBudget(pool, system_clock, tokens_per_day=100_000)
    await pool.close()


@pytest.fixture
async def models(server: LlmServer, budget: PostgresBudget) -> AsyncIterator[LanguageModels]:
    settings = LanguageModelSettings(
        extraction="openai:m-1", summary="", openai_base_url=server.openai_url, max_retries=0
    )
    made = make_language_models(settings, budget)
    assert made is not None
    yield made
    await made.close()


async def extracted(
    gateway: RealGateway, models: LanguageModels, api: httpx.AsyncClient, tenant: str
) -> dict[str, object]:
    """The result of an extract over what was just said, by a worker with `models`."""
    message = {"id": "m1", "name": "Mira", "content": SAID}
    answer = await api.post("/v1/interactions", json={"user_id": "mira", "messages": [message]})
    assert answer.status_code == 201, answer.text
    asked = await api.post("/v1/users/mira/extract", json={})
    assert asked.status_code == 202, asked.text
    await replace(gateway, worker=replace(gateway.worker, models=models)).digest(tenant)
    job = (await api.get(f"/v1/jobs/{asked.json()['id']}")).json()
    assert job["state"] == "done", job
    result: dict[str, object] = job["result"]
    return result


async def preferences(api: httpx.AsyncClient) -> dict[str, str]:
    items = (await api.get("/v1/preferences", params={"user_id": "mira"})).json()["items"]
    return {item["key"]: item["value"] for item in items}


async def test_what_a_model_reads_in_a_window_is_learned(
    gateway: RealGateway,
    models: LanguageModels,
    budget: PostgresBudget,
    api: httpx.AsyncClient,
    tenant: str,
    server: LlmServer,
) -> None:
    server.replies(Answered(reply=READ))
    result = await extracted(gateway, models, api, tenant)
    assert (result["model"], result["fallback"]) == ("openai:m-1", None)
    known = await preferences(api)
    assert "keeps bees on the roof" in known.values()
    assert any("tea" in value for value in known.values())  # the local extractor's
    asked = [json.dumps(request.body) for request in server.requests]
    assert sum(SAID in body for body in asked) == 1
    assert models.counts["extraction"]["ok"] == len(asked)
    assert await budget.left(tenant) == 100_000 - INPUT_TOKENS - OUTPUT_TOKENS


@pytest.mark.parametrize(
    ("reply", "fallback"),
    [
        (Failed(500), "unavailable"),
        (Answered(text="Nothing to report!"), "malformed"),
        (Answered(reply=READ), "budget_spent"),
    ],
    ids=["down", "malformed", "spent"],
)
async def test_when_the_model_cannot_the_job_is_done_without_it_and_says_so(
    gateway: RealGateway,
    models: LanguageModels,
    budget: PostgresBudget,
    api: httpx.AsyncClient,
    tenant: str,
    server: LlmServer,
    reply: Answered | Failed,
    fallback: str,
) -> None:
    server.replies(reply)
    if fallback == "budget_spent":
        assert await budget.reserve(tenant, 99_900) is not None
    result = await extracted(gateway, models, api, tenant)
    assert (result["model"], result["fallback"]) == (None, fallback)
    assert models.counts["extraction"][fallback] >= 1  # the digestion may meet work of other tenants
    known = await preferences(api)
    assert "keeps bees on the roof" not in known.values()
    assert any("tea" in value for value in known.values())


async def test_a_worker_has_the_models_that_its_environment_names(
    gateway: RealGateway, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        **gateway.settings,
        "LLM_SUMMARY": "openai:m-1",
        "LLM_REFLECTION": "anthropic:m-2",
        "LLM_OPENAI_BASE_URL": server.openai_url,
        "LLM_ANTHROPIC_API_KEY": "sk-very-secret",
    }.items():
        monkeypatch.setenv(name, value)
    async with open_parts(open_tiers) as parts:
        assert parts.models is not None
        assert parts.models.configured == {"summary": "openai:m-1", "reflection": "anthropic:m-2"}
        assert "sk-very-secret" not in repr(parts)


async def test_what_a_model_reads_is_seen_by_agents_who_see_all_that_it_rests_on(
    gateway: RealGateway, models: LanguageModels, tenant: str, server: LlmServer
) -> None:
    clients = {agent: gateway.client(await gateway.key(tenant, agent_id=agent)) for agent in (None, "sales", "care")}
    shared = "I moved to Porto. I keep snails in the cellar."
    snails = {**READ["preferences"][0], "key": "snails", "value": "keeps snails", "messages": [2]}
    server.replies(
        Answered(
            reply={**READ, "preferences": [*READ["preferences"], {**snails, "quote": "I keep snails in the cellar"}]}
        )
    )
    for number, (agent, content) in enumerate((("sales", SAID), (None, shared))):
        message = {"id": f"m{number}", "name": "Mira", "content": content}
        body = {"user_id": "mira", "messages": [message]}
        assert (await clients[agent].post("/v1/interactions", json=body)).status_code == 201
    assert (await clients[None].post("/v1/users/mira/extract", json={})).status_code == 202
    await replace(gateway, worker=replace(gateway.worker, models=models)).digest(tenant)
    known = {agent: set((await preferences(client)).values()) for agent, client in clients.items()}
    read = {"keeps bees on the roof", "keeps snails"}
    assert {agent: read & values for agent, values in known.items()} == {
        None: read,
        "sales": read,
        "care": {"keeps snails"},
    }
    for client in clients.values():
        await client.aclose()
