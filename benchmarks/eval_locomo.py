"""Evidence recall on LoCoMo, through the public API of a running stack.

    python benchmarks/eval_locomo.py                 # starts the embedded stack, or attaches to it
    python benchmarks/eval_locomo.py --rows all      # one row only
    python benchmarks/eval_locomo.py --with-assistant   # the second speaker of each is labelled an assistant

Each conversation is ingested as one user, in sessions, by POST /v1/interactions; every question is asked with POST
/v1/recall once the workers have digested the conversation: of all tiers, of all but one, and of each alone. A memory
counts as the turns it rests on, three at most. B1000 counts the gold turns whose text stands in the context that the
gateway assembled in 1,000 tokens.
"""

import argparse
import asyncio
import json
import uuid
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmarks import locomo
from benchmarks.evaluation import ROWS, Asked, ask_all, by_category, compared, remember_all, table_of, wide_console
from benchmarks.stack import running_gateway

COLUMNS = ("n", "R@1", "R@10", "R@50", "hit@10", "all@10", "nDCG@10", "MRR", "B1000")
COMPARED = (
    ("cat1-4", "R@1"),
    ("cat1-4", "R@10"),
    ("cat1-4", "nDCG@10"),
    ("cat1-4", "B1000"),
    ("multi-hop", "R@10"),
    ("multi-hop", "all@10"),
    ("multi-hop", "B1000"),
)


async def run(folder: Path, rows: Sequence[str], console: Console, *, with_assistant: bool) -> dict[str, object]:
    """Ingest, wait, ask; prints a table a row, and one that compares them; returns the means."""
    metrics = locomo.metrics(folder)
    conversations = locomo.load(folder, with_assistant=with_assistant)
    groups = by_category(conversations)
    groups = {name: groups[name] for name in metrics.CATEGORIES.values() if name in groups}
    groups |= {"cat1-4": lambda category: category != "adversarial", "all": lambda _: True}
    prefix = f"eval-{uuid.uuid4().hex[:8]}-"
    results: dict[str, Asked] = {}
    numbers: dict[str, object] = {}
    async with running_gateway(timeout_s=300) as client:
        await remember_all(client, conversations, prefix, console)
        for row in rows:
            results[row] = await ask_all(client, conversations, prefix, row, metrics)
            table, numbers[row] = table_of(row, results[row], groups, COLUMNS)
            console.print(table)
    label = "LoCoMo, one labelled an assistant" if with_assistant else "LoCoMo"
    console.print(compared(f"{label}, tiers compared", results, groups, COMPARED))
    return numbers


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=locomo.DATA, help="folder with locomo-dev.json and metrics.py")
    parser.add_argument("--rows", nargs="+", choices=list(ROWS), default=list(ROWS), help="which tiers to ask")
    parser.add_argument("--json", type=Path, help="write the means here, too")
    parser.add_argument("--with-assistant", action="store_true", help="label the second speaker an assistant")
    arguments = parser.parse_args()
    if not (arguments.data / "locomo-dev.json").exists():
        raise SystemExit(f"no locomo-dev.json in {arguments.data}; name its folder with --data")
    results = asyncio.run(run(arguments.data, arguments.rows, wide_console(), with_assistant=arguments.with_assistant))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
