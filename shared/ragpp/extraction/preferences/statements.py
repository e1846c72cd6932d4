"""Reads what a speaker states about themselves: "I prefer …", "I never …", "call me …", "I'm allergic to …".

Confidence: 0.9 for what is said about oneself or asked for outright, 0.8 for "I prefer", "never" and "always", 0.7
for likes and dislikes, 0.6 for what is preferred in a situation ("I'd rather"). The scale is this project's own,
around the 0.8 that the procedural tier gives a preference without one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from ragpp.extraction.engine import Groups, PatternRule, apply_groups
from ragpp.extraction.gate import Claim, Gate
from ragpp.extraction.naming.lexicon import is_ordinary
from ragpp.extraction.phrases import key_of, leading_phrase, object_phrase, without_article
from ragpp.extraction.port import PreferenceMention
from ragpp.extraction.preferences import statement_rules as rules
from ragpp.extraction.preferences.choices import BEATS, OTHER_CHOICES, OVER, OWN_CHOICES
from ragpp.extraction.preferences.mentions import Reader, mention
from ragpp.extraction.preferences.tastes import read_tastes
from ragpp.extraction.preferences.topics import category_of
from ragpp.extraction.preferences.wishes import CONTACTS, OWN_WISHES, REQUESTS
from ragpp.text.english import word_set
from ragpp.text.sentences import spelled_out

if TYPE_CHECKING:
    from spacy.tokens import Doc

_SOOTHING: Final = word_set(
    "worry be forget hesitate let get hate judge laugh cry apologise apologize panic stress mind tell mention say "
    "thank go leave stop do make feel take"
)
"""Verbs after "please don't" that ask for something once."""
_NEVER_NAMED: Final = word_set(
    "when if later back tomorrow tonight today maybe crazy old again anytime before after on"
)


def read_preferences(gate: Gate, words: "Doc | None" = None) -> Iterator[PreferenceMention]:
    """The preferences that a cleaned sentence asserts about its speaker, in no particular order. `words`: the sentence
    as it was parsed; without it no tastes are read."""
    if words is not None:
        gate = Gate(replace(gate.sentence, text=words.text))
    text = gate.sentence.text
    heard = _Statements(gate, text)
    stated = list(apply_groups(_RULES, heard))
    if words is not None:
        yield from read_tastes(gate, words, told=[range(*span) for span in heard.told.items()])
    yield from stated
    implied = spelled_out(text)
    if implied is not None:
        yield from apply_groups(_RULES, _Statements(gate, implied))


@dataclass(frozen=True, slots=True)
class _Statements:
    """A sentence, and where a statement begins and ends that was read: what one pattern said, no other says again."""

    gate: Gate
    text: str
    told: dict[int, int] = field(default_factory=dict)


def _once(reader: Reader, match: re.Match[str], heard: _Statements) -> Iterator[PreferenceMention]:
    begin = match.start() + len(match.group()) - len(match.group().lstrip(" ,.:;"))
    if begin not in heard.told:
        found = list(reader(match))
        yield from found
        if found:
            heard.told[begin] = match.end()


def _rest(match: re.Match[str]) -> str:
    return match.string[match.end() :]


def _frequency(how: str, phrase: str) -> Iterator[PreferenceMention]:
    """ "always" or "never", which answer the same question: how often is it to be."""
    if how.lower() == "always":
        yield from mention("communication", key_of(phrase), "always", 0.9)
    else:
        yield from mention("communication", key_of(phrase), "never", 0.9, "negative")


def _name(match: re.Match[str]) -> Iterator[PreferenceMention]:
    name = match["name"].rstrip(".")
    if name.split()[0].lower() not in _NEVER_NAMED and not is_ordinary(name):
        key = "name" if "name is" in match.group().lower() else "name to be called"
        yield from mention("identity", key, name, 0.9)


def _refused_name(match: re.Match[str]) -> Iterator[PreferenceMention]:
    yield from mention("identity", f"being called {match['name']}", "never", 0.9, "negative")


def _favourite(match: re.Match[str]) -> Iterator[PreferenceMention]:
    thing = match["thing"].lower()
    value = leading_phrase(_rest(match), max_words=7)
    change = re.search(r"\b(?:but |and )?now(?: it's| it is|,)?\s+(.*)", _rest(match))
    if match["past"] and not change:
        return
    if change:
        value = leading_phrase(change[1], max_words=7)
    if value and object_phrase(without_article(value), max_words=7):
        yield from mention(category_of(thing), f"favourite {key_of(thing)}", without_article(value), 0.8)


def _is_favourite(match: re.Match[str]) -> Iterator[PreferenceMention]:
    thing = leading_phrase(re.split(r"\s(?:to|of|for|in|on|at)\s", _rest(match), maxsplit=1)[0], max_words=3)
    if thing and object_phrase(match["value"]):
        yield from mention(category_of(thing), f"favourite {key_of(thing)}", match["value"].strip(), 0.8)


def _request(match: re.Match[str]) -> Iterator[PreferenceMention]:
    phrase = leading_phrase(_rest(match), max_words=9, with_circumstances=True)
    if phrase is None or len(phrase.split()) < 2 or phrase.split()[0].lower() in _SOOTHING:
        return
    if re.match(r"call me [A-Z]", phrase):
        return
    yield from _frequency(match["how"] or match["order"], phrase)


def _manner(match: re.Match[str]) -> Iterator[PreferenceMention]:
    phrase = leading_phrase(_rest(match), max_words=5)
    if phrase:
        yield from mention("communication", f"how to {match['verb'].lower()}", phrase, 0.7)


def _length(match: re.Match[str]) -> Iterator[PreferenceMention]:
    yield from mention("communication", f"length of {key_of(match['what'])}", match["how"].lower(), 0.8)


def _diet(match: re.Match[str]) -> Iterator[PreferenceMention]:
    diet = match["diet"].lower()
    if match["no"]:
        yield from mention("food", "diet", f"not {diet}", 0.9, "negative")
    else:
        yield from mention("food", "diet", diet, 0.9)


def _own_allergy(match: re.Match[str]) -> Iterator[PreferenceMention]:
    yield from mention("health", f"allergy to {key_of(match['what'])}", "allergic", 0.9, "negative")


def _own_diet(match: re.Match[str]) -> Iterator[PreferenceMention]:
    yield from mention("food", "diet", (match["diet"] or match["kept"]).lower(), 0.9)


def _pronouns(match: re.Match[str]) -> Iterator[PreferenceMention]:
    yield from mention("identity", "pronouns", match["which"].lower(), 0.9)


def _occupation(match: re.Match[str]) -> Iterator[PreferenceMention]:
    phrase = leading_phrase(re.split(r"\s(?:at|for|in|with|on)\s", _rest(match), maxsplit=1)[0], max_words=4)
    if phrase:
        yield from mention("identity", "occupation", phrase.lower(), 0.8)


def _birthday(match: re.Match[str]) -> Iterator[PreferenceMention]:
    phrase = leading_phrase(_rest(match), max_words=5)
    if phrase and any(character.isdigit() for character in phrase):
        yield from mention("identity", "birthday", re.sub(r"^on (?:the )?|^the ", "", phrase), 0.9)


READERS: Final[tuple[tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], Reader], ...]], ...]] = (
    (
        re.compile(r"(?<![\w'])(?:[Ii]|[Ww]e)(?!\w)"),
        (
            (rules.DIET, _diet),
            (rules.OWN_DIET, _own_diet),
            (rules.OWN_ALLERGY, _own_allergy),
            (rules.OCCUPATION, _occupation),
            *OWN_CHOICES,
            *OWN_WISHES,
        ),
    ),
    (
        re.compile(r"\b(?:[Mm]y|[Mm]e|I go by)\b"),
        (
            (rules.NAME, _name),
            (rules.REFUSED_NAME, _refused_name),
            (rules.FAVOURITE, _favourite),
            (rules.IS_FAVOURITE, _is_favourite),
            (rules.PRONOUNS, _pronouns),
            (rules.BIRTHDAY, _birthday),
            *OTHER_CHOICES,
            *CONTACTS,
        ),
    ),
    (
        re.compile(r"\b(?:[Pp]lease|[Ff]rom now on|[Ii]n future|to)\b|^\w"),
        (
            (rules.REQUEST, _request),
            (rules.MANNER, _manner),
            (rules.LENGTH, _length),
            *REQUESTS,
        ),
    ),
    (re.compile(r"\bover\b"), OVER),
    (re.compile(r"\b[Nn]othing\b|can't beat"), BEATS),
)
"""Patterns and what reads them, under a word without which none of them matches."""
_RULES: Final[Groups[_Statements, PreferenceMention]] = tuple(
    (needed, tuple(PatternRule(pattern, Claim.OWN, partial(_once, reader)) for pattern, reader in readers))
    for needed, readers in READERS
)
