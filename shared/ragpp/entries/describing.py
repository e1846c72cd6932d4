"""An item in short: the summary, the abstract, the words and the kind by which an agent chooses it. Without a model."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.entries.values import MOST_ABSTRACT, MOST_SUMMARY
from ragpp.text.english import STOP_WORDS
from ragpp.text.lexical import words
from ragpp.text.sentences import clean, split

MOST_KEYWORDS: Final = 8
MOST_POINTS: Final = 5
_ELLIPSIS: Final = "…"
_CLAUSE: Final = re.compile(r"(?<=[,;:–—])\s|\s(?=[–—(])")
_SHORTEST: Final = 0.75
"""Share of the room that a text cut at a clause fills at least; where no clause ends so late it is cut at a word."""
_SHORT_WORD: Final = 3


@dataclass(frozen=True, slots=True)
class Description:
    """`summary`: at most MOST_SUMMARY characters; `abstract`: at most MOST_ABSTRACT; `keywords`: the words that tell
    most, most telling first, in lower case; `key_points`: whole sentences, in their order."""

    summary: str
    abstract: str
    keywords: tuple[str, ...]
    key_points: tuple[str, ...]


def describe(text: str) -> Description:
    """What stands for a statement of any length; a short one stands for itself."""
    sentences = [text[one.start : one.end] for one in split(clean(text))]  # with what is quoted, which clean blanks
    told = " ".join(text.split())
    keywords = keywords_of(text)
    points = key_points(sentences, keywords)
    lead = told if len(told) <= MOST_ABSTRACT or not points else " ".join(points)
    return Description(
        summary=shortened(points[0] if points else told, MOST_SUMMARY),
        abstract=shortened(lead, MOST_ABSTRACT),
        keywords=keywords,
        key_points=points,
    )


def shortened(text: str, most: int) -> str:
    """`text` in one line of at most `most` characters: cut behind a clause where one ends late enough, else behind a
    word, never in one unless it alone is longer; an ellipsis says that there is more."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    room = most - len(_ELLIPSIS)
    ends = [found.start() for found in _CLAUSE.finditer(line[: room + 1]) if found.start() >= _SHORTEST * room]
    end = ends[-1] if ends else line.rfind(" ", 0, room + 1)
    kept = line[: end if end > 0 else room].rstrip(" ,;:–—(")
    return f"{kept}{_ELLIPSIS}"


def keywords_of(text: str) -> tuple[str, ...]:
    """The words of a text that tell most, at most MOST_KEYWORDS: by how often they are there, and among those by how
    long they are, since what is long is rare. None of those that any text has."""
    counted = Counter(
        word for word in words(text) if word not in STOP_WORDS and (len(word) >= _SHORT_WORD or word.isdigit())
    )
    ranked = sorted(counted, key=lambda word: (-counted[word], -min(len(word), 12), word))
    return tuple(ranked[:MOST_KEYWORDS])


def key_points(sentences: Sequence[str], keywords: Sequence[str]) -> tuple[str, ...]:
    """The sentences that hold most of the keywords for their length, at most MOST_POINTS, in their order."""
    wanted = set(keywords)

    def told(place: int) -> float:
        spoken = words(sentences[place])
        return len(wanted & set(spoken)) / (10 + len(spoken))

    best = sorted(range(len(sentences)), key=lambda place: (-told(place), place))[:MOST_POINTS]
    return tuple(sentences[place] for place in sorted(best))
