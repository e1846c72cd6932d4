"""`eval_relevance` without servers: `python -m benchmarks.relevance_lab`, minutes instead of the whole stack.

The questions of `benchmarks.relevance_data` are put to the production chunking, embedding and ranking of the episodic
tier, played with numpy (`benchmarks.ranking_lab`, without the vectors of sentences), and what ranks first is judged as
a recall does. The other tiers have no part in it; they can only raise a level. The blind questions are not among these.
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from benchmarks import ranking_lab
from benchmarks.eval_relevance import SETS, Judged, figures, figures_table, levels_table
from benchmarks.evaluation import DATA, Conversation, needs, wide_console
from benchmarks.ranking_data import Conversation as Indexable
from benchmarks.ranking_data import Question
from benchmarks.relevance_data import Case, Memories
from ragpp.api import Relevance
from ragpp.embedding.onnx import OnnxEmbedder
from ragpp.embedding.second import E5Encoder
from ragpp.models import Interaction, Memory
from ragpp.retrieval.calibration import Calibration
from ragpp.text.lexical import query_terms
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.second_encoder import fetch_second
from ragpp_services.episodic.ranking import CandidateTable, QuerySignals, rank
from ragpp_services.gateway.assembly import answerability

BLIND: Final = "blind"
FOUND: Final = 50
"""So many as a recall has of the tier."""


def indexable(one: Conversation, cases: Sequence[Case]) -> Indexable:
    """A conversation as the lab has it, with the questions that its user is asked."""
    said = (
        Interaction(session_id=session, **message.model_dump(include={"id", "role", "name", "content", "occurred_at"}))
        for session, messages in one.sessions.items()
        for message in messages
    )
    return Indexable(one.id, tuple(said), tuple(Question(case.query, case.asks, ()) for case in cases))


def level(table: CandidateTable, query: str, scale: Calibration | None) -> Relevance | None:
    """The relevance that a recall of this tier alone states of what it ranks first."""
    found = [
        Memory(
            id=str(one.row),
            tier="episodic",
            kind="interaction",
            text="",
            score=one.score,
            similarity=one.similarity,
            second_similarity=one.second,
            coverage=one.coverage,
        )
        for one in rank(table, QuerySignals(query), limit=FOUND)
    ]
    return answerability.relevance_of(query, {"episodic": found}, scale, whole=True)


async def judge(memories: Memories, cache: Path) -> Judged:
    """Every question with its level."""
    embedder, second, counter = OnnxEmbedder(cache), E5Encoder(fetch_second()), TokenCounter()
    scale = Calibration.of_model(embedder.model)
    try:
        judged = []
        for one in memories.conversations:
            cases = [case for case in memories.cases if case.user == one.id and query_terms(case.query)]
            said = indexable(one, cases)
            indexed = await ranking_lab.index(said, embedder, counter, cache, sentences=False, second=second)
            judged += [
                (case, level(ranking_lab.scan(indexed, number), case.query, scale)) for number, case in enumerate(cases)
            ]
        return judged
    finally:
        await embedder.close()
        await second.close()


def run(folder: Path, sets: Sequence[str], cache: Path, console: Console) -> None:
    """Judge and print."""
    rows: dict[tuple[str, str], dict[str, float | None]] = {}
    for name in sets:
        judged = asyncio.run(judge(SETS[name](folder, None), cache))
        for of_set in dict.fromkeys(case.set for case, _ in judged):
            of_it = [one for one in judged if one[0].set == of_set]
            console.print(levels_table(of_set, of_it))
            for part in dict.fromkeys(case.part for case, _ in of_it):
                rows[of_set, part] = figures([one for one in of_it if one[0].part == part])
    console.print(figures_table(rows))


def main() -> None:
    """Parse the command line and run."""
    sets = [name for name in SETS if name != BLIND]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the evaluation data")
    parser.add_argument("--sets", nargs="+", choices=sets, default=sets, help="what to ask")
    parser.add_argument("--cache", type=Path, default=ranking_lab.CACHE, help="where embeddings are kept")
    arguments = parser.parse_args()
    needs(arguments.data, "locomo-dev.json")
    arguments.cache.mkdir(parents=True, exist_ok=True)
    run(arguments.data, arguments.sets, arguments.cache, wide_console())


if __name__ == "__main__":
    main()
