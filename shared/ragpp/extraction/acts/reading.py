"""Reads from a parsed sentence who did what: the lines of `table` against its clauses."""

import re
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Final

from ragpp.extraction.acts.nouns import NOUNS
from ragpp.extraction.acts.objects import given_to, objects_of
from ragpp.extraction.acts.people import parties, party
from ragpp.extraction.acts.posts import EMPLOYER, places_of, read_ailment, read_being, read_naming, read_post
from ragpp.extraction.acts.table import BY_VERB, Act
from ragpp.extraction.acts.things import activity, fits, named, named_by
from ragpp.extraction.grammar.assertion import ABLE, Assertion
from ragpp.extraction.grammar.clauses import is_passive, is_past, is_progressive, particle, subjects, was
from ragpp.extraction.grammar.forms import GERUNDS, gerund, lemma_of
from ragpp.extraction.phrases import singular
from ragpp.extraction.preferences.things import general_phrase
from ragpp.extraction.relationships.ties import Scene, Tie

if TYPE_CHECKING:
    from spacy.tokens import Token

_AHEAD: Final = re.compile(
    r"\b(?:tomorrow|tonight|soon|next (?:week|month|year|summer|winter|spring|fall|autumn|weekend|time|\w+day)|later|"
    r"this (?:weekend|coming \w+|summer|winter|\w+day)|in (?:a|two|three|\d+|a few) (?:days?|weeks?|months?|years?))\b",
    re.IGNORECASE,
)
_NOWADAYS: Final = re.compile(
    r"\b(?:now|these days|nowadays|at the moment|for good|full[- ]time|currently)\b", re.IGNORECASE
)
_DEGREES: Final = NOUNS["study"] | {"master", "bachelor", "doctorate", "ba", "bsc", "msc", "mba"}
_STATES: Final = {"married": "marry", "engaged": "engage", "based": "base", "divorced": "divorce"}
"""Participles that a parser takes for adjectives → their verbs."""
_LOOSE: Final = frozenset({"away", "over", "out", "back", "down", "along", "around", "up"})
"""Particles that change nothing of how somebody gets somewhere: "headed over to"."""
_LEADS_AWAY: Final = frozenset({"on", "into", "out", "across", "over", "away", "off", "for", "late", "low"})
_NO_DOING: Final = frozenset(
    {"going", "doing", "being", "having", "getting", "trying", "looking", "talking", "thinking"}
)


def read_acts(scene: Scene) -> Iterator[Tie]:
    """The relationships that the sentence states; what they name is marked in the scene's reading."""
    if scene.words is None or scene.gate.is_open:
        return
    for word in scene.words:
        if word.pos_ in {"VERB", "AUX"} and word.dep_ not in {"aux", "auxpass"}:
            for line in BY_VERB.get(lemma_of(word), ()):
                yield from _read(line, word, word, scene)
            if word.lemma_ in {"be", "become"}:
                yield from read_being(word, scene)
            elif word.lemma_ in {"name", "call"}:
                yield from read_naming(word, scene)
        elif word.lower_ in _STATES and word.dep_ in {"acomp", "attr", "conj", "oprd"}:
            for line in BY_VERB.get(_STATES[word.lower_], ()):
                if "passive" in line.flags:
                    yield from _read(line, word, word.head, scene)
        elif word.pos_ == "NOUN":
            yield from read_post(word, scene)
            yield from read_ailment(word, scene)


def _read(line: Act, verb: "Token", clause: "Token", scene: Scene) -> Iterator[Tie]:
    """The ties that the line gives a clause. `verb`: its object's head, the clause's own or a participle beside it."""
    if not (_is_meant(line, verb) and _fits_its_time(line, verb)):
        return
    objects = [one for one in objects_of(line, verb) if _takes(line, one, scene)]
    if not objects and "verb" not in line.where:
        return
    said = scene.gate.assertion(clause, despite=ABLE if "able" in line.flags else frozenset())
    ends = "ends" in line.flags or ("lapses" in line.flags and was(clause))
    if (
        said in {Assertion.OPEN, Assertion.DENIED}
        or (ends and said is Assertion.ENDED)
        or _is_planned(line, verb, said)
    ):
        return
    if "over" in line.flags and said is not Assertion.ENDED:
        return
    if "turned" in line.flags:
        yield from _turned(line, verb, objects, scene, ends=said is Assertion.ENDED)
        return
    people = _doers(line, verb, clause, scene)
    things = [_doing(verb, scene)] if "verb" in line.where else [_named(one, line, scene) for one in objects]
    for person, thing in product(people, things if people else ()):
        if thing and thing != person:
            yield Tie(person, line.kind, thing, line.lasting, ends or said is Assertion.ENDED, _told_by(verb))
    if line.kind == "WORKS_AS":
        for person, noun in product(people, objects):
            for place in places_of(noun, EMPLOYER, scene):
                yield Tie(person, "WORKS_AT", place, True, said is Assertion.ENDED, _told_by(verb))


def _told_by(verb: "Token") -> str:
    """The verb as a dictionary has it: "pick up"."""
    return f"{_STATES.get(verb.lower_, lemma_of(verb))} {particle(verb)}".strip()


def _is_meant(line: Act, verb: "Token") -> bool:
    """True where it is a verb of the line, with its particle and in its voice."""
    part = particle(verb)
    lemma = _STATES.get(verb.lower_, lemma_of(verb)) if verb.pos_ == "ADJ" else lemma_of(verb)
    loose = part in _LOOSE and line.kind in {"VISITED", "LIVES_IN", "MET"} and (lemma, "") in line.verbs
    if (lemma, part) not in line.verbs and not loose:
        return False
    if "passive" not in line.flags:
        return not is_passive(verb)
    return is_passive(verb) or _is_participle(verb)


def _fits_its_time(line: Act, verb: "Token") -> bool:
    """True where the tense and what stands beside the verb are as the line's flags want them."""
    flags = line.flags
    if "past" in flags and not is_past(verb):
        return False
    if "now" in flags and (is_past(verb) or is_progressive(verb) or _goes_back(verb)):
        return False
    if "nowadays" in flags and not _NOWADAYS.search(verb.doc.text):
        return False
    if "degree" in flags:
        return any(child.dep_ == "dobj" and singular(child.lower_) in _DEGREES for child in verb.children)
    return True


def _takes(line: Act, word: "Token", scene: Scene) -> bool:
    if _is_theirs(line, word):
        return False
    return fits(word, line, scene.reading) or fits(named_by(word), line, scene.reading)


def _is_theirs(line: Act, word: "Token") -> bool:
    """True where a belonging is said to be another's: "I drove my mom's car"."""
    owners = [child for child in word.children if child.dep_ == "poss"]
    return line.kind in {"OWNS", "SOLD"} and any(one.pos_ != "PRON" for one in owners)


def _doers(line: Act, verb: "Token", clause: "Token", scene: Scene) -> list[str]:
    """The people of whom it is said: who does it, or to whom something is given."""
    who = subjects(clause)
    can = any(child.tag_ == "MD" for child in verb.children)
    if ("state" not in line.flags or can) and not is_past(verb) and any(one.lower_ == "you" for one in who):
        return []  # "you find purpose in this": anybody
    doers = parties(who, clause, scene)
    if "dative" in line.flags:
        return parties(given_to(verb), verb, scene) if doers else []  # not "dance gives me an escape"
    return doers


def _is_participle(verb: "Token") -> bool:
    """A passive without "be": "a nurse based in Leeds", "born in Accra"."""
    alone = not any(child.dep_ in {"aux", "nsubj"} for child in verb.children)
    return verb.pos_ == "ADJ" or (verb.tag_ == "VBN" and alone)


def _goes_back(verb: "Token") -> bool:
    return any(child.lower_ in {"back", "home"} for child in verb.children)


def _is_planned(line: Act, verb: "Token", said: Assertion) -> bool:
    if said is Assertion.ENDED:
        return False
    coming = any(child.dep_ == "auxpass" and child.tag_ == "VBG" for child in verb.children)  # "getting married"
    if coming or (is_progressive(verb) and "state" not in line.flags):
        return True
    return not is_past(verb) and _AHEAD.search(verb.doc.text) is not None


def _turned(line: Act, verb: "Token", objects: list["Token"], scene: Scene, *, ends: bool) -> Iterator[Tie]:
    """ "Brightline hired me": from the object to the subject."""
    employers = [one for one in subjects(verb) if fits(one, EMPLOYER, scene.reading)]
    for person in parties(objects, verb, scene):
        for employer in employers:
            name = named(employer, EMPLOYER, scene.reading)
            if name and name != person:
                yield Tie(person, line.kind, name, line.lasting, ends, _told_by(verb))


def _named(word: "Token", line: Act, scene: Scene) -> str | None:
    if word.pos_ == "PRON" and "PERSON" in line.takes:
        return party(word, scene)
    if "general" in line.flags:
        phrase = general_phrase(word, word.head)
        return activity(phrase, word, scene.reading) if phrase else None
    if "doing" in line.where and word.pos_ in {"VERB", "AUX"}:
        text = word.lower_
        return None if text in _NO_DOING else activity(gerund(word), word, scene.reading)
    if line.kind == "PRACTISES" and word.lower_ in GERUNDS:
        return activity(GERUNDS[word.lower_], word, scene.reading)
    return named(word, line, scene.reading)


def _doing(verb: "Token", scene: Scene) -> str | None:
    if any(child.dep_ in {"dobj", "prt"} or child.lower_ in _LEADS_AWAY for child in verb.children):
        return None  # "I paint portraits" made them, and "I ran into Leo" met him
    text = GERUNDS.get(verb.lemma_.lower())
    return activity(text, verb, scene.reading) if text else None
