"""Forms of words: the noun of what is done."""

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.tokens import Token

GERUNDS: Final = {
    "run": "running", "walk": "walking", "swim": "swimming", "hike": "hiking", "ride": "riding", "jog": "jogging",
    "stroll": "walking", "drive": "driving", "sail": "sailing", "climb": "climbing", "dance": "dancing",
    "cycle": "cycling", "garden": "gardening", "camp": "camping", "knit": "knitting", "crochet": "crochet",
    "row": "rowing", "skate": "skating", "paint": "painting", "fish": "fishing", "ski": "skiing", "surf": "surfing",
    "meditate": "meditation", "juggle": "juggling", "sing": "singing", "sculpt": "sculpting", "sew": "sewing",
}  # fmt: skip
"""The nouns for what people do, by verb."""
_LEMMAS: Final = {"hat": "hate"}
"""The lemma that the lemmatizer makes of a verb → the right one."""
_DOUBLES: Final = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")


def lemma_of(word: "Token") -> str:
    """The lemma in lower case."""
    lemma = word.lemma_.lower()
    return _LEMMAS.get(lemma, lemma) if word.pos_ == "VERB" else lemma


def gerund(verb: "Token") -> str:
    """The noun for what is done, in lower case: "to knit" → "knitting"."""
    if verb.tag_ == "VBG":
        return verb.lower_
    word = verb.lemma_.lower()
    if word in GERUNDS:
        return GERUNDS[word]
    if word.endswith("e") and not word.endswith(("ee", "ye", "oe")):
        return f"{word[:-1]}ing"
    return f"{word}{word[-1]}ing" if _DOUBLES.fullmatch(word) else f"{word}ing"
