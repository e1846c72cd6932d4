"""Whom a text is about: the speaker, or somebody else.

"I live in Lagos now" answers where its speaker lives, and "My sister lives in Madrid" does not, though both hold the
question's words.
"""

import re
from enum import Enum, auto
from typing import Final

from ragpp.text.english import word_set
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
_OF_THINGS: Final = word_set("need take cost use leave start end go run work get make have")
_WORD: Final = re.compile(r"[a-z]+")
_OF_ANOTHER: Final = re.compile(
    rf"\b(?!(?:Dr|Mr|Mrs|Ms|Prof)\b)(?<!Dr )(?<!Dr\. )(?<!Mr )(?<!Mrs )(?<!Ms )[A-Z][a-z]+['’]s ([a-z]+)\b"
    rf"|\b([a-z]+) of (?:my|our|his|her) {_KIN}\b"
)
"""Something of somebody by name, who is no doctor of the speaker's, or of kin, friends and colleagues."""
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
    """True where the speaker is in what they tell."""
    return _SELF.search(told) is not None


def is_of_others(told: str) -> bool:
    """True where somebody else is in what is told: a third person, or kin, friends and colleagues."""
    return _OTHERS.search(told) is not None


def is_of_another(told: str, before: str) -> bool:
    """True where what the speaker does or has in `before` ("we pay 900", "our flight") somebody else does or has in
    `told` ("Carla pays 1100", "the flight of my boss"). What things do as well ("needs 12 tiles") is nobody's."""
    if is_of_self(told):
        return False
    does = {verb[1].lower() for verb in _DOES.finditer(before)} - _OF_THINGS
    said = set(_WORD.findall(told.lower()))
    if any(not said.isdisjoint((f"{verb}s", f"{verb}es")) for verb in does):
        return True
    has = {thing[1].lower() for thing in _HAS.finditer(before)}
    return bool(has) and any((owned[1] or owned[2]).lower() in has for owned in _OF_ANOTHER.finditer(told))
