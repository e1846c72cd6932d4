"""The words of a clause that stand where an act has its object."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ragpp.extraction.acts.table import Act
from ragpp.extraction.acts.things import head_of, named_by

if TYPE_CHECKING:
    from spacy.tokens import Token

_LEARNT: Final = frozenset({"STUDIES", "LEARNS", "TEACHES"})
_ON_THE_WAY: Final = frozenset({"out", "back", "over", "up", "down", "away", "off", "home", "together", "along"})
"""Words between a verb and its preposition: "moved out of", "came back from"."""
_RELATIVE: Final = frozenset({"that", "which", "who", "whom"})


def objects_of(line: Act, verb: "Token") -> list["Token"]:
    """The words that stand where the act has its object, with those that are joined to them."""
    found = [one for child in verb.children for one in _at_child(line, verb, child)]
    if verb.dep_ == "relcl":
        if "obj" in line.where and all(one.lower_ in _RELATIVE for one in found):
            found = _antecedent(verb)
        if {"in", "at"} & line.where and any(child.lower_ == "where" for child in verb.children):
            found.append(verb.head)
    spread = [other for one in found if not _is_none(one) for other in (one, *_joined(one))]
    return [head_of(one) for one in dict.fromkeys(spread)]


def _at_child(line: Act, verb: "Token", child: "Token") -> Iterator["Token"]:
    dep, low = child.dep_, child.lower_
    if dep == "prep" and child.i and child.nbor(-1).lower_ == "not":  # "I work at one, not at the other"
        return
    if (dep == "attr" and "attr" in line.where) or (_is_object(child, verb) and _has_place(line, verb, child)):
        yield child
    if dep in {"prep", "agent", "advmod", "prt"} and low in line.where:
        yield from behind(child)
    elif dep == "dobj" or (dep in {"prep", "prt", "advmod"} and low in _ON_THE_WAY):
        # on its object a parser often hangs what belongs to the verb: "renting a room in Leeds"
        yield from (one for prep in child.children if prep.lower_ in line.where for one in behind(prep))
    elif dep in {"xcomp", "advcl", "ccomp"}:
        yield from _done(line, verb, child)
    elif low == "abroad" and "to" in line.where:
        yield child


def _is_object(child: "Token", verb: "Token") -> bool:
    """True where it is a direct object; a parser takes names for adverbs ("I met Leo"), but not what is a time."""
    named = child.dep_ == "npadvmod" and child.pos_ in {"PROPN", "NOUN"} and child.i > verb.i
    return child.dep_ == "dobj" or (named and child.ent_type_ not in {"DATE", "TIME"})


def _has_place(line: Act, verb: "Token", child: "Token") -> bool:
    went = "doing" in line.where and verb.lemma_ == "go" and child.lower_.endswith("ing")  # "we went camping"
    return "obj" in line.where or went


def _done(line: Act, verb: "Token", child: "Token") -> Iterator["Token"]:
    """The words for what somebody does: "went swimming", "learned to knit", "studies nursing"."""
    gerund = child.tag_ == "VBG" and child.dep_ != "ccomp"
    infinitive = any(one.dep_ == "aux" and one.lower_ == "to" for one in child.children)
    if verb.lemma_ == "learn" and infinitive and "doing" in line.where:
        things = [one for one in child.children if one.dep_ == "dobj"]
        yield from things or [child]  # "learned to play the violin", "learned to knit"
    elif gerund and ("doing" in line.where or ("obj" in line.where and line.kind in _LEARNT)):
        yield child


def _is_none(word: "Token") -> bool:
    return any(
        child.lower_ in {"no", "any", "neither"} and child.dep_ in {"det", "preconj", "cc"} for child in word.children
    )


def _joined(word: "Token") -> list["Token"]:
    """Words of which the same is said as of `word`: "a dog and a cat", but not "from Porto but Leeds is home"."""
    return [
        other
        for one in {word, named_by(word)}
        for other in one.conjuncts
        if not any(child.dep_ == "cc" and child.lower_ in {"but", "not"} for child in other.head.children)
        and not _is_left_out(other)
    ]


def _is_left_out(word: "Token") -> bool:
    """ "Rome, not Milan", "… moved to Rome and Marta didn't"."""
    doc = word.doc
    after = doc[word.i + 1].lower_ if word.i + 1 < len(doc) else ""
    denied = any(child.dep_ == "neg" for child in word.children) or doc[max(0, word.i - 1)].lower_ == "not"
    return denied or after in {"did", "does", "do", "has", "had", "is", "was"}


def behind(prep: "Token") -> list["Token"]:
    """The objects of a preposition."""
    return [child for child in prep.children if child.dep_ in {"pobj", "pcomp"}]


def _antecedent(verb: "Token") -> list["Token"]:
    """The noun that "that" stands for, where it is the object: "the cello that I bought"."""
    who = [child for child in verb.children if child.dep_ in {"nsubj", "nsubjpass"}]
    if not who or who[0].lower_ in _RELATIVE:
        return []
    return [verb.head]


def given_to(verb: "Token") -> list["Token"]:
    """To whom something is given."""
    found: list[Token] = []
    for child in verb.children:
        if child.dep_ == "dative" or (child.dep_ == "prep" and child.lower_ in {"to", "for"}):
            found += [child] if child.pos_ != "ADP" else [one for one in child.children if one.dep_ == "pobj"]
    return [other for one in found for other in (one, *one.conjuncts)] or [verb]
