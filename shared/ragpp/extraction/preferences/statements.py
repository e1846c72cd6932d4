"""Reads what a speaker states about themselves: "I prefer …", "I never …", "call me …", "I'm allergic to …".

Confidence: 0.9 for what is said about oneself or asked for outright, 0.8 for "I prefer", "never" and "always", 0.7
for likes and dislikes, 0.6 for what is preferred in a situation ("I'd rather"). The scale is this project's own,
around the 0.8 that the procedural tier gives a preference without one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from ragpp.extraction.engine import Groups, Hears, hear_groups
from ragpp.extraction.gate import Claim, Gate
from ragpp.extraction.naming.lexicon import is_ordinary
from ragpp.extraction.phrases import key_of, leading_phrase, object_phrase, points_elsewhere, without_article
from ragpp.extraction.port import PreferenceMention
from ragpp.extraction.preferences import liking_rules as likings
from ragpp.extraction.preferences import statement_rules as rules
from ragpp.extraction.preferences.likings import OTHER_LIKINGS, OWN_LIKINGS, Reader, dislikes, instead, likes, mention
from ragpp.extraction.preferences.topics import category_of, choice
from ragpp.extraction.preferences.wishes import CONTACTS, OWN_WISHES, REQUESTS
from ragpp.text.english import word_set
from ragpp.text.sentences import spelled_out

_NOT_HABITS: Final = word_set(
    "know knew think thought feel felt mean meant said say says want wanted get got have had been was were did forget "
    "forgot understand understood wonder heard hear saw see realised realized noticed expected liked loved met asked "
    "told found find made went came seem imagine wish hope love like hate need end ended could would should will can "
    "ever really quite believed believe managed remember remembered seen lived stopped even once done gone taken given "
    "left lost kept be is am are"
)
"""Verbs after "I never" and "I always" that tell of a state or of the past, not of a habit."""
_SOOTHING: Final = word_set(
    "worry be forget hesitate let get hate judge laugh cry apologise apologize panic stress mind tell mention say "
    "thank go leave stop do make feel take"
)
"""Verbs after "please don't" that ask for something once."""
_NEVER_NAMED: Final = word_set(
    "when if later back tomorrow tonight today maybe crazy old again anytime before after on"
)
_OVER: Final = re.compile(r"\s(?:over|rather than|instead of|than)\s")
_TO: Final = re.compile(
    r"(?<!going)(?<!listening)(?<!talking)(?<!coming)(?<!moving)(?<!writing)(?<!speaking)\sto\s(?!be\b)"
)


def read_preferences(gate: Gate) -> Iterator[PreferenceMention]:
    """The preferences that a cleaned sentence asserts about its speaker, in no particular order."""
    text = gate.sentence.text
    yield from hear_groups(_RULES, _Statements(gate, text))
    implied = spelled_out(text)
    if implied is not None:
        yield from hear_groups(_RULES, _Statements(gate, implied))


@dataclass(frozen=True, slots=True)
class _Statements:
    """A hearing, and where a statement begins that was read: what one pattern said, no other says again."""

    gate: Gate
    text: str
    begun: set[int] = field(default_factory=set)


def _once(reader: Reader, match: re.Match[str], heard: _Statements) -> Iterator[PreferenceMention]:
    begin = match.start() + len(match.group()) - len(match.group().lstrip(" ,.:;"))
    if begin not in heard.begun:
        found = list(reader(match))
        yield from found
        if found:
            heard.begun.add(begin)


def _rest(match: re.Match[str]) -> str:
    return match.string[match.end() :]


def _prefer(match: re.Match[str]) -> Iterator[PreferenceMention]:
    wanted, refused = _alternatives(_rest(match))
    preferred = leading_phrase(wanted, max_words=6)
    if preferred is None or points_elsewhere(without_article(preferred)):
        return
    over = leading_phrase(refused, max_words=5) if preferred == " ".join(wanted.split()) else None
    category, key = choice(preferred, over)
    yield from mention(category, key, without_article(preferred), 0.6 if match["would"] else 0.8)


def _alternatives(text: str) -> tuple[str, str]:
    """What is preferred and over what, the latter empty where it is not said. "to" divides only where the sentence
    has no plainer word and it is not part of a verb ("going to the sea")."""
    text = text.removeprefix("to ")
    for divider in (_OVER, _TO):
        match = divider.search(text)
        if match:
            return text[: match.start()], text[match.end() :]
    return text, ""


def _rather(match: re.Match[str]) -> Iterator[PreferenceMention]:
    first, _, second = _rest(match).partition(" than ")
    wanted, refused = leading_phrase(first, max_words=8), leading_phrase(second, max_words=6)
    if wanted and refused and wanted == " ".join(first.split()):
        key = " or ".join(sorted((wanted.lower(), refused.lower())))
        yield from mention(category_of(f"{wanted} {refused}"), key, f"{wanted} rather than {refused}", 0.6)


def _habit(match: re.Match[str]) -> Iterator[PreferenceMention]:
    phrase = leading_phrase(_rest(match), max_words=8, with_circumstances=True)
    if phrase is None:
        return
    verb = phrase.split()[0].lower()
    if (
        (verb in _NOT_HABITS and not (verb == "have" and category_of(phrase) == "food"))
        or verb.endswith(("ed", "ly"))
        or not verb.isalpha()
    ):
        return
    yield from _frequency(match["how"], category_of(phrase), phrase, 0.8)


def _frequency(how: str, category: str, phrase: str, confidence: float) -> Iterator[PreferenceMention]:
    """ "always" or "never", which answer the same question: how often is it to be."""
    if how.lower() == "always":
        yield from mention(category, key_of(phrase), "always", confidence)
    else:
        yield from mention(category, key_of(phrase), "never", confidence, "negative")


def _abstains(match: re.Match[str]) -> Iterator[PreferenceMention]:
    verb = {"eating": "eat", "drinking": "drink"}.get(match["verb"].lower(), match["verb"].lower())
    phrase = object_phrase(_rest(match), max_words=4)
    if phrase:
        yield from mention("food", key_of(f"{verb} {phrase}"), "never", 0.8, "negative")


def _quits(match: re.Match[str]) -> Iterator[PreferenceMention]:
    phrase = object_phrase(_rest(match), max_words=4)
    if (
        phrase
        and not phrase.startswith(("eating ", "drinking "))
        and (phrase.split()[0].endswith("ing") or category_of(phrase) == "food")
    ):
        yield from mention(category_of(phrase), key_of(phrase), "given up", 0.8, "negative")


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
    yield from _frequency(match["how"] or match["order"], "communication", phrase, 0.9)


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


def _allergy(match: re.Match[str]) -> Iterator[PreferenceMention]:
    listed = re.split(r"\s*(?:,|\band\b|\bor\b)\s*", match["what"])
    for allergen in listed:
        phrase = object_phrase(allergen, max_words=3)
        if phrase is None:
            return
        key = f"allergy to {key_of(phrase)}"
        if match["no"]:
            yield from mention("health", key, "not allergic", 0.9)
        else:
            yield from mention("health", key, "allergic", 0.9, "negative")


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
            (rules.PREFER, _prefer),
            (rules.RATHER, _rather),
            (rules.HABIT, _habit),
            (rules.ABSTAINS, _abstains),
            (rules.QUITS, _quits),
            (rules.LIKES, likes),
            (rules.DISLIKES, dislikes),
            (rules.DIET, _diet),
            (rules.ALLERGY, _allergy),
            (rules.OWN_DIET, _own_diet),
            (rules.OWN_ALLERGY, _own_allergy),
            (rules.OCCUPATION, _occupation),
            *OWN_LIKINGS,
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
            *OTHER_LIKINGS,
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
    (re.compile(r"\bover\b"), ((likings.ANY_DAY, instead),)),
    (re.compile(r"\b[Nn]othing\b|can't beat"), ((likings.BEATS, likes),)),
)
"""Patterns and what reads them, under a word without which none of them matches."""
_RULES: Final[Groups[_Statements, PreferenceMention]] = tuple(
    (needed, tuple(Hears(pattern, Claim.OWN, partial(_once, reader)) for pattern, reader in readers))
    for needed, readers in READERS
)
