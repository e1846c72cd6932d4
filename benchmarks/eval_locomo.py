"""Evidence recall on LoCoMo, through the public API of a running stack.

    python -m benchmarks.eval_locomo                 # starts the embedded stack, or attaches to it
    python -m benchmarks.eval_locomo --rows all      # one row only
    python -m benchmarks.eval_locomo --with-assistant   # the second speaker of each is labelled an assistant
    python -m benchmarks.eval_locomo --catalog --rows all "without catalog"     # sessions are resources, too

Each conversation is ingested as one user, in sessions, by POST /v1/interactions; every question is asked with POST
/v1/recall once the workers have digested the conversation: of all tiers, of all but one, and of each alone. A memory
counts as the turns it rests on, three at most. B1000 counts the gold turns whose text stands in the context that the
gateway assembled in 1,000 tokens. With `--catalog` every session is stored as a resource as well, which rests on its
messages, and extracted; `knowledge` counts the contexts that have items of the catalog.
"""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks import locomo
from benchmarks.evaluation import arguments_of, by_category, evaluate, needs

COLUMNS = ("n", "R@1", "R@10", "R@50", "hit@10", "all@10", "nDCG@10", "MRR", "B1000")
KNOWN = "knowledge"
COMPARED = (
    ("cat1-4", "R@1"),
    ("cat1-4", "R@10"),
    ("cat1-4", "nDCG@10"),
    ("cat1-4", "B1000"),
    ("multi-hop", "R@10"),
    ("multi-hop", "all@10"),
    ("multi-hop", "B1000"),
)


async def run(folder: Path, rows: Sequence[str], *, with_assistant: bool, catalog: bool) -> dict[str, object]:
    """Ingest, wait, ask, print; returns the means."""
    metrics = locomo.metrics(folder)
    conversations = locomo.load(folder, with_assistant=with_assistant)
    groups = by_category(conversations)
    groups = {name: groups[name] for name in metrics.CATEGORIES.values() if name in groups}
    groups |= {"cat1-4": lambda category: category != "adversarial", "all": lambda _: True}
    title = "LoCoMo, one labelled an assistant" if with_assistant else "LoCoMo"
    columns, cells = list(COLUMNS), list(COMPARED)
    if catalog:
        title = f"{title}, with a catalog"
        columns.append(KNOWN)
        cells.append(("cat1-4", KNOWN))
    return await evaluate(title, conversations, rows, groups, columns, cells, metrics, catalog=catalog)


def main() -> None:
    """Parse the command line and run."""
    parser = arguments_of(__doc__)
    parser.add_argument("--with-assistant", action="store_true", help="label the second speaker an assistant")
    parser.add_argument("--catalog", action="store_true", help="sessions are resources of the catalog, too")
    arguments = parser.parse_args()
    needs(arguments.data, "locomo-dev.json")
    given = {"with_assistant": arguments.with_assistant, "catalog": arguments.catalog}
    results = asyncio.run(run(arguments.data, arguments.rows, **given))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
