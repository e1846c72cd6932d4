"""Tells whether two facts are one, and whether a later one takes the place of an earlier. Pure, and without vectors:
whether they are alike at all is for the caller to ask (cosine ≥ 0.92 for one fact)."""

import re
from functools import lru_cache
from typing import Final

from ragpp.extraction.facts.measures import Measures, measures
from ragpp.extraction.facts.verbs import AUXILIARIES, Clause
from ragpp.extraction.facts.wording import (
    Named,
    Wording,
    denies_the_other,
    has_another_scope,
    stems,
    wording,
)
from ragpp.text.amounts import BARE, MONEY, SPECIAL
from ragpp.text.english import word_set
from ragpp.text.lexical import terms

_OF_MANY: Final = stems(
    word_set(
        "include contain support like love enjoy visit meet met know speak buy bought read watch play offer accept "
        "integrate mention own add study tried try eat ate saw see went go travel invite hire sell sold ship publish "
        "wrote write send sent receive attend have has had need use"
    )
)
"""Verbs that may hold of several things at once: another object contradicts nothing."""
_AKIN: Final = 5
"""Letters with which two words begin that are taken for forms of one: "allergic", "allergy"."""
_NUMBERED: Final = re.compile(r"[A-Za-z]\w*\s(\d[\d.]*)")
_OF_WHAT: Final = re.compile(
    r"\d[\d.,]*(?: (?!in\b|to\b|for\b|from\b|within\b)\w+){0,2} (?:in|to|for|from|within) ([A-Z]\w+)"
)
_SHARED: Final = 0.5
"""The share of the shorter predicate's words that the other has as well, where both are about the same."""


def same_fact(a: str, b: str) -> bool:
    """True where two statements that are alike say the same: equal numbers with their units, dates, names, polarity and
    order of arguments. Where it cannot tell, they are two. Symmetric, and True of a text and itself."""
    if a.casefold() == b.casefold():
        return True
    one, other = wording(a), wording(b)
    return (
        _same_measures(measures(a), measures(b))
        and _same_names(one, other)
        and not denies_the_other(one, other)
        and not (one.bounds and other.bounds and one.bounds != other.bounds)
        and _same_order(a, b)
        and not has_another_scope(one, other)
        and not _another_word(a, b)
    )


def contradicts(earlier: str, later: str) -> bool:
    """True where both are about the same, the same subject and what is said of it, and the later has another number,
    date or name in the place of the object, or denies it. The later one then holds. Never where `same_fact`."""
    one, other = _clause(earlier), _clause(later)
    if not _same_subject(one, other):
        return False
    return _says_otherwise(earlier, later, one, other) and not same_fact(earlier, later)


def _says_otherwise(earlier: str, later: str, one: Clause, other: Clause) -> bool:
    if _another_setting(one, other):
        return True
    before, after = _predicate(one), _predicate(other)
    if not _about_the_same(before, after):
        return False
    objects, objects_later = _names_in(one.predicate), _names_in(other.predicate)
    if denies_the_other(wording(earlier), wording(later)):
        return objects == objects_later or not objects or not objects_later
    mine, theirs = measures(earlier), measures(later)
    if _of_two_periods(mine, theirs) or _of_two(_scope(earlier), _scope(later)):
        return False
    if _other_measures(mine, theirs):
        return True
    return _of_two(objects, objects_later) and not (before | after) & _OF_MANY


@lru_cache(maxsize=4_096)
def _clause(text: str) -> Clause:
    """A text is compared with several others, and read once."""
    return Clause(text)


def _same_measures(one: Measures, other: Measures) -> bool:
    if one.special != other.special or one.plain != other.plain or one.currencies != other.currencies:
        return False
    if one.periods != other.periods:
        return False
    nouns = (one.values.keys() & other.values.keys()) - SPECIAL - {BARE}
    if any(one.values[noun] != other.values[noun] for noun in nouns):
        return False
    dated = bool(one.special.get("date")) and one.special.get("date") == other.special.get("date")
    for name in one.calendar.keys() | other.calendar.keys():
        mine, theirs = one.calendar.get(name), other.calendar.get(name)
        if mine != theirs and not (dated and (mine is None or theirs is None)):
            return False
    return True


def _same_names(one: Wording, other: Wording) -> bool:
    """True where each has the names of the other; one may give more of a name, "Green Valley Hospital" for "Green
    Valley"."""
    more, less = _names_not_in(one, other), _names_not_in(other, one)
    if not more or not less:
        return all(named.beside and not named.first for named in more or less)
    return False


def _names_not_in(one: Wording, other: Wording) -> list[Named]:
    return [name for name in one.names if not (stems([name.name]) <= other.stems or name.name in other.words)]


def _same_order(a: str, b: str) -> bool:
    """True where the same play the same parts: "Ana manages Ben" is not "Ben manages Ana", but is "Ben is managed by
    Ana", and "Ana is the head" is "The head is Ana"."""
    one, other = wording(a), wording(b)
    if one.passive != other.passive or (_is_equation(a) and _is_equation(b)):
        return True
    common = {named.name for named in one.names} & {named.name for named in other.names}
    if len(common) > 1:
        mine = [named for named in one.names if named.name in common]
        theirs = [named for named in other.names if named.name in common]
        joined = all(named.joined for named in (*mine, *theirs))
        in_order = [named.name for named in mine] == [named.name for named in theirs]
        return joined or in_order or _parts(mine) == _parts(theirs)
    if set(one.content) != set(other.content):
        return True
    subject, subject_later = _subject(_clause(a)), _subject(_clause(b))
    return not subject or not subject_later or not subject.isdisjoint(subject_later)


def _is_equation(text: str) -> bool:
    """True where it says what something is, which can be turned round."""
    clause = _clause(text)
    return clause.verb_word.lower() in {"is", "are", "was", "were"} and " than " not in text


def _parts(names: list[Named]) -> dict[str, str]:
    return {named.name: named.role for named in names}


def _another_word(a: str, b: str) -> bool:
    """True where they are the same but for one word that is no verb: "allergic to nuts", "allergic to milk"."""
    one, other = wording(a).content_words, wording(b).content_words
    if len(one) != len(other) or len(one) < 2:
        return False
    differing = [(mine, theirs) for mine, theirs in zip(one, other, strict=True) if terms(mine) != terms(theirs)]
    if len(differing) != 1:
        return False
    mine, theirs = differing[0]
    akin = mine[:_AKIN] == theirs[:_AKIN] and len(mine) > _AKIN
    return not akin and not set(terms(mine)) & _verbs(a) and not set(terms(theirs)) & _verbs(b)


def _verbs(text: str) -> set[int]:
    """The stems of the finite verb and of what stands right behind an auxiliary."""
    verb = _clause(text).verb
    if verb is None:
        return set()
    word = text[verb.start : verb.end]
    behind = text[verb.end :].split()[:1] if word.lower() in AUXILIARIES else []
    participles = [one for one in behind if one.endswith(("ed", "en", "ing"))]
    return {stem for one in (word, *participles) for stem in terms(one)}


def _same_subject(one: Clause, other: Clause) -> bool:
    mine, theirs = _subject(one), _subject(other)
    if _NUMBERED.findall(one.subject) != _NUMBERED.findall(other.subject):
        return False
    return bool(mine and theirs) and (mine <= theirs or theirs <= mine)


@lru_cache(maxsize=4_096)
def _subject(clause: Clause) -> frozenset[int]:
    subject = clause.subject
    return frozenset(wording(subject).content) if subject else frozenset()


@lru_cache(maxsize=4_096)
def _predicate(clause: Clause) -> frozenset[int]:
    verb = clause.text[clause.verb.start : clause.verb.end] if clause.verb else ""
    whole = wording(clause.predicate)
    named = frozenset(stem for name in _names_in(clause.predicate) for stem in terms(name))
    return (frozenset(whole.content) | stems([verb] if verb.lower() not in AUXILIARIES else [])) - named


def _names_in(predicate: str) -> frozenset[str]:
    return frozenset(named.name for named in wording(f"it {predicate}").names)


def _about_the_same(one: frozenset[int], other: frozenset[int]) -> bool:
    if not one or not other:
        return True
    return len(one & other) / min(len(one), len(other)) >= _SHARED


def _of_two_periods(one: Measures, other: Measures) -> bool:
    """True of sums of other periods: the price of an hour, and of a day."""
    return MONEY in one.values and MONEY in other.values and _of_two(one.periods, other.periods)


def _scope(text: str) -> frozenset[str]:
    """The names of places or people that a quantity is said of: of Norway, "takes 5 days in Norway"."""
    return frozenset(name.lower() for name in _OF_WHAT.findall(text))


def _of_two(one: frozenset[str], other: frozenset[str]) -> bool:
    """True where both name something, and nothing in common."""
    return bool(one and other) and one.isdisjoint(other)


def _other_measures(earlier: Measures, later: Measures) -> bool:
    """True where the later gives another value of something that both give a value of."""
    kinds = earlier.values.keys() & later.values.keys()
    if any(not later.values[kind] <= earlier.values[kind] for kind in kinds):
        return True
    if (BARE in earlier.values or BARE in later.values) and earlier.plain and later.plain:
        return earlier.plain.isdisjoint(later.plain)
    shared = earlier.calendar.keys() & later.calendar.keys()
    if any(earlier.calendar[name].isdisjoint(later.calendar[name]) for name in shared):
        return True
    if ({"date"} & earlier.values.keys() and later.calendar) or ({"date"} & later.values.keys() and earlier.calendar):
        return "date" not in kinds
    periods = earlier.periods and later.periods and earlier.periods != later.periods
    return bool(periods) or bool(kinds & SPECIAL and earlier.currencies != later.currencies)


def _another_setting(one: Clause, other: Clause) -> bool:
    """True where a setting, "the theme of the site is dark", has another value."""
    is_setting = any(mark in one.subject for mark in ("_", " of ", "."))
    if not is_setting or one.subject.casefold() != other.subject.casefold():
        return False
    return one.predicate.casefold() != other.predicate.casefold()
