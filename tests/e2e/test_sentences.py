"""The sentences that messages tell are embedded by the workers, whatever becomes of the embedder meanwhile."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast
from uuid import uuid4

import asyncpg
import httpx
import pytest

from ragpp.errors import EmbeddingError
from ragpp.models import Memory, MemoryQuery, Scope
from ragpp.stores.postgres import as_tenant
from ragpp.tiers import EpisodicTier
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.episodic.searching import Searching
from tests.support.real_gateway import RealGateway, open_gateway
from tests.support.second import second_jar

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
TEXT = "I moved to Porto last year. My sister Elena stayed. We write every week."


class WithoutEmbedder:
    """An episodic tier whose embedder is away when sentences are to be embedded."""

    def __init__(self, tier: EpisodicTier) -> None:
        self._tier = tier

    def __getattr__(self, name: str) -> object:
        return getattr(self._tier, name)

    async def index_sentences(self, *_: object) -> int:
        raise EmbeddingError("the embedder is away")


async def say(api: httpx.AsyncClient, scope: Scope, identifier: str) -> Mapping[str, object]:
    message = {"id": identifier, "name": "Ana", "content": TEXT}
    answer = await api.post("/v1/interactions", json={"user_id": scope.user_id, "messages": [message]})
    assert answer.status_code == 201, answer.text
    return cast("Mapping[str, object]", answer.json())


async def told(gateway: RealGateway, scope: Scope) -> int:
    """How many vectors there are beside those of the user's chunks."""
    connection = await asyncpg.connect(gateway.settings["POSTGRES_DSN"])
    try:
        async with as_tenant(connection, scope.tenant_id):
            return int(await connection.fetchval("SELECT count(*) FROM episodic.sentences"))
    finally:
        await connection.close()


async def upkeep(gateway: RealGateway, scope: Scope, task: str) -> None:
    now = datetime.now(UTC)
    await gateway.parts.jobs.request(scope, "maintain.requested", uuid4().hex, {"task": task}, now)
    await gateway.digest(scope.tenant_id)


async def test_a_message_has_its_sentences_when_it_is_digested(
    gateway: RealGateway, api: httpx.AsyncClient, scope: Scope
) -> None:
    await say(api, scope, "m1")
    assert await told(gateway, scope) == 0
    await gateway.digest(scope.tenant_id)
    assert await told(gateway, scope) == 3
    assert (await api.delete("/v1/interactions/m1", params={"user_id": scope.user_id})).is_success
    assert await told(gateway, scope) == 0


@pytest.mark.parametrize("task", ["decay", "sentences"])
async def test_without_an_embedder_a_message_is_learned_from_and_the_upkeep_embeds_what_is_left(
    gateway: RealGateway, api: httpx.AsyncClient, scope: Scope, task: str
) -> None:
    await say(api, scope, "m1")
    away = cast("EpisodicTier", WithoutEmbedder(gateway.worker.episodic))
    await replace(gateway, worker=replace(gateway.worker, episodic=away)).digest(scope.tenant_id)
    assert await told(gateway, scope) == 0
    entities = (await api.get("/v1/entities", params={"user_id": scope.user_id})).json()["items"]
    assert "Elena" in {item["name"] for item in entities}
    assert (await api.get("/v1/pending", params={"user_id": scope.user_id})).json()["pending"] == 0
    await upkeep(gateway, scope, task)
    assert await told(gateway, scope) == 3


async def test_with_a_second_encoder_digestion_encodes_messages_and_a_recall_asks_by_it(
    endpoints: Endpoints, scope: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    retrieve = Searching.retrieve

    async def looked_at(searching: Searching, query: MemoryQuery) -> list[Memory]:
        seen.append(query.second is not None)
        return await retrieve(searching, query)

    monkeypatch.setattr(Searching, "retrieve", looked_at)
    more = {"EMBEDDING_SECOND": str(second_jar())}
    async with (
        open_gateway(endpoints, tmp_path, more=more) as gateway,
        gateway.client(await gateway.key(scope.tenant_id)) as api,
    ):
        await say(api, scope, "m1")
        await gateway.digest(scope.tenant_id)
        assert await told(gateway, scope) == 4
        answer = await api.post("/v1/recall", json={"user_id": scope.user_id, "query": "Where did I move?"})
        assert answer.json()["status"] == "complete"
        assert seen[-1]
        assert (await api.delete("/v1/interactions/m1", params={"user_id": scope.user_id})).is_success
        assert await told(gateway, scope) == 0


async def test_erasing_a_user_leaves_no_sentence(gateway: RealGateway, api: httpx.AsyncClient, scope: Scope) -> None:
    await say(api, scope, "m1")
    await gateway.digest(scope.tenant_id)
    assert (await api.delete(f"/v1/users/{scope.user_id}")).status_code == 202
    await gateway.digest(scope.tenant_id)
    assert await told(gateway, scope) == 0
