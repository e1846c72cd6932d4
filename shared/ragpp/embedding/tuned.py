"""all-MiniLM-L6-v2 with weights that were trained on for a task: what stretches of a text mean to it."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ragpp.embedding.checkpoint import Checkpoint, installed_checkpoint
from ragpp.embedding.graph_cache import Tuning, load_graph
from ragpp.embedding.onnx import DIMENSION
from ragpp.embedding.port import FloatMatrix, require_unicode
from ragpp.embedding.runtime import session_of
from ragpp.embedding.stretches import means
from ragpp.errors import EmbeddingError
from ragpp.text.tokens import load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from ragpp.embedding.lanes import TokenIds
    from ragpp.text.spans import Span


class TunedMiniLM:
    """Reads a text at a time, so that the stretches of a text have the same vectors, to the bit, whatever was read
    before; a third faster than the embedder. Loaded in the first call (0.3 s; some 5 s on the first start of an
    installation). Make it after a fork."""

    def __init__(self, cache_dir: Path, tuning: Tuning, checkpoint: Checkpoint | None = None) -> None:
        """`cache_dir`: where the assembled graph is kept (23 MB). `checkpoint`: the installed one when not given."""
        self._cache_dir, self._tuning, self._given = cache_dir, tuning, checkpoint

    async def encode_spans(self, text: str, spans: Sequence[Span]) -> FloatMatrix:
        """One row for each of `spans`, stretches of `text` in order: the mean of its tokens' last states, float32
        (spans, 384), not of length 1. Raises EmbeddingError, or InvalidInput for a text with lone surrogates."""
        require_unicode(text)
        if not spans:
            return np.empty((0, DIMENSION), np.float32)
        try:
            return await asyncio.to_thread(self._means, text, spans)
        except EmbeddingError:
            raise
        except Exception as error:  # what ONNX Runtime raises has no class of its own
            raise EmbeddingError(f"the tuned model failed ({type(error).__name__})") from error

    def _means(self, text: str, spans: Sequence[Span]) -> FloatMatrix:
        return np.stack(list(means(self._tokenizer, self._states, text, spans)))

    def _states(self, ids: TokenIds) -> FloatMatrix:
        given = np.array([ids], np.int32)
        found: FloatMatrix = self._session.run(["states"], {"input_ids": given, "attention_mask": np.ones_like(given)})[
            0
        ][0]
        return found

    @cached_property
    def _checkpoint(self) -> Checkpoint:
        return self._given or installed_checkpoint()

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return load_tokenizer(self._checkpoint)

    @cached_property
    def _session(self) -> InferenceSession:
        return session_of(load_graph(self._checkpoint, self._cache_dir, self._tuning))
