"""all-MiniLM-L6-v2 on ONNX Runtime: the default embedder."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from ragpp.embedding.checkpoint import MODEL, Checkpoint, installed_checkpoint
from ragpp.embedding.graph_cache import load_graph
from ragpp.embedding.lanes import SLICE_TOKENS, Lanes, TokenIds
from ragpp.embedding.port import FloatMatrix, require_unicode
from ragpp.embedding.runtime import session_of, tokens_of
from ragpp.text.tokens import load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

__all__ = ["DIMENSION", "MAX_TOKENS", "MODEL", "OnnxEmbedder"]

DIMENSION: Final = 384
MAX_TOKENS: Final = 256
"""The tokens that the model reads of a text, its two special tokens included (`sentence_bert_config.json`)."""


class OnnxEmbedder:
    """An Embedder; 3 ms for a short text, some 400 messages of 15 tokens a second on one core, 85 MB.

    The model is loaded in the first call (0.3 s; 3 s on the first start of an installation) and runs in threads of
    its own, without spinning, so the event loop is never held. A short request waits for at most one slice of a
    long one. Make it after a fork, not before.
    """

    model: Final = MODEL
    dimension: Final = DIMENSION

    def __init__(
        self,
        cache_dir: Path,
        *,
        checkpoint: Checkpoint | None = None,
        threads: int = 1,
        slice_tokens: int = SLICE_TOKENS,
    ) -> None:
        """`cache_dir`: where the assembled graph is kept (90 MB); made when it is missing.
        `checkpoint`: where the model's files are; the installed model package's when not given.
        `threads`: cores that long requests, or short ones that come together, may use; a run takes one.
        `slice_tokens`: how much of a long request is run at once."""
        self._lanes = Lanes(
            _MiniLM(cache_dir, checkpoint), name="embedding", threads=threads, slice_tokens=slice_tokens
        )

    async def embed(self, texts: Sequence[str]) -> FloatMatrix:
        if isinstance(texts, str):
            raise TypeError("embed takes a sequence of texts, not one text")
        for text in texts:
            require_unicode(text)
        if not texts:
            return np.empty((0, DIMENSION), dtype=np.float32)
        return await asyncio.wrap_future(self._lanes.submit(list(texts)))

    async def warm(self) -> None:
        await self.embed(["warm"])

    async def health_check(self) -> None:
        await self.embed(["health"])

    async def close(self) -> None:
        await asyncio.to_thread(self._lanes.stop)


class _MiniLM:
    """The tokenizer and the session, loaded when first used."""

    def __init__(self, cache_dir: Path, checkpoint: Checkpoint | None) -> None:
        self._cache_dir = cache_dir
        self._given_checkpoint = checkpoint

    def tokenise(self, text: str) -> TokenIds:
        return tokens_of(self._tokenizer, text, MAX_TOKENS)

    def run(self, batch: Sequence[TokenIds]) -> FloatMatrix:
        shape = len(batch), max(map(len, batch))
        input_ids, mask = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        for row, ids in enumerate(batch):
            input_ids[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        rows: FloatMatrix = self._session.run(["embedding"], {"input_ids": input_ids, "attention_mask": mask})[0]
        return rows

    @cached_property
    def _checkpoint(self) -> Checkpoint:
        return self._given_checkpoint or installed_checkpoint()

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return load_tokenizer(self._checkpoint)

    @cached_property
    def _session(self) -> InferenceSession:
        return session_of(load_graph(self._checkpoint, self._cache_dir))
