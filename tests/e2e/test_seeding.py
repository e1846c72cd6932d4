"""Users who are cast into the stores (`benchmarks.seeding`) hold what users who were written and digested hold.

`make prove-seeding` compares a hundred, with the real embedder and worker processes.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import asyncpg
import httpx
import pytest
from pydantic import SecretStr

from benchmarks.proof import conversation
from benchmarks.seeding.casting import Mould
from benchmarks.seeding.comparing import count_of, differences
from benchmarks.seeding.reading import Memory, read_memory
from benchmarks.seeding.writing import seed
from ragpp.models import Scope
from ragpp_infra.backup.places import Place
from tests.support.marks import KEY
from tests.support.real_gateway import RealGateway
from tests.support.short_term import redis_settings
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
MESSAGES: Final = 15
QUERY: Final = "Where does my sister live?"


@dataclass(frozen=True)
class Stores:
    """Where memories are read and cast; `tenant` is this test's own."""

    place: Place
    connection: asyncpg.Connection
    tenant: str

    def scope(self, user: str) -> Scope:
        return Scope(tenant_id=self.tenant, user_id=user)

    async def read(self, user: str) -> Memory:
        return await read_memory(self.place, self.connection, self.scope(user))

    async def cast(self, user: str, *moulds: Memory) -> Memory:
        await seed(self.place, self.connection, [Mould(one) for one in moulds], [self.scope(user)])
        return await self.read(user)


@pytest.fixture
async def stores(stack: StoreStack, tenant: str) -> AsyncIterator[Stores]:
    endpoints = stack.endpoints()
    prefix = redis_settings(endpoints).key_prefix
    place = Place(stack.postgres_superuser_dsn(), endpoints, SecretStr(KEY), prefix)
    async with place.postgres() as connection:
        yield Stores(place, connection, tenant)


@pytest.fixture
async def written(api: httpx.AsyncClient, gateway: RealGateway, tenant: str, stores: Stores) -> dict[str, Memory]:
    """Two users with one conversation and a third with another, digested, a window extracted and a day reflected on."""
    for user, of in (("mould", 1), ("written", 1), ("other", 2)):
        said = [message.model_dump(mode="json", exclude_none=True) for message in conversation(of, MESSAGES, "m")]
        answer = await api.post("/v1/interactions", json={"user_id": user, "session_id": "s", "messages": said})
        assert answer.status_code == 201, answer.text
        await gateway.digest(tenant)
        window = {"start": "2025-01-01T00:00:00Z", "end": "2025-01-02T00:00:00Z"}
        for job, body in (("extract", window), ("reflect", {"kind": "daily", "date": "2025-01-01"})):
            asked = await api.post(f"/v1/users/{user}/{job}", json=body)
            assert asked.status_code == 202, asked.text
            await gateway.digest(tenant)
    return {user: await stores.read(user) for user in ("mould", "written", "other")}


async def test_a_cast_holds_row_by_row_what_was_written(
    stores: Stores, written: dict[str, Memory], api: httpx.AsyncClient
) -> None:
    assert differences(written["mould"], written["written"]) == []  # the write path itself says the same twice
    cast = await stores.cast("cast", written["mould"])
    assert differences(written["written"], cast) == []
    filled = {"episodic.chunks", "procedural.preferences", "ledger.events", "Entity", "RELATES_TO", "STATES", "st:log"}
    assert count_of(cast).keys() >= filled
    answers = []
    for user in ("written", "cast"):
        body = {"user_id": user, "session_id": "s", "query": QUERY}
        answers.append((await api.post("/v1/recall", json=body)).json())
    assert answers[0]["status"] == answers[1]["status"] == "complete"
    assert answers[0]["context"] == answers[1]["context"] != ""


async def test_a_cast_learns_on_and_forgets_as_its_own(
    stores: Stores, written: dict[str, Memory], api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await stores.cast("cast", written["mould"])
    said = {"id": "new", "content": "My sister Elena lives in Lisbon now.", "occurred_at": "2025-02-01T00:00:00Z"}
    answer = await api.post("/v1/interactions", json={"user_id": "cast", "session_id": "s", "messages": [said]})
    assert answer.status_code == 201, answer.text
    await gateway.digest(tenant)
    names = (await api.get("/v1/entities", params={"user_id": "cast"})).json()["items"]
    assert "Lisbon" in {one["name"] for one in names}
    for message in ("new", *(f"m{number}" for number in range(MESSAGES))):
        assert (await api.delete(f"/v1/interactions/{message}", params={"user_id": "cast"})).is_success
    await gateway.digest(tenant)
    assert (await api.get("/v1/entities", params={"user_id": "cast"})).json()["items"] == []
    assert differences(written["mould"], await stores.read("mould")) == []  # and nobody else's has gone


async def test_the_comparison_sees_what_differs(stores: Stores, written: dict[str, Memory]) -> None:
    found = differences(written["written"], written["other"])
    assert {place for place, _ in found} >= {"episodic.chunks", "episodic.interactions", "Entity", "st:texts"}
    cast = await stores.cast("cast", written["mould"])
    chunks = cast.tables["episodic.chunks"]
    place = chunks.columns.index("embedding")
    vector = bytearray(chunks.rows[0][place] or b"")
    vector[-1] ^= 1
    chunks.rows[0][place] = bytes(vector)
    assert [name for name, _ in differences(written["written"], cast)] == ["episodic.chunks"] * 2
