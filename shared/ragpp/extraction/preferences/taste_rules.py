"""The table of tastes: which words say that their speaker likes something or not. One line a way of saying so.

    taste(value, words, where, example, flags)

- `value`: what is noted; of these "likes", "always" and "prefers" are positive.
- `words`: lemmas of verbs ("give_up": with a particle), or of what follows "be" or "become" ("fond", "fan").
- `where` the thing stands: "obj", a preposition, "doing" for a gerund or an infinitive; "subject" before the verb.
- `flags`: "be": the words follow "be"; "cannot": counts only where it is denied by "can" ("can't stand"); "denied":
  where it is denied at all; "turns": what is denied is the opposite ("don't like"), else a denial says nothing; "past":
  also of what is over; "trying": also what one tries; "only": beside that word; "interest", "enough": with that word
  between; "never": denied by that word; "me": to "me"; "mine": beside "my".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from ragpp.text.english import word_set

Value = Literal["likes", "dislikes", "avoids", "given up", "never", "always", "allergic", "prefers"]


@dataclass(frozen=True, slots=True)
class Taste:
    """One line of the table; `words` holds (lemma, particle) pairs."""

    value: Value
    words: tuple[tuple[str, str], ...]
    where: frozenset[str]
    example: str
    flags: frozenset[str]


def taste(value: Value, words: str, where: str, example: str, flags: str = "") -> Taste:
    """One line, see above."""
    pairs = ((word.partition("_")[0], word.partition("_")[2]) for word in words.split())
    return Taste(value, tuple(pairs), word_set(where), example, word_set(flags))


TASTES: Final = (
    taste("likes", "like love enjoy adore luv luuuv", "obj doing", "I love jazz", "turns"),
    taste("dislikes", "hate dislike detest loathe despise abhor resent", "obj doing", "I hate crowds"),
    taste("dislikes", "stand bear abide stomach tolerate", "obj doing", "I can't stand crowds", "cannot"),
    taste("dislikes", "care", "for", "I don't care for jazz", "denied"),
    taste("avoids", "avoid shun boycott", "obj doing", "I avoid gluten", "trying"),
    taste("avoids", "stay_away keep_away steer steer_away", "from of", "I stay away from sugar", "trying"),
    taste("given up", "give_up quit", "obj doing", "I gave up sugar", "past"),
    taste("given up", "stop quit", "doing", "I stopped eating meat", "past"),
    taste("given up", "go_off cut_out", "obj", "I've gone off tea", "past"),
    taste("given up", "lose", "in for", "I've lost interest in pottery", "past interest"),
    taste("avoids", "cut_down cut_back cut", "on", "I'm trying to cut down on sugar", "trying"),
    taste("likes", "get", "of", "I can't get enough of jazz", "cannot enough"),
    taste("likes", "have", "obj", "I can never have enough pickles", "cannot never enough"),
    taste("likes", "swear", "by", "I swear by oat milk"),
    taste("prefers", "prefer", "obj doing", "I prefer tea to coffee"),
    taste("never", "eat drink", "obj", "I don't eat meat", "denied"),
    taste("never", "wear smoke touch", "obj", "I don't wear wool", "denied"),
    taste("always", "eat drink wear read buy use", "obj", "I only drink decaf", "only"),
    taste(
        "likes",
        "fond crazy mad nuts passionate obsessed keen hooked addicted big wild bonkers enthusiastic",
        "of about with on to",
        "I'm fond of jazz",
        "be turns",
    ),
    taste("likes", "fan lover sucker devotee believer admirer", "of in", "I'm a fan of jazz", "be turns"),
    taste("likes", "into", "into", "I'm into jazz", "be turns"),
    taste("dislikes", "sick tired bored averse fed done", "of to with", "I'm sick of crowds", "be"),
    taste("allergic", "allergic intolerant", "to of", "I'm allergic to peanuts", "be turns"),
    taste(
        "likes",
        "thing favorite favourite weakness pleasure passion obsession jam joy food life",
        "subject",
        "Sad books are my thing",
        "be turns mine",
    ),
    taste("dislikes", "peeve worst nightmare", "subject", "Loud eating is my pet peeve", "be"),
    taste("dislikes", "annoy irritate bore disgust infuriate depress", "subject", "Loud music annoys me", "me"),
    taste("likes", "relax soothe calm delight fascinate", "subject", "Knitting relaxes me", "me"),
    taste("likes", "for", "subject", "E-readers aren't for me", "be turns denied"),
)

_BY_WORD: dict[str, list[Taste]] = {}
for _one in TASTES:
    for _word, _ in _one.words:
        _BY_WORD.setdefault(_word, []).append(_one)
BY_WORD: Final[Mapping[str, tuple[Taste, ...]]] = MappingProxyType(
    {word: tuple(lines) for word, lines in _BY_WORD.items()}
)
"""Lemma → the lines that have it."""
