"""The parts joined to a word in Korean and Arabic: particles, the article, prepositions, whose it is.

Which letters are joined and which are the word's own cannot be told without a dictionary: 고양이 is a cat, and 이 a
particle. So a word has several forms, all that it may be without what is joined to it; a text is stored by all of
them and a question asks for all of them, and two words meet in the one that they share.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ragpp.text.english import word_set
from ragpp.text.unspaced import pairs

HANGUL: Final = re.compile("[\uac00-\ud7a3]+")
ARABIC: Final = re.compile("[\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06fa-\u06ff]")

_PARTICLES: Final = word_set(
    """
    은 는 이 가 을 를 에 의 도 만 로 와 과 랑 나 야 께 들 지 고
    에서 에게 한테 께서 까지 부터 마다 처럼 보다 조차 마저 밖에 이나 이야 이랑 이란 이지 이고 예요 으로 라는 라고
    하고 란 였어 에게서 한테서 에서는 에서도 에서의 에게는 에게도 으로는 으로도 까지는 까지도 부터는 이라는 이라고
    이에요 입니다 으로부터 이었어
    """
)
_LONGEST_PARTICLE: Final = max(map(len, _PARTICLES))
_MOST_PARTICLES: Final = 3
"""친구 + 들 + 에게 + 는: more is seldom joined."""

_SILENT: Final = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670]")
"""Vowel points, and the stroke that only lengthens."""
_ONE_LETTER: Final = str.maketrans("أإآٱىیةک", "ااااييهك")
_ARTICLES: Final = ("وبال", "وكال", "ولل", "وال", "فال", "بال", "كال", "لل", "ال")
"""With what may be joined before it."""
_PREPOSITIONS: Final = ("و", "ف", "ب", "ك", "ل")
_OWNERS: Final = ("هما", "كما", "ها", "هم", "هن", "كم", "نا", "ه", "ي", "ك")
_ENDINGS: Final = (("هما", "كما", "ها", "هم", "هن", "كم", "نا"), ("ات", "ون", "ين", "ان"), ("يه", "ه", "ي"))
"""At most one of each, in this order."""
_LEAST: Final = 2
"""Letters that are left of a word without an ending of one letter, or without the article."""


def korean_forms(word: str) -> Iterator[str]:
    """The forms that a word in Hangul may have without the particles behind it, longest first, at least one syllable:
    none where no particle is known."""
    for _ in range(_MOST_PARTICLES):
        lengths = range(min(_LONGEST_PARTICLE, len(word) - 1), 0, -1)
        length = next((one for one in lengths if word[-one:] in _PARTICLES), None)
        if length is None:
            return
        word = word[:-length]
        yield word


def stored_korean(word: str) -> Iterator[str]:
    """The terms that find a stored word in Hangul beside itself: its forms, and pairs of syllables, since compounds are
    written as one word or as two."""
    yield from korean_forms(word)
    yield from pairs(word)


def asked_korean(word: str) -> list[str]:
    """The words that a question with a word in Hangul asks for: its forms, or itself where it has none. Not itself
    beside them, for hardly a text has it with the same particle."""
    return list(korean_forms(word)) or [word]


def pairs_beside(forms: Sequence[str]) -> list[str]:
    """The pairs it asks for beside these forms: of syllables of the shortest, since it may be a part of a compound."""
    return pairs(forms[-1]) if HANGUL.match(forms[-1]) else []


def arabic_spellings(word: str) -> list[str]:
    """A word in Arabic script without points and with letters that are written in several ways as one; then also
    without the article and what is joined to it, or a preposition of one letter. Points alone have none."""
    bare = _SILENT.sub("", word).translate(_ONE_LETTER)
    article = next((one for one in _ARTICLES if bare.startswith(one) and len(bare) - len(one) >= _LEAST), None)
    if article is not None:
        return [bare, bare.removeprefix(article)]
    if bare.startswith(_PREPOSITIONS) and len(bare) > _LEAST + 1:
        return [bare, bare[1:]]
    return [bare] if bare else []


def arabic_forms(word: str) -> list[str]:
    """The stems that a word in Arabic script may have: its spellings without an ending or whose it is; of one with the
    plain article only what follows that. Each begins with `=`, as no word does: it is a stem already."""
    spellings = arabic_spellings(word)
    if len(spellings) > 1 and spellings[0].startswith("ال"):
        del spellings[0]
    return list(dict.fromkeys(f"={stem}" for spelling in spellings for stem in _without_ending(spelling)))


def _without_ending(word: str) -> list[str]:
    """`word` without its endings. What is left before an owner may end in the letter that closes a feminine word there:
    with and without it."""
    owner = next((one for one in _OWNERS if word.endswith("ت" + one)), None)
    owned = word.removesuffix(owner or "")
    if owner is not None and len(owned) >= _LEAST and not owned.endswith("ات"):
        return [owned, owned[:-1]] if len(owned) > _LEAST else [owned]
    for endings in _ENDINGS:
        ending = next((one for one in endings if word.endswith(one)), "")
        if len(word) - len(ending) >= _LEAST + (len(ending) > 1):
            word = word.removesuffix(ending)
    return [word]
