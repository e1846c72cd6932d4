"""A worker that is stopped in its work, and goes on after something was forgotten, brings nothing of it back.

Each stage is stopped before its store calls and before the statements inside them, locks held: before some that lie far
apart, and before every single one in `make prove-stops`. Meanwhile the message is forgotten, and another worker
finishes what there is to do. Then the first one goes on.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, cast

import asyncpg
import pytest

from ragpp.errors import TierUnavailable
from ragpp.models import Scope
from ragpp_services.workers.parts import WorkerParts
from tests.support.everywhere import places_of
from tests.support.examples import some_of
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stacks import StoreStack
from tests.support.stopped_plays import (
    CASES,
    HINT,
    SIDE_BY_SIDE,
    USER,
    Play,
    new_word,
    planted,
    play_side_by_side,
)
from tests.support.stopping import SERVER_S, Stop, install_points, run_with, stoppable_worker

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]


@pytest.fixture(scope="module", autouse=True)
def points() -> Any:
    with pytest.MonkeyPatch.context() as monkeypatch:
        install_points(monkeypatch)
        yield


@pytest.fixture(scope="module")
async def worker(gateway: RealGateway) -> AsyncIterator[WorkerParts]:
    """The one that is stopped; its window of a conversation is small, so that a summary is due."""
    window = {"SHORT_TERM_MAX_TOKENS": "100", "SHORT_TERM_KEEP_MESSAGES": "1"}
    async with stoppable_worker(gateway, window) as parts:
        yield parts


async def leave_nothing_due(stack: StoreStack) -> None:
    """Let the schedule of later tests not look after hundreds of users of this one."""
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    try:
        for table in ("debounce", "unreflected", "upkeep"):
            await connection.execute(f"DELETE FROM ledger.{table} WHERE user_id = $1", USER)  # noqa: S608 - as named
    finally:
        await connection.close()


def far_apart(points: Sequence[str]) -> Sequence[int]:
    """The last point and others at even distances: as many as are played side by side."""
    return [(number + 1) * len(points) // SIDE_BY_SIDE - 1 for number in range(SIDE_BY_SIDE)]


async def assert_nothing_comes_back(
    stack: StoreStack,
    gateway: RealGateway,
    worker: WorkerParts,
    name: str,
    chosen: Callable[[Sequence[str]], Sequence[int]],
) -> None:
    """From a worker of the case that is stopped at the points that are `chosen` of all that it comes by."""
    whole = Play(gateway, CASES[name], worker)
    await play_side_by_side([whole])
    points = whole.stop.points
    assert len(points) > 10
    plays = [Play(gateway, CASES[name], worker, at) for at in chosen(points)]
    await play_side_by_side(plays)
    await leave_nothing_due(stack)
    stopped_at = {play.word: f"{play.at} {_name_of(play, points)}" for play in plays} | {whole.word: "none"}
    found = await places_of(stack, list(stopped_at), hint=HINT)
    assert {stopped_at[word]: sorted(places) for word, places in found.items()} == {}


def _name_of(play: Play, points: Sequence[str]) -> str:
    at = cast("int", play.at)
    return play.stop.points[at] if at < len(play.stop.points) else points[at]


@pytest.mark.parametrize("name", some_of(CASES, ["observe", "extract-modelled", "catalog"]))
async def test_nothing_forgotten_comes_back_from_a_worker_that_was_stopped(
    stack: StoreStack, gateway: RealGateway, worker: WorkerParts, name: str
) -> None:
    await assert_nothing_comes_back(stack, gateway, worker, name, far_apart)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CASES)
async def test_nothing_forgotten_comes_back_wherever_a_worker_was_stopped(
    stack: StoreStack, gateway: RealGateway, worker: WorkerParts, name: str
) -> None:
    await assert_nothing_comes_back(stack, gateway, worker, name, lambda points: range(len(points)))


async def test_what_is_planted_is_learned_where_nobody_forgets(stack: StoreStack, gateway: RealGateway) -> None:
    """So that the test above looks for what would be there."""
    word, scope = new_word(), new_scope()
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        body = {"user_id": USER, "messages": [{"id": "m1", "name": "Maria", "content": planted(word)}]}
        assert (await api.post("/v1/interactions", json=body)).status_code == 201
        await gateway.digest(scope.tenant_id)
        asked = await api.post(f"/v1/users/{USER}/reflect", json={})
        assert asked.status_code == 202, asked.text
        await gateway.digest(scope.tenant_id)
        found = await places_of(stack, [word], hint=HINT)
        assert found[word] >= {
            "Entity",
            "RELATES_TO",
            "STATES",
            "procedural.preferences",
            "procedural.findings",
            "procedural.rules",
            "procedural.reflections",
            "ragpp:st:texts:",
        }
        await api.delete("/v1/interactions/m1", params={"user_id": USER})
        await gateway.digest(scope.tenant_id)
    assert await places_of(stack, [word], hint=HINT) == {}


async def test_a_stopped_worker_holds_up_a_users_writes_no_longer_than_its_transaction_may_be_idle(
    gateway: RealGateway, worker: WorkerParts
) -> None:
    scope = Scope(tenant_id=new_scope().tenant_id, user_id=USER)
    stop = Stop()
    locked = 0
    while True:  # the first statement after the lock
        stop = Stop(locked)
        held = asyncio.create_task(run_with(stop, worker.procedural.forget_sources(scope, ["m9"])))
        await stop.reached.wait()
        if any("pg_advisory_xact_lock" in point for point in stop.points[:-1]):
            break
        stop.go.set()
        await held
        locked += 1
    began = time.perf_counter()
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        answer = await api.post("/v1/interactions", json={"user_id": USER, "messages": [{"content": "Hello."}]})
    assert answer.status_code == 201, answer.text
    waited = time.perf_counter() - began
    assert SERVER_S / 2 < waited < SERVER_S + 20
    stop.go.set()
    with pytest.raises(TierUnavailable):
        await held
