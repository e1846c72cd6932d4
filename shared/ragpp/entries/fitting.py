"""The memories that belong to a message so surely that they are put before it unasked. Pure.

A memory that is put into a prompt and does not belong there costs tokens and misleads, and nobody chose it: so it takes
likeness in meaning, helped by words that both have and few others, and nothing else that was found may be much liker.
"""

import math
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache

from ragpp.entries.values import FoundEntry
from ragpp.text import lexical
from ragpp.text.english import STOP_WORDS


@dataclass(frozen=True, slots=True)
class FittingRule:
    """`words`: what likeness in words counts beside likeness in meaning. `least`: the least likeness of what fits.
    `near`: how much less than the likest another one that fits may have.

    The defaults were chosen on `benchmarks/data/agents`, whose worlds have 30 memories each. With one world left out,
    and all three chosen on the others (`benchmarks/agents_lab.py --folds`), 85 of 100 memories that are put before a
    message belong there, and 57 of 100 messages that have a memory get one; by meaning alone 89 and 53. Of messages
    that nobody tuned on: 78 and 56.
    """

    words: float = 0.6
    least: float = 0.42
    near: float = 0.1


@dataclass(frozen=True, slots=True)
class Fit:
    """Why an entry fits a message. `meaning`: its similarity, on the scale of `ragpp.retrieval.Calibration`, 0 to 1;
    `words`: its likeness in words, 0 to 1, times what it counts."""

    meaning: float
    words: float

    @property
    def likeness(self) -> float:
        """The sum of both."""
        return self.meaning + self.words

    @property
    def terms(self) -> dict[str, float]:
        """The terms that the likeness is the sum of, by name, for `explain`."""
        return {"fit.meaning": self.meaning, "fit.words": self.words}


def fitting_of(found: Sequence[FoundEntry], message: str, rule: FittingRule = FittingRule()) -> dict[str, Fit]:
    """By id, which of the entries that were found for a message, with their contents, belong to it. None that another
    one replaced, and none without a similarity.

    `found`: all that the search gave, since rarity is counted in them.
    """
    asked = _telling(message)
    told = likeness_in_words(asked, [_telling(one.entry.content or "") for one in found])
    fits = {
        one.entry.memory_id: Fit(one.similarity, rule.words * words)
        for one, words in zip(found, told, strict=True)
        if one.similarity is not None and one.replaced_by is None
    }
    least = max(rule.least, max((fit.likeness for fit in fits.values()), default=0.0) - rule.near)
    return {memory_id: fit for memory_id, fit in fits.items() if fit.likeness >= least}


def likeness_in_words(asked: AbstractSet[int], texts: Sequence[AbstractSet[int]]) -> list[float]:
    """Each text's cosine of its terms with those that are `asked`, 0 to 1; 0 where either has none. A term counts
    by how few of the texts have it, ln(1 + (n - f + ½) / (f + ½)), however often one text has it. So a message with
    much beside the point, and a memory with much that it does not ask for, are both less like.

    Source: Salton and Buckley, Term-weighting approaches in automatic text retrieval, 1988, with binary term frequency.
    """
    often = Counter(term for text in texts for term in text)

    def mass(terms: AbstractSet[int]) -> float:
        return sum(math.log1p((len(texts) - often[term] + 0.5) / (often[term] + 0.5)) ** 2 for term in terms)

    whole = mass(asked)
    return [mass(asked & text) / math.sqrt(whole * mass(text)) if asked & text else 0.0 for text in texts]


def _telling(text: str) -> AbstractSet[int]:
    return frozenset(lexical.terms(text)) - _of_stop_words()


@cache
def _of_stop_words() -> frozenset[int]:
    return frozenset(lexical.terms(" ".join(STOP_WORDS)))
