"""Any model that sentence-transformers can load: the optional extra `sentence-transformers`."""

from __future__ import annotations

import asyncio
import importlib
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol, cast

import numpy as np

from ragpp.embedding.port import FloatMatrix, require_unicode
from ragpp.errors import ConfigurationError, EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Encoder(Protocol):
    """The part of `sentence_transformers.SentenceTransformer` that is used."""

    def encode(self, sentences: list[str], *, normalize_embeddings: bool, show_progress_bar: bool) -> FloatMatrix: ...


class _Library(Protocol):
    def SentenceTransformer(self, name: str, *, device: str, local_files_only: bool) -> _Encoder: ...  # noqa: N802


class SentenceTransformersEmbedder:
    """An Embedder on torch, loaded in the first call from files that are on this machine: nothing is downloaded.

    Runs in one thread of its own, so the event loop is never held; requests are taken in order, so a short one waits
    for the long ones before it.
    """

    def __init__(self, model: str, dimension: int, *, device: str = "cpu") -> None:
        """`model`: a name in the Hugging Face cache, or a folder. `dimension`: what the model gives; another is an
        error. Raises ConfigurationError when sentence-transformers is not installed."""
        self.model: Final = model
        self.dimension: Final = dimension
        self._device = device
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sentence-transformers")
        self._closed = False
        try:
            self._library = cast("_Library", importlib.import_module("sentence_transformers"))
        except ImportError as error:
            message = "the embedder `sentence-transformers` is configured, and the package cannot be imported"
            suggestions = ("Install the extra: ragpp[sentence-transformers].", "Or set EMBEDDING_PROVIDER to `onnx`.")
            raise ConfigurationError(message, suggestions=suggestions) from error

    async def embed(self, texts: Sequence[str]) -> FloatMatrix:
        if isinstance(texts, str):
            raise TypeError("embed takes a sequence of texts, not one text")
        for text in texts:
            require_unicode(text)
        if self._closed:
            raise EmbeddingError("the embedder is closed")
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._encode, list(texts))

    async def warm(self) -> None:
        await self.embed(["warm"])

    async def health_check(self) -> None:
        await self.embed(["health"])

    async def close(self) -> None:
        self._closed = True
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    def _encode(self, texts: list[str]) -> FloatMatrix:
        try:
            rows = self._encoder.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        except Exception as error:
            suggestions = ("Check that the model's files are on this machine and that its folder is complete.",)
            message = f"{self.model} failed ({type(error).__name__})"
            raise EmbeddingError(message, suggestions=suggestions) from error
        if rows.shape[1] != self.dimension:
            message = f"{self.model} gives vectors of {rows.shape[1]} dimensions, and {self.dimension} are configured"
            raise EmbeddingError(message, suggestions=(f"Set EMBEDDING_DIMENSION to {rows.shape[1]}.",))
        if not (np.isfinite(rows).all() and rows.any(axis=1).all()):
            raise EmbeddingError(f"{self.model} gave a vector without a direction")
        return rows.astype(np.float32, copy=False)

    @cached_property
    def _encoder(self) -> _Encoder:
        return self._library.SentenceTransformer(self.model, device=self._device, local_files_only=True)
