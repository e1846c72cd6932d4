"""Vectors of 1,536 dimensions from an OpenAI-compatible endpoint, in a store of their own."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import asyncpg
import httpx2
import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ragpp.catalog import ItemQuery
from ragpp.clock import system_clock
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.embedding.openai import OpenAIEmbedder
from ragpp.models import MemoryQuery
from ragpp.settings import PostgresSettings
from ragpp.stores import segments
from ragpp_infra.embedded.stack import Endpoints
from ragpp_infra.provisioning.endpoints import in_database
from ragpp_services.catalog import app as catalog_app
from ragpp_services.episodic import app as episodic_app
from tests.support.catalog import item, resource
from tests.support.episodic import COUNTER, episodic_entry
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
DIMENSION = 1_536
TEXTS = [
    f"{who} keeps {what}" for who in ("Ada", "Ben", "Cara") for what in ("a granite umbrella", "bees", "the ledger")
]


async def embeddings(request: Request) -> JSONResponse:
    """The endpoint, of a model whose vectors are those of the hashing embedder."""
    body = json.loads(await request.body())
    rows = await HashingEmbedder(dimension=DIMENSION).embed(body["input"])
    data = [{"object": "embedding", "index": place, "embedding": row.tolist()} for place, row in enumerate(rows)]
    return JSONResponse({"object": "list", "data": data, "model": body["model"], "usage": {"total_tokens": 1}})


@asynccontextmanager
async def of_its_own(endpoints: Endpoints) -> AsyncIterator[PostgresSettings]:
    """A database, with segments from four rows on."""
    name = f"wide_{uuid4().hex}"
    owner = await asyncpg.connect(endpoints.postgres_owner_dsn.get_secret_value())
    await owner.execute(f"CREATE DATABASE {name}")
    try:
        yield PostgresSettings(
            dsn=in_database(endpoints.postgres_app_dsn, name),
            owner_dsn=in_database(endpoints.postgres_owner_dsn, name),
            segments_from_rows=4,
        )
    finally:
        await owner.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await owner.close()


async def test_what_is_kept_is_found_by_vectors_of_1536_dimensions_also_by_segments(
    endpoints: Endpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "ROWS", 2)
    embedder = OpenAIEmbedder(
        base_url="http://endpoint/v1/",
        model="text-embedding-3-small",
        dimension=DIMENSION,
        api_key=SecretStr("sk-test-0123456789"),
        transport=httpx2.ASGITransport(Starlette(routes=[Route("/v1/embeddings", embeddings, methods=["POST"])])),
    )
    scope = new_scope()
    async with of_its_own(endpoints) as settings:
        await catalog_app.migrate(settings)
        await episodic_app.migrate(settings)
        async with (
            catalog_app.open_tier(settings, embedder=embedder, counter=COUNTER, clock=system_clock) as catalog,
            episodic_app.open_tier(settings, embedder=embedder, counter=COUNTER, clock=system_clock) as episodic,
        ):
            await catalog.store(scope, [resource(id="r"), *(item(text, "r") for text in TEXTS)])
            await episodic.store(scope, [episodic_entry(text) for text in TEXTS])
            await episodic.index_sentences(scope, 100)
            for by_segments in (False, True):
                if by_segments:
                    await catalog.segmenter.built(scope)
                    await episodic.segmenter.built(scope)
                found = await catalog.search_items(scope, ItemQuery(text="Ben's granite umbrella", k=3))
                assert found.items[0].content == "Ben keeps a granite umbrella"
                said = await episodic.retrieve(MemoryQuery(scope=scope, text="Ben's granite umbrella", limit=3))
                assert said[0].text == "Ben keeps a granite umbrella"
            shown = await catalog.get_item(scope, found.items[0].item_id, vector=True)
            assert shown.embedding is not None
            assert len(shown.embedding) == DIMENSION
            async with catalog._store.segments(scope) as rows:
                assert (await rows.read([scope.user_id], [])).segments
    await embedder.close()
