"""Evidence recall on LoCoMo, through the public API of a running stack.

    python benchmarks/eval_locomo.py                 # starts the embedded stack, or attaches to it
    python benchmarks/eval_locomo.py --rows all      # one row only

Each conversation is ingested as one user, in sessions, by POST /v1/interactions; every question is asked with POST
/v1/recall once the workers have digested the conversation. A memory counts as the turns it rests on, three at most.
B1000 counts the gold turns whose text stands in the context that the gateway assembled in 1,000 tokens.
"""

import argparse
import asyncio
import json
import statistics
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks import locomo
from benchmarks.stack import running_gateway
from ragpp.api import RecallRequest, RecallResponse, StoreRequest
from ragpp.client import MemoryClient
from ragpp.models import TierName

ROWS: Mapping[str, tuple[TierName, ...] | None] = {
    "all": None,
    "episodic": ("episodic",),
    "semantic": ("semantic",),
    "procedural": ("procedural",),
    "short_term": ("short_term",),
}
COLUMNS = ("n", "R@1", "R@10", "R@50", "hit@10", "all@10", "nDCG@10", "MRR", "B1000")
BATCH = 100
LIMIT = 50


@dataclass
class Asked:
    """The answers of one row: metrics by question, and how long each took over HTTP."""

    rows: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    partial: int = 0


async def ingest(client: MemoryClient, conversation: locomo.Conversation, user: str) -> None:
    """Store the conversation, session by session."""
    for session, messages in conversation.sessions.items():
        for start in range(0, len(messages), BATCH):
            part = tuple(messages[start : start + BATCH])
            await client.remember(StoreRequest(user_id=user, session_id=session, messages=part))


async def digested(client: MemoryClient, user: str, *, timeout_s: float = 300) -> float:
    """Wait until the workers have nothing left of `user`; returns the seconds waited."""
    started = time.perf_counter()
    while await client.pending(user):
        if time.perf_counter() - started > timeout_s:
            raise TimeoutError(f"{user} is not digested after {timeout_s:.0f} s")
        await asyncio.sleep(0.1)
    return time.perf_counter() - started


async def ask(
    client: MemoryClient,
    conversation: locomo.Conversation,
    user: str,
    tiers: tuple[TierName, ...] | None,
    metrics: ModuleType,
    asked: Asked,
) -> None:
    """Ask every question once, one at a time."""
    for question in conversation.questions:
        request = RecallRequest(
            user_id=user,
            session_id=list(conversation.sessions)[-1] if tiers == ("short_term",) else None,
            query=question.text,
            limit=LIMIT,
            token_budget=1_000,
            deadline_ms=5_000,
            tiers=tiers,
        )
        started = time.perf_counter()
        response = await client.recall(request)
        asked.ms.append((time.perf_counter() - started) * 1_000)
        asked.partial += response.status != "complete"
        asked.rows.append((question.category, score(response, question, conversation, metrics)))


def score(
    response: RecallResponse, question: locomo.Question, conversation: locomo.Conversation, metrics: ModuleType
) -> dict[str, float]:
    """The metrics of one answer."""
    ranked = list(dict.fromkeys(source for memory in response.memories for source in memory.sources[:3]))
    values: dict[str, float] = metrics.evidence_metrics(ranked, question.gold)
    values["hit@10"] = float(any(turn in question.gold for turn in ranked[:10]))
    gold_lines = {turn: conversation.texts[turn] for turn in question.gold}
    values["B1000"] = metrics.budget_recall(response.context, gold_lines)
    return values


def table_of(name: str, means: Mapping[str, Mapping[str, float]], asked: Asked) -> Table:
    """One row a category, in per cent but for n."""
    cuts = statistics.quantiles(asked.ms, n=20)
    title = f"tiers: {name} — recall over HTTP p50 {statistics.median(asked.ms):.1f} ms, p95 {cuts[18]:.1f} ms"
    if asked.partial:
        title += f" — {asked.partial} answers partial"
    table = Table(title=title, title_justify="left")
    table.add_column("category")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for category, values in means.items():
        cells = [f"{values[c]:.0f}" if c == "n" else f"{values[c] * 100:.1f}" for c in COLUMNS]
        table.add_row(category, *cells)
    return table


async def run(folder: Path, rows: Sequence[str], console: Console) -> dict[str, Mapping[str, Mapping[str, float]]]:
    """Ingest, wait, ask; prints a table a row and returns the means."""
    metrics = locomo.metrics(folder)
    conversations = locomo.load(folder)
    run_id = uuid.uuid4().hex[:8]
    results: dict[str, Mapping[str, Mapping[str, float]]] = {}
    async with running_gateway() as client:
        started = time.perf_counter()
        await asyncio.gather(*(ingest(client, one, f"eval-{run_id}-{one.id}") for one in conversations))
        seconds = time.perf_counter() - started
        waited = 0.0
        for conversation in conversations:
            waited += await digested(client, f"eval-{run_id}-{conversation.id}")
        messages = sum(conversation.messages for conversation in conversations)
        console.print(
            f"{messages} messages in {seconds:.1f} s: {messages / seconds:.0f} messages/s acknowledged to one writer a "
            f"conversation; digested {waited:.1f} s after the last"
        )
        for name in rows:
            asked = Asked()
            with Progress(console=console, transient=True) as progress:
                task = progress.add_task(name, total=len(conversations))
                for conversation in conversations:
                    user = f"eval-{run_id}-{conversation.id}"
                    await ask(client, conversation, user, ROWS[name], metrics, asked)
                    progress.advance(task)
            results[name] = metrics.means(asked.rows)
            console.print(table_of(name, results[name], asked))
    return results


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=locomo.DATA, help="folder with locomo-dev.json and metrics.py")
    parser.add_argument("--rows", nargs="+", choices=list(ROWS), default=list(ROWS), help="which tiers to ask")
    parser.add_argument("--json", type=Path, help="write the means here, too")
    arguments = parser.parse_args()
    if not (arguments.data / "locomo-dev.json").exists():
        raise SystemExit(f"no locomo-dev.json in {arguments.data}; name its folder with --data")
    console = Console()
    results = asyncio.run(run(arguments.data, arguments.rows, console))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
