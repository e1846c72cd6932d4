"""The name that a message's first "she" or "he" stands for: somebody's, whatever a model took it for. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ragpp.extraction.naming.lexicon import is_ordinary
from ragpp.extraction.naming.words import Labelled, Word
from ragpp.text.kinship import CANONICAL, PLURAL

_PRONOUNS: Final = frozenset({"she", "he"})
Read = tuple[Sequence[Word], Sequence[Labelled]]
"""A sentence's words, and what of them was labelled."""


def with_person(sentences: Sequence[Read]) -> list[list[Labelled]]:
    """The labels of each of a message's `sentences`; the word that the first pronoun stands for is a person's.

    That is the word which opens the pronoun's sentence, where a model took it for the name of an organisation or a
    thing. Nobody else may have been spoken of before, by a name or as kin: then the pronoun may be theirs.
    """
    labels = [list(labelled) for _, labelled in sentences]
    found = _first_pronoun(sentences)
    if found is None:
        return labels
    number, at = found
    opened = next((one for one in labels[number] if _may_be_wrong(one, sentences[number][0], at)), None)
    if opened is None:
        return labels
    others = any(
        _may_be_somebody(word, index, labels[place])
        for place, (words, _) in enumerate(sentences[: number + 1])
        for index, word in enumerate(words[:at] if place == number else words)
        if (place, index) != (number, opened.first)
    )
    if not others:
        labels[number] = [replace(one, label="PERSON") if one is opened else one for one in labels[number]]
    return labels


def _first_pronoun(sentences: Sequence[Read]) -> tuple[int, int] | None:
    for place, (words, _) in enumerate(sentences):
        for at, word in enumerate(words):
            if word.text.lower() in _PRONOUNS:
                return place, at
    return None


def _may_be_wrong(span: Labelled, words: Sequence[Word], at: int) -> bool:
    """True where a model's label is of the one word that opens a sentence, before the place `at`."""
    first = next((place for place, word in enumerate(words) if word.text[0].isalnum()), at)
    text = words[span.first].text
    is_name = text[0].isupper() and text[1:].islower() and not is_ordinary(text) and text.lower() not in CANONICAL
    is_guess = not span.sure and span.label in {"ORG", "PRODUCT"}
    return is_guess and is_name and (span.first, span.last) == (first, first + 1) and span.last <= at


def _may_be_somebody(word: Word, place: int, labels: Sequence[Labelled]) -> bool:
    """True for a kinship word, and for a capital within a sentence that is of no place."""
    text = word.text.lower()
    if text in CANONICAL or text in PLURAL:
        return True
    if any(one.first <= place < one.last and (one.sure or one.label == "GPE") for one in labels):
        return False
    return place > 0 and word.text[0].isupper() and word.text != "I"
