"""Whom a text is about: the speaker, or somebody else.

"I live in Lagos now" answers where its speaker lives, and "My sister lives in Madrid" does not, though both hold the
question's words.
"""

import re
from enum import Enum, auto
from typing import Final

from ragpp.text.persons import in_the_first_person

_KIN: Final = (
    r"(?:mother|mom|mum|father|dad|parents?|sister|brother|sibling|son|daughter|kids?|child(?:ren)?|wife|husband|spouse|"
    r"partner|boyfriend|girlfriend|fianc[eé]e?|aunt|uncle|cousin|niece|nephew|grand\w+|grandma|grandpa|in-laws?|\w+-in-law|"
    r"friend|buddy|colleague|co-?worker|boss|manager|neighbou?r|roommate|flatmate|housemate|landlord|landlady|teacher|ex|"
    r"bestie|mate)s?"
)
_OTHERS: Final = re.compile(rf"\b(?:he|she|his|her|him|hers|they|their|them|{_KIN})\b", re.IGNORECASE)
_SELF: Final = re.compile(
    r"\b(?:[Ii](?:'m|m|'ve|'d|'ll)?|[Ww]e(?:'re|'ve|'ll)?|us|me|ours|mine|myself)\b"
    rf"|\b(?:[Mm]y|[Oo]ur) (?!(?:\w+ ){{0,2}}?{_KIN}\b)"
)
"""The speaker, or something of the speaker's that is nobody."""
_DOES: Final = re.compile(r"\b(?:i|we) (?:now |still |only |just |usually )?([a-z]{3,20})\b", re.IGNORECASE)
_HAS: Final = re.compile(r"\b(?:my|our) ([a-z]{2,20})\b", re.IGNORECASE)
_OWN_KIN: Final = re.compile(rf"\b(?:my|our) (?:\w+ ){{0,2}}?{_KIN}\b", re.IGNORECASE)


class Subject(Enum):
    """Whom a question is about, as seen by who asks: themselves ("where did I …", "the user's …"), somebody of theirs
    ("my sister's …"), or anybody."""

    OWN = auto()
    KIN = auto()
    ANY = auto()


def subject_of(question: str) -> Subject:
    """Whom `question` is about."""
    if _OWN_KIN.search(question):
        return Subject.KIN
    return Subject.OWN if in_the_first_person(question) else Subject.ANY


def is_of_self(told: str) -> bool:
    """Whether the speaker is in what they tell."""
    return _SELF.search(told) is not None


def is_of_others(told: str) -> bool:
    """Whether somebody else is in what is told: a third person, or kin, friends and colleagues."""
    return _OTHERS.search(told) is not None


def is_of_another(told: str, before: str) -> bool:
    """Whether what the speaker does or has in `before` ("we pay 900", "our flight") somebody else does or has in `told`
    ("Carla pays 1100", "the flight of my boss")."""
    if is_of_self(told):
        return False
    does = any(re.search(rf"\b{verb[1]}e?s\b", told, re.IGNORECASE) for verb in _DOES.finditer(before))
    return does or any(
        re.search(rf"\w['’]s {thing[1]}\b|\b{thing[1]} of (?:(?i:my|our|his|her)\b|[A-Z])", told)
        for thing in _HAS.finditer(before)
    )
