"""Vectors of our own encoder by the SHA-256 of their texts, kept in one file from run to run: no text is in it."""

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ragpp.embedding.port import Embedder, FloatMatrix

AT_ONCE: Final = 64
"""Texts that are embedded together."""


class Vectors:
    """The vectors that `file` has, and of any other text the one that `embedder` makes of it, which is kept.

    `made`: how many texts were not known when they were asked for since the count was last set to 0.
    """

    def __init__(self, file: Path, embedder: Embedder) -> None:
        self._file, self._embedder = file, embedder
        self._known: dict[bytes, np.ndarray] = {}
        self._making = asyncio.Lock()
        self._saved = 0
        self.made = 0
        if file.exists():
            with np.load(file) as stored:
                digests, rows = stored["digests"], stored["rows"]
            self._known = {bytes(digest): row for digest, row in zip(digests, rows, strict=True)}
            self._saved = len(self._known)

    async def of(self, texts: Sequence[str]) -> list[np.ndarray]:
        """One vector for each text, in order: float32, of length 1. Raises EmbeddingError."""
        digests = [_digest(text) for text in texts]
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in self._known}
        if missing:
            async with self._making:
                await self._make({digest: text for digest, text in missing.items() if digest not in self._known})
        return [self._known[digest] for digest in digests]

    async def _make(self, texts: dict[bytes, str]) -> None:
        digests = list(texts)
        for start in range(0, len(digests), AT_ONCE):
            part = digests[start : start + AT_ONCE]
            rows: FloatMatrix = await self._embedder.embed([texts[digest] for digest in part])
            self._known.update(zip(part, rows, strict=True))
        self.made += len(digests)

    def save(self) -> None:
        """Write what was made since the last time."""
        if len(self._known) == self._saved:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        draft = self._file.with_suffix(".new.npz")
        digests = np.frombuffer(b"".join(self._known), np.uint8).reshape(len(self._known), -1)
        np.savez(draft, digests=digests, rows=np.stack(list(self._known.values())))
        draft.replace(self._file)
        self._saved = len(self._known)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
