"""An OpenAI-compatible endpoint gives the right rows in the right order, or an error that says what to do."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx2
import numpy as np
import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ragpp.embedding.factory import make_embedder
from ragpp.embedding.openai import OpenAIEmbedder
from ragpp.errors import ConfigurationError, EmbeddingError, InvalidInput
from ragpp.settings import EmbeddingSettings
from tests.support.each import each_case

KEY = "sk-test-0123456789"
DIMENSION = 4


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(text.count("a")), -2.0]


@dataclass
class FakeEndpoint:
    """The embeddings API as OpenAI documents it: checks the key and the body, answers in any order of `index`.

    `script` holds answers to give before the real ones, one a request.
    """

    script: list[Response] = field(default_factory=list)
    batches: list[list[str]] = field(default_factory=list)
    credentials: list[str | None] = field(default_factory=list)
    change: Callable[[list[dict[str, object]]], object] = lambda data: data

    async def embeddings(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.batches.append(body["input"])
        self.credentials.append(request.headers.get("authorization"))
        if self.script:
            return self.script.pop(0)
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return JSONResponse({"error": {"message": f"Incorrect API key: {KEY}", "code": "invalid_api_key"}}, 401)
        if body["model"] != "test-embedding":
            return JSONResponse({"error": {"message": f"The model {body['model']} does not exist"}}, 404)
        if not all(body["input"]):
            return JSONResponse({"error": {"message": "input must not be empty"}}, 400)
        data: list[dict[str, object]] = [
            {"object": "embedding", "index": index, "embedding": vector_of(text)}
            for index, text in enumerate(body["input"])
        ]
        changed = self.change(list(reversed(data)))
        return JSONResponse({"object": "list", "data": changed, "model": body["model"], "usage": {"total_tokens": 1}})

    def transport(self) -> httpx2.ASGITransport:
        return httpx2.ASGITransport(Starlette(routes=[Route("/v1/embeddings", self.embeddings, methods=["POST"])]))


@dataclass
class Waits:
    """Stands in for the clock: waiting takes no time and is remembered, in seconds."""

    taken: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


@pytest.fixture
def endpoint() -> FakeEndpoint:
    return FakeEndpoint()


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def make(endpoint: FakeEndpoint, waits: Waits) -> Callable[..., OpenAIEmbedder]:
    def embedder(*, key: str = KEY, model: str = "test-embedding", dimension: int = DIMENSION) -> OpenAIEmbedder:
        return OpenAIEmbedder(
            base_url="http://endpoint/v1/",
            model=model,
            dimension=dimension,
            api_key=SecretStr(key) if key else None,
            batch_size=3,
            attempts=3,
            transport=endpoint.transport(),
            sleep=waits,
        )

    return embedder


async def test_rows_are_in_the_order_of_the_texts_and_of_length_one(
    make: Callable[..., OpenAIEmbedder], endpoint: FakeEndpoint
) -> None:
    texts = ["a", "bb", "ccc", "aaaa", "", "eeeeee", "fffffff"]
    embedder = make()
    rows = await embedder.embed(texts)
    await embedder.close()
    expected = np.array([vector_of(text or " ") for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert rows.dtype == np.float32
    assert np.allclose(rows, expected, atol=1e-6)
    assert [len(batch) for batch in endpoint.batches] == [3, 3, 1]


async def test_no_texts_ask_nothing(make: Callable[..., OpenAIEmbedder], endpoint: FakeEndpoint) -> None:
    assert (await make().embed([])).shape == (0, DIMENSION)
    assert endpoint.batches == []


@each_case("status", [429, 500, 503])
async def test_a_passing_failure_is_tried_again(
    make: Callable[..., OpenAIEmbedder], endpoint: FakeEndpoint, waits: Waits, status: int
) -> None:
    endpoint.script = [PlainTextResponse("busy", status), PlainTextResponse("busy", status)]
    waits.taken.clear()
    embedder = make()
    assert (await embedder.embed(["text"])).shape == (1, DIMENSION)
    await embedder.close()
    first, second = waits.taken
    assert 0.5 <= first <= 1.0 <= second <= 2.0


async def test_the_wait_that_the_endpoint_asks_for_is_kept_within_bounds(
    make: Callable[..., OpenAIEmbedder], endpoint: FakeEndpoint, waits: Waits
) -> None:
    endpoint.script = [
        PlainTextResponse("slow down", 429, {"Retry-After": "7"}),
        PlainTextResponse("slow down", 429, {"Retry-After": "86400"}),
    ]
    embedder = make()
    await embedder.embed(["text"])
    await embedder.close()
    assert waits.taken == [7.0, 20.0]


@each_case("status", [429, 500])
async def test_a_lasting_failure_ends_after_the_last_attempt(
    make: Callable[..., OpenAIEmbedder], endpoint: FakeEndpoint, status: int
) -> None:
    endpoint.script = [PlainTextResponse("overloaded", status) for _ in range(9)]
    endpoint.batches.clear()
    embedder = make()
    with pytest.raises(EmbeddingError, match=f"answered {status} for the model [^ ]*$") as caught:
        await embedder.embed(["text"])
    await embedder.close()
    assert caught.value.details == {"answer": "overloaded"}
    assert len(endpoint.batches) == 3


async def test_an_endpoint_is_asked_four_times_where_nobody_says_otherwise(
    endpoint: FakeEndpoint, waits: Waits
) -> None:
    """Once, and three times more, as document 002 has it."""
    endpoint.script = [PlainTextResponse("busy", 503) for _ in range(9)]
    embedder = OpenAIEmbedder(
        base_url="http://endpoint/v1", model="m", dimension=DIMENSION, transport=endpoint.transport(), sleep=waits
    )
    with pytest.raises(EmbeddingError):
        await embedder.embed(["text"])
    await embedder.close()
    assert len(endpoint.batches) == 4
    assert all(most / 2 <= taken <= most for most, taken in zip((1, 2, 4), waits.taken, strict=True))


async def test_a_wrong_key_fails_at_once_and_is_not_quoted(
    make: Callable[..., OpenAIEmbedder], endpoint: FakeEndpoint
) -> None:
    endpoint.script = [JSONResponse({"error": {"message": f"Incorrect API key: {KEY}"}}, 401)]
    embedder = make()
    with pytest.raises(EmbeddingError, match="answered 401") as caught:
        await embedder.embed(["text"])
    await embedder.close()
    assert KEY not in f"{caught.value} {caught.value.details}"
    assert caught.value.suggestions == ("Check EMBEDDING_API_KEY.",)
    assert len(endpoint.batches) == 1


@each_case("key", ["sk-ключ", "sk-one\nsk-two"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_quoted(
    make: Callable[..., OpenAIEmbedder], key: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        make(key=key)
    assert "sk-" not in str(caught.value)


async def test_no_key_sends_none(make: Callable[..., OpenAIEmbedder], endpoint: FakeEndpoint) -> None:
    embedder = make(key="")
    with pytest.raises(EmbeddingError, match="401"):
        await embedder.embed(["text"])
    await embedder.close()
    assert endpoint.credentials == [None]


async def test_an_unknown_model_is_named(make: Callable[..., OpenAIEmbedder]) -> None:
    embedder = make(model="missing-embedding")
    with pytest.raises(EmbeddingError, match="answered 404 for the model missing-embedding") as caught:
        await embedder.health_check()
    await embedder.close()
    assert "EMBEDDING_MODEL" in caught.value.suggestions[0]


async def test_another_dimension_than_configured_is_refused(make: Callable[..., OpenAIEmbedder]) -> None:
    embedder = make(dimension=5)
    with pytest.raises(EmbeddingError, match="4 dimensions, and 5 are configured"):
        await embedder.warm()
    await embedder.close()


@each_case(
    "change",
    [
        lambda data: data[1:],
        lambda data: [*data, data[0]],
        lambda data: [{**datum, "index": 0} for datum in data],
        lambda data: [{**datum, "embedding": [0.0] * DIMENSION} for datum in data],
        lambda data: [{**datum, "embedding": "AAAA"} for datum in data],
        lambda data: [{**datum, "embedding": [1e300] * DIMENSION} for datum in data],
        lambda data: [{"index": index} for index in range(len(data))],
        lambda data: {"not": data},
    ],
)
async def test_a_malformed_answer_is_refused(
    make: Callable[..., OpenAIEmbedder],
    endpoint: FakeEndpoint,
    change: Callable[[list[dict[str, object]]], object],
) -> None:
    endpoint.change = change
    embedder = make()
    with pytest.raises(EmbeddingError):
        await embedder.embed(["one", "two"])
    await embedder.close()


@each_case("body", ["", "<html>not JSON</html>", '{"data": [{"index": 0, "embedding": [NaN, 1, 1, 1]}]}'])
async def test_what_is_not_an_answer_is_refused(
    make: Callable[..., OpenAIEmbedder], endpoint: FakeEndpoint, body: str
) -> None:
    endpoint.script = [PlainTextResponse(body)]
    embedder = make()
    with pytest.raises(EmbeddingError, match="not a list of embeddings"):
        await embedder.embed(["text"])
    await embedder.close()


async def test_an_endpoint_that_is_down_is_tried_again_and_named(waits: Waits) -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("connection refused", request=request)

    embedder = OpenAIEmbedder(
        base_url="http://down/v1",
        model="test-embedding",
        dimension=DIMENSION,
        attempts=3,
        transport=httpx2.MockTransport(refuse),
        sleep=waits,
    )
    with pytest.raises(EmbeddingError, match=r"down/v1/embeddings cannot be reached \(ConnectError\)") as caught:
        await embedder.embed(["text"])
    await embedder.close()
    assert isinstance(caught.value.__cause__, httpx2.ConnectError)
    assert len(waits.taken) == 2


@each_case("base_url", ["", "not an address", "ftp://endpoint/v1", "http://endpoint:port/v1"])
async def test_a_wrong_address_fails_at_once(base_url: str, waits: Waits) -> None:
    embedder = OpenAIEmbedder(base_url=base_url, model="m", dimension=DIMENSION, sleep=waits)
    with pytest.raises(EmbeddingError, match="is not an address"):
        await embedder.embed(["text"])
    await embedder.close()
    assert waits.taken == []


async def test_a_lone_surrogate_is_invalid_input_and_never_sent(
    make: Callable[..., OpenAIEmbedder], endpoint: FakeEndpoint
) -> None:
    with pytest.raises(InvalidInput, match="lone surrogate"):
        await make().embed(["fine", "\ud800"])
    assert endpoint.batches == []


async def test_a_closed_embedder_says_so(make: Callable[..., OpenAIEmbedder]) -> None:
    embedder = make()
    await embedder.close()
    await embedder.close()
    with pytest.raises(EmbeddingError, match="closed"):
        await embedder.embed(["text"])


def test_the_client_library_that_is_missing_is_named_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "ragpp.embedding.openai", raising=False)
    settings = EmbeddingSettings(provider="openai", base_url="http://endpoint/v1")
    with pytest.raises(ConfigurationError, match="library openai") as caught:
        make_embedder(settings)
    assert "ragpp[llm]" in caught.value.suggestions[0]
