"""How fast the default embedder is: `python -m benchmarks.embedding [CACHE_DIR]`.

Prints ms of a single short query (p50, p95), messages a second for a batch of 500, the wait of a query behind such a
batch, tokens a second for each size of slice, and the time and resident memory of a warm start. One thread
unless it says two; the texts are made up and the same every time.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import psutil

from ragpp.embedding.onnx import OnnxEmbedder
from ragpp.text.tokens import TokenCounter

VOCABULARY = """
the of a and to in we you I she he it was is that for on with my your at by not but had have are
coffee garden train meeting sister weekend project doctor recipe holiday birthday window guitar market river
bought moved called painted finished forgot promised visited cooked started remembered planned
yesterday tomorrow Monday October Lisbon Amara Viktor blue quiet early broken expensive wonderful
"""
QUERY = "When did Amara visit the market by the river?"
MESSAGES = 500
QUERIES = 300


def messages(count: int, *, seed: int = 1) -> list[str]:
    """Short chat messages: 3 to 20 words, some 15 tokens on average with the two that frame a text."""
    chance, words = random.Random(seed), VOCABULARY.split()
    return [" ".join(chance.choices(words, k=chance.randint(3, 20))) + "." for _ in range(count)]


def report(name: str, value: str) -> None:
    print(f"{name:<46}{value}")


def percentiles(durations_s: Sequence[float]) -> str:
    p50, p95 = np.percentile(np.array(durations_s) * 1_000, [50, 95])
    return f"p50 {p50:6.2f} ms   p95 {p95:6.2f} ms"


async def queries(embedder: OnnxEmbedder, count: int) -> list[float]:
    durations_s = []
    for number in range(count):
        started = time.perf_counter()
        await embedder.embed([f"{QUERY} {number}"])
        durations_s.append(time.perf_counter() - started)
    return durations_s


async def batch_rate(embedder: OnnxEmbedder, texts: Sequence[str]) -> float:
    """Messages a second, the best of three."""
    rates = []
    for _ in range(3):
        started = time.perf_counter()
        await embedder.embed(texts)
        rates.append(len(texts) / (time.perf_counter() - started))
    return max(rates)


async def queries_behind_a_batch(embedder: OnnxEmbedder, texts: Sequence[str]) -> list[float]:
    durations_s: list[float] = []
    batch = asyncio.ensure_future(embedder.embed(texts))
    while not batch.done():
        durations_s += await queries(embedder, 1)
    await batch
    return durations_s


async def start(cache_dir: Path) -> None:
    """Load the model once and leave."""
    embedder = OnnxEmbedder(cache_dir)
    await embedder.warm()
    await embedder.close()


def first_start_s(cache_dir: Path) -> float:
    """The time of a start in a process of its own, so that assembling leaves no memory behind in this one."""
    child = multiprocessing.get_context("spawn").Process(target=_start_in_child, args=(cache_dir,))
    started = time.perf_counter()
    child.start()
    child.join()
    return time.perf_counter() - started


def _start_in_child(cache_dir: Path) -> None:
    asyncio.run(start(cache_dir))


async def run(cache_dir: Path) -> None:
    report("first start, process included", f"{first_start_s(cache_dir):6.2f} s")
    process = psutil.Process()
    before = process.memory_info().rss
    embedder = OnnxEmbedder(cache_dir)
    started = time.perf_counter()
    await embedder.warm()
    report("warm start, graph cached", f"{time.perf_counter() - started:6.2f} s")
    await queries(embedder, 20)

    texts = messages(MESSAGES)
    tokens = sum(TokenCounter().count_many(texts)) + 2 * len(texts)
    report("single query", percentiles(await queries(embedder, QUERIES)))
    name = f"batch of {MESSAGES} messages, {tokens / len(texts):.1f} tokens each"
    report(name, f"{await batch_rate(embedder, texts):6.0f} /s")
    report("single query while a batch runs", percentiles(await queries_behind_a_batch(embedder, texts)))
    report("resident memory of process", f"{process.memory_info().rss / 1e6:6.0f} MB ({before / 1e6:.0f} before)")
    await embedder.close()
    both = OnnxEmbedder(cache_dir, threads=2)
    await both.warm()
    report("the same batch with two threads", f"{await batch_rate(both, texts):6.0f} /s")
    report("single query while it runs", percentiles(await queries_behind_a_batch(both, texts)))
    await both.close()
    for size in (32, 64, 128, 256, 512):
        sliced = OnnxEmbedder(cache_dir, slice_tokens=size)
        await sliced.warm()
        rate = await batch_rate(sliced, texts) * tokens / len(texts)
        report(f"slices of {size} tokens", f"{rate:6.0f} tokens/s")
        await sliced.close()


def main() -> None:
    if len(sys.argv) > 1:
        asyncio.run(run(Path(sys.argv[1])))
        return
    with TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


if __name__ == "__main__":
    main()
