"""Several workers: they share what there is, leave little on the broker, and one of them keeps the schedule."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

import asyncpg
import httpx
import pytest

from ragpp.settings import RedisSettings
from ragpp.stores.redis import create_client
from ragpp_services.workers.running.digest import STAGES
from ragpp_services.workers.running.schedule import HELD_S, LOOKED_S
from tests.support.real_gateway import RealGateway
from tests.support.services import ServiceProcess, running
from tests.support.waiting import eventually

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]

DIGESTED_S: Final = 300.0
USERS: Final = tuple(f"user-{number}" for number in range(8))
MESSAGES_EACH: Final = 25
TAKEN_OVER_S: Final = 30.0


@pytest.fixture
def workers(gateway: RealGateway, tmp_path: Path) -> tuple[ServiceProcess, ServiceProcess]:
    """Two workers, which the test starts and kills."""
    settings = {**gateway.settings, "LOG_LEVEL": "DEBUG", "WORKER_SCHEDULE": "true", "WORKER_EXTRACT_QUIET_S": "86400"}
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    one, two = (ServiceProcess("ragpp_services.workers", settings, folder) for folder in folders)
    return one, two


@pytest.fixture
async def ledger(gateway: RealGateway) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(gateway.settings["POSTGRES_RELAY_DSN"])
    yield connection
    await connection.close()


async def write_backlog(api: httpx.AsyncClient, users: Sequence[str] = USERS) -> None:
    for user_id in users:
        messages = [
            {"id": f"m{n}", "name": "Ann", "content": f"My sister Elena lives in Porto, said {n}."}
            for n in range(MESSAGES_EACH)
        ]
        answer = await api.post("/v1/interactions", json={"user_id": user_id, "session_id": "s", "messages": messages})
        assert answer.status_code == 201, answer.text


async def pending(api: httpx.AsyncClient) -> int:
    answers = [await api.get("/v1/pending", params={"user_id": user_id}) for user_id in USERS]
    return sum(int(answer.json()["pending"]) for answer in answers)


async def eventually_with(workers: tuple[ServiceProcess, ...], ask: Callable[[], Awaitable[object]], what: str) -> None:
    try:
        await eventually(ask, within_s=DIGESTED_S, what=what)
    except AssertionError as late:
        raise AssertionError("\n".join([str(late), *(worker.said() for worker in workers)])) from late


class Broker:
    """The content of the broker: the queues of all stages."""

    def __init__(self) -> None:
        self.settings = RedisSettings()
        self.longest: dict[str, int] = dict.fromkeys(STAGES, 0)

    async def look(self) -> None:
        """Remember how long each queue is, if it is longer than before."""
        async with create_client(self.settings) as client:
            for stage in STAGES:
                length = int(await client.llen(f"{self.settings.key_prefix}celery:{stage}"))
                self.longest[stage] = max(self.longest[stage], length)

    async def empty(self) -> None:
        """Lose everything, as a broker without its memory does."""
        async with create_client(self.settings) as client:
            async for key in client.scan_iter(match=f"{self.settings.key_prefix}celery:*", count=1_000):
                await client.delete(key)


@pytest.mark.exhaustive
async def test_two_workers_share_a_backlog_each_event_is_done_once_and_few_hints_lie_about(
    api: httpx.AsyncClient, workers: tuple[ServiceProcess, ServiceProcess]
) -> None:
    broker = Broker()
    with running(*workers):

        async def are_there() -> bool:
            return all("relay.started" in worker.log.read_text(encoding="utf-8") for worker in workers)

        await eventually_with(workers, are_there, "both have started")
        await write_backlog(api)

        async def digested() -> bool:
            await broker.look()
            return await pending(api) == 0

        await eventually_with(workers, digested, "everything is digested")
    for worker in workers:
        assert '"stage": "observe"' in worker.log.read_text(encoding="utf-8"), "one of them had nothing to do"
    assert max(broker.longest.values()) <= len(workers)
    for user_id in USERS:
        found = (await api.get("/v1/entities", params={"user_id": user_id, "limit": "200"})).json()["items"]
        (elena,) = [entity for entity in found if entity["name"] == "Elena"]
        assert elena["mentions"] == MESSAGES_EACH


@pytest.mark.exhaustive
async def test_a_broker_that_forgets_everything_only_delays(
    api: httpx.AsyncClient, workers: tuple[ServiceProcess, ServiceProcess]
) -> None:
    await write_backlog(api, USERS[:2])
    broker, (worker, _) = Broker(), workers
    with running(worker):

        async def digested() -> bool:
            await broker.empty()
            return await pending(api) == 0

        await eventually_with((worker,), digested, "everything is digested")


@pytest.mark.exhaustive
async def test_one_keeps_the_schedule_and_another_takes_over_when_it_is_gone(
    workers: tuple[ServiceProcess, ServiceProcess], ledger: asyncpg.Connection
) -> None:
    async def holder() -> str | None:
        found: str | None = await ledger.fetchval(
            "SELECT owner FROM ledger.holders WHERE name = 'schedule' AND held_until > now()"
        )
        return found

    one, two = workers
    with running(one):
        await eventually_with((one,), holder, "the first keeps the schedule")
        first = await holder()
        two.start()
        try:

            async def is_there() -> bool:
                return "relay.started" in two.log.read_text(encoding="utf-8")

            await eventually_with((two,), is_there, "the second has started")
            assert await holder() == first
            one.kill()

            async def another() -> bool:
                return await holder() not in {None, first}

            began = asyncio.get_running_loop().time()
            await eventually_with((two,), another, "the second keeps the schedule")
            assert asyncio.get_running_loop().time() - began < 2 * TAKEN_OVER_S
            second = await holder()
        finally:
            two.stop()
        assert await holder() is None, f"{second} ended orderly and left the schedule at once"
    assert HELD_S + LOOKED_S <= TAKEN_OVER_S
