"""The gateway and its five tiers as six processes: together they are one memory, and each may fail by itself."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final

import httpx
import pytest

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import ConfigurationError
from ragpp.models import Scope, TierName
from ragpp.settings import TierSettings
from ragpp.testing.otlp import Receiver, receiving
from ragpp.tierkit.deployment import Tools, open_tiers
from ragpp.tiers import PROTOCOLS
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services import all_in_one
from ragpp_services.gateway.keys import create_key
from tests.support.each import each
from tests.support.examples import some_of
from tests.support.operations import checked_problem
from tests.support.real_gateway import environment, settings_of
from tests.support.scopes import new_scope
from tests.support.services import HOST, ServiceProcess, answers, free_port, running
from tests.support.waiting import eventually

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]

CREDENTIAL: Final = "a-service-credential"
USER: Final = "ann"
MESSAGES: Final = [
    {"id": "m1", "name": "Ann", "content": "My sister Elena moved to Porto last spring."},
    {"id": "m2", "name": "Ann", "content": "I prefer tea over coffee."},
]


@dataclass(frozen=True)
class Cluster:
    """The six processes, traced. `addresses`: of the tiers, with the credential, as the gateway got them."""

    services: dict[str, ServiceProcess]
    ports: dict[str, int]
    settings: dict[str, str]
    traces: Receiver

    def url(self, name: str) -> str:
        return f"http://{HOST}:{self.ports[name]}"

    async def ready(self, *names: str) -> None:
        """Return once each of `names` can do its work."""
        await asyncio.gather(*(answers(f"{self.url(n)}/health/ready", log=self.services[n]) for n in names))


@pytest.fixture(scope="module")
async def cluster(endpoints: Endpoints, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cluster]:
    folder = tmp_path_factory.mktemp("services")
    ports = {name: free_port() for name in (*PROTOCOLS, "gateway")}
    settings = {
        **settings_of(endpoints, folder),
        "TIER_CREDENTIAL": CREDENTIAL,
        **{f"TIER_{name.upper()}_URL": f"http://{HOST}:{ports[name]}" for name in PROTOCOLS},
        "GATEWAY_HOST": HOST,
        "GATEWAY_PORT": str(ports["gateway"]),
    }
    with environment(settings):
        await all_in_one.migrate_all()
    with receiving() as traces:
        settings["TRACING_ENDPOINT"] = traces.url
        services = {name: _service(name, settings, folder, ports[name]) for name in ports}
        with running(*services.values()):
            made = Cluster(services, ports, settings, traces)
            await made.ready(*ports)
            yield made


def _service(name: str, settings: dict[str, str], folder: Path, port: int) -> ServiceProcess:
    arguments = [] if name == "gateway" else ["--host", HOST, "--port", str(port)]
    return ServiceProcess(f"ragpp_services.{name}", settings, folder, arguments)


@pytest.fixture
async def api(cluster: Cluster) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the gateway's process with a key of a tenant of its own."""
    scopes = frozenset({"read", "write", "forget"})
    made = await create_key(cluster.settings["POSTGRES_OWNER_DSN"], new_scope().tenant_id, scopes)
    headers = {"authorization": f"Bearer {made['key']}"}
    async with httpx.AsyncClient(
        base_url=cluster.url("gateway"), headers=headers, timeout=90, trust_env=False
    ) as client:
        yield client


async def remember(api: httpx.AsyncClient) -> httpx.Response:
    return await api.post("/v1/interactions", json={"user_id": USER, "session_id": "s1", "messages": MESSAGES})


async def recall(api: httpx.AsyncClient, **fields: object) -> dict[str, object]:
    answer = await api.post("/v1/recall", json={"user_id": USER, "query": "Where did Elena move?", **fields})
    assert answer.status_code == 200, answer.text
    body: dict[str, object] = answer.json()
    return body


async def test_what_is_remembered_is_recalled_and_forgotten_across_processes(api: httpx.AsyncClient) -> None:
    stored = await remember(api)
    assert stored.status_code == 201, stored.text
    assert stored.json()["tiers"] == {"episodic": "ok", "short_term": "ok"}
    rule = await api.post("/v1/rules", json={"user_id": USER, "text": "Ask about Elena.", "triggers": ["Elena"]})
    assert rule.status_code == 201, rule.text

    body = await recall(api, session_id="s1")
    assert body["status"] == "complete", body
    context = str(body["context"])
    assert "My sister Elena moved to Porto last spring." in context
    assert "Ask about Elena." in context
    assert set(body["tiers"]) == set(PROTOCOLS)  # type: ignore[call-overload]

    changed = await api.post("/v1/interactions", json={"user_id": USER, "messages": [{"id": "m1", "content": "other"}]})
    assert checked_problem(changed, 409, "MEM-011").details["indexes"] == [0]

    forgotten = await api.delete("/v1/interactions/m1", params={"user_id": USER})
    assert set(forgotten.json()["tiers"].values()) == {"ok"}
    assert "Porto" not in str(await recall(api, session_id="s1"))
    checked_problem(await api.get("/v1/interactions/m1", params={"user_id": USER}), 404, "MEM-012")


def lines_for(service: ServiceProcess, request_id: str) -> list[dict[str, object]]:
    """The lines that a process logged of a request."""
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if line.startswith("{")]
    return [line for line in lines if line.get("request_id") == request_id]


async def test_a_request_is_followed_from_the_gateway_by_its_tier_to_the_worker(
    cluster: Cluster, api: httpx.AsyncClient, tmp_path: Path
) -> None:
    trace = "7" * 32
    given = {"X-Request-ID": "abc", "traceparent": f"00-{trace}-{'7' * 16}-01"}
    worker = ServiceProcess("ragpp_services.workers", cluster.settings, tmp_path)
    body = {"user_id": USER, "session_id": "s1", "messages": MESSAGES}
    written = await api.post("/v1/interactions", json=body, headers=given)
    assert written.headers["X-Request-ID"] == "abc"
    with running(worker):
        (digestion, *_) = await asyncio.to_thread(cluster.traces.awaited, "digest observe", cause=trace, within_s=250)
    wanted: Mapping[str, tuple[ServiceProcess, str]] = {
        "gateway": (cluster.services["gateway"], "request.answered"),
        "episodic": (cluster.services["episodic"], "request.answered"),
        "short_term": (cluster.services["short_term"], "request.answered"),
        "worker": (worker, "work.done"),
        "semantic": (cluster.services["semantic"], "request.answered"),  # asked by the worker
    }
    for service, (process, event) in wanted.items():
        lines = lines_for(process, "abc")
        assert {(line["service"], line["event"]) for line in lines} >= {(service, event)}, (service, process.said())
        traced = {line["trace_id"] for line in lines if line["event"] == event}
        asked_by_the_request = service in {"gateway", "episodic", "short_term"}
        assert trace in traced if asked_by_the_request else traced
    assert {line["trace_id"] for line in lines_for(cluster.services["gateway"], "abc")} == {trace}
    spans = {span.service: span for span in cluster.traces.of_trace(trace)}
    assert {"gateway", "episodic", "short_term"} <= spans.keys()
    assert {trace_id for trace_id, _ in digestion.links} == {trace}
    of_digestion = {(span.service, span.name) for span in cluster.traces.of_trace(digestion.trace_id)}
    assert {
        ("worker", "semantic.observe"),
        ("semantic", "POST /v1/tier/observe"),
        ("semantic", "neo4j.write"),
    } <= of_digestion


@pytest.mark.parametrize("tier", some_of(PROTOCOLS, ["episodic"]))
async def test_a_killed_tier_makes_recalls_partial_until_it_is_back(
    cluster: Cluster, api: httpx.AsyncClient, tier: TierName
) -> None:
    assert (await remember(api)).status_code == 201
    cluster.services[tier].kill()
    try:
        body = await recall(api, session_id="s1")
        assert body["status"] == "partial"
        statuses = {name: status["status"] for name, status in body["tiers"].items()}  # type: ignore[attr-defined]
        assert statuses == {name: "unavailable" if name == tier else "ok" for name in PROTOCOLS}
        assert "My sister Elena moved to Porto last spring." in str(body["context"])
        ready = await api.get("/health/ready")
        assert ready.status_code == 503
        assert [name for name, health in ready.json()["tiers"].items() if not health["ok"]] == [tier]

        fresh = {
            "user_id": USER,
            "session_id": "s1",
            "messages": [{"id": f"during {tier}", "content": "said meanwhile"}],
        }
        during = await api.post("/v1/interactions", json=fresh)
        if tier == "episodic":
            assert checked_problem(during, 503, "MEM-010").recovery_suggestions
        else:
            assert during.status_code == 201, during.text
            down = tier == "short_term"
            assert during.json()["tiers"] == {"episodic": "ok", "short_term": "unavailable" if down else "ok"}
    finally:
        cluster.services[tier].start()
        await cluster.ready(tier)

    async def whole() -> bool:
        return (await recall(api, session_id="s1"))["status"] == "complete"

    await eventually(whole, within_s=60, what="a complete recall")
    assert (await api.post("/v1/interactions", json=fresh)).status_code == 201
    kept = await api.get(f"/v1/interactions/during%20{tier}", params={"user_id": USER})
    assert kept.json()["content"] == "said meanwhile"


WRONG: Final = ("", "Bearer wrong", f"Basic {CREDENTIAL}", CREDENTIAL)


async def test_a_tier_answers_nobody_without_its_credential(cluster: Cluster) -> None:
    query = {"query": {"scope": {"tenant_id": "t", "user_id": "u"}, "text": "anything"}}

    async def refused(tier: TierName, authorization: str) -> None:
        async with httpx.AsyncClient(base_url=cluster.url(tier), trust_env=False) as stranger:
            headers = {"authorization": authorization}
            checked_problem(await stranger.post("/v1/tier/retrieve", json=query, headers=headers), 401, "MEM-021")
            checked_problem(await stranger.post("/v1/tier/retrieve", content=b"{", headers=headers), 401, "MEM-021")

    await each(product(PROTOCOLS, WRONG), lambda case: refused(*case))


NOT_HTTP: Final = {
    "an over-long header": b"GET /health/live HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 1_000_000 + b"\r\n\r\n",
    "an over-long key": b"GET /v1/rules?user_id=u HTTP/1.1\r\nauthorization: Bearer " + b"y" * 200_000 + b"\r\n\r\n",
    "an over-long address": b"GET /v1/rules?user_id=" + b"u" * 1_000_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n",
    "a line end in an address": b"GET /v1/rules?user_id=a\nb HTTP/1.1\r\nhost: x\r\n\r\n",
    "bytes over 127 in an address": b"GET /v1/rules/\xff\xfe?user_id=\xc3 HTTP/1.1\r\nhost: x\r\n\r\n",
    "two lengths": b"POST /v1/recall HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}",
    "a negative length": b"POST /v1/recall HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n{}",
    "a huge length": b"POST /v1/recall HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999\r\n\r\n{}",
    "a body that is cut off": b"POST /v1/recall HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{",
    "a broken chunk": b"POST /v1/recall HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n",
    "no HTTP at all": b"\x16\x03\x01\x02\x00 hello\r\n\r\n",
}


async def test_the_gateway_survives_what_is_hardly_http(cluster: Cluster, api: httpx.AsyncClient) -> None:
    await each(NOT_HTTP, partial(survives, cluster, api))


async def survives(cluster: Cluster, api: httpx.AsyncClient, case: str) -> None:
    reader, writer = await asyncio.open_connection(HOST, cluster.ports["gateway"])
    try:
        authorization = f"host: x\r\nauthorization: {api.headers['authorization']}"
        writer.write(NOT_HTTP[case].replace(b"host: x", authorization.encode()))
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), timeout=60)
    except ConnectionError:
        answer = b""  # refused before all of it was read
    finally:
        writer.close()
    assert not answer or int(answer.split()[1]) < 500, answer[:500]
    assert (await api.get("/health/live")).status_code == 200
    assert "crashed" not in cluster.services["gateway"].said()


async def test_a_gateway_with_another_credential_says_that_it_is_the_credential(cluster: Cluster) -> None:
    with environment({**cluster.settings, "TIER_CREDENTIAL": "another"}):
        settings = TierSettings()
    async with open_tiers(settings, Tools(HashingEmbedder)) as tiers:
        for tier in tiers.by_name().values():
            with pytest.raises(ConfigurationError, match="TIER_CREDENTIAL"):
                await tier.forget(Scope(tenant_id="t", user_id="u"), ["x"])
            health = await tier.health_check()
            assert not health.ok
            assert "TIER_CREDENTIAL" in health.detail
