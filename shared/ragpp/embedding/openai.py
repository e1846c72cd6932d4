"""Vectors from any endpoint that speaks OpenAI's embeddings API, through OpenAI's own client (the extra `llm`)."""

import asyncio
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import httpx2
import numpy as np
import openai
from pydantic import BaseModel, FiniteFloat, SecretStr, ValidationError

from ragpp.embedding.port import FloatMatrix, require_unicode
from ragpp.errors import EmbeddingError
from ragpp.providers import NOT_AGAIN, PASSING_STATUS, Retries, Sleep, header_key, retry_after_s

LONGEST_WAIT_S: Final = 20.0
"""An endpoint that asks for more is asked again after this."""
EXCERPT_CHARACTERS: Final = 200
NO_ADDRESS: Final = (httpx2.InvalidURL, httpx2.UnsupportedProtocol)
NO_KEY: Final = "no-key"
"""For the library, which wants one; it is not sent."""
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

    Connection failures, timeouts and the statuses of PASSING_STATUS are tried again, see `Retries`; anything else
    fails at once. To be used from one event loop.
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
        first_wait_s: float = 1.0,
        longest_wait_s: float = 30.0,
        transport: httpx2.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """`base_url`: without `/embeddings`, such as `https://api.openai.com/v1`. `dimension`: what the model gives;
        another is an error. `timeout_s`: of one attempt. `first_wait_s`, doubled up to `longest_wait_s`: between
        attempts, where the endpoint asks for nothing else. ValueError when `batch_size` or `attempts` is below 1;
        ConfigurationError for a key that no header can carry."""
        if batch_size < 1 or attempts < 1:
            raise ValueError(f"batch_size {batch_size} and attempts {attempts} must be at least 1")
        self.model: Final = model
        self.dimension: Final = dimension
        self._base_url = base_url
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._key = header_key("EMBEDDING_API_KEY", api_key)
        self._batch_size = batch_size
        self._timeout_s = timeout_s
        self._retries = Retries(attempts - 1, sleep, asked_s, first_wait_s, longest_wait_s)
        self._transport = transport
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
        self._closed = True
        if "_client" in vars(self):
            await self._client.close()

    @cached_property
    def _client(self) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(
            api_key=self._key or NO_KEY,
            base_url=self._base_url,
            timeout=self._timeout_s,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(transport=self._transport) if self._transport else None,
        )

    async def _embed_batch(self, texts: Sequence[str]) -> FloatMatrix:
        if self._closed:
            raise EmbeddingError("the embedder is closed")
        try:
            create = self._client.embeddings.with_raw_response.create
            inputs = [text or SPACE for text in texts]
            headers = None if self._key else {"Authorization": openai.Omit()}
            reply = await self._retries.call(
                lambda: create(model=self.model, input=inputs, encoding_format="float", extra_headers=headers)
            )
        except openai.APIStatusError as refused:
            response = refused.response
            message = f"{self._url} answered {response.status_code} for the model {self.model}"
            answer = response.text[:EXCERPT_CHARACTERS].replace(self._key or NO_KEY, "***")
            suggestions = SUGGESTIONS.get(response.status_code, ())
            raise EmbeddingError(message, suggestions=suggestions, details={"answer": answer}) from refused
        except (openai.OpenAIError, httpx2.InvalidURL) as failed:
            error = failed.__cause__ or failed
            message = f"{self._url} cannot be reached ({type(error).__name__})"
            if isinstance(error, NO_ADDRESS):
                message = f"{self._url!r} is not an address: {error}"
            raise EmbeddingError(message, suggestions=CHECK_ADDRESS, details={"reason": str(error)}) from error
        return self._rows(reply.http_response.content, len(texts))

    def _rows(self, content: bytes, count: int) -> FloatMatrix:
        try:
            data = _Reply.model_validate_json(content).data
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


def asked_s(error: Exception) -> float | None:
    """See `Retries`."""
    if isinstance(error, openai.APIStatusError) and error.status_code in PASSING_STATUS:
        return min(retry_after_s(error.response.headers) or 0.0, LONGEST_WAIT_S) or None
    unreached = isinstance(error, openai.APIConnectionError) and not isinstance(error.__cause__, NO_ADDRESS)
    return None if unreached else NOT_AGAIN
