"""Every tier, in process and over HTTP: the contract holds for all of them or it is no contract."""

from collections.abc import AsyncIterator, Mapping

import pytest

from ragpp_infra.embedded.stack import Endpoints
from tests.support.contract import OPEN, Subject, reached


@pytest.fixture(scope="session", params=[f"{name}-{way}" for name in OPEN for way in ("local", "http")])
async def subject(request: pytest.FixtureRequest, endpoints: Endpoints) -> AsyncIterator[Subject]:
    name, way = request.param.split("-")
    opening = OPEN[name]
    async with reached(way, opening.name, opening.protocol, opening.open_tier(endpoints)) as tier:
        yield Subject(
            opening.name, opening.prepared(tier), opening.protocol, opening.entry, opening.query, opening.resting_on
        )


@pytest.fixture(params=["local", "http"])
def tier(request: pytest.FixtureRequest, ways: Mapping[str, object]) -> object:
    """The tier of a room's `ways`, in process and over HTTP."""
    return ways[request.param]
