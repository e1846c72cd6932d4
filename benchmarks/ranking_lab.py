"""Ranking without servers: the production chunking, embedding, word weights and ranking on the evaluation data.

    python -m benchmarks.ranking_lab [--ablate] [--folds] [--cache DIR]

reads the folder RAGPP_EVAL_DIR, or ../shared/eval beside the project; prints one row of evidence metrics (%) for each
data set, by category, and with --ablate one row for each signal left out. The scan of the database is played by numpy:
for every chunk its cosine and its weight of each term of the question. "new>old": of the questions whose answer
changed, how many have the newer message above the one it replaces.

With --save FILE the scores of each question are kept, and with --against FILE they are compared with those that were
kept there: the difference, and its interval by a paired bootstrap.

With --folds each constant is chosen among SETTINGS on all folds but one and judged on that one: a fold is a labelled
chat, a life, a LoCoMo conversation with both labellings and its hints, a BEAM chat, or a fifth of the preferences.
Which signals there are was decided by people who saw all of them.
"""

import argparse
import asyncio
import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.compared import Scores, comparison, load, save
from benchmarks.evaluation import DATA
from benchmarks.ranking_data import (
    Conversation,
    Question,
    labelled,
    load_beam,
    load_chats,
    load_hints,
    load_lives,
    load_locomo,
    load_metrics,
    load_preferences,
)
from ragpp.embedding import FloatMatrix
from ragpp.embedding.asking import load_asking
from ragpp.embedding.onnx import OnnxEmbedder
from ragpp.embedding.second import E5Encoder
from ragpp.ranking.arrays import FloatArray
from ragpp.text.chunking import chunk
from ragpp.text.lexical import index_line, lexical_line, query_terms
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.second_encoder import fetch_second
from ragpp_services.episodic.ranking import DEFAULT, CandidateTable, QuerySignals, Ranked, Weights, information, rank
from ragpp_services.episodic.ranking.second import on_first_scale
from ragpp_services.episodic.ranking.spread import asks_for_several, spread
from ragpp_services.episodic.ranking.superseding import Statement, current_first
from ragpp_services.episodic.reading.traits import ASKED, read_chunk, traits
from ragpp_services.episodic.sentences import Participant, lines, others_of

EVAL_DIR: Final = Path(os.environ.get("RAGPP_EVAL_DIR", DATA))
CACHE: Final = Path.home() / ".cache" / "ragpp" / "ranking-lab"
COLUMNS: Final = ("hit@3", "R@1", "R@10", "R@50", "hit@10", "all@10", "nDCG@10", "MRR", "B1000", "new>old")
FOUND: Final = 50
"""The least that a recall asks the tier for; the current is looked for among these."""
ABLATIONS: Final[Mapping[str, Weights]] = {
    "no words": replace(DEFAULT, words=0.0),
    "no lending of words": replace(DEFAULT, lending={}, session_lending=0.0),
    "lending without the session": replace(DEFAULT, session_lending=0.0),
    "no lifting of meaning": replace(DEFAULT, meaning_before=0.0, meaning_after=0.0),
    "no neighbours at all": replace(DEFAULT, lending={}, session_lending=0.0, meaning_before=0.0, meaning_after=0.0),
    "no speaker": replace(DEFAULT, speaker=0.0),
    "no session": replace(DEFAULT, session=0.0),
    "no trust": replace(DEFAULT, trusted=(0.0, 0.0)),
    "no bound to borrowing": replace(DEFAULT, borrowing=0.0),
    "no kind of answer": replace(DEFAULT, kind=0.0),
    "no subject": replace(DEFAULT, of_others=1.0),
    "no sentences": replace(DEFAULT, sentence=0.0),
    "no second encoder": replace(DEFAULT, second_share=0.0, second=0.0, second_named=0.0),
    "second encoder by words alone": replace(DEFAULT, second_finds=(2.0, 3.0)),
    "no asks": replace(DEFAULT, asks=0.0, only_asks=0.0, repeats=0.0),
    "no empty": replace(DEFAULT, empty=0.0),
    "no assistant": replace(DEFAULT, assistant=0.0),
}

SETTINGS: Final[Mapping[str, Weights]] = {
    "as it is": DEFAULT,
    **{f"words {value}": replace(DEFAULT, words=value) for value in (1.25, 1.5, 2.0)},
    **{f"trusted {low} {high}": replace(DEFAULT, trusted=(low, high)) for low, high in ((0.06, 0.16), (0.12, 0.25))},
    **{f"borrowing {value}": replace(DEFAULT, borrowing=value) for value in (0.0, 0.15, 0.35)},
    **{f"kind {value}": replace(DEFAULT, kind=value) for value in (0.0, 0.1, 0.2)},
    **{f"assistant {value}": replace(DEFAULT, assistant=value) for value in (0.0, 0.35, 0.65)},
    **{f"only asks {value}": replace(DEFAULT, only_asks=value) for value in (0.0, 0.4)},
    **{f"speaker {value}": replace(DEFAULT, speaker=value) for value in (0.1, 0.3)},
    **{f"session {value}": replace(DEFAULT, session=value) for value in (0.15, 0.35)},
    **{f"second finds {low}": replace(DEFAULT, second_finds=(low, low + 0.08)) for low in (0.24, 0.32, 2.0)},
}
"""The choices of --folds: each constant of the ranking by itself."""


@dataclass(frozen=True)
class Indexed:
    """A conversation as the database would hold it: one row of `embeddings`, `weights` and `traits` for each chunk,
    `owner` says of which interaction; one of `sentences` for each sentence, `chunk_of` says of which chunk; `tokens` of
    each interaction's line in a context; `asked`: the questions' vectors; `second`: those of chunks and of questions by
    the second encoder.
    """

    conversation: Conversation
    texts: tuple[str, ...]
    embeddings: FloatMatrix
    weights: tuple[Mapping[int, float], ...]
    traits: tuple[int, ...]
    owner: np.ndarray[tuple[int], np.dtype[np.int64]]
    sentences: FloatMatrix
    chunk_of: np.ndarray[tuple[int], np.dtype[np.int64]]
    tokens: tuple[int, ...]
    asked: FloatMatrix
    second: tuple[FloatMatrix, FloatMatrix] | None


async def index(
    conversation: Conversation,
    embedder: OnnxEmbedder,
    counter: TokenCounter,
    cache: Path,
    *,
    sentences: bool = True,
    second: E5Encoder | None = None,
) -> Indexed:
    """Cut, embed (kept in `cache` by content) and weigh one conversation; `sentences`: with a vector of each; `second`:
    with those by the second encoder."""
    pieces = [
        (number, interaction, piece.text)
        for number, interaction in enumerate(conversation.interactions)
        for piece in chunk(interaction.content, counter)
    ]

    async def embedded(lines: Sequence[str], embed: Embed = embedder.embed, *version: str) -> FloatMatrix:
        what = json.dumps([embed.__qualname__, *version, *lines])
        file = cache / f"{hashlib.sha256(what.encode()).hexdigest()[:32]}.npy"
        if not file.exists():
            np.save(file, await embed(lines))
        stored: FloatMatrix = np.load(file)
        return stored

    of_all = [traits(interaction) for interaction in conversation.interactions]
    readings = [read_chunk(interaction, text) for _, interaction, text in pieces]
    others = others_of(
        (
            Participant(turn.session_id, turn.name, None, number)
            for number, turn in enumerate(conversation.interactions)
        ),
    )
    told = [
        (row, line)
        for row, (number, interaction, text) in enumerate(pieces)
        for line in (lines(interaction, text, others(interaction, number)) if sentences else ())
    ]
    asked, seconds = [question.text for question in conversation.questions], None
    if second is not None:
        passages = await embedded([index_line(said, text) for _, said, text in pieces], second.encode_passages)
        seconds = passages, await embedded(asked, second.encode_questions, load_asking().name)
    return Indexed(
        conversation,
        tuple(text for _, _, text in pieces),
        await embedded([text for *_, text in pieces]),
        tuple(weights for _, weights in readings),
        tuple(of_all[number] | of_chunk for (number, _, _), (of_chunk, _) in zip(pieces, readings, strict=True)),
        np.array([number for number, _, _ in pieces]),
        await embedded([line for _, line in told]),
        np.array([row for row, _ in told], np.int64),
        tuple(counter.count_many([lexical_line(i) for i in conversation.interactions])),
        await embedded(asked),
        seconds,
    )


def scan(indexed: Indexed, question: int) -> CandidateTable:
    """The result of one scan of the database for a question: a row for each chunk."""
    turns = [indexed.conversation.interactions[number] for number in indexed.owner]
    wanted = query_terms(indexed.conversation.questions[question].text)
    names = tuple(sorted({turn.name for turn in turns if turn.name}))
    sessions = {name: number for number, name in enumerate(dict.fromkeys(turn.session_id for turn in turns))}
    weights = np.array([[row.get(term, 0.0) for term in wanted] for row in indexed.weights])
    best = np.full(len(indexed.owner), np.nan)
    if len(indexed.chunk_of):
        np.fmax.at(best, indexed.chunk_of, indexed.sentences @ indexed.asked[question])
    return CandidateTable(
        ordinals=indexed.owner,
        sessions=np.array([sessions[turn.session_id] for turn in turns]),
        occurred_at=np.array([turn.occurred_at.timestamp() for turn in turns]),
        cosines=(indexed.embeddings @ indexed.asked[question]).astype(np.float64),
        terms=np.maximum(weights, 0.0),
        asked=np.maximum(weights / ASKED, 0.0),
        traits=np.array(indexed.traits),
        speakers=np.array([names.index(turn.name) if turn.name else -1 for turn in turns]),
        names=names,
        sentences=best,
        second=second_cosines(indexed, question),
    )


def second_cosines(indexed: Indexed, question: int, asked: FloatMatrix | None = None) -> FloatArray | None:
    """The cosine of each chunk with a question by the second encoder, on the scale of the first; None without. `asked`:
    the vectors of the questions by another one."""
    if indexed.second is None:
        return None
    passages, questions = indexed.second
    vector = (questions if asked is None else asked)[question]
    return on_first_scale(np.asarray(passages @ vector, np.float64), vector)


Embed = Callable[[Sequence[str]], Awaitable[FloatMatrix]]
Tables = Sequence[tuple[Indexed, Sequence[CandidateTable]]]
Scorer = Callable[..., dict[str, float]]


def _reordered(
    indexed: Indexed, question: Question, table: CandidateTable, found: Sequence[Ranked]
) -> Sequence[Ranked]:
    """As the tier's search does with what it ranked."""
    if asks_for_several(question.text):
        order = spread([one.raw for one in found], [int(table.sessions[one.row]) for one in found])
        found = [found[index] for index in order]
    statements = []
    for one in found:
        turn = indexed.conversation.interactions[indexed.owner[one.row]]
        statements.append(
            Statement(
                text=indexed.texts[one.row],
                speaker=(turn.role, turn.name),
                moment=(turn.occurred_at.timestamp(), int(indexed.owner[one.row])),
                raw=one.raw,
                similarity=one.similarity or 0.0,
                vector=indexed.embeddings[one.row],
                holds=table.terms[one.row] > 0,
            )
        )
    order = current_first(question.text, statements, information(table, QuerySignals(question.text))).order
    return [found[index] for index in order]


def evaluate(
    tables: Tables, weights: Weights, score: Scorer, *, current: bool = True
) -> list[tuple[str, str, dict[str, float]]]:
    """(conversation, category, metrics) of each question; `current`: with the current before what it replaced,
    and the tail spread over sessions."""
    rows = []
    for indexed, candidates in tables:
        ids = [turn.id for turn in indexed.conversation.interactions]
        tokens = dict(zip(ids, indexed.tokens, strict=True))
        for question, table in zip(indexed.conversation.questions, candidates, strict=True):
            found = list(rank(table, QuerySignals(question.text), weights=weights))
            if current:
                found = [*_reordered(indexed, question, table, found[:FOUND]), *found[FOUND:]]
            ranked = [ids[table.ordinals[one.row]] for one in found]
            metrics = score(ranked, question.gold, tokens, ks=(1, 10, 50), budgets=(1_000,))
            metrics |= {f"hit@{k}": float(bool(set(ranked[:k]) & set(question.gold))) for k in (3, 10)}
            if question.old:
                old, new = (min(map(ranked.index, of)) for of in (question.old, question.new))
                metrics["new>old"] = float(new < old)
            rows.append((indexed.conversation.name, question.category, metrics))
    return rows


def line(title: str, rows: Iterable[dict[str, float]]) -> str:
    kept = list(rows)
    columns = ([row[column] for row in kept if column in row] for column in COLUMNS)
    cells = (f"{100 * sum(values) / len(values):9.1f}" if values else " " * 9 for values in columns)
    return f"{title:44s}{len(kept):6d}" + "".join(cells).rstrip()


def heading() -> str:
    """The line above rows of `line`."""
    return f"{'':44s}{'n':>6s}" + "".join(f"{column:>9s}" for column in COLUMNS)


def folds(data: Mapping[str, Tables], score: Scorer) -> None:
    """Print what each set scores on what its constants were not chosen on, beside what it scores with DEFAULT."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for setting, weights in SETTINGS.items():
        for title, tables in data.items():
            for conversation, category, metrics in evaluate(tables, weights, score):
                if category != "adversarial":
                    by_fold = found.setdefault(title, {}).setdefault(conversation, {})
                    by_fold.setdefault(setting, []).append(metrics["hit@10" if category == "hint" else "R@10"])
    chosen: dict[str, str] = {}
    for fold in dict.fromkeys(fold for by_fold in found.values() for fold in by_fold):

        def elsewhere(setting: str, fold: str = fold) -> float:
            """The mean over the sets, each of which counts the same, without the fold."""
            sets = ([v for name, kept in one.items() if name != fold for v in kept[setting]] for one in found.values())
            return sum(sum(values) / len(values) for values in sets if values)

        chosen[fold] = max(SETTINGS, key=elsewhere)
    for title, one in found.items():
        for name, of in (("as it is", dict.fromkeys(one, "as it is")), ("left out", chosen)):
            values = [value for fold, kept in one.items() for value in kept[of[fold]]]
            print(f"{title:44s}{name:12s}{100 * sum(values) / len(values):9.1f}")
    for fold, setting in chosen.items():
        print(f"  without {fold}: {setting}")


async def prepare(conversations: Sequence[Conversation], cache: Path) -> Tables:
    """The tables of every question of every conversation."""
    embedder, second, counter = OnnxEmbedder(cache), E5Encoder(fetch_second()), TokenCounter()
    try:
        indexed = [await index(conversation, embedder, counter, cache, second=second) for conversation in conversations]
    finally:
        await embedder.close()
        await second.close()
    return [(one, [scan(one, number) for number in range(len(one.conversation.questions))]) for one in indexed]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval-dir", type=Path, default=EVAL_DIR)
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--ablate", action="store_true", help="a row for each signal left out")
    parser.add_argument("--folds", action="store_true", help="each fold judged by constants chosen without it")
    parser.add_argument("--save", type=Path, help="keep the scores of each question here")
    parser.add_argument("--against", type=Path, help="compare with the scores that --save kept there")
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    before = load(arguments.against) if arguments.against else None
    score: Scorer = load_metrics(arguments.eval_dir).evidence_metrics
    locomo = load_locomo(arguments.eval_dir)
    data = {
        "chats": load_chats(),
        "lives": load_lives(arguments.eval_dir),
        "LoCoMo": locomo,
        "LoCoMo, the second an assistant": labelled(locomo),
        "hints": load_hints(arguments.eval_dir, locomo),
        "preferences": load_preferences(arguments.eval_dir),
        "BEAM, all messages": load_beam(arguments.eval_dir, roles={"user", "assistant"}),
    }
    if arguments.folds:
        folds({title: asyncio.run(prepare(one, arguments.cache)) for title, one in data.items()}, score)
        return
    scores: Scores = {}
    print(heading())
    for title, conversations in data.items():
        tables = asyncio.run(prepare(conversations, arguments.cache))
        rows = evaluate(tables, DEFAULT, score)
        counted = [metrics for _, category, metrics in rows if category != "adversarial"]
        print(line(title, counted))
        scores[title] = {column: [one[column] for one in counted if column in one] for column in COLUMNS}
        for group in (1, 0):
            for name in dict.fromkeys(row[group] for row in rows):
                print(line(f"  {name}", (row[2] for row in rows if row[group] == name)))
        if arguments.ablate:
            rows = evaluate(tables, DEFAULT, score, current=False)
            print(
                line(
                    "  as ranked: neither current first nor spread",
                    (m for _, category, m in rows if category != "adversarial"),
                )
            )
        for name, weights in ABLATIONS.items() if arguments.ablate else ():
            rows = evaluate(tables, weights, score)
            print(line(f"  {name}", (m for _, category, m in rows if category != "adversarial")))
    if arguments.save:
        save(scores, arguments.save)
    for compared in comparison(before, scores) if before is not None else ():
        print(compared)


if __name__ == "__main__":
    main()
