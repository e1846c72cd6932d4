"""One gateway for the end-to-end tests, on the embedded stack."""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Final

import asyncpg
import httpx
import pytest
import uvicorn

from ragpp.client import AsyncMemoryClient
from ragpp.models import Scope
from ragpp_infra.embedded.stack import Endpoints
from tests.support.real_gateway import RealGateway, open_gateway
from tests.support.scopes import new_scope
from tests.support.stacks import StoreStack
from tests.support.stored import Stores, open_stores
from tests.support.team import Team, two_agents

TO_DO: Final = ("work", "queues", "debounce", "upkeep", "unreflected", "again")
"""The ledger's tables of what is still to be done for somebody."""


@pytest.fixture(scope="module", autouse=True)
async def _what_others_left_undone(request: pytest.FixtureRequest) -> None:
    """Nothing, when a module begins: its workers would have to do all that first."""
    tests = [item for item in request.session.items if request.node in item.listchain()]
    if any("stack" in getattr(item, "fixturenames", ()) for item in tests):
        stack: StoreStack = request.getfixturevalue("stack")
        connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
        try:
            known = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'ledger'")
            assert not known or {row["tablename"] for row in known} >= set(TO_DO)
            for table in TO_DO if known else ():  # a stack that nothing was migrated on yet has nothing to do
                await connection.execute(f"DELETE FROM ledger.{table}")  # noqa: S608 - one of TO_DO
        finally:
            await connection.close()


@pytest.fixture(scope="session")
async def gateway(endpoints: Endpoints, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RealGateway]:
    async with open_gateway(endpoints, tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.fixture(scope="module")
async def stores(stack: StoreStack) -> AsyncIterator[Stores]:
    """The content of the stores, as their operator sees it."""
    async with open_stores(stack) as opened:
        yield opened


@pytest.fixture
def tenant() -> str:
    """A tenant of this test's own."""
    return new_scope().tenant_id


@pytest.fixture
def scope(tenant: str) -> Scope:
    """A user of that tenant."""
    return new_scope().model_copy(update={"tenant_id": tenant})


@pytest.fixture
async def api(gateway: RealGateway, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client with a key of the test's tenant that may read, write and forget."""
    async with gateway.client(await gateway.key(tenant)) as client:
        yield client


@pytest.fixture
async def memory(gateway: RealGateway, tenant: str) -> AsyncIterator[AsyncMemoryClient]:
    """The same as an application has it."""
    async with gateway.memory(await gateway.key(tenant)) as client:
        yield client


@pytest.fixture
async def team(gateway: RealGateway) -> AsyncIterator[Team]:
    """A user with two agents, in a tenant of its own."""
    async with two_agents(gateway) as made:
        yield made


@pytest.fixture
async def address(gateway: RealGateway) -> AsyncIterator[str]:
    """Where the gateway answers over TCP."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(gateway.app, log_config=None, access_log=False, lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving
        listener.close()
