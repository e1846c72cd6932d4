"""Statements that say of themselves that something is otherwise than it was, or was said to be: that they do, of what,
and instead of what. English."""

import re
from dataclasses import dataclass
from typing import Final

from ragpp.text.english import ANY_WEEKDAY, CALENDAR, CHAT_WORDS, STOP_WORDS
from ragpp.text.lexical import terms, words

_AT_ONCE: Final = r"no,? wait|wait,? no|scrap (?:that|it)"
"""Words that take back what was said just before."""
_WORDS_OF_ITS_OWN: Final = rf"correction|I meant|my mistake|(?P<at_once>{_AT_ONCE})"
"""Words about what was said, not about how things are."""
_CORRECTS: Final = re.compile(
    r"\b(?:"
    + "|".join(
        (
            rf"(?P<said>{_WORDS_OF_ITS_OWN})",
            r"instead|no longer|any ?more|from now on|until further notice|actually|after all|turns? out",
            r"t(?:ake|ook|aking)s? over|reschedul\w+|postpon\w+|schedule change",
            r"switch(?:ed|ing)? (?:to|from|over)|moved (?:it|to|the|from|up|back)|changed (?:it|to|from|my|the|our)",
            r"put (?:me|us|it) (?:up|down|on|back)",
            r"not (?:(?:at|in|on|with|to|the|an?|my|our) )?[\w'-]+,? but|(?:but )?not (?:at|in|on|with)",
            r"(?:is|are) now|now (?:it's|on|at|in|we|i)|(?:we|i) now",
            r"(?:'s|'m|'re|is|am|are) (?:on|at|in|with|down to|up to) [\w ]{1,30}now",
        )
    )
    + r")\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:not|no longer|isn't|aren't|instead of|rather than)"
    r" (?:(?:any ?more|at|in|on|with|to|for|by|from|the|an?|my|our) ){0,2}"
    rf"(?P<what>(?-i:[A-Z])[\w'-]+|\d[\d:.]*|{ANY_WEEKDAY}s?\b|[\w'-]+(?=(?: any ?more)?,? but\b))",
    re.IGNORECASE,
)
"""The thing that a statement says it is not: a name, a number, a day, or anything before a "but"."""


_INSTEAD_OF: Final = re.compile(
    r"\b(?:instead of|rather than|no longer|(?:switched|moved|changed|down|up) from)"
    r" (?:(?:in|on|at|with|for|by|the|an?|my|our|their) ){0,2}(?P<what>[\w:'-]+)",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[.!?;\n]+(?=\s|$)")
_CLAUSE: Final = re.compile(r"[,:()–—]|\b(?:and|but|or|so|since|because|that|when|while|as)\b", re.IGNORECASE)
_SUPPOSED: Final = re.compile(r"\b(?:if|unless|would|could|might)\b", re.IGNORECASE)
_BESIDE: Final = re.compile(r"\b(?:also|too|as well|on top|another|in addition|both)\b", re.IGNORECASE)
_FINITE: Final = re.compile(
    r"(?:\b(?:is|are|was|were|am|has|have|had|does|do|did|will|starts?|goes|went|isn't|aren't|don't|doesn't)|'(?:s|re|m|ve|ll))\b",
    re.IGNORECASE,
)
_NO_SUBJECT: Final = STOP_WORDS | CHAT_WORDS | CALENDAR
_SUBJECT_WORDS: Final = 3
"""Words before a verb that are looked at: those of a noun phrase."""


@dataclass(frozen=True, slots=True)
class Correction:
    """That something is otherwise. `about`: the terms of its subjects, none for pronouns; `instead`: those of what it
    says that it takes the place of, none where it does not say. `of_words`: it corrects what was said; `at_once`: what
    was said just before."""

    about: frozenset[int]
    instead: frozenset[int]
    of_words: bool
    at_once: bool = False


def corrections(text: str) -> tuple[Correction, ...]:
    """One for each sentence of `text` that says that something is otherwise. None that only supposes it, and none that
    adds something to what there is."""
    found = []
    for sentence in _SENTENCE.split(text):
        corrects = _CORRECTS.search(sentence)
        match = corrects or _DENIED.search(sentence)
        if match is not None and not _SUPPOSED.search(sentence) and not _BESIDE.search(sentence):
            of_words = corrects is not None and corrects["said"] is not None
            at_once = corrects is not None and corrects["at_once"] is not None
            found.append(Correction(_about(sentence, match.start()), instead_of(sentence), of_words, at_once))
    return tuple(found)


def instead_of(text: str) -> frozenset[int]:
    """The terms of what `text` says that something is no more: "switched from Slack", "instead of the 3rd", and what it
    denies."""
    said = (match["what"] for match in _INSTEAD_OF.finditer(text))
    return denied(text).union(term for what in said if what.lower() not in STOP_WORDS for term in terms(what))


def _about(sentence: str, at: int) -> frozenset[int]:
    """The terms of the subject of what is said to be otherwise `at` that place of a sentence: of the clause around it,
    or of the first verb behind it where it begins the sentence."""
    begins = max((mark.end() for mark in _CLAUSE.finditer(sentence, 0, at)), default=0)
    ends = [verb.start() for verb in _FINITE.finditer(sentence, begins)]
    before = [end for end in ends if end <= at]
    if words(sentence[:at]):
        return _subject(sentence[begins : before[0] if before else at])
    return _subject(sentence[at : ends[0]]) if ends else frozenset()


def _subject(before: str) -> frozenset[int]:
    """The terms of the noun phrase that `before` ends with, none for a pronoun."""
    named = words(_CLAUSE.split(before)[-1])[-_SUBJECT_WORDS:]
    return frozenset(
        term for word in named if word not in _NO_SUBJECT and not word[0].isdigit() for term in terms(word)
    )


def denied(text: str) -> frozenset[int]:
    """The terms of what `text` says it is not: "not on Fridays any more but on Tuesdays" denies Friday."""
    return frozenset(term for match in _DENIED.finditer(text) for term in terms(match["what"]))
