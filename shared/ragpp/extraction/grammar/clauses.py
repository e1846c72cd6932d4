"""The clauses of a parsed sentence: whose they are, and in which tense and voice. Labels of the parse are those of
spaCy's English pipelines (ClearNLP)."""

from typing import TYPE_CHECKING, Final

from ragpp.text.english import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS: Final = frozenset({"nsubj", "nsubjpass"})
FIRST_PERSON: Final = frozenset({"i", "we", "me", "us", "im"})
DEEP: Final = 12
"""Clauses within clauses that are followed; deeper ones say nothing."""
_COMMANDING: Final = word_set("ask tell want help let make get see hear teach invite encourage have watch allow force")
_PARTICLES: Final = word_set("away up off")
_EARLY: Final = 5
_OF_ONESELF: Final = word_set("love hate like prefer stand enjoy adore luv")
"""Verbs that nobody is ordered: without a subject they are the speaker's."""


def subjects(verb: "Token", _depth: int = 0) -> list["Token"]:
    """The words for whoever does it; empty where nobody is named, and a fragment's is the speaker (`is_elided`)."""
    own = [child for child in verb.children if child.dep_ in SUBJECTS]
    if len(own) > 1:
        own = [one for one in own if not _is_addressed(one)]
    if own:
        return [one for subject in own for one in (subject, *subject.conjuncts)]
    if verb.dep_ in {"acl", "relcl"}:
        return [verb.head]
    bearer = _bearer(verb)
    if bearer is None or _depth > DEEP:
        return []
    controlled = [child for child in bearer.children if child.dep_ in {"dobj", "dative"}]
    if controlled and verb.dep_ in {"xcomp", "ccomp"} and bearer.lemma_ in _COMMANDING:
        return controlled
    return subjects(bearer, _depth + 1)


def _bearer(verb: "Token") -> "Token | None":
    """The verb whose subject is also that of one that has none of its own."""
    head, dep = verb.head, verb.dep_
    if dep == "pcomp":
        return governing(head)
    if dep == "xcomp" and head.pos_ == "ADJ":
        return head.head
    return head if dep in {"conj", "xcomp", "ccomp", "advcl"} and head.pos_ in {"VERB", "AUX"} else None


def _is_addressed(word: "Token") -> bool:
    """True where it only names the listener: "Nate, after the screenplay I got a letter"."""
    doc = word.doc
    return (
        word.i == 0 and word.pos_ == "PROPN" and len(doc) > 1 and doc[1].text in {",", "!"} and not list(word.conjuncts)
    )


def is_elided(verb: "Token", _depth: int = 0) -> bool:
    """True where the clause is a main one that leaves out "I", or hangs on one: "Moved to Porto last year", "Been
    learning Thai"."""
    if _depth > DEEP or any(child.dep_ in {*SUBJECTS, "expl", "csubj"} for child in verb.children):
        return False
    bearer = _bearer(verb) if verb.dep_ != "ccomp" else None
    if bearer is not None:
        return is_elided(bearer, _depth + 1)
    if verb.dep_ == "ROOT" and verb.i < _EARLY and _is_of_oneself(verb):
        return True
    said = verb.dep_ == "ccomp" and any(child.dep_ in SUBJECTS for child in verb.head.children)
    late = verb.lemma_ == "be" and verb.i > 1  # "Today was my last day"
    told = verb.dep_ in {"ROOT", "ccomp", "parataxis", "dep"} and verb.tag_ in {"VBD", "VBN", "VBG"}
    advice = verb.tag_ == "VBG" and any(word.tag_ == "MD" for word in verb.doc)  # "Creating an agenda can be helpful"
    return told and not (said or late or advice)


def _is_of_oneself(word: "Token") -> bool:
    """ "Love jazz", "can't stand crowds", "not a fan of jazz"."""
    return word.lemma_.lower() in _OF_ONESELF or word.pos_ in {"NOUN", "ADJ"}


def governing(word: "Token") -> "Token | None":
    """The verb on whose clause a word hangs."""
    for ancestor in word.ancestors:
        if ancestor.pos_ in {"VERB", "AUX"} and ancestor.dep_ not in {"aux", "auxpass"}:
            return ancestor
    return None


def particle(verb: "Token") -> str:
    """The particle of a phrasal verb, "up" of "gave up", or nothing."""
    beside = (child for child in verb.children if child.dep_ == "advmod" and child.i == verb.i + 1)
    told = [child.lower_ for child in verb.children if child.dep_ == "prt"]
    return next(iter((*told, *(child.lower_ for child in beside if child.lower_ in _PARTICLES))), "")


def was(verb: "Token") -> bool:
    """True where it says what somebody was, and is no longer: "I was a nurse", not "I've been"."""
    return verb.lemma_ == "be" and verb.tag_ == "VBD"


def is_passive(verb: "Token") -> bool:
    """True where the subject is whom it happens to."""
    return any(child.dep_ in {"nsubjpass", "auxpass"} for child in verb.children)


def is_progressive(verb: "Token") -> bool:
    """True where it is a present progressive, which also tells plans: "I'm moving to Rome"."""
    return (
        verb.tag_ == "VBG"
        and any(
            child.dep_ == "aux" and child.lemma_ == "be" and child.tag_ in {"VBP", "VBZ"} for child in verb.children
        )
        and not any(child.dep_ == "aux" and child.lemma_ == "have" for child in verb.children)
    )


def is_past(verb: "Token") -> bool:
    """True where it lies behind: a past tense or a perfect."""
    if verb.tag_ in {"VBD", "VBN"}:
        return True
    return any(child.dep_ in {"aux", "auxpass"} and child.tag_ in {"VBD", "VBN"} for child in verb.children) or any(
        child.dep_ == "aux" and child.lemma_ == "have" for child in verb.children
    )
