"""A ledger for the tests of a file: a schedule looks at every user that there is, and time passes for all work."""

from collections.abc import AsyncIterator

import pytest

from ragpp.stores.postgres import Pool
from ragpp_infra.embedded.stack import Endpoints
from tests.support.ledger import Bench, ledger_pools


@pytest.fixture(scope="module")
async def pools(endpoints: Endpoints) -> AsyncIterator[tuple[Pool, Pool]]:
    async with ledger_pools(endpoints) as opened:
        yield opened


@pytest.fixture
async def bench(pools: tuple[Pool, Pool]) -> AsyncIterator[Bench]:
    bench = Bench(*pools)
    yield bench
    await bench.clear()
