"""How fast messages are read: `python -m benchmarks.extraction`. Target: 1,000 short messages a second on one core."""

import json
import statistics
import time
from datetime import datetime
from importlib.resources import files

from ragpp.extraction.pipeline import installed_pipeline
from ragpp.extraction.query import query_entities
from ragpp.extraction.spacy_extractor import SpacyExtractor

ROUNDS = 5
QUERIES = 2_000


def main() -> None:
    """Print messages a second over the sample conversation, and the time of a query: CPU time of one core."""
    text = (files("ragpp_infra") / "samples" / "conversation.jsonl").read_text(encoding="utf-8")
    messages = [json.loads(line) for line in text.splitlines()]
    begin = time.perf_counter()
    pipeline = installed_pipeline()
    extractor = SpacyExtractor(pipeline)
    extractor.warm()
    print(f"pipeline {'+'.join(pipeline.pipe_names)} loaded in {time.perf_counter() - begin:.2f} s")
    seconds: list[float] = []
    for _ in range(ROUNDS):
        for message in messages:
            said_at = datetime.fromisoformat(message["occurred_at"])
            begin = time.thread_time()
            extractor.extract(message["content"], speaker=message["name"], said_at=said_at)
            seconds.append(time.thread_time() - begin)
    print(f"{len(seconds) / sum(seconds):,.0f} messages/s, p50 {1e3 * statistics.median(seconds):.2f} ms, ", end="")
    print(f"p99 {1e3 * statistics.quantiles(seconds, n=100)[98]:.2f} ms")
    begin = time.thread_time()
    for _ in range(QUERIES):
        query_entities("When did Noor's mum visit the Royal Clyde Hospital in Glasgow?")
    print(f"query entities {1e6 * (time.thread_time() - begin) / QUERIES:.0f} µs")


if __name__ == "__main__":
    main()
