"""Cuts the object of a verb out of running text: "swimming in the sea, but …" → "swimming in the sea"."""

import re
from typing import Final

from ragpp.text.english import word_set

_STOP: Final = r"\s*(?:[,.;:!?()\[\]{}\"“”…\n]|\s[-–—]+\s|$|"
_BOUNDARY: Final = re.compile(
    _STOP
    + r"\b(?:and|but|or|so|because|since|although|though|while|whereas|if|when|whenever|until|unless|after|before|"
    r"that|which|who|as|than|over|anyway|anymore|any more|too|either|lately|these days|nowadays|now|again|really|"
    r"instead|especially|mostly|more than|a lot|very much|so much|the most|much|at all|i|we|he|she|they|you|it|is|are|"
    r"was|were|has|have|had|will|would|can|could|with all my heart|for now|by the way|today)\b)",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    _STOP + r"\b(?:but|so|because|since|although|though|while|whereas|anyway|by the way|any more|anymore|"
    r"as (?:it|i|they|that|this))\b)",
    re.IGNORECASE,
)
_PREPOSITION: Final = re.compile(r"\s(?:in|on|at|by|for|from|with|without|into|to|about|near|around)\s", re.IGNORECASE)
_POINTING: Final = word_set(
    "it this that these those them they him her you me us we he she i one ones some any all everything everyone "
    "nothing something someone anything anyone what how when where why who whether there here an a the my your "
    "his its our their to not no just more less very so such each every both much many few myself yourself "
    "himself herself"
)
"""First words of objects that mean something only where they stand."""
_VAGUE: Final = word_set("having living going feeling seeing hearing getting talking doing making")
"""Verbs whose object says what is liked: too long a phrase to be a key."""
_AT_HAND: Final = re.compile(
    r"working(?:\s(?:on|here|there|for|with|this|together|out)\b|$)|"
    r"being(?:\s(?:here|there|able|an?|the|your|his|her|so|this|that|it|part|friends|married|called|one)\b|$)",
    re.IGNORECASE,
)
PERSONAL: Final = word_set("it this that these those them him her me you us my your his its our their")
_GENERIC: Final = re.compile(
    r"the\s(?=(?:smell|sound|taste|feel|feeling|sight|look|texture|atmosphere|quiet|colou?r)\sof\s|(?:sea|seaside|"
    r"beach|mountains?|ocean|rain|cold|"
    r"heat|outdoors|countryside|theatre|theater|cinema|gym|snow|sun|dark|forest|woods|gloom|silence|night|circus|"
    r"opera|ballet|"
    r"piano|guitar|violin|cello|drums|window seat|aisle seat|colou?r)\b)",
    re.IGNORECASE,
)
"""A "the" that points at nothing in particular."""
_DANGLING: Final = word_set(
    "in on at by for from with without into to about near around of the a an and together forever"
)
_ARTICLE: Final = re.compile(r"(?:the|a|an|my|our|your|some)\s+", re.IGNORECASE)


def object_phrase(text: str, *, max_words: int = 5) -> str | None:
    """The general thing that `text` starts with, in lower case unless it is a name, or None where it starts with a
    pronoun or a determiner ("that", "my new …"), which point at something in particular. At most `max_words` words.
    """
    phrase = leading_phrase(_GENERIC.sub("", text, count=1) if _GENERIC.match(text) else text, max_words=max_words)
    if phrase is None or points_elsewhere(phrase):
        return None
    first = phrase.split(maxsplit=1)[0].lower()
    if first in _VAGUE or _AT_HAND.match(phrase):
        return None
    if not first.endswith("ing"):
        phrase = _PREPOSITION.split(phrase, maxsplit=1)[0]
    words = phrase.lower().split()
    if PERSONAL.intersection(words) or words[-1] in _DANGLING:
        return None
    return phrase if any(character.isalpha() for character in phrase) else None


def points_elsewhere(phrase: str) -> bool:
    """True where the phrase starts with a pronoun or a determiner."""
    return phrase.split(maxsplit=1)[0].lower() in _POINTING


def leading_phrase(text: str, *, max_words: int, with_circumstances: bool = False) -> str | None:
    """The words that `text` starts with, up to the end of the clause; None for none, over `max_words` or 80 characters.

    `with_circumstances` keeps when and under which conditions: "call me before nine", "reply when I'm driving"."""
    window = text[:200].lstrip()
    boundary = (_CLAUSE if with_circumstances else _BOUNDARY).search(window)
    phrase = " ".join(window[: boundary.start() if boundary else len(window)].split())
    words = phrase.split()
    if not words or len(words) > max_words or len(phrase) > 80:
        return None
    return phrase


def without_article(phrase: str) -> str:
    """ "the window seat" → "window seat"."""
    return _ARTICLE.sub("", phrase, count=1) if _ARTICLE.match(phrase) else phrase


_IE: Final = word_set(
    "movies cookies smoothies brownies hoodies selfies zombies calories pies ties indies veggies rookies"
)


def singular(word: str) -> str:
    """A regular English plural's singular, else the word: a key must not depend on number."""
    lowered = word.lower()
    if len(lowered) < 4 or lowered.endswith(("ss", "us", "is", "news")):
        return lowered
    if lowered.endswith("ies") and len(lowered) > 4 and lowered not in _IE:
        return lowered[:-3] + "y"
    if lowered.endswith(("ches", "shes", "sses", "xes")):
        return lowered[:-2]
    return lowered.removesuffix("s")


def key_of(phrase: str) -> str:
    """The phrase as a key: lower case, its last word in the singular unless it is a name."""
    *front, last = phrase.split()
    return " ".join((*front, last if last[0].isupper() else singular(last))).lower()
