"""Themes: what a day's interactions were about, named in their own words. Pure.

A theme grows from a word or a pair of words that several interactions share and that the user does not use every day.
Words that occur together become one theme; interactions without any of them join the theme they are near in meaning.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.learned import Theme
from ragpp_services.workers.learning.texts import phrases, stem

MOST: Final = 5
"""Themes of a day, at most."""
LEAST: Final = 2
"""Interactions that a theme needs, and an eighth of the day's; 1 on a day with fewer than SHORT_DAY."""
SHORT_DAY: Final = 5
JOINS_COSINE: Final = 0.35
"""An interaction without a theme's words is about it from this mean cosine to its interactions on. For
all-MiniLM-L6-v2, where unrelated ones have 0 to 0.2."""
SAME_SHARE: Final = 0.6
"""Share of the smaller one's interactions: a phrase that shares so many with a theme's first phrase belongs to it."""
NAMED_BY: Final = 3
"""Words or pairs in a theme's name."""
SOURCES: Final = 50
PAIR: Final = 1.5
NO_NOUN: Final = 0.5
_NO_NOUN: Final = re.compile(r"(?:ing|ed|ly|ful|ive|ous|able|ible|ier|iest|less)$")

Vector = npt.NDArray[np.float32]
Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """An interaction of the day. `vector` of unit length, or None. `names`: of its speaker, which name no theme."""

    id: str
    text: str
    vector: Vector | None = None
    speaker: str = ""


@dataclass
class _Draft:
    """A theme while it is found: its names by weight, and its members by place. `core`: those of its first name."""

    names: list[tuple[float, Phrase]]
    core: frozenset[int]
    members: set[int]

    @property
    def weight(self) -> float:
        return self.names[0][0]


def themes_of(day: Sequence[Said], background: Mapping[int, int], texts_before: int) -> tuple[Theme, ...]:
    """The themes of `day`, the greatest first, at most MOST.

    `background`: in how many of the `texts_before` that this user's memory had before each stem occurred; what is
    said every day is no theme of one day.
    """
    if not day:
        return ()
    least = max(LEAST, len(day) // 8) if len(day) >= SHORT_DAY else 1
    drafts = _merged(_seeds(day, background, texts_before, least))
    _adopt(drafts, day)
    drafts = [draft for draft in drafts if len(draft.members) >= least]
    drafts.sort(key=lambda draft: (-len(draft.members), -draft.weight, draft.names[0][1]))
    return tuple(
        Theme(
            text=_name(draft),
            share=round(len(draft.members) / len(day), 4),
            interactions=len(draft.members),
            sources=tuple(day[place].id for place in sorted(draft.members))[:SOURCES],
        )
        for draft in drafts[:MOST]
    )


def stems_in(texts: Sequence[str]) -> Counter[int]:
    """In how many of `texts` each stem occurs: the background of a later day."""
    return Counter(one for text in texts for one in {stem(word) for phrase in phrases(text) for word in phrase})


def _seeds(day: Sequence[Said], background: Mapping[int, int], before: int, least: int) -> list[_Draft]:
    """Phrases of at least `least` interactions, the weightiest first: how many have it × how rare it was before. A pair
    counts for more than its words, which come with it."""
    speakers = _names(day)
    members: dict[tuple[int, ...], set[int]] = defaultdict(set)
    spoken: dict[tuple[int, ...], Counter[Phrase]] = defaultdict(Counter)
    for place, said in enumerate(day):
        for phrase in phrases(said.text):
            key = tuple(stem(word) for word in phrase)
            if not speakers & set(phrase):
                members[key].add(place)
                spoken[key][phrase] += 1
    drafts = []
    for key, of_key in members.items():
        if len(of_key) >= least:
            rarity = sum(math.log((before + 20) / (background.get(one, 0) + 1)) for one in key) / len(key)
            phrase = max(spoken[key], key=lambda found: (spoken[key][found], found))
            weight = math.sqrt(len(of_key)) * rarity * _naming(phrase)
            drafts.append(_Draft([(weight, phrase)], frozenset(of_key), set(of_key)))
    drafts.sort(key=lambda draft: (-draft.weight, draft.names[0][1]))
    return drafts[: 8 * MOST]


def _names(day: Sequence[Said]) -> set[str]:
    """The speakers' names in lower case, and their beginnings where these are only ever written as names ("Ann")."""
    full = {word for said in day for word in said.speaker.lower().split()}
    spoken = {word.strip(".,;:!?'\"") for said in day for word in said.text.split()}
    beginnings = {name[:end] for name in full for end in range(3, len(name))}
    return full | {one for one in beginnings if one not in spoken and one.capitalize() in spoken}


def _naming(phrase: Phrase) -> float:
    """How well a phrase names a thing: a pair better than a word, and what ends like a verb, an adverb or an adjective
    worse, which is all that can be told without a grammar."""
    like_a_noun = [not _NO_NOUN.search(word) for word in phrase]
    return (PAIR if len(phrase) > 1 else 1.0) * (1.0 if like_a_noun[-1] else NO_NOUN)


def _merged(seeds: Sequence[_Draft]) -> list[_Draft]:
    drafts: list[_Draft] = []
    for seed in seeds:
        same = next((draft for draft in drafts if _same(draft, seed)), None)
        if same is None:
            drafts.append(seed)
        else:
            same.names += seed.names
            same.members |= seed.members
    return drafts[: 2 * MOST]


def _same(draft: _Draft, seed: _Draft) -> bool:
    return len(draft.core & seed.core) >= SAME_SHARE * min(len(draft.core), len(seed.core))


def _mean(draft: _Draft, day: Sequence[Said]) -> Vector | None:
    """The mean of the members' vectors: its inner product with a vector is the mean cosine to them."""
    vectors = [vector for place in draft.members if (vector := day[place].vector) is not None]
    return np.mean(vectors, axis=0) if vectors else None


def _adopt(drafts: Sequence[_Draft], day: Sequence[Said]) -> None:
    """Give each interaction without a theme to the one whose mean it is nearest to."""
    means = [(draft, mean) for draft in drafts if (mean := _mean(draft, day)) is not None]
    taken = set().union(*(draft.members for draft in drafts)) if drafts else set()
    for place, said in enumerate(day):
        if said.vector is None or place in taken or not means:
            continue
        near = [float(mean @ said.vector) for _, mean in means]
        best = int(np.argmax(near))
        if near[best] >= JOINS_COSINE:
            means[best][0].members.add(place)


def _name(draft: _Draft) -> str:
    """The weightiest names, none a part of another."""
    shown: list[Phrase] = []
    for _, phrase in sorted(draft.names, key=lambda item: (-item[0], item[1])):
        stems = {stem(word) for word in phrase}
        if not any(stems & {stem(word) for word in known} for known in shown):
            shown.append(phrase)
        if len(shown) == NAMED_BY:
            break
    return ", ".join(" ".join(phrase) for phrase in shown)
