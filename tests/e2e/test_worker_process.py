"""A worker as a process of its own: it digests what is written, whatever one event or one death does to it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias, cast

import asyncpg
import httpx
import pytest

from ragpp.ledger import Failure
from ragpp.ledger.work import MAX_ATTEMPTS
from tests.support.real_gateway import RealGateway
from tests.support.services import ServiceProcess, free_port, running
from tests.support.stacks import StoreStack
from tests.support.waiting import eventually

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]

DIGESTED_S: Final = 300.0
"""Longest wait for a backlog: it may have to sit out the lease of a worker that was killed."""
Ask: TypeAlias = Callable[[], Awaitable[int]]
USERS: Final = ("ann", "ben", "cleo")
MESSAGES_EACH: Final = 40


@pytest.fixture(scope="module")
def process(gateway: RealGateway, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """A worker for the tests that want no other settings: it need not start again for each."""
    folder = tmp_path_factory.mktemp("worker")
    process = ServiceProcess("ragpp_services.workers", {**gateway.settings, "LOG_LEVEL": "INFO"}, folder)
    yield process
    process.stop()


@pytest.fixture
def worker(process: ServiceProcess) -> ServiceProcess:
    """A running worker; `kill` and `start` are the test's to use."""
    if process.pid is None:
        process.start()
    return process


@pytest.fixture
def no_worker(process: ServiceProcess) -> None:
    """None but those that the test starts itself."""
    process.stop()


async def pending(api: httpx.AsyncClient, *user_ids: str) -> int:
    """How many events of these users wait."""
    answers = await asyncio.gather(*(api.get("/v1/pending", params={"user_id": user_id}) for user_id in user_ids))
    return sum(int(answer.json()["pending"]) for answer in answers)


async def eventually_by(worker: ServiceProcess, ask: Ask, what: str) -> None:
    """Return once `ask` answers other than 0. AssertionError with the worker's output when it does not in time."""
    try:
        await eventually(ask, within_s=DIGESTED_S, what=what)
    except AssertionError as late:
        raise AssertionError(f"{late}\n{worker.said()}") from late


async def digested(api: httpx.AsyncClient, worker: ServiceProcess, *user_ids: str) -> None:
    """Return once nothing of these users waits."""

    async def none_waits() -> int:
        return int(await pending(api, *user_ids) == 0)

    await eventually_by(worker, none_waits, "everything is digested")


async def write(api: httpx.AsyncClient, user_id: str, messages: list[dict[str, str]], session_id: str = "s1") -> str:
    body = {"user_id": user_id, "session_id": session_id, "messages": messages}
    answer = await api.post("/v1/interactions", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["receipt"])


async def items(api: httpx.AsyncClient, kind: str, user_id: str) -> list[dict[str, object]]:
    answer = await api.get(f"/v1/{kind}", params={"user_id": user_id, "limit": "200"})
    found: list[dict[str, object]] = answer.json()["items"]
    return found


async def failed(gateway: RealGateway, tenant: str) -> list[Failure]:
    """The failures for good among the tenant's events."""
    return [failure for failure in await gateway.worker.ledger.failures(1_000) if failure.scope.tenant_id == tenant]


async def test_what_is_written_is_learned_without_anybody_asking(
    api: httpx.AsyncClient, worker: ServiceProcess
) -> None:
    said = [{"id": "m1", "name": "Ann", "content": "My sister Elena moved to Porto. I prefer tea over coffee."}]
    receipt = await write(api, "ann", said)
    await digested(api, worker, "ann")
    names = {entity["name"] for entity in await items(api, "entities", "ann")}
    assert {"Elena", "Porto"} <= names
    assert any("tea" in str(preference["value"]) for preference in await items(api, "preferences", "ann"))
    asked = {"user_id": "ann", "query": "Where is Elena?", "after": receipt}
    recalled = (await api.post("/v1/recall", json=asked)).json()
    assert (recalled["status"], recalled["receipt_pending"]) == ("complete", 0)
    assert "KNOWN RELATIONSHIPS" in recalled["context"]


async def test_a_long_document_keeps_no_other_user_waiting(api: httpx.AsyncClient, worker: ServiceProcess) -> None:
    async def extracting(user_id: str, content: str) -> str:
        body = {"user_id": user_id, "resource_type": "document", "content": content, "extract": True}
        return str((await api.post("/v1/resources", json=body)).json()["job"]["id"])

    async def state(user_id: str, job: str) -> str:
        return str((await api.get(f"/v1/jobs/{job}", params={"user_id": user_id})).json()["state"])

    lines = [
        f"Pump {number} of Leeds was serviced on {1 + number % 28} May {2000 + number % 25}." for number in range(4_000)
    ]
    long = await extracting("ann", "\n\n".join(lines))

    async def begun() -> int:
        return int(await state("ann", long) == "leased")

    await eventually_by(worker, begun, "the long document is being read")
    short = await extracting("ben", "The trial lasts 30 days.")

    async def done() -> int:
        return int(await state("ben", short) == "done")

    await eventually_by(worker, done, "the short document is read")
    assert await state("ann", long) == "leased"


async def test_what_is_forgotten_is_unlearned_without_anybody_asking(
    api: httpx.AsyncClient, worker: ServiceProcess
) -> None:
    await write(api, "ann", [{"id": "m1", "name": "Ann", "content": "My sister Elena moved to Porto."}])
    await digested(api, worker, "ann")
    assert (await api.delete("/v1/interactions/m1", params={"user_id": "ann"})).status_code == 200
    await digested(api, worker, "ann")
    assert await items(api, "entities", "ann") == []


async def test_a_poisoned_event_fails_alone_and_visibly_and_those_behind_it_are_digested(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, stack: StoreStack, worker: ServiceProcess
) -> None:
    worker.kill()
    await write(api, "ann", [{"id": "bad", "content": "I live in Leeds."}])
    behind = [{"id": f"m{n}", "name": "Ann", "content": "My sister Elena moved to Porto."} for n in range(3)]
    await write(api, "ann", behind)
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    spoil = "UPDATE episodic.interactions SET occurred_at = $2::text::timestamptz WHERE tenant_id = $1 AND id = 'bad'"
    tried = """UPDATE ledger.work SET attempts = $2 FROM ledger.events
                WHERE work.event_id = events.event_id AND events.tenant_id = $1 AND events.subject_id = 'bad'"""
    try:  # no datetime can hold that moment, so whoever reads this message cannot go on; it was tried before
        assert await connection.execute(spoil, tenant, "4000-01-01 BC") == "UPDATE 1"
        assert await connection.execute(tried, tenant, MAX_ATTEMPTS - 1) == "UPDATE 2"
        worker.start()
        await digested(api, worker, "ann")
    finally:
        await connection.execute(spoil, tenant, "2024-01-01")
        await connection.close()
    (elena,) = [entity for entity in await items(api, "entities", "ann") if entity["name"] == "Elena"]
    assert elena["mentions"] == 3
    failures = await failed(gateway, tenant)
    assert {(one.subject_id, one.key.stage) for one in failures} == {("bad", "observe"), ("bad", "short_term")}
    assert all("OverflowError" in one.error for one in failures)


@pytest.mark.exhaustive
async def test_a_worker_that_is_killed_in_its_work_leaves_nothing_undone_and_nothing_done_twice(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, worker: ServiceProcess
) -> None:
    worker.kill()
    rounds = interrupted = 0
    while interrupted < 2:
        rounds += 1
        assert rounds <= 10, "the worker was always done before it could be killed"
        text = "My sister Elena moved to Porto. I prefer tea over coffee."
        said = [{"id": f"m{rounds}-{n}", "name": "Maria", "content": text} for n in range(MESSAGES_EACH)]
        for user_id in USERS:
            await write(api, user_id, said)
        left = await pending(api, *USERS)
        assert left >= MESSAGES_EACH * len(USERS)
        worker.start()

        async def further(left: int = left) -> int:
            return max(0, left - await pending(api, *USERS))

        await eventually_by(worker, further, "the worker has done something")
        worker.kill()
        interrupted += await pending(api, *USERS) > 0
    said_by_each = rounds * MESSAGES_EACH
    await gateway.run_out(tenant)
    worker.start()
    await digested(api, worker, *USERS)

    for user_id in USERS:
        (elena,) = [entity for entity in await items(api, "entities", user_id) if entity["name"] == "Elena"]
        assert elena["mentions"] == said_by_each
        relationships = await items(api, "relationships", user_id)
        moved = [one["weight"] for one in relationships if (one["source"], one["target"]) == ("Elena", "Porto")]
        assert moved == [said_by_each]
        (tea,) = [p for p in await items(api, "preferences", user_id) if "tea" in str(p["value"])]
        versions = await api.get(f"/v1/preferences/{tea['id']}/versions", params={"user_id": user_id})
        assert len(versions.json()["items"]) == said_by_each
        session = (await api.get("/v1/sessions/s1", params={"user_id": user_id})).json()
        shown = [message["id"] for message in session["messages"]]
        assert len(shown) == len(set(shown))
    assert await failed(gateway, tenant) == []


@pytest.mark.usefixtures("no_worker")
async def test_a_worker_that_cannot_do_its_work_ends_and_says_why(gateway: RealGateway, tmp_path: Path) -> None:
    other_model = {**gateway.settings, "EMBEDDING_PROVIDER": "onnx"}
    process = ServiceProcess("ragpp_services.workers", other_model, tmp_path)
    with running(process):

        async def ended() -> bool:
            return process.said().startswith("(ended)")

        await eventually(ended, within_s=DIGESTED_S, what="the worker has ended")
        assert "MEM-013" in process.said()


@pytest.mark.exhaustive
@pytest.mark.usefixtures("no_worker")
async def test_a_worker_starts_and_does_what_it_can_while_the_embedding_endpoint_is_down(
    gateway: RealGateway, api: httpx.AsyncClient, tmp_path: Path
) -> None:
    nowhere = {
        "EMBEDDING_PROVIDER": "openai",
        "EMBEDDING_MODEL": gateway.worker.embedder.model,
        "EMBEDDING_DIMENSION": str(gateway.worker.embedder.dimension),
        "EMBEDDING_BASE_URL": f"http://127.0.0.1:{free_port()}/v1",
    }
    process = ServiceProcess("ragpp_services.workers", {**gateway.settings, **nowhere}, tmp_path)
    receipt = await write(api, "ann", [{"id": "m1", "name": "Ann", "content": "My sister Elena moved to Porto."}])
    with running(process):

        async def appended() -> int:
            jobs = await api.get("/v1/jobs", params={"user_id": "ann", "stage": "short_term", "state": "done"})
            return len(jobs.json()["items"])

        await eventually_by(process, appended, "what needs no embedder is done")
        assert not process.said().startswith("(ended)")
    assert (await api.get("/v1/pending", params={"user_id": "ann", "receipt": receipt})).json()["pending"] == 1


@pytest.mark.exhaustive
@pytest.mark.usefixtures("no_worker")
async def test_what_settles_is_extracted_and_reflected_upon_without_anybody_asking(
    gateway: RealGateway, api: httpx.AsyncClient, tmp_path: Path
) -> None:
    hasty = {"WORKER_SCHEDULE": "true", "WORKER_TICK_S": "0.2", "WORKER_EXTRACT_QUIET_S": "0"}
    process = ServiceProcess("ragpp_services.workers", {**gateway.settings, **hasty}, tmp_path)
    await write(api, "ann", [{"id": "m1", "name": "Ann", "content": "My sister Elena moved to Porto."}])
    with running(process):

        async def done(stage: str) -> list[dict[str, object]]:
            jobs = await api.get("/v1/jobs", params={"user_id": "ann", "stage": stage, "state": "done"})
            return cast("list[dict[str, object]]", jobs.json()["items"])

        async def reflected() -> int:
            return len(await done("reflect"))

        await eventually_by(process, reflected, "an extraction is followed by a reflection")
    (extraction,) = await done("extract")
    result = cast("dict[str, object]", extraction["result"])
    assert {"patterns", "preferences", "relationships", "findings", "extracted_at"} <= result.keys()
    reports = (await api.get("/v1/users/ann/reflections")).json()["items"]
    assert [(report["kind"], report["status"], report["failed"]) for report in reports] == [
        ("incremental", "completed", {})
    ]
