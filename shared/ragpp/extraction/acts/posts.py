"""Relationships in nouns that say whose they are: "my job at Brightline", "I'm a member of the choir", "my asthma"."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ragpp.extraction.acts.nouns import NOUNS
from ragpp.extraction.acts.objects import behind
from ragpp.extraction.acts.people import parties, party
from ragpp.extraction.acts.table import Act, act
from ragpp.extraction.acts.things import activity, fits, named
from ragpp.extraction.grammar.assertion import Assertion
from ragpp.extraction.grammar.clauses import FIRST_PERSON, SUBJECTS, governing, is_past, subjects, was
from ragpp.extraction.relationships.ties import Scene, Tie

if TYPE_CHECKING:
    from spacy.tokens import Token

EMPLOYER: Final = act("WORKS_AT | be | at | ORG|workplace |  | I'm at Brightline")
POSTS: Final[Mapping[str, Act]] = MappingProxyType(
    {
        "member": act("MEMBER_OF | be | of | club|ORG |  | I'm a member of the choir"),
        "part": act("MEMBER_OF | be | of | club|ORG |  | I'm part of the choir"),
        "student": act("STUDIES_AT | be | at | school|ORG |  | I'm a student at Hill College"),
        "volunteer": act("HELPED | be | at | ORG|workplace|club|place |  | I'm a volunteer at a shelter"),
    }
)
_JOBS: Final = frozenset({"job", "position", "role", "internship", "shift", "post", "work"})
_PASSING: Final = frozenset(
    {"pain", "stress", "fever", "panic", "cough", "cold", "bug", "condition", "disease", "disorder"}
)
_TAKES_UP: Final = frozenset({"get", "accept", "take", "land", "find", "start", "have", "begin"})
_GIVES_UP: Final = frozenset({"quit", "leave", "lose", "resign"})


def read_being(verb: "Token", scene: Scene) -> Iterator[Tie]:
    """ "I'm a member of the choir", "I'm a nurse at Hill Hospital"."""
    for child in verb.children:
        if child.dep_ == "attr":
            yield from _at(child, subjects(verb), verb, scene)


def read_naming(verb: "Token", scene: Scene) -> Iterator[Tie]:
    """ "We adopted a kitten and named her Miso"."""
    pet = any(word.lower_ in NOUNS["pet"] for word in verb.doc)
    mine = any(word.lower_ in FIRST_PERSON for word in subjects(verb))
    named = any(child.lower_ in {"her", "him", "it", "them"} | NOUNS["pet"] for child in verb.subtree)
    if pet and mine and named and scene.gate.assertion(verb) is Assertion.HOLDS:
        for child in verb.children:
            name = party(child, scene) if child.dep_ == "oprd" and child.pos_ == "PROPN" else None
            if name:
                yield Tie(scene.speaker, "OWNS", name, lasting=True)


def read_post(noun: "Token", scene: Scene) -> Iterator[Tie]:
    """ "My job at Brightline", "I got a job at Brightline", "I quit my job at Brightline"."""
    last = noun.lemma_ in {"day", "week", "shift"} and any(child.lower_ == "last" for child in noun.children)
    if noun.lemma_ not in _JOBS and not last:
        return
    if not scene.gate.takes_for_granted:
        return
    verb = noun.head if noun.dep_ in {"dobj", "attr"} else None
    owners = [child for child in noun.children if child.dep_ == "poss"]
    over = any(child.lower_ in {"old", "former", "previous", "ex", "first"} for child in noun.children)
    if last or (over and owners):
        if _is_said(governing(noun), scene):
            yield from _ends(noun, parties(owners, noun, scene), scene)
    elif verb is not None and verb.lemma_ in _GIVES_UP:
        if scene.gate.assertion(verb) is Assertion.HOLDS:
            yield from _ends(noun, parties(subjects(verb), verb, scene), scene)
    elif verb is not None and verb.lemma_ in _TAKES_UP and is_past(verb):
        yield from _at(noun, subjects(verb), verb, scene)
    elif owners and (verb is None or scene.gate.assertion(verb) is Assertion.HOLDS):
        yield from _at(noun, owners, None, scene)


def read_ailment(noun: "Token", scene: Scene) -> Iterator[Tie]:
    """ "Because of my anaemia"."""
    owners = [child for child in noun.children if child.dep_ == "poss"]
    lasting = noun.lower_ in NOUNS["illness"] - _PASSING
    if owners and lasting and scene.gate.takes_for_granted:
        for person in parties(owners, noun, scene):
            yield Tie(person, "SUFFERS_FROM", activity(noun.lower_, noun, scene.reading), lasting=False)


def _is_said(verb: "Token | None", scene: Scene) -> bool:
    """True where the clause says that it is so; "today was my last day" has no subject for a parser."""
    if verb is None or scene.gate.assertion(verb) is Assertion.HOLDS:
        return True
    told = any(child.dep_ in {"neg", *SUBJECTS} for child in verb.children)
    return verb.dep_ == "ROOT" and is_past(verb) and not told


def _ends(noun: "Token", people: list[str], scene: Scene) -> Iterator[Tie]:
    for place in places_of(noun, EMPLOYER, scene):
        for person in people:
            yield Tie(person, "WORKS_AT", place, lasting=True, ends=True)


def places_of(noun: "Token", line: Act, scene: Scene) -> list[str]:
    """The names of what follows a noun behind "at", "of" or "with", as far as the act takes them."""
    found: list[str] = []
    beside = noun.head.children if noun.dep_ in {"dobj", "attr"} else ()
    for child in (*noun.children, *beside):
        if child.dep_ == "prep" and child.lower_ in {"at", "of", "with", "for", "in"}:
            for place in behind(child):
                if fits(place, line, scene.reading):
                    name = named(place, line, scene.reading)
                    if name:
                        found.append(name)
    return found


def _at(noun: "Token", owners: list["Token"], verb: "Token | None", scene: Scene) -> Iterator[Tie]:
    lemma = noun.lemma_.lower()
    line = POSTS.get(lemma) or (EMPLOYER if lemma in NOUNS["job"] | _JOBS else None)
    said = scene.gate.assertion(verb) if verb is not None else Assertion.HOLDS
    if line is None or said in {Assertion.OPEN, Assertion.DENIED}:
        return
    people = parties(owners, verb or noun, scene)
    for place in places_of(noun, line, scene) if people else ():
        for person in people:
            if place != person:
                over = line.kind == "WORKS_AT" and verb is not None and was(verb)
                yield Tie(person, line.kind, place, line.lasting, ends=over or said is Assertion.ENDED)
