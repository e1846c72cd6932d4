"""Messages found in other scripts, without servers: `python -m benchmarks.scripts_lab`.

For each language of tests/data/scripts the share of its questions whose message is first, and among the first three:
by words alone, by meaning alone, and by both, as the episodic tier ranks. What meaning alone finds is what the
embedder can do in the language. `--misses` lists what was not first by both or by words.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.ranking_data import Conversation, Question
from benchmarks.ranking_lab import CACHE, Indexed, index, scan
from ragpp.embedding.onnx import OnnxEmbedder
from ragpp.ranking.arrays import BoolArray
from ragpp.text.tokens import TokenCounter
from ragpp_services.episodic.ranking import CandidateTable, QuerySignals, rank
from tests.support.scripts import Language, languages

MODES: Final = ("words", "meaning", "both")
KS: Final = (1, 3)


def conversation_of(language: Language, *, second: bool) -> Conversation:
    """A language's messages as one session, with its questions, or its `second`."""
    questions = language.second if second else language.questions
    asked = tuple(Question(one.text, language.name, (one.expected,)) for one in questions)
    return Conversation(language.name, language.interactions, asked)


def of_mode(table: CandidateTable, mode: str) -> CandidateTable:
    """The part of `table` that a question by words or by meaning alone has."""
    if mode == "words":
        held = table.terms > 0 if table.asked is None else (table.terms > 0) | (table.asked > 0)
        eligible: BoolArray = np.asarray(held.any(axis=1))
        return replace(table, cosines=np.full(len(table), np.nan), sentences=None, eligible=eligible)
    if mode == "meaning":
        none = np.zeros((len(table), 0))
        return replace(table, terms=none, asked=none)
    return table


def places(indexed: Indexed, mode: str) -> list[int]:
    """The place of each question's message among what was found, from 1; 0 where it is not there."""
    ids = [turn.id for turn in indexed.conversation.interactions]
    found = []
    for number, question in enumerate(indexed.conversation.questions):
        table = of_mode(scan(indexed, number), mode)
        ranked = [ids[table.ordinals[one.row]] for one in rank(table, QuerySignals(question.text))]
        found.append(ranked.index(question.gold[0]) + 1 if question.gold[0] in ranked else 0)
    return found


async def read(conversations: Sequence[Conversation], cache: Path) -> list[Indexed]:
    embedder, counter = OnnxEmbedder(cache), TokenCounter()
    try:
        return [await index(one, embedder, counter, cache) for one in conversations]
    finally:
        await embedder.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--misses", action="store_true", help="the questions whose message is not first, by its place")
    parser.add_argument("--second", action="store_true", help="the questions that nothing was tuned on")
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    conversations = [conversation_of(one, second=arguments.second) for one in languages()]
    print(f"{'hit@1 hit@3 of':14s}{'n':>4s}" + "".join(f"{mode:>14s}" for mode in MODES))
    for indexed in asyncio.run(read(conversations, arguments.cache)):
        by_mode = {mode: places(indexed, mode) for mode in MODES}
        asked = indexed.conversation.questions
        cells = ("".join(f"{sum(0 < place <= k for place in by_mode[mode]):7d}" for k in KS) for mode in MODES)
        print(f"{indexed.conversation.name:14s}{len(asked):4d}" + "".join(cells))
        if arguments.misses:
            for question, *at in zip(asked, *by_mode.values(), strict=True):
                if at[0] != 1 or at[2] != 1:
                    print("   ", question.text, dict(zip(MODES, at, strict=True)))


if __name__ == "__main__":
    main()
