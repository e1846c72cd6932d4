"""One embedder in a process of its own: the vectors of texts, how fast they are made, and the memory that takes.

    EMBEDDING_PROVIDER=onnx python -m benchmarks.embedder_alone TEXTS.json VECTORS.npy

The embedder is the one that the environment's settings name. TEXTS.json is a list of texts. The vectors are made one
text at a time, as those of questions are; then all at once, as those of messages are. Prints `Measured` as JSON.
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Final

import numpy as np
import psutil
from pydantic import BaseModel

from benchmarks.proof import quantile
from ragpp.embedding.factory import make_embedder
from ragpp.settings import EmbeddingSettings

QUESTION_CHARS: Final = 120
"""Longest text that is timed as a question."""


class Measured(BaseModel):
    """`load_s`: until the first text is embedded. `p50_ms`, `p95_ms`: of one short text. `texts_per_s`: of all texts at
    once. `apart`: the longest distance between the vector that a text has alone and the one it has among others."""

    model: str
    load_s: float
    p50_ms: float
    p95_ms: float
    texts_per_s: float
    resident_mb: float
    apart: float


async def measure(texts: list[str], output: Path) -> Measured:
    """Embed `texts`, write the vectors that each has alone, and tell what that takes."""
    began = time.perf_counter()
    embedder = make_embedder(EmbeddingSettings())
    await embedder.warm()
    load_s = time.perf_counter() - began
    rows, taken = [], []
    for text in texts:
        began = time.perf_counter()
        rows.append((await embedder.embed([text]))[0])
        if len(text) <= QUESTION_CHARS:
            taken.append((time.perf_counter() - began) * 1_000)
    alone = np.stack(rows)
    began = time.perf_counter()
    together = await embedder.embed(texts)
    seconds = time.perf_counter() - began
    await embedder.close()
    np.save(output, alone)
    return Measured(
        model=embedder.model,
        load_s=load_s,
        p50_ms=quantile(taken, 0.5),
        p95_ms=quantile(taken, 0.95),
        texts_per_s=len(texts) / seconds,
        resident_mb=psutil.Process().memory_info().rss / 1e6,
        apart=float(np.linalg.norm(alone - together, axis=1).max()),
    )


def main() -> None:
    """Read, measure, print."""
    texts = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(asyncio.run(measure(texts, Path(sys.argv[2]))).model_dump_json())


if __name__ == "__main__":
    main()
