"""The name that a message's first "she" or "he" stands for: somebody's, whatever a model took it for. Pure."""

from collections.abc import Callable, Sequence
from typing import Final

from ragpp.extraction.naming.words import Labelled, Word
from ragpp.text.english import SENTENCE_OPENERS
from ragpp.text.kinship import CANONICAL, PLURAL

_PRONOUNS: Final = frozenset({"she", "he"})
Read = tuple[Sequence[Word], Sequence[Labelled]]
"""A sentence's words, and what of them was labelled."""


def with_person(sentences: Sequence[Read], is_word: Callable[[str], bool]) -> list[list[Labelled]]:
    """The labels of each of a message's `sentences`, where the word that a pronoun stands for is a person.

    That is the word which opens the pronoun's sentence, or the one before it: no ordinary one (`is_word`), and none of
    the list of places. Nobody else may have been spoken of before, by a name or as kin: then it may be theirs.
    """
    labels = [list(labelled) for _, labelled in sentences]
    found = _first_pronoun(sentences)
    if found is None:
        return labels
    place, at = found
    before = [words for words, _ in sentences[:place]] + [sentences[place][0][:at]]
    opened = [number for number in (place, place - 1) if number >= 0 and _opening(before[number], is_word) is not None]
    if not opened:
        return labels
    number = opened[0]
    first = _opening(before[number], is_word)
    span = next((one for one in labels[number] if one.first == first), None)
    if first is None or (span is not None and (span.sure or span.last > first + 1)):
        return labels
    others = [
        word
        for sentence, words in enumerate(before)
        for index, word in enumerate(words)
        if (sentence, index) != (number, first) and _may_be_somebody(word, index, labels[sentence])
    ]
    if not others:
        person = Labelled(first, first + 1, "PERSON", sure=False)
        labels[number] = [person, *(one for one in labels[number] if one is not span)]
    return labels


def _first_pronoun(sentences: Sequence[Read]) -> tuple[int, int] | None:
    for place, (words, _) in enumerate(sentences):
        for at, word in enumerate(words):
            if word.text.lower() in _PRONOUNS:
                return place, at
    return None


def _opening(words: Sequence[Word], is_word: Callable[[str], bool]) -> int | None:
    """The place of the word that opens a sentence, where it may be a name."""
    first = next((place for place, word in enumerate(words) if word.text[0].isalnum()), None)
    if first is None:
        return None
    text = words[first].text
    is_capital = text[0].isupper() and text[1:].islower()
    return first if is_capital and text.lower() not in SENTENCE_OPENERS and not is_word(text.lower()) else None


def _may_be_somebody(word: Word, place: int, labels: Sequence[Labelled]) -> bool:
    """True for a kinship word, and for a capital within a sentence that the list of places does not have."""
    text = word.text.lower()
    if text in CANONICAL or text in PLURAL:
        return True
    if any(one.first <= place < one.last and (one.sure or one.label == "GPE") for one in labels):
        return False
    return place > 0 and word.text[0].isupper() and word.text != "I"
