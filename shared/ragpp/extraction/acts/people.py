"""Whom words of a parsed sentence name."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ragpp.extraction.acts.things import mark_of
from ragpp.extraction.grammar.clauses import FIRST_PERSON, SUBJECTS, is_elided, is_past
from ragpp.extraction.grammar.spelling import start_of
from ragpp.extraction.relationships.ties import Scene

if TYPE_CHECKING:
    from spacy.tokens import Token

_THIRD: Final = frozenset({"he", "she", "him", "her", "his"})


def parties(words: list["Token"], verb: "Token", scene: Scene) -> list[str]:
    """The people that words name, each once; the speaker where a fragment leaves out whom it is about."""
    if not words:
        return [scene.speaker] if verb.pos_ in {"VERB", "AUX"} and is_elided(verb) else []
    found = [party(word, scene) for word in words]
    return list(dict.fromkeys(name for name in found if name))


def party(word: "Token", scene: Scene) -> str | None:
    """The person that a word names, or None."""
    low = word.lower_
    if low in FIRST_PERSON or low in {"my", "our"}:
        return scene.speaker
    if low in {"you", "your"}:
        return scene.listener if _is_about(word) else None
    if low in {"who", "that", "which"} and word.head.dep_ == "relcl":
        return party(word.head.head, scene)
    referent = mark_of(word, scene.reading)
    if referent is not None:
        return _named(word, referent, scene)
    person = scene.antecedents.resolve(low, scene.reading, start_of(word)) if low in _THIRD else None
    return person.name if person else None


def _named(word: "Token", referent: int, scene: Scene) -> str | None:
    """The name at the word, which is somebody's from now on; None where it is known to be nobody's."""
    name = scene.reading.referents[referent]
    known_otherwise = name.firm and name.label != "PERSON"
    if known_otherwise or not (name.certain or word.pos_ == "PROPN"):
        return None
    scene.reading.referents[referent] = replace(name, label="PERSON", firm=True, certain=True)
    return name.name


def _is_about(word: "Token") -> bool:
    """True where "you" is the listener, and not anybody: "you build settlements and trade"."""
    verb = word.head
    whenever = any(child.lower_ in {"when", "where", "if", "while", "until", "whenever"} for child in verb.children)
    general = verb.dep_ == "relcl" or (verb.dep_ == "advcl" and whenever)
    return not general or is_past(verb) or word.dep_ not in SUBJECTS
