"""The weights of the ranking's signals.

Chosen on the development sets (conversations between people with either or neither labelled an assistant, chats with an
assistant, hints, preferences, half of the scenarios of real chats; `second_finds` on the labelled chats as well) by
people who saw all of them; what each is worth there, `benchmarks/ranking_lab.py --ablate` prints, and what the
constants are worth on conversations that they were not chosen on, `--folds`. None is fitted to names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ragpp.ranking.coverage import TRUSTED, WORDS

_STEP: Final = 0.6
_AHEAD: Final = 0.7


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each signal, in units of cosine unless it says otherwise."""

    words: float = WORDS
    """Coverage: the share of the question's information that an interaction and its neighbours tell."""
    trusted: tuple[float, float] = TRUSTED
    """Coverage of the best from which on words and neighbours begin to count, and from which on they count in full."""
    lending: Mapping[int, float] = field(
        default_factory=lambda: {
            sign * distance: _STEP**distance * (_AHEAD if sign > 0 else 1.0)
            for distance in (1, 2, 3)
            for sign in (-1, 1)
        }
    )
    """Share of a term's weight that an interaction takes from the one at that distance, where it is more than its own:
    0.6 for each step back, and 0.7 of that ahead, since answers follow questions."""
    session_lending: float = 0.1
    """Share of a term's weight that an interaction takes from any of its session."""
    borrowing: float = 0.25
    """Cosine from which on an interaction takes all that its neighbours and its session lend it; less takes a share of
    it, 0 none: what has nothing to do with the question does not answer it for standing beside what does."""
    meaning_before: float = 0.7
    meaning_after: float = 0.2
    """Share of what the previous and the next interaction's cosine are above its own that it takes."""
    sentence: float = 0.65
    """Share of its best sentence in what an interaction means: a long one is found by what answers in it. Of a question
    whose words find nothing the whole says more, so it counts by trust."""
    second_share: float = 0.5
    """Share of the second encoder, as far as it counts, in what a chunk means, and so in what neighbours lift."""
    second_trusted: tuple[float, float] = (0.2, 0.3)
    """Coverage of the best from which on the second encoder begins to count, and from which on it counts in full."""
    second_finds: tuple[float, float] = (0.28, 0.36)
    """The same of its cosine with the best, on the first one's scale: a question is like what answers it, and a remark
    is not like what it hints at, which the first encoder alone sees."""
    second: float = 1.0
    second_named: float = 0.5
    """Beside that, and as far as well, for what the second encoder says of the chunk alone, in which no neighbour has
    a share; less where the question names who said it, which tells more."""
    speaker: float = 0.25
    session: float = 0.25
    kind: float = 0.07
    """For the kind of answer that is asked for: a time, a number, a name, a place."""
    of_others: float = 0.2
    """Share of its words that counts of what is about somebody else than the question."""
    assistant: float = 0.5
    """Off for what an assistant said, where it is asked what a person said or does: a question in the first person, or
    an assistant without a name. Not where a question is after the assistant's own words."""
    asks: float = 0.04
    only_asks: float = 0.2
    repeats: float = 1.0
    repeating: tuple[float, float] = (0.55, 0.85)
    """Off for an interaction that only asks, and more for one that asks the same as the question: from that cosine or
    coverage on, and in full. What is told beside a question counts as if it stood alone."""
    empty: float = 0.6
    """Off for what says nothing: a courtesy, or that something is not known."""


DEFAULT: Final = Weights()
