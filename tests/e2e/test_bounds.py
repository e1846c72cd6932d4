"""A key's requests that are too many or too much at once are refused before work begins; nobody else notices them."""

import asyncio
import io
import json
from collections.abc import AsyncIterator
from typing import Final

import httpx
import pytest

from ragpp.api import MessageIn
from ragpp.client import AsyncMemoryClient
from ragpp.errors import Conflict, RateLimited, TooManyAtOnce, TooMuchAtOnce
from ragpp.memory.files.importing import import_file
from ragpp_infra.cli.ingest import ingest
from ragpp_infra.cli.lines import read_lines
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.gateway.limits import most_values
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway, open_gateway

pytestmark = pytest.mark.server

USER: Final = "u"
JSON: Final = {"content-type": "application/json"}
MOST_CHARACTERS: Final = 2_000
BURST: Final = 5


@pytest.fixture(scope="module")
async def strict(endpoints: Endpoints, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RealGateway]:
    """A gateway that takes little at once, and of one key a few requests a second."""
    more = {
        "GATEWAY_MAX_CHARACTERS": str(MOST_CHARACTERS),
        "GATEWAY_KEY_REQUESTS_PER_S": "20",
        "GATEWAY_KEY_BURST": str(BURST),
        "GATEWAY_TENANT_KEYS": "2",
    }
    async with open_gateway(endpoints, tmp_path_factory.mktemp("strict"), more=more) as running:
        yield running


@pytest.fixture
async def strict_api(strict: RealGateway, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    async with strict.client(await strict.key(tenant)) as client:
        yield client


@pytest.fixture
async def patient(strict: RealGateway, tenant: str) -> AsyncIterator[AsyncMemoryClient]:
    """A client that waits as it is told to."""
    async with strict.memory(await strict.key(tenant)) as client:
        yield client


async def kept(client: AsyncMemoryClient) -> list[str]:
    """The texts of the user's messages, in order."""
    page = await client.interactions(USER, newest_first=False, limit=200)
    return [one.content for one in page.items]


async def test_eight_megabytes_of_metadata_are_refused_with_how_much_may_be_and_nothing_is_stored(
    api: httpx.AsyncClient,
) -> None:
    metadata = {f"k{number}": 1 for number in range(1_100)}
    messages = [{"content": f"{number}" + "x" * 2_500, "metadata": metadata} for number in range(550)]
    body = json.dumps({"user_id": USER, "messages": messages}).encode()
    assert len(body) > 8_000_000
    problem = checked_problem(await api.post("/v1/interactions", content=body, headers=JSON), 413, TooMuchAtOnce.code)
    assert (problem.details["of"], problem.details["most"]) == ("values, lists and objects", most_values(20_000))
    assert (await api.get("/v1/interactions", params={"user_id": USER})).json()["items"] == []


@pytest.mark.parametrize(
    ("path", "beginning", "one", "ending"),
    [
        ("/v1/interactions", '"messages": [', "{}", "]"),
        ("/v1/interactions", '"messages": [{"content": "x", "metadata": {"a": [', "[]", "]}}]"),
        ("/v1/interactions", '"messages": [{"content": "x", "metadata": {"a": [', "1", "]}}]"),
        ("/v1/recall", '"query": "x", "situation": {"a": [', "[]", "]}"),
        ("/v1/items", '"items": [', "1", "]"),
    ],
)
async def test_eight_megabytes_of_small_values_are_refused_and_made_nothing_of(
    api: httpx.AsyncClient, path: str, beginning: str, one: str, ending: str
) -> None:
    many = ",".join([one] * (8_000_000 // (len(one) + 1)))
    body = f'{{"user_id": "{USER}", {beginning}{many}{ending}}}'.encode()
    problem = checked_problem(await api.post(path, content=body, headers=JSON), 413, TooMuchAtOnce.code)
    assert problem.details["of"] in {"values, lists and objects", "numbers"}


async def test_metadata_that_is_small_and_deep_is_too_much_where_looking_at_it_is(api: httpx.AsyncClient) -> None:
    metadata: object = [1] * 1_000
    for number in range(60):
        metadata = {f"k{number}": metadata}
    answer = await api.post(
        "/v1/interactions", json={"user_id": USER, "messages": [{"content": "x", "metadata": metadata}]}
    )
    problem = checked_problem(answer, 413, TooMuchAtOnce.code)
    assert problem.details == {"of": "values of metadata", "most": 20_000, "found": 60_000}


async def test_a_key_that_asks_too_often_is_told_when_to_ask_again_and_another_is_answered(
    strict: RealGateway, strict_api: httpx.AsyncClient, tenant: str
) -> None:
    whose = {"user_id": USER}
    answers = await asyncio.gather(*(strict_api.get("/v1/pending", params=whose) for _ in range(20 * BURST)))
    refused = [answer for answer in answers if answer.status_code != 200]
    assert 0 < len(refused) <= len(answers) - BURST
    for answer in refused:
        checked_problem(answer, 429, RateLimited.code)
        assert answer.headers["Retry-After"] == "1"
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"key";q=5;w=1'}
    async with strict.client(await strict.key(tenant)) as other:
        assert (await other.get("/v1/pending", params=whose)).status_code == 200


async def test_of_a_key_that_sends_much_at_once_some_is_refused_and_another_writes_meanwhile(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    large = json.dumps({"user_id": USER, "messages": [{"content": "x" * 100_000}] * 80}).encode()
    async with gateway.client(await gateway.key(tenant)) as other:
        sending = [asyncio.create_task(api.post("/v1/interactions", content=large, headers=JSON)) for _ in range(12)]
        small = {"user_id": USER, "messages": [{"content": "The heron stood in the reeds. " * 60}]}
        written = await other.post("/v1/interactions", json=small)
        assert written.status_code == 201, written.text
        answers = await asyncio.gather(*sending)
    refused = [answer for answer in answers if answer.status_code == 429]
    assert 0 < len(refused) <= len(answers) - 4
    for answer in refused:
        checked_problem(answer, 429, TooManyAtOnce.code)
        assert answer.headers["Retry-After"] == "1"
    assert {answer.status_code for answer in answers if answer not in refused} == {413}


async def test_a_client_that_is_refused_waits_and_nothing_of_what_it_sends_is_lost(patient: AsyncMemoryClient) -> None:
    said = [f"number {number}" for number in range(6 * BURST)]
    await asyncio.gather(*(patient.remember(user_id=USER, messages=(MessageIn(content=one),)) for one in said))
    assert sorted(await kept(patient)) == sorted(said)


async def test_a_file_whose_batches_are_too_much_at_once_is_ingested_in_order(patient: AsyncMemoryClient) -> None:
    said = [f"{number} " + "x" * 300 for number in range(20)]
    lines = b"".join(json.dumps({"id": f"m{n}", "content": one}).encode() + b"\n" for n, one in enumerate(said))
    report = await ingest(patient, USER, read_lines(io.BytesIO(lines)))
    assert report.stored == 20
    assert await kept(patient) == said


async def test_an_agents_file_whose_memories_are_too_much_at_once_is_imported_in_parts(
    patient: AsyncMemoryClient,
) -> None:
    memories = [
        {"memory_id": f"mem_{number}", "content": f"Order {number} is {'very ' * 80}late."} for number in range(12)
    ]
    file = json.dumps({"version": "1.0.0", "ci_name": "ergon", "memories": memories}).encode()
    report = await import_file(patient, file, user_id=USER)
    assert (report.kept, report.refused) == (12, [])


async def test_a_long_resource_is_taken_whole_since_it_is_read_later(strict_api: httpx.AsyncClient) -> None:
    resource = {"user_id": USER, "resource_type": "document", "content": "The trial lasts 30 days. " * 200}
    assert (await strict_api.post("/v1/resources", json=resource)).status_code == 201


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/v1/pending?user_id=u", {}, 200),
        ("/v1/pending?user_id=u", {"authorization": "Bearer x"}, 401),
        ("/v1/pending", {}, 422),
        ("/v1/pending?user_id=%ff", {}, 422),
        ("/v1/nothing", {}, 404),
        ("/v1/recall", {}, 405),
        ("/health/live", {}, 200),
    ],
)
async def test_every_answer_has_the_id_that_its_request_came_with(
    api: httpx.AsyncClient, path: str, headers: dict[str, str], status: int
) -> None:
    answer = await api.get(path, headers={"x-request-id": "ask-1", **headers})
    assert (answer.status_code, answer.headers.get("X-Request-ID")) == (status, "ask-1")


async def test_a_tenant_has_as_many_keys_as_are_set(strict: RealGateway, tenant: str) -> None:
    async with strict.client(await strict.key(tenant, "read", "admin")) as api:
        assert (await api.post("/v1/keys", json={"scopes": ["read"]})).status_code == 201
        checked_problem(await api.post("/v1/keys", json={"scopes": ["read"]}), 409, Conflict.code)
