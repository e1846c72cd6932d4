"""Repairs, said right behind the best answer to put it right: "the meter reads 48213", "no hang on 48231". English.

Such a message has no word of the question, so nothing finds it by itself, and without it the slip stands alone. It is
short, opens as a repair does, or says that it is one, and gives something that can stand in the place of what was said:
a number, a day, a name.
"""

import re
from typing import Final

import numpy as np

from ragpp.ranking.arrays import IntArray
from ragpp.text.english import ANY_WEEKDAY, MONTHS, NUMBERS
from ragpp.text.lexical import word_count, words
from ragpp_services.episodic.ranking.table import CandidateTable
from ragpp_services.episodic.reading.traits import Trait

LONGEST: Final = 16
"""Words of a repair; a longer message can be found for what it says."""
_REPAIRS: Final = re.compile(
    r"^\W*(?:(?:oh|ah|ok|and|but|well|so|no|hm+|argh|ugh)\b\W*)*"
    r"(?:\*|oops|whoops|sorry|sry|wait|hang on|hold on|scratch that|scrap that|make (?:it|that)|correction|typo|my bad|"
    r"i meant?\b|actually|no(?:pe)?\b)"
    r"|\b(?:instead|i meant|typo|my mistake|(?:i|he|she|they) mis\w+)\b",
    re.IGNORECASE,
)
_IN_PLACE: Final = re.compile(rf"\d|\b{ANY_WEEKDAY}|(?<=[\w,] )(?-i:[A-Z])[a-z]+", re.IGNORECASE)
_VALUES: Final = frozenset(NUMBERS).union(MONTHS)


def puts_right(said: str) -> bool:
    """True where `said` puts right what its speaker said right before."""
    if word_count(said[: 40 * LONGEST]) > LONGEST or not _REPAIRS.search(said):
        return False
    return _IN_PLACE.search(said) is not None or not _VALUES.isdisjoint(words(said))


def followed_by(table: CandidateTable, row: int) -> int | None:
    """The ordinal of the next that the speaker of `row` said in its session; None where that was all."""
    of_session = (table.sessions == table.sessions[row]) & (table.speakers == table.speakers[row])
    own = of_session & ~table.has(Trait.ASSISTANT) & (table.ordinals > table.ordinals[row])
    behind: IntArray = table.ordinals[own]
    return int(np.min(behind)) if len(behind) else None
