"""Ranks the interactions that one scan found.

An interaction is seldom complete in itself: "Yes, last week!" answers the one before it. So each borrows what it lacks
from its neighbours, word by word and in meaning, and from its session as a whole; what only asks lends to its answer,
and what says nothing neither lends nor borrows. The score is the sum of

    words · trust · coverage + meaning + trust · near · what neighbours lift it by
        + second · sure · meaning of the whole by the second encoder, above that of what is unrelated
        + session · trust · near · (best of its session - mean)
        + speaker · said by the one named + kind · holds the kind of answer that is asked for
        - assistant · said by one who is not asked - asks · ends with a question - only_asks · only asks
        - repeats · only asks, and the same - empty · says nothing

where coverage is the share of the question's information (sum of inverse document frequencies) that an interaction and
its neighbours tell, and meaning is its cosine and, by trust, that of the second encoder and of its best sentence.
Trust, from 0 to 1, says whether the question's words find anything: one that only hints at its answer is left to the
meaning of the whole by the first encoder, which alone sees such hints. Sure, from 0 to 1, says the same for the second
encoder, or how like the question what it finds is, unless that wants advice: what applies to it is not like it.
Near, from 0 to 1, says whether the interaction has anything to do with the question by itself, without which it borrows
nothing. All are absolute, so no statistics of the user's rows are needed. What is borrowed only ever adds: an
interaction that says all by itself loses nothing.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from ragpp.ranking.arrays import BoolArray, FloatArray, IntArray
from ragpp.ranking.coverage import coverage, document_frequencies, inverse_document_frequencies, trust_in_words
from ragpp.ranking.relevance import relevance
from ragpp_services.episodic.ranking.neighbours import Neighbours
from ragpp_services.episodic.ranking.question import Question
from ragpp_services.episodic.ranking.second import UNRELATED_FIRST, with_second
from ragpp_services.episodic.ranking.table import CandidateTable, QuerySignals, Ranked, Ranking
from ragpp_services.episodic.ranking.weights import DEFAULT, Weights
from ragpp_services.episodic.reading.subjects import Subject
from ragpp_services.episodic.reading.traits import Trait

AGAIN: Final = 0.95
"""Cosine with a request from which on another one is the same, made before: it tells nothing beside it."""
MUTE: Final = 0.5
ASKS_FOR_IT: Final = 0.3
"""How far an interaction repeats the question, and how much of the question's information it asks for and does not
tell, for others to borrow nothing from it."""


def rank(
    table: CandidateTable, query: QuerySignals, *, limit: int | None = None, weights: Weights = DEFAULT
) -> Ranking:
    """The eligible interactions, best first, at most `limit`. Of equal scores the later one comes first.

    The order of the rows in the table does not matter.
    """
    if not len(table):
        return Ranking.of_nothing()
    question = Question.of(query.text, table.names, query.asker)
    seconds = np.full(len(table), np.nan) if table.second is None else table.second
    table = with_second(table)
    chunks, firsts = _by_interaction(table)
    rarity = _rarity(table, chunks, firsts, query)
    evidence = _Evidence(table, question, rarity, weights, seconds)
    alone = weights.words * evidence.trust * evidence.own + evidence.meaning
    order = _best_chunks(table, chunks, firsts, alone, evidence.asked)
    signals = _signals(table, order, question, evidence, rarity, weights, query.mean)
    raw = np.sum(list(signals.values()), axis=0)
    ranking = np.lexsort((-table.ordinals[order], -raw))
    if table.eligible is not None:
        ranking = ranking[np.logical_or.reduceat(table.eligible[chunks], firsts)[ranking]]
    return Ranking(
        rows=order,
        scores=relevance(raw),
        raw=raw,
        similarities=np.fmax.reduceat(table.cosines[chunks], firsts),
        seconds=np.fmax.reduceat(seconds[chunks], firsts),
        coverages=coverage(table.terms[order], rarity),
        signals=signals if query.explain else {},
    ).taken(ranking[:limit])


def information(table: CandidateTable, query: QuerySignals) -> FloatArray:
    """(t,): what each term of the question tells, its inverse document frequency. `table` is not empty."""
    return _rarity(table, *_by_interaction(table), query)


def less(ranked: Ranked, signal: str, units: float) -> Ranked:
    """`ranked` with `units` off for `signal`."""
    raw = ranked.raw - units
    signals = {**ranked.signals, signal: -units} if ranked.signals else ranked.signals
    return replace(ranked, raw=raw, score=float(relevance(np.asarray(raw))), signals=signals)


class _Evidence:
    """The evidence of each row for the question, (n,) or (n, t): `told`, the weights of the terms that count; `own`,
    their coverage; `asked_terms` and `asked`, those that it only asks for; `repeats`, how far it asks the same, 0 to 1;
    `away`, said by an assistant who is not asked; `mute`, nothing is borrowed from it but by its answer; `trust`, of
    the question, how far its words find anything; `sure`, the same for the second encoder to count; `meaning`, the
    rows' cosines, mixed by these with the second encoder's and those of their best sentences, 0 without any."""

    def __init__(
        self,
        table: CandidateTable,
        question: Question,
        rarity: FloatArray,
        weights: Weights,
        seconds: FloatArray,
    ) -> None:
        """`seconds`: (n,), `table.second` before the first encoder's cosines took the place of what was missing."""
        self.empty = table.has(Trait.EMPTY)
        asked_terms = np.zeros_like(table.terms) if table.asked is None else table.asked
        said = ~self.empty[:, None]
        self.asked_terms = np.where(said, asked_terms, 0.0)
        self.told = np.where(said, table.terms, 0.0)
        self.told[_about_another(table, question)] *= weights.of_others
        self.own = coverage(self.told, rarity)
        self.asked = coverage(self.asked_terms, rarity)
        alike = np.fmax(table.cosines, coverage(table.terms + asked_terms, rarity))
        low, high = weights.repeating
        asks = table.has(Trait.ONLY_ASKS) | (question.is_request & (table.cosines >= AGAIN))
        self.repeats = asks * np.clip((alike - low) / (high - low), 0.0, 1.0)
        self.away = table.has(Trait.ASSISTANT) & (not question.of_the_assistant)
        if question.subject is Subject.ANY and question.speaker is not None:
            self.away &= table.speakers < 0
        self.mute = self.empty | (self.repeats > MUTE) | ((self.asked > ASKS_FOR_IT) & (self.asked > self.own))
        best = float(np.max(np.where(self.mute | self.away, 0.0, self.own)))
        self.trust = trust_in_words(best, weights.trusted)
        self.sure = trust_in_words(best, weights.second_trusted)
        if table.second is not None and not question.wants_advice:
            found = float(np.max(np.where(self.mute | self.away | np.isnan(seconds), -1.0, seconds)))
            self.sure = max(self.sure, trust_in_words(found, weights.second_finds))
        self.meaning = np.nan_to_num(_meaning(table, weights, self.trust, self.sure), nan=0.0)


def _meaning(table: CandidateTable, weights: Weights, trust: float, sure: float) -> FloatArray:
    """(n,): the rows' cosines, mixed with those of the second encoder as far as words are `sure`, and by `trust` with
    those of their best sentences; NaN where there is no cosine."""
    whole = table.cosines
    if table.second is not None:
        whole = whole + sure * weights.second_share * (table.second - whole)
    if table.sentences is None:
        return whole
    told = np.where(np.isnan(table.sentences), whole, table.sentences)
    return np.asarray(whole + trust * weights.sentence * (told - whole), np.float64)


def _about_another(table: CandidateTable, question: Question) -> BoolArray:
    """(n,): which rows are about somebody else than who asks, or about who asks and not about the one asked for."""
    of_self, of_others = table.has(Trait.OF_SELF), table.has(Trait.OF_OTHERS)
    if question.subject is Subject.OWN:
        another = of_others & ~of_self
        if question.asker is not None:
            another |= of_self & (table.speakers >= 0) & (table.speakers != question.asker)
        return another
    if question.subject is Subject.KIN:
        return of_self & ~of_others
    return np.zeros(len(table), np.bool_)


def _signals(
    table: CandidateTable,
    order: IntArray,
    question: Question,
    evidence: _Evidence,
    rarity: FloatArray,
    weights: Weights,
    mean: float | None,
) -> dict[str, FloatArray]:
    """The score of each of the rows `order` by each signal; their sum is its score. A row without a cosine has 0.
    `mean`: of all rows, where these are some; see `QuerySignals`."""
    around = Neighbours.of(table, order, weights)
    trust, mute, empty = evidence.trust, evidence.mute[order], evidence.empty[order]
    meaning = evidence.meaning[order]
    told = evidence.told[order]
    near = np.ones(len(order))
    if weights.borrowing and not np.isnan(table.cosines).all():
        near = np.clip(meaning / weights.borrowing, 0.0, 1.0)
    lent = near[:, None] * around.lent(told, evidence.asked_terms[order], mute)
    borrowed = np.where(empty[:, None], told, np.maximum(told, lent))
    lifted = np.where(empty, meaning, around.lifted(np.where(empty, -1.0, meaning), mute))
    own = weights.words * trust * evidence.own[order]
    signals = {
        "meaning": meaning,
        "words": own,
        "lent words": weights.words * trust * coverage(borrowed, rarity) - own,
        "lent meaning": trust * near * (lifted - meaning),
        "empty": -weights.empty * empty,
        "repeats": -weights.repeats * evidence.repeats[order],
        "only asks": np.where(table.has(Trait.ONLY_ASKS)[order], -weights.only_asks, 0.0),
        "assistant": -weights.assistant * evidence.away[order],
        "kind of answer": weights.kind * table.has(question.kinds)[order],
    }
    so_far = np.sum(list(signals.values()), axis=0)
    best = around.best_of_session(np.where(mute, so_far.min(), so_far))
    signals["session"] = weights.session * trust * near * (best - (so_far.mean() if mean is None else mean))
    if question.speaker is not None:
        signals["speaker"] = weights.speaker * (table.speakers[order] == question.speaker)
    if table.second is not None:
        counts = weights.second if question.speaker is None else weights.second_named
        signals["second"] = evidence.sure * counts * np.nan_to_num(table.second[order] - UNRELATED_FIRST, nan=0.0)
    signals["ends with a question"] = -weights.asks * table.has(Trait.ASKS)[order]
    return signals


def _by_interaction(table: CandidateTable) -> tuple[IntArray, IntArray]:
    """The rows by session, time and interaction, and where among them each interaction begins."""
    chunks = np.lexsort((table.ordinals, table.occurred_at, table.sessions))
    return chunks, np.flatnonzero(np.diff(table.ordinals[chunks], prepend=table.ordinals[chunks[0]] - 1))


def _rarity(table: CandidateTable, chunks: IntArray, firsts: IntArray, query: QuerySignals) -> FloatArray:
    """(t,): inverse document frequency of each term; an interaction holds what any of its chunks tells or asks."""
    documents = max(query.documents or 0, len(firsts))
    if query.frequencies is None:
        held = table.terms > 0 if table.asked is None else (table.terms > 0) | (table.asked > 0)
        holding = document_frequencies(held[chunks], firsts)
    else:
        holding = np.minimum(np.asarray(query.frequencies, dtype=np.float64), documents)
    return inverse_document_frequencies(documents, holding)


def _best_chunks(
    table: CandidateTable, chunks: IntArray, firsts: IntArray, alone: FloatArray, asked: FloatArray
) -> IntArray:
    """The row of each interaction's best chunk, by words and meaning of that chunk alone: a long message does not
    gather a question's words from all over its length. `chunks`: rows by interaction, which begin at `firsts`;
    `alone`: (n,) what each row scores by them; `asked` and then traits decide between equal ones."""
    if len(firsts) == len(chunks):
        return chunks
    interaction = np.repeat(np.arange(len(firsts)), np.diff(firsts, append=len(chunks)))
    traits = chunks if table.traits is None else table.traits[chunks]
    best_last = np.lexsort((traits, -asked[chunks], alone[chunks], interaction))
    best: IntArray = chunks[best_last[np.append(firsts[1:], len(chunks)) - 1]]
    return best
