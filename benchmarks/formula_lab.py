"""The relevance that document 001's formula gives to memories of the ages it keeps: `python -m benchmarks.formula_lab`.

No servers. The memories and messages of both halves of `data/agents`, with the production embedding and the entries as
the catalog makes them. A memory is a week old at most, since document 001 lets it go then (`default_expiration_days`):
the memories of a world are spread evenly over the week before the message, in the order in which they are. All are the
agent's own, of the usual priority, and have the tags that the catalog finds by itself.

Rows: what is put before messages; all that fit, by the labels; for each message the highest of its world, whether it
fits or not; and what the formula would give those that fit if all their tags were the message's. The last column is the
share that is over ASKED.
"""

import asyncio
import statistics
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from rich.table import Table

from benchmarks.agents import Half, halves
from benchmarks.agents_lab import Case, cases_of
from benchmarks.evaluation import wide_console
from ragpp.catalog import PRIORITIES
from ragpp.embedding.factory import make_embedder
from ragpp.entries.describing import keywords_of
from ragpp.entries.fitting import FittingRule
from ragpp.entries.relevance import RelevanceWeights, Scorable, relevance_terms
from ragpp.retention import EntryRetention
from ragpp.settings import EmbeddingSettings

ASKED: Final = 0.7
"""The mean that document 001 asks for."""
KEPT: Final = timedelta(days=EntryRetention().max_age_days)
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
AGENT: Final = "assistant"
Terms = dict[str, float]


def moments(labels: Half) -> dict[str, datetime]:
    """When each memory was kept: those of a world spread evenly over KEPT before NOW, the oldest first."""
    spread: dict[str, datetime] = {}
    for memories in labels.worlds.values():
        ordered = sorted(memories, key=lambda memory: (memory.occurred_at, memory.id))
        spread |= {one.id: NOW - KEPT * (1 - (n + 0.5) / len(ordered)) for n, one in enumerate(ordered)}
    return spread


def terms_of(case: Case, at: dict[str, datetime]) -> dict[str, Terms]:
    """The formula's terms of each memory of the message's world, by its id."""
    asked = keywords_of(case.asked.message)
    told = {}
    for found in case.found:
        entry = found.entry
        scorable = Scorable(
            tags=keywords_of(entry.content or ""),
            occurred_at=at[entry.memory_id],
            priority=PRIORITIES["normal"],
            agent=AGENT,
        )
        told[entry.memory_id] = relevance_terms(
            scorable, now=NOW, message_tags=asked, agent=AGENT, weights=RelevanceWeights()
        )
    return told


def with_all_tags(terms: Terms) -> Terms:
    """The terms of a memory whose tags are all the message's."""
    return terms | {"tags": RelevanceWeights().tags}


def groups(cases: Sequence[Case], at: dict[str, datetime]) -> dict[str, list[Terms]]:
    """The terms of the memories of each row of the table."""
    rows: dict[str, list[Terms]] = {}

    def put(row: str, terms: Iterable[Terms]) -> None:
        rows.setdefault(row, []).extend(terms)

    for case in cases:
        told = terms_of(case, at)
        put("put before messages", (told[one] for one in case.chosen(FittingRule()).ids))
        put("all that fit", (told[one] for one in case.asked.fitting))
        put("the highest for each message", [max(told.values(), key=lambda terms: sum(terms.values()))])
        put("that fit, if all their tags were shared", (with_all_tags(told[one]) for one in case.asked.fitting))
    return rows


def table_of(title: str, rows: dict[str, list[Terms]]) -> Table:
    """Means of each term and of their sum, by row."""
    names = list(RelevanceWeights.__dataclass_fields__)
    table = Table(title, "n", *names, "relevance", f"over {ASKED}")
    for row, told in rows.items():
        sums = [sum(terms.values()) for terms in told]
        means = [statistics.fmean(terms[name] for terms in told) for name in names]
        over = sum(one > ASKED for one in sums) / len(sums)
        cells = [f"{value:.2f}" for value in (*means, statistics.fmean(sums))]
        table.add_row(row, str(len(told)), *cells, f"{over:.0%}")
    return table


async def run() -> None:
    """Print a table for each half."""
    console, embedder = wide_console(), make_embedder(EmbeddingSettings(provider="onnx"))
    try:
        for labels in halves():
            console.print(table_of(labels.name, groups(await cases_of(labels, embedder), moments(labels))))
    finally:
        await embedder.close()


if __name__ == "__main__":
    asyncio.run(run())
