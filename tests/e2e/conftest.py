"""One gateway for the end-to-end tests, on the embedded stack."""

from collections.abc import AsyncIterator

import httpx
import pytest

from ragpp.client import MemoryClient
from ragpp_infra.embedded.stack import Endpoints
from tests.support.real_gateway import RealGateway, open_gateway
from tests.support.scopes import new_scope
from tests.support.team import Team, two_agents


@pytest.fixture(scope="session")
async def gateway(endpoints: Endpoints, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RealGateway]:
    async with open_gateway(endpoints, tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.fixture
def tenant() -> str:
    """A tenant of this test's own."""
    return new_scope().tenant_id


@pytest.fixture
async def api(gateway: RealGateway, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client with a key of the test's tenant that may read, write and forget."""
    async with gateway.client(await gateway.key(tenant)) as client:
        yield client


@pytest.fixture
async def memory(gateway: RealGateway, tenant: str) -> AsyncIterator[MemoryClient]:
    """The same as an application has it."""
    async with gateway.memory(await gateway.key(tenant)) as client:
        yield client


@pytest.fixture
async def team(gateway: RealGateway) -> AsyncIterator[Team]:
    """A user with two agents, in a tenant of its own."""
    async with two_agents(gateway) as made:
        yield made
