"""The evaluations' common part: conversations go in through the public API, questions are asked of each combination of
tiers, and evidence is scored without a language model."""

import argparse
import asyncio
import statistics
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.stack import running_gateway
from benchmarks.stored_resources import extract_all, of_sessions
from benchmarks.waiting import PATIENCE_S, digested, done
from ragpp.api import ExtractIn, MessageIn, RecallRequest, RecallResponse, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.context.layout import KNOWLEDGE
from ragpp.context.quoting import unmarked
from ragpp.models import TierName

TIERS: tuple[TierName, ...] = ("short_term", "episodic", "semantic", "procedural", "catalog")
ROWS: Mapping[str, tuple[TierName, ...] | None] = {
    "all": None,
    **{f"without {gone}": tuple(tier for tier in TIERS if tier != gone) for gone in TIERS},
    **{f"{only} alone": (only,) for only in TIERS},
}
"""Which tiers a row of results asked; None: every one that is installed."""
OF_CATALOG = ("without catalog", "catalog alone")
"""The rows that tell something only where sessions are resources, too."""

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "eval"
"""The evaluation folder's usual place, beside the project."""
BATCH = 100
BATCH_CHARS = 40_000
LIMIT = 50
WIDTH = 120
EVIDENCE = 3
"""So many of a memory's sources count as its evidence."""


@dataclass(frozen=True)
class Question:
    """A question with the messages that hold its evidence, and, where its answer changed, the message that states the
    old one and those that state the new one."""

    category: str
    text: str
    gold: tuple[str, ...]
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


@dataclass(frozen=True)
class Conversation:
    """One user's messages by session, in order, and what is asked of them. `texts`: of each message by its id. `as_of`:
    the moment at which questions are asked; None for now."""

    id: str
    sessions: Mapping[str, Sequence[MessageIn]]
    texts: Mapping[str, str]
    questions: Sequence[Question]
    as_of: datetime | None = None

    @property
    def messages(self) -> int:
        return len(self.texts)


@dataclass
class Asked:
    """The answers of one row: metrics by category, and how long each took over HTTP."""

    rows: list[tuple[str, dict[str, float]]] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    partial: int = 0

    def means(self, chosen: Callable[[str], bool]) -> dict[str, float]:
        """The number `n` of the questions in the categories that are `chosen`, and the mean of each metric over those
        that have it. Empty where there are none."""
        kept = [metrics for category, metrics in self.rows if chosen(category)]
        names = dict.fromkeys(name for metrics in kept for name in metrics)
        means = {name: statistics.fmean(m[name] for m in kept if name in m) for name in names}
        return {"n": float(len(kept)), **means} if kept else {}


def wide_console() -> Console:
    """One that is wide enough for the tables, also where the output is not a terminal."""
    console = Console()
    return console if console.width >= WIDTH else Console(width=WIDTH)


Groups = Mapping[str, Callable[[str], bool]]
"""Lines of a table: their titles, and the categories that they are about."""


def by_category(conversations: Sequence[Conversation]) -> dict[str, Callable[[str], bool]]:
    """A line for each category."""
    names = dict.fromkeys(question.category for one in conversations for question in one.questions)
    return {name: name.__eq__ for name in names}


async def remember_all(
    client: AsyncMemoryClient, conversations: Sequence[Conversation], prefix: str, console: Console
) -> None:
    """Store every conversation as the user `prefix` + its id, session by session, and wait until the workers have
    digested all, and extracted from the whole of it."""
    started = time.perf_counter()
    await asyncio.gather(*(_remember(client, one, f"{prefix}{one.id}") for one in conversations))
    seconds, waited = time.perf_counter() - started, 0.0
    messages = sum(one.messages for one in conversations)
    for one in conversations:  # an assistant's long answers are read at some two a second
        waited += await digested(client, f"{prefix}{one.id}", timeout_s=PATIENCE_S + messages)
    console.print(
        f"{messages} messages in {seconds:.1f} s: {messages / seconds:.0f} messages/s acknowledged to one writer a "
        f"conversation; digested {waited:.1f} s after the last"
    )
    started = time.perf_counter()
    for one in conversations:
        await _learn(client, one, f"{prefix}{one.id}")
    console.print(f"extracted from the whole of each in {time.perf_counter() - started:.1f} s")


async def curate_all(
    client: AsyncMemoryClient, conversations: Sequence[Conversation], prefix: str, console: Console
) -> None:
    """Store every session as a resource as well, and wait until all are extracted."""
    started, items = time.perf_counter(), 0
    for one in conversations:
        user = f"{prefix}{one.id}"
        items += await extract_all(client, user, of_sessions(user, one.sessions))
    sessions = sum(len(one.sessions) for one in conversations)
    console.print(f"{sessions} sessions are resources: {items} items in {time.perf_counter() - started:.1f} s")


async def _learn(client: AsyncMemoryClient, conversation: Conversation, user: str) -> None:
    moments = [message.occurred_at for part in conversation.sessions.values() for message in part]
    known = [moment for moment in moments if moment is not None]
    window = ExtractIn(start=min(known), end=max(known) + timedelta(days=1))
    job = await client.extract(user, window)
    await done(client, job.id, f"the extraction of {user}")
    await digested(client, user)


async def _remember(client: AsyncMemoryClient, conversation: Conversation, user: str) -> None:
    for session, messages in conversation.sessions.items():
        for part in batches(messages):
            await client.remember(StoreRequest(user_id=user, session_id=session, messages=part))


def batches(messages: Sequence[MessageIn]) -> Iterator[tuple[MessageIn, ...]]:
    """`messages` in order, in pieces of at most BATCH, and of no more than BATCH_CHARS unless one alone is longer."""
    part: list[MessageIn] = []
    for message in messages:
        if part and (len(part) == BATCH or sum(len(m.content) for m in part) + len(message.content) > BATCH_CHARS):
            yield tuple(part)
            part = []
        part.append(message)
    if part:
        yield tuple(part)


async def ask_all(
    client: AsyncMemoryClient, conversations: Sequence[Conversation], prefix: str, row: str, metrics: ModuleType
) -> Asked:
    """Ask every question once, one at a time, of the tiers of `row`."""
    asked, tiers = Asked(), ROWS[row]
    with Progress(transient=True) as progress:
        task = progress.add_task(row, total=len(conversations))
        for conversation in conversations:
            for question in conversation.questions:
                request = RecallRequest(
                    user_id=f"{prefix}{conversation.id}",
                    session_id=list(conversation.sessions)[-1] if tiers == ("short_term",) else None,
                    query=question.text,
                    limit=LIMIT,
                    token_budget=1_000,
                    deadline_ms=5_000,
                    tiers=tiers,
                    as_of=conversation.as_of,
                )
                started = time.perf_counter()
                response = await client.recall(request)
                asked.ms.append((time.perf_counter() - started) * 1_000)
                asked.partial += response.status != "complete"
                asked.rows.append((question.category, score(response, question, conversation, metrics)))
            progress.advance(task)
    return asked


def whole(source: str) -> str:
    """The message that a stored one is, or is a part of: `id#2` is the second part of `id`."""
    return source.partition("#")[0]


def score(
    response: RecallResponse, question: Question, conversation: Conversation, metrics: ModuleType
) -> dict[str, float]:
    """The metrics of one answer. `B1000`: the gold messages whose text stands in the context. `new above old`: for a
    question whose answer changed, whether the first message with the new one ranks above the one with the old.
    `knowledge`: whether the context has items of the catalog."""
    sources = (whole(source) for memory in response.memories for source in memory.sources[:EVIDENCE])
    ranked = list(dict.fromkeys(sources))
    values: dict[str, float] = metrics.evidence_metrics(ranked, question.gold)
    values["hit@10"] = float(any(message in question.gold for message in ranked[:10]))
    gold = {message: conversation.texts[message] for message in question.gold}
    values["B1000"] = metrics.budget_recall(unmarked(response.context), gold)
    values["knowledge"] = float(any(section.title == KNOWLEDGE for section in response.sections))
    if question.old:
        values["new above old"] = float(_first(ranked, question.new) < _first(ranked, question.old))
    return values


def _first(ranked: Sequence[str], wanted: Sequence[str]) -> float:
    return min((place for place, message in enumerate(ranked) if message in wanted), default=float("inf"))


def table_of(row: str, asked: Asked, groups: Groups, columns: Sequence[str]) -> tuple[Table, dict[str, object]]:
    """One line a group, in per cent but for n; and the same as numbers."""
    cuts = statistics.quantiles(asked.ms, n=20)
    title = f"tiers: {row} — recall over HTTP p50 {statistics.median(asked.ms):.1f} ms, p95 {cuts[18]:.1f} ms"
    if asked.partial:
        title += f" — {asked.partial} answers partial"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    means = {name: asked.means(chosen) for name, chosen in groups.items()}
    for name, values in means.items():
        cells = ("" if c not in values else f"{values[c]:.0f}" if c == "n" else f"{values[c]:.1%}" for c in columns)
        table.add_row(name, *(cell.removesuffix("%") for cell in cells))
    return table, dict(means)


def compared(title: str, results: Mapping[str, Asked], groups: Groups, cells: Sequence[tuple[str, str]]) -> Table:
    """One line a row of tiers; `cells`: (group, metric) of each column, in per cent."""
    table = Table(title=title, title_justify="left")
    table.add_column("tiers")
    for group, metric in cells:
        table.add_column(f"{group} {metric}", justify="right")
    for row, asked in results.items():
        means = {group: asked.means(groups[group]) for group, _ in cells}
        table.add_row(row, *(f"{100 * means[g][m]:.1f}" if m in means[g] else "" for g, m in cells))
    return table


async def evaluate(
    title: str,
    conversations: Sequence[Conversation],
    rows: Sequence[str],
    groups: Groups,
    columns: Sequence[str],
    cells: Sequence[tuple[str, str]],
    metrics: ModuleType,
    *,
    catalog: bool = False,
) -> dict[str, object]:
    """Ingest, wait, ask; prints a table a row, with `columns`, and one that compares them by `cells`; the means.
    `catalog`: every session is a resource as well."""
    console, prefix = wide_console(), f"eval-{uuid.uuid4().hex[:8]}-"
    results: dict[str, Asked] = {}
    numbers: dict[str, object] = {}
    async with running_gateway(timeout_s=300) as client:
        await remember_all(client, conversations, prefix, console)
        if catalog:
            await curate_all(client, conversations, prefix, console)
        for row in rows:
            results[row] = await ask_all(client, conversations, prefix, row, metrics)
            table, numbers[row] = table_of(row, results[row], groups, columns)
            console.print(table)
    console.print(compared(f"{title}, tiers compared", results, groups, cells))
    return numbers


def arguments_of(doc: str | None) -> argparse.ArgumentParser:
    """The options that all evaluations have."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the evaluation data")
    usual = [row for row in ROWS if row not in OF_CATALOG]
    parser.add_argument("--rows", nargs="+", choices=list(ROWS), default=usual, help="which tiers to ask")
    parser.add_argument("--json", type=Path, help="write the means here, too")
    return parser


def needs(folder: Path, file: str) -> None:
    """End the program where the data are not."""
    if not (folder / file).exists():
        raise SystemExit(f"no {file} in {folder}; name its folder with --data")
