"""The general things of a parsed sentence that somebody may like, as phrases; what points at something in particular
("this song", "my new flat") is none, and neither is a person."""

from typing import TYPE_CHECKING, Final

from ragpp.extraction.grammar.clauses import SUBJECTS
from ragpp.extraction.grammar.forms import gerund
from ragpp.extraction.phrases import PERSONAL, leading_phrase, object_phrase, points_elsewhere, without_article
from ragpp.extraction.preferences.taste_rules import Taste
from ragpp.text.english import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

_DATIVE: Final = frozenset({"me", "us", "you", "him", "her", "them", "it"})
_NO_TASTE: Final = word_set("know see hear think meet help be go come have thank say point add ask share talk chat")
MAX_WORDS: Final = 6
_BEFORE: Final = frozenset({"det", "poss", "amod", "compound", "nummod", "advmod", "nmod", "neg", "quantmod"})
_TAILS: Final = frozenset({"dobj", "prep", "prt", "advmod", "acomp", "dative", "npadvmod"})
_POINTING: Final = frozenset({"the", "this", "that", "these", "those"})
_NOTHING_ALONE: Final = word_set(
    "capture spread fix add watch explore see get have be talk make do feel share experience create use try take give"
)
_NOT_LASTING: Final = frozenset({"today", "tonight", "yesterday", "tomorrow"})


def general_phrase(thing: "Token", verb: "Token", *, definite: bool = False) -> str | None:
    """The general thing that is liked, or None where it is something in particular, or somebody. `definite`: "the"
    points at nothing in particular ("I prefer the window seat")."""
    if thing.pos_ == "PRON" or thing.ent_type_ == "PERSON" or any(child.dep_ == "relcl" for child in thing.children):
        return None
    if _is_left_out(thing) or any(word.lower_ in _NOT_LASTING for word in verb.children):
        return None
    if _is_done(thing):
        return _doing(thing)
    before = [child for child in thing.lefts if child.dep_ in _BEFORE and child.lower_ != "enough"]
    first = min((child.left_edge.i for child in before), default=thing.i)
    while first > 1 and thing.doc[first - 1].text == "-":  # "e-readers"
        first -= 2
    last = thing.i
    for child in thing.children:
        if child.dep_ == "prep" and child.i == last + 1 and child.right_edge.i - first < MAX_WORDS + 1:
            inner = [one for one in child.children if one.dep_ == "pobj"]
            last = inner[0].i if inner and not list(inner[0].conjuncts) else last
    text = thing.doc[first : last + 1].text
    phrase = leading_phrase(without_article(text), max_words=MAX_WORDS) if definite else None
    if phrase is None or points_elsewhere(phrase):
        indefinite = text.lower().startswith(("a ", "an "))
        phrase = object_phrase(without_article(text) if indefinite else text, max_words=MAX_WORDS)
    if phrase is None or thing.lower_ not in phrase.lower():
        return None
    return phrase


def _is_done(thing: "Token") -> bool:
    """True where it is something that one does, and no noun that was taken for a verb: "I avoid gluten"."""
    if thing.tag_ not in {"VBG", "VB"} or thing.dep_ not in {"xcomp", "ccomp", "pcomp", "csubj", "conj"}:
        return False
    does = any(child.tag_ == "TO" or child.dep_ in _TAILS for child in thing.children)
    return thing.tag_ == "VBG" or does or (thing.dep_ == "conj" and thing.head.tag_ in {"VB", "VBG"})


def _is_left_out(thing: "Token") -> bool:
    """ "Neither tea nor coffee", "tea, not coffee", "the color and texture"."""
    neither = any(child.lower_ == "neither" for child in (*thing.children, *thing.head.children))
    denied = any(child.dep_ == "neg" for child in thing.children) or thing.nbor(-1 if thing.i else 0).lower_ == "not"
    return neither or (thing.dep_ == "conj" and (denied or _points(thing.head)))


def _points(word: "Token") -> bool:
    """True where it and what is joined to it are particular ones: "the color and texture"."""
    return any(child.dep_ == "poss" or child.lower_ in _POINTING for child in word.children)


def _doing(verb: "Token") -> str | None:
    if any(word.pos_ == "PRON" or word.tag_ in {"WDT", "WP", "WRB"} for word in verb.subtree):
        return None
    if any(child.dep_ in SUBJECTS for child in verb.children):
        return None  # "what I do"
    tail = [child for child in verb.children if child.dep_ in {"dobj", "prep", "prt", "advmod"} and child.i > verb.i]
    if verb.lemma_ in _NOTHING_ALONE and not tail:
        return None
    text = f"{gerund(verb)} {with_objects(verb).partition(' ')[2]}".strip()
    phrase = object_phrase(text, max_words=MAX_WORDS)
    if phrase is None and text.count(" ") > 1 and not PERSONAL.intersection(text.lower().split()):
        phrase = leading_phrase(text, max_words=MAX_WORDS)  # "getting up at five"
    objects = [child.lower_ for child in verb.children if child.dep_ == "dobj"]
    whole = phrase is not None and all(one in phrase.lower() for one in objects)
    return phrase if whole else None


def with_objects(verb: "Token") -> str:
    """The verb with what belongs to it right behind it."""
    end = verb.i
    for child in sorted(verb.children, key=lambda one: one.i):
        if child.dep_ not in _TAILS or child.left_edge.i != end + 1:
            continue
        last = min((one.left_edge.i for one in child.conjuncts if one.i > child.i), default=child.right_edge.i + 1) - 1
        if last - verb.i > MAX_WORDS:
            break
        end = last
    beside = verb.doc[end + 1] if end + 1 < len(verb.doc) else None
    if (
        beside is not None
        and beside.dep_ == "prep"
        and beside.head == verb.head
        and beside.right_edge.i - verb.i <= MAX_WORDS
    ):
        end = beside.right_edge.i  # "camping by the sea", whichever of the verbs the parser hangs it on
    return str(verb.doc[verb.i : end + 1].text)


def things_of(line: Taste, word: "Token", verb: "Token") -> list["Token"]:
    """The words that stand where the line has its thing, with what is joined to them."""
    found: list[Token] = []
    for child in word.children if "be" in line.flags else verb.children:
        if child.dep_ == "dobj" and "obj" in line.where and child.lower_ not in {*_DATIVE, "enough"}:
            found.append(child)
        elif child.dep_ in {"xcomp", "ccomp"} and "doing" in line.where and child.tag_ in {"VBG", "VB"}:
            if child.lemma_ not in _NO_TASTE and not any(one.dep_ in SUBJECTS for one in child.children):
                found.append(child)
        elif child.dep_ == "advcl" and child.tag_ == "VBG" and found and child.nbor(-1).text == ",":
            found.append(child)  # "long walks, baking and bad puns"
        elif child.dep_ == "prep" and child.lower_ in line.where:
            found += [one for one in child.children if one.dep_ in {"pobj", "pcomp"}]
        elif child.dep_ in {"advmod", "dobj", "prt"} and child.lower_ in {
            "away",
            "clear",
            "enough",
            "interest",
            "down",
            "back",
        }:
            found += [
                one
                for prep in child.children
                if prep.lower_ in line.where
                for one in prep.children
                if one.dep_ == "pobj"
            ]
    if "interest" in line.flags and not any(child.lower_ == "interest" for child in verb.children):
        return []
    if "into" in line.where and "be" in line.flags:
        found += [child for child in word.children if child.dep_ in {"pobj", "pcomp"}]
    if verb.dep_ == "relcl" and "obj" in line.where and all(one.lower_ in {"which", "that", "whom"} for one in found):
        found.append(verb.head)
    if "enough" in line.flags:
        found = [one for one in found if "enough" in verb.doc.text.lower()]
    return [other for one in found for other in (one, *listed(one))]


def listed(word: "Token") -> list["Token"]:
    """The words that are joined to a thing behind it."""
    return [
        other
        for other in word.conjuncts
        if other.i > word.i
        and other.pos_ not in {"PRON", "AUX"}
        and not any(child.dep_ in SUBJECTS for child in other.children)
    ]
