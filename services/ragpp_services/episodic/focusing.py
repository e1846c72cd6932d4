"""The part of a text that answers a question: some of its sentences, or clauses of a long one. Pure.

A part that lacks the answer is a loss that nobody sees. So only what stands before the first or behind the last
sentence that may answer is left out, and a text of which nothing tells the sentences apart stays whole.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from ragpp.text.lexical import stored_terms
from ragpp.text.sentences import SAVED_CHARS, between, clean, pieces
from ragpp_services.episodic.reading.answers import Kind, kinds_asked, kinds_in
from ragpp_services.episodic.sentences import embedded

WORDS: Final = 0.3
"""The weight of all of the question's information, in a sentence's words, beside a cosine of 1."""
WORDS_ALONE: Final = 0.4
"""The same where sentences have no vectors: one tells apart what has half of it more than another."""
BESIDE: Final = 0.2
"""As far as this behind the best, a sentence may still answer.

These were chosen on five made-up lives and the development conversations between people, by the ranking alone. Of 229
messages of the latter that answer and have such a part, 11 lose a word of the answer that somebody wrote in them (19
with what describes their pictures)."""
MOST_CHARS: Final = 400
"""The length of a part at most, some 100 tokens: where more may answer, it is what stands around the best sentence, for
a small context shows no more of it than that."""
LEAST_CHARS: Final = 96
"""The length of a part at least, some 24 tokens: less cannot be read by itself."""
SHORT_CHARS: Final = 24
"""A shorter sentence ("so true", "Guess what?") belongs to what stands before it."""
LONG_CHARS: Final = 160
"""The length of a sentence, some 40 tokens, from which on its clauses are told apart: people leave out full stops."""

_LEANS: Final = re.compile(
    r"\W*(?:and|but|because|cause|cos|coz|cuz|so|then|also|plus|or|which|who|whose|this|that|these|those|"
    r"it|its|he|she|they|his|her|their|him|them|hes|shes|theyre|yes|yeah|yep|yup|no|nope|nah|same|both)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that goes on from the one before."""
_CLAUSE: Final = re.compile(r"(?<=[,;])\s+|\s+/+\s+|(?<=[，、；،؛])\s*")

Part = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Asked:
    """The `kinds` of answer that a question is after, and the share of its information, 0 to 1, that each of its terms
    has."""

    shares: Mapping[int, float]
    kinds: Kind

    @classmethod
    def of(cls, question: str, terms: Sequence[int], rarity: Sequence[float]) -> Self:
        """`rarity`: of each of the `terms` of `question` its inverse document frequency."""
        total = sum(rarity) or 1.0
        return cls({term: one / total for term, one in zip(terms, rarity, strict=True)}, kinds_asked(question))


def answering(asked: Asked, text: str, holds: Iterable[bool], cosines: Sequence[float]) -> Part:
    """Where the part of `text` that answers begins and ends. `holds`: whether `text` has each of the question's terms;
    `cosines` with the question of the sentences that have a vector (`sentences.embedded`), none where none has."""
    whole = 0, len(text)
    if len(text) < LEAST_CHARS + SAVED_CHARS:
        return whole
    words = WORDS if cosines else WORDS_ALONE
    weights = {term: words * one for (term, one), held in zip(asked.shares.items(), holds, strict=True) if held}
    if max(cosines, default=0.0) - min(cosines, default=0.0) + sum(weights.values()) < BESIDE:
        return whole
    cleaned = clean(text)
    sentences = list(pieces(cleaned))
    parts = list(_parts(text, sentences if cleaned == text else pieces(text)))
    scores = _meanings(parts, list(zip(embedded(sentences), cosines, strict=False)))
    if weights:
        said = (set(stored_terms(text[start:end])) for start, end in parts)
        scores = [one + sum(weights.get(term, 0.0) for term in told) for one, told in zip(scores, said, strict=True)]
    if len(parts) < 2 or not min(scores) < max(scores) - BESIDE:
        return whole
    start, end = _around(asked, text, parts, scores)
    return (start, end) if len(text) - (end - start) >= SAVED_CHARS else whole


def _parts(text: str, sentences: Iterable[Part]) -> Iterator[Part]:
    for start, end in sentences:
        if end - start <= LONG_CHARS:
            yield start, end
        else:
            yield from ((start + since, start + until) for since, until in between(_CLAUSE, text[start:end]))


def _meanings(parts: Sequence[Part], vectors: Sequence[tuple[Part, float]]) -> list[float]:
    """The cosine of each of `parts`, of a clause that of its sentence; of what has none, as what is quoted, that of the
    best: it may answer."""
    best = max((cosine for _, cosine in vectors), default=0.0)
    if [part for part, _ in vectors] == parts:
        return [cosine for _, cosine in vectors]
    return [
        max((cosine for (since, until), cosine in vectors if since < end and until > start), default=best)
        for start, end in parts
    ]


def _around(asked: Asked, text: str, parts: Sequence[Part], scores: Sequence[float]) -> Part:
    """From the first to the last of `parts` that may answer, with the one before, which says what it is about, the one
    after, which tells it where that only announces it, and as many more as it takes to be read by itself and to hold
    the kinds of answer that are asked for; of more than MOST_CHARS what is nearest to the best."""
    least = max(scores) - BESIDE
    near = [place for place, score in enumerate(scores) if score >= least]
    end = len(parts) - 1
    first, last = max(0, near[0] - 1), min(end, near[-1] + 1)
    if first > 0 and _leans(text, parts[first]):
        first -= 1
    if last < end and _leans(text, parts[last + 1]):
        last += 1
    wanted = kinds_in(text, asked.kinds)
    while (first > 0 or last < end) and (
        parts[last][1] - parts[first][0] < LEAST_CHARS
        or wanted & ~kinds_in(text[parts[first][0] : parts[last][1]], wanted)
    ):
        if last == end or (first > 0 and scores[first - 1] > scores[last + 1]):
            first -= 1
        else:
            last += 1
    if parts[last][1] - parts[first][0] > MOST_CHARS:
        first, last = _nearest(parts, scores, first, last)
    return parts[first][0], parts[last][1]


def _nearest(parts: Sequence[Part], scores: Sequence[float], first: int, last: int) -> Part:
    """The best of `parts`, within `first` to `last`, with as many around it as MOST_CHARS hold, the better ones first,
    and LEAST_CHARS at least; it alone may have more."""
    start = end = max(range(first, last + 1), key=lambda place: scores[place])
    while True:
        beside = [place for place in (start - 1, end + 1) if first <= place <= last]
        if parts[end][1] - parts[start][0] >= LEAST_CHARS:
            beside = [
                place for place in beside if parts[max(place, end)][1] - parts[min(place, start)][0] <= MOST_CHARS
            ]
        if not beside:
            return start, end
        taken = max(beside, key=lambda place: scores[place])
        start, end = min(start, taken), max(end, taken)


def _leans(text: str, part: Part) -> bool:
    start, end = part
    return end - start < SHORT_CHARS or _LEANS.match(text, start, end) is not None
