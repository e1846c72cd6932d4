"""Ranks short texts that stand by themselves: no sessions, nobody who said them. What each was taken from may lend it
words."""

from typing import Final

import numpy as np

from ragpp.ranking.arrays import FloatArray
from ragpp.ranking.coverage import WORDS, coverage, document_frequencies, inverse_document_frequencies, trust_in_words
from ragpp.ranking.relevance import relevance

NORMAL: Final = 5.0
"""The priority that neither lifts nor lowers."""
PRIORITY: Final = 0.1
"""The distance between the least priority and the greatest, in units of cosine: it decides between texts that answer
about equally well, and lifts none above one that answers. The share that the catalog's relevance gives it."""
LENT: Final = 0.6
"""Share of a term's weight that a text takes from what is around it, where it is more than its own: what an interaction
takes from the one before it."""
BORROWING: Final = 0.25
"""Cosine from which on a text takes all of that; less takes a share of it, 0 none, as in the episodic ranking."""


def rank_texts(
    cosines: FloatArray,
    weights: FloatArray,
    *,
    priorities: FloatArray | None = None,
    rarity: FloatArray | None = None,
    around: FloatArray | None = None,
) -> FloatArray:
    """(n,): how relevant each text is to a question, in (0, 1) and on the scale of a past interaction's.

    relevance(WORDS · trust · coverage + cosine + PRIORITY · (priority - NORMAL) / 10)

    where coverage is the share of the question's information (sum of inverse document frequencies) that a text holds or
    borrows (see `borrowed`), and trust, from 0 to 1, says by the best coverage of all by their own words whether the
    question's words find anything: one that only hints at its answer is left to meaning. Without `around` it is what
    the episodic ranking makes of interactions that neither lend nor borrow, with its constants. Texts of no word and no
    meaning in common with the question score relevance(0), 0.05.

    `cosines`: (n,) with the question, -1 to 1, NaN where there is none, which counts as 0. `weights`: (n, t) of the
    question's terms (`ragpp.text.lexical.document_weights`); t may be 0. `priorities`: (n,), 0 to 10; none means that
    all are NORMAL. `rarity`: (t,) inverse document frequencies of the terms; without it they are counted from these
    texts, which is right only where they are all there are. The order of the texts does not matter.

    Source: coverage decides between words and meaning as the design's "Ranking fusion" measured it: no fixed weight is
    good on questions that name their answer and on those that hint at it, this one is at or near the best on both.
    """
    if not len(cosines):
        return np.zeros(0)
    if rarity is None:
        rarity = inverse_document_frequencies(len(weights), document_frequencies(weights > 0))
    trust = trust_in_words(float(coverage(weights, rarity).max()))
    held = weights if around is None else borrowed(cosines, weights, around)
    raw = WORDS * trust * coverage(held, rarity) + np.nan_to_num(cosines, nan=0.0)
    if priorities is not None:
        raw = raw + PRIORITY * (priorities - NORMAL) / 10
    return relevance(raw)


def borrowed(cosines: FloatArray, weights: FloatArray, around: FloatArray) -> FloatArray:
    """(n, t): what each text holds of the question's terms, or LENT of what is around it where that is more: "He has
    it in the server room" is found by the key that was asked for. What has nothing to do with the question by itself
    borrows nothing. Where no text has a cosine, each borrows all. Never less than `weights`."""
    near = np.ones(len(cosines))
    if not np.isnan(cosines).all():
        near = np.clip(np.nan_to_num(cosines, nan=0.0) / BORROWING, 0.0, 1.0)
    result: FloatArray = np.maximum(weights, LENT * near[:, None] * around)
    return result
