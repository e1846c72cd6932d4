"""The title of a section: the words of its facts that tell it from the other sections. Pure.

A word or a pair of adjacent words counts by the share of the section's facts that have it, and by the share of all
facts with it that are in the section. Titles have letters only, so no fact can make more of one than a title.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from ragpp.names import INVISIBLE
from ragpp.text.english import CHAT_WORDS, MONTH_ABBREVIATIONS, MONTHS, NUMBERS, STOP_WORDS, word_set
from ragpp.text.lexical import terms
from ragpp_services.catalog.pages.layout import SOURCES

OTHERS: Final = "Further Facts"
"""The section of what belongs to no other."""
PAIR: Final = 1.6
"""How much better a pair of words that several facts have, or the only one, names a thing than each of them."""
WEAK: Final = 0.25
"""How much worse what ends like a verb or an adverb names a thing, or what any chat is full of."""
SECOND: Final = 0.5
"""A second name of so much of the first one's weight is shown with it."""
_BETWEEN: Final = " & "
_NEVER: Final = (
    frozenset(word.lower() for word in (*MONTHS, *MONTH_ABBREVIATIONS))
    | NUMBERS.keys()
    | word_set(
        """
        true false none null yes within without throughout among amongst via toward towards behind beyond beneath
        beside besides between across along around against during except upon until since than instead everybody
        everyone nobody somebody
        euro euros pound pounds dollar dollars cent cents franc francs kronor kb mb gb tb kg km cm mm
        """
    )
)
_OF_ANY_FACT: Final = (CHAT_WORDS - {"plan", "plans"}) | word_set(
    """
    starts begins month months quarter hour hours minute minutes second seconds morning afternoon evening
    monday tuesday wednesday thursday friday saturday sunday mondays fridays
    whether per including includes include included available allows allow costs cost needs requires
    asks ask asked prefers prefer preferred likes dislikes dislike mentions mentioned wants says states reports
    answer answers answered unlike despite noted confirmed uses has exists comes contains
    ate bought broke brought chose led met paid ran sent sold spoke taught thinks won wrote
    user users customer customers lead leads client clients person team company
    """
)
"""Words that facts about anything are told in."""
_CLAUSE: Final = re.compile(r"[.!?…;:,\n()\[\]\"“”<>|/]+|\s[-–—]\s")
_LETTERS: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_TOKEN: Final = re.compile(r"\S+")
_POSSESSIVE: Final = re.compile(r"['’]s\Z")
_NO_NOUN: Final = re.compile(r"\w{3}(?:(?<!e)ed|(?<!mi)(?<!p)ly|ful|ive|ous|less|\w[ai]ble)\Z")
_LONGEST: Final = 24
"""Letters of a word in a title; a longer one is a sentence of a script without spaces, or no word."""

Key = tuple[int, ...]


@dataclass
class _Name:
    """A phrase that could name a section. `facts`: how many of the section's have it; `shown`: its spellings."""

    facts: int = 0
    shown: Counter[tuple[str, ...]] = field(default_factory=Counter)

    @property
    def words(self) -> tuple[str, ...]:
        """The most frequent spelling, of equals the first by letters."""
        return min(self.shown, key=lambda words: (-self.shown[words], words))


def titles_of(sections: Sequence[Sequence[str]], *, taken: Set[str]) -> list[str | None]:
    """A title for each of `sections` (the texts of their facts), in order. No two are the same, none is one of `taken`
    (folded) or a title that every page has; None where the texts have no word that would do."""
    used = {SOURCES.casefold(), OTHERS.casefold()}
    named = [_names(texts) for texts in sections]
    everywhere = Counter[Key]()
    for names in named:
        everywhere.update({key: name.facts for key, name in names.items()})
    titles: list[str | None] = []
    for names, texts in zip(named, sections, strict=True):
        weights = {key: _weight(name, len(texts), everywhere[key]) for key, name in names.items()}
        ranked = sorted(names, key=lambda key: (-weights[key], names[key].words))
        candidates = _candidates(ranked, names, weights, len(texts))
        title = next((one for one in candidates if one.casefold() not in used and one.casefold() not in taken), None)
        if title is not None:
            used.add(title.casefold())
        titles.append(title)
    return titles


def _candidates(ranked: Sequence[Key], names: dict[Key, _Name], weights: dict[Key, float], facts: int) -> Iterator[str]:
    """Titles, the best first: the weightiest phrase with the next one that says something else, where there are
    several `facts` and it is not said once beside what is said several times; then each by itself."""
    if not ranked:
        return
    first = ranked[0]
    second = next((key for key in ranked[1:] if set(key).isdisjoint(first)), None)
    told = second is not None and facts > 1 and names[second].facts >= min(2, names[first].facts)
    if second is not None and told and weights[second] >= SECOND * weights[first]:
        yield _BETWEEN.join((_titled(names[first].words), _titled(names[second].words)))
    for key in ranked:
        yield _titled(names[key].words)


def _weight(name: _Name, texts: int, everywhere: int) -> float:
    words = name.words
    weight = name.facts / texts * (name.facts / everywhere) * math.log2(1 + name.facts)
    weight *= PAIR if len(words) > 1 and (name.facts > 1 or texts == 1) else 1.0
    weak = _NO_NOUN.search(words[-1].lower()) or any(word.lower() in _OF_ANY_FACT for word in words)
    return weight * (WEAK if weak else 1.0)


def _names(texts: Sequence[str]) -> dict[Key, _Name]:
    names: dict[Key, _Name] = defaultdict(_Name)
    for text in texts:
        seen: set[Key] = set()
        for words in _phrases(text):
            key = tuple(term for word in words for term in terms(word))
            if key and (len(words) == 1 or len(set(key)) > 1):
                names[key].shown[words] += 1
                names[key].facts += key not in seen
                seen.add(key)
    return names


def _phrases(text: str) -> Iterator[tuple[str, ...]]:
    """The words of `text` that could name something, and the pairs of such that stand side by side."""
    for clause in _CLAUSE.split(INVISIBLE.sub("", text)):
        before: str | None = None
        for token in _TOKEN.finditer(clause):
            word = _naming(token[0])
            if word is not None:
                yield (word,)
                if before is not None:
                    yield (before, word)
            before = word


def _naming(token: str) -> str | None:
    """The word that `token` is, between marks, when it could name something; None for one with a number in it."""
    bare = token.strip("'’*_~`^$€£%&#+=-–—!?\\{}@")
    word = _POSSESSIVE.sub("", bare)
    letters = word.lower()
    if not _LETTERS.fullmatch(word) or not 2 < len(word) <= _LONGEST:
        return word if word.isalpha() and word.isupper() and len(word) == 2 else None
    return None if letters in STOP_WORDS or letters in _NEVER else word


def _titled(words: tuple[str, ...]) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in words)
