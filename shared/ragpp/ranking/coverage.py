"""How much of a question's information texts hold, and from that whether its words are to be trusted.

No fixed weight of words against meaning is right for every question: one that asks for something names it, one that
only hints at it shares a word or two with anything. The coverage of the best text tells them apart, so words count by
it. It is absolute, a share of the question and not of the other texts' scores, so no statistics of the rows are needed.
"""

from typing import Final

import numpy as np

from ragpp.ranking.arrays import BoolArray, FloatArray, IntArray

WORDS: Final = 1.5
"""The weight of full coverage beside a cosine of 1, words trusted in full. Chosen, as TRUSTED, with the weights
of the episodic ranking and on its development sets; `benchmarks/ranking_lab.py --ablate` prints what it is worth."""
TRUSTED: Final = (0.1, 0.2)
"""Coverage of the best from which on words begin to count, and from which on they count in full. A question that only
hints at its memory shares a word or two with anything: its best coverage is .10 in the median and .16 in the 95th
percentile, of a question that asks for something .39, and .19 in the 5th percentile."""


def document_frequencies(held: BoolArray, firsts: IntArray | None = None) -> FloatArray:
    """(t,): how many documents hold each term, of (n, t) whether a row does.

    `firsts`: where each document begins among the rows, rising from 0, of at least one; none of them means that each
    row is a document.
    """
    documents = held if firsts is None else np.maximum.reduceat(held, firsts, axis=0)
    result: FloatArray = documents.sum(axis=0).astype(np.float64)
    return result


def inverse_document_frequencies(documents: int, holding: FloatArray) -> FloatArray:
    """ln(1 + (N - n + ½) / (n + ½)) for terms that n (`holding`) of N `documents` hold; positive.

    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, with the 1 + that keeps common terms
    above zero.
    """
    result: FloatArray = np.log1p((documents - holding + 0.5) / (holding + 0.5))
    return result


def coverage(terms: FloatArray, rarity: FloatArray) -> FloatArray:
    """(n,): share of the question's information that rows hold, 0 to 1; 0 for a question without terms.

    `terms`: (n, t), each row's weights of the question's terms, 0 to 1 (`ragpp.text.lexical.document_weights`);
    `rarity`: (t,), their inverse document frequencies.
    """
    mass = float(rarity.sum())
    result: FloatArray = terms @ rarity / mass if mass else np.zeros(len(terms))
    return result


def trust_in_words(best: float, trusted: tuple[float, float] = TRUSTED) -> float:
    """How far the words of a question count whose `best` text has that coverage: 0 up to the first of `trusted`, 1 from
    the second on, and in proportion between; 1 where they are no interval."""
    low, high = trusted
    return float(np.clip((best - low) / (high - low), 0.0, 1.0)) if high > low else 1.0
