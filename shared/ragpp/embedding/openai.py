"""Vectors from any endpoint that speaks OpenAI's embeddings API.

The protocol: `POST {base_url}/embeddings` with `model` and `input`, answered by `data`, a list of `index` and
`embedding` in any order (OpenAI API reference, "Create embeddings").
"""

from __future__ import annotations

import asyncio
import random
from functools import cached_property
from typing import TYPE_CHECKING, Final

import httpx
import numpy as np
from pydantic import BaseModel, FiniteFloat, ValidationError

from ragpp.embedding.port import FloatMatrix, require_unicode
from ragpp.errors import ConfigurationError, EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pydantic import SecretStr

RETRIED_STATUS: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
LONGEST_WAIT_S: Final = 20.0
EXCERPT_CHARACTERS: Final = 200
SPACE: Final = " "
"""Sent for an empty text, which endpoints refuse."""

CHECK_ADDRESS: Final = ("Check EMBEDDING_BASE_URL, that the endpoint is up, and that it speaks OpenAI's API.",)
SUGGESTIONS: Final = {
    401: ("Check EMBEDDING_API_KEY.",),
    403: ("Check EMBEDDING_API_KEY, and that it may use the model.",),
    404: ("Check EMBEDDING_BASE_URL and EMBEDDING_MODEL.",),
    429: ("Repeat the request later, or raise the account's rate limit.",),
}


class _Datum(BaseModel):
    index: int
    embedding: list[FiniteFloat]


class _Reply(BaseModel):
    data: list[_Datum]


class OpenAIEmbedder:
    """An Embedder over HTTP. A text longer than the endpoint's model reads is an EmbeddingError.

    Connection failures, timeouts and the statuses of RETRIED_STATUS are tried again, after the time that the endpoint
    asks for or after 0.5 s doubled each time, at random between half and all of it; anything else fails at once.
    To be used from one event loop.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimension: int,
        api_key: SecretStr | None = None,
        batch_size: int = 128,
        timeout_s: float = 30.0,
        attempts: int = 4,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`base_url`: without `/embeddings`, such as `https://api.openai.com/v1`. `dimension`: what the model gives;
        another is an error. `timeout_s`: of one attempt. ValueError when `batch_size` or `attempts` is below 1;
        ConfigurationError for a key that no header can carry."""
        if batch_size < 1 or attempts < 1:
            raise ValueError(f"batch_size {batch_size} and attempts {attempts} must be at least 1")
        self.model: Final = model
        self.dimension: Final = dimension
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._key = api_key.get_secret_value().strip() if api_key else ""
        if not (self._key.isascii() and self._key.isprintable()):  # refused here, before an error message can quote it
            raise ConfigurationError("EMBEDDING_API_KEY holds characters that an HTTP header cannot carry")
        self._batch_size = batch_size
        self._timeout_s = timeout_s
        self._attempts = attempts
        self._transport = transport
        self._sleep = sleep
        self._closed = False

    async def embed(self, texts: Sequence[str]) -> FloatMatrix:
        if isinstance(texts, str):
            raise TypeError("embed takes a sequence of texts, not one text")
        for text in texts:
            require_unicode(text)
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        starts = range(0, len(texts), self._batch_size)
        return np.concatenate([await self._embed_batch(texts[start : start + self._batch_size]) for start in starts])

    async def warm(self) -> None:
        await self.embed(["warm"])

    async def health_check(self) -> None:
        await self.embed(["health"])

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._client.aclose()

    @cached_property
    def _client(self) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        return httpx.AsyncClient(headers=headers, timeout=self._timeout_s, transport=self._transport)

    async def _embed_batch(self, texts: Sequence[str]) -> FloatMatrix:
        body: dict[str, object] = {"model": self.model, "input": [text or SPACE for text in texts]}
        for attempt in range(1, self._attempts + 1):
            wait_s = random.uniform(0.5, 1.0) * 0.5 * 2 ** (attempt - 1)  # noqa: S311 - spreads retries, guards nothing
            try:
                response = await self._post(body)
                if response.is_success:
                    return self._rows(response, len(texts))
                failure = self._refusal(response)
                if response.status_code not in RETRIED_STATUS:
                    raise failure
                wait_s = _asked_wait_s(response) or wait_s
            except httpx.HTTPError as error:
                message = f"{self._url} cannot be reached ({type(error).__name__})"
                failure = EmbeddingError(message, suggestions=CHECK_ADDRESS, details={"reason": str(error)})
                failure.__cause__ = error
            if attempt < self._attempts:
                await self._sleep(min(wait_s, LONGEST_WAIT_S))
        raise failure

    async def _post(self, body: dict[str, object]) -> httpx.Response:
        if self._closed:
            raise EmbeddingError("the embedder is closed")
        try:
            return await self._client.post(self._url, json=body)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise EmbeddingError(f"{self._url!r} is not an address: {error}", suggestions=CHECK_ADDRESS) from error

    def _refusal(self, response: httpx.Response) -> EmbeddingError:
        excerpt = response.text[:EXCERPT_CHARACTERS]
        if self._key:
            excerpt = excerpt.replace(self._key, "***")
        message = f"{self._url} answered {response.status_code} for the model {self.model}"
        suggestions = SUGGESTIONS.get(response.status_code, ())
        return EmbeddingError(message, suggestions=suggestions, details={"answer": excerpt})

    def _rows(self, response: httpx.Response, count: int) -> FloatMatrix:
        try:
            data = _Reply.model_validate_json(response.content).data
        except ValidationError as error:
            problem = f"{self._url} answered what is not a list of embeddings ({error.error_count()} problems)"
            raise EmbeddingError(problem, suggestions=CHECK_ADDRESS) from error
        if sorted(datum.index for datum in data) != list(range(count)):
            raise EmbeddingError(f"{self._url} answered {len(data)} embeddings to {count} texts, or misnumbered them")
        lengths = {len(datum.embedding) for datum in data}
        if lengths != {self.dimension}:
            found = ", ".join(map(str, sorted(lengths)))
            message = f"{self.model} gives vectors of {found} dimensions, and {self.dimension} are configured"
            raise EmbeddingError(message, suggestions=(f"Set EMBEDDING_DIMENSION to {found} and use an empty store.",))
        rows = np.array([datum.embedding for datum in sorted(data, key=lambda datum: datum.index)], dtype=np.float64)
        with np.errstate(over="ignore"):  # an infinite length is refused below
            norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not (np.isfinite(norms).all() and norms.all()):
            raise EmbeddingError(f"{self.model} gave a vector without a direction: all zero, or too large to add up")
        normalised: FloatMatrix = (rows / norms).astype(np.float32)
        return normalised


def _asked_wait_s(response: httpx.Response) -> float | None:
    """`Retry-After` where it is a number of seconds; None for a date or nothing."""
    value = response.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() else None
