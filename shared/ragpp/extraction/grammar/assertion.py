"""The clauses of a parsed sentence, and which of them it means as a fact: `gate`, for clauses.

A sentence asserts its main clause, and what hangs on that clause as far as the word between them lets it: "because I
moved" is taken for granted, "if I moved" is not, and "he says that I moved" is his. Labels of the parse are those of
spaCy's English pipelines (ClearNLP).
"""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from ragpp.extraction.grammar.clauses import DEEP, FIRST_PERSON, SUBJECTS, governing, is_elided, is_past, particle
from ragpp.text.english import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token


class Assertion(Enum):
    """A sentence's assertion of a clause."""

    HOLDS = auto()
    ENDED = auto()
    """That it was so, and is no longer."""
    DENIED = auto()
    OPEN = auto()
    """Nothing: it is asked, supposed, wished, planned, ordered, or somebody else's word."""


ABLE: Final = frozenset({"can", "could", "ca"})
WOULD: Final = frozenset({"would", "'d"})
_NEVER: Final = word_set("never hardly barely scarcely rarely seldom neither nor nobody none almost nearly")
_NOBODY: Final = word_set("nobody none neither no")
_UNREAL_MARKS: Final = word_set("if unless whether lest supposing provided until till")
_GIVEN_MARKS: Final = word_set("because since after although though while when before as that cause cuz once")
_BEFORE_A_GERUND: Final = word_set("after since by before while besides upon when from despite")
_GOES_ON: Final = word_set(
    "start begin continue keep go get come finish spend manage happen resume proceed remember end help try"
)
"""Verbs whose object is done as well: "I started painting"."""
_GOES_ON_TO: Final = word_set("start begin continue get come manage happen proceed remember end")
"""The same with an infinitive: "I managed to find it", "I got to meet her"."""
_STOPS: Final = word_set("stop quit cease give")
_WISHES: Final = word_set(
    "hear hope wish want wonder imagine doubt pretend dream suggest recommend ask suppose expect fear guess let make "
    "beg request demand propose forbid deny joke lie fantasize fantasise worry assume predict bet"
)
_SAYS: Final = word_set(
    "say tell claim think believe insist swear write reckon argue report mention announce read explain"
)
"""Verbs of saying: what is said so is a fact where the speaker says it."""
_DOUBTS: Final = word_set("maybe perhaps possibly hopefully ideally")
_DOUBTFUL: Final = word_set("worried afraid scared false possible unlikely untrue doubtful")
_WANTED: Final = word_set("want need wish seek search hope")
_DEFINITE: Final = word_set("the this that these those my our his her their its your both")


def assertion_of(verb: "Token", *, despite: frozenset[str] = frozenset(), _depth: int = 0) -> Assertion:
    """The assertion that the sentence makes of the clause of `verb`. `despite`: modal verbs that leave it said, such as
    ABLE where "can" says that one does ("I can speak Thai")."""
    if _depth > DEEP or _is_unreal(verb, despite):
        return Assertion.OPEN
    own = _denial(verb)
    if own is Assertion.DENIED:
        return own
    outer = _outer(verb, _depth)
    return own if outer is Assertion.HOLDS else outer


def _is_unreal(verb: "Token", despite: frozenset[str]) -> bool:
    return _asks(verb) or any(_opens(child, despite) for child in verb.children)


def _asks(verb: "Token") -> bool:
    """ "Does your brother still live there", without a question mark."""
    doers = [child.i for child in verb.children if child.dep_ in SUBJECTS]
    return any(
        child.dep_ == "aux" and child.lemma_ in {"do", "have", "be", "can", "will"} and child.i < min(doers)
        for child in (verb.children if doers else ())
    )


def _opens(word: "Token", despite: frozenset[str]) -> bool:
    """True where a word at the verb leaves open whether it is so."""
    low, dep = word.lower_, word.dep_
    if dep == "advcl":
        return any(mark.dep_ == "mark" and mark.lower_ in {"if", "unless"} for mark in word.children)
    if dep == "aux":
        return word.tag_ == "MD" and low not in despite
    return low == "according" or (dep == "mark" and low in _UNREAL_MARKS) or (dep == "advmod" and low in _DOUBTS)


def _denial(verb: "Token") -> Assertion:
    """The assertion that the words at the verb itself make."""
    no, longer = False, False
    for child in verb.children:
        if child.dep_ == "neg":
            no = True
        elif child.dep_ in {"advmod", "preconj", "cc", "det"} and child.i < verb.i + 2:
            no = no or child.lower_ in _NEVER
        if child.dep_ in {"advmod", "npadvmod"} and _says_no_more(child):
            longer = True
        if child.dep_ in SUBJECTS and (
            child.lower_ in _NOBODY or any(word.lower_ in _NOBODY for word in child.children if word.dep_ == "det")
        ):
            no = True
    if longer:
        return Assertion.ENDED
    return Assertion.DENIED if no else Assertion.HOLDS


def _says_no_more(word: "Token") -> bool:
    """ "Anymore", "any more", "no longer"."""
    low = word.lower_
    around = {child.lower_ for child in (*word.children, *word.head.children)}
    return low == "anymore" or (low == "more" and "any" in around) or (low == "longer" and "no" in around)


def _outer(verb: "Token", depth: int) -> Assertion:
    """The assertion that the clauses around it make of it."""
    head, dep = verb.head, verb.dep_
    own_subject = any(child.dep_ in SUBJECTS for child in verb.children)
    if dep == "conj" and head.pos_ in {"VERB", "AUX"}:
        return _beside(head, depth, own_subject=own_subject)
    if dep in {"ROOT", "parataxis", "dep", "intj"}:
        return Assertion.HOLDS if own_subject or is_elided(verb) else Assertion.OPEN
    reading = _READINGS.get(dep)
    return reading(verb, head, depth) if reading is not None else Assertion.OPEN


def _behind_a_preposition(_verb: "Token", preposition: "Token", depth: int) -> Assertion:
    """ "After moving to Leeds", not "without moving"."""
    governor = governing(preposition)
    if preposition.lower_ in _BEFORE_A_GERUND and governor is not None:
        return assertion_of(governor, _depth=depth + 1)
    return Assertion.OPEN


def _beside(head: "Token", depth: int, *, own_subject: bool) -> Assertion:
    """A verb that is joined to another: without a subject of its own it shares what is said of that."""
    if own_subject:
        if any(child.dep_ == "mark" and child.lower_ in _UNREAL_MARKS for child in head.children):
            return Assertion.OPEN
        return _outer(head, depth + 1) if head.dep_ != "ROOT" else Assertion.HOLDS
    first = assertion_of(head, _depth=depth + 1)
    joined = {child.lower_ for child in head.children if child.dep_ == "cc"}
    if first is Assertion.DENIED and not joined & {"or", "nor", "and"}:
        return _outer(head, depth + 1)
    return Assertion.HOLDS if first is Assertion.ENDED else first


def _said(verb: "Token", head: "Token", depth: int) -> Assertion:
    """The assertion of a clause that is said, known or thought."""
    if head.lower_ == "now" or _stands_beside(verb, head):
        return Assertion.HOLDS
    doubted = head.pos_ == "ADJ" and (head.lemma_ in _DOUBTFUL or _denial(head.head) is Assertion.DENIED)
    thought = head.lemma_ in {"learn"} | _WISHES or (head.lemma_ == "think" and is_past(head))
    if doubted or thought or head.pos_ not in {"VERB", "AUX", "ADJ"}:
        return Assertion.OPEN
    if head.lemma_ in _SAYS:
        by = {child.lower_ for child in head.children if child.dep_ in SUBJECTS}
        of = {child.lower_ for child in verb.children if child.dep_ in SUBJECTS}
        own = bool(by) and (FIRST_PERSON.issuperset(by) or (by == of == {"you"}))
        if not own:
            return Assertion.OPEN
    return assertion_of(head, _depth=depth + 1) if head.pos_ != "ADJ" else Assertion.HOLDS


def _stands_beside(verb: "Token", head: "Token") -> bool:
    """True where only a comma is between two main clauses: "Femi won a prize, can you believe it"."""
    subject = any(child.dep_ in SUBJECTS for child in verb.children)
    marked = any(child.dep_ == "mark" for child in verb.children)
    has_its_own = head.lemma_ not in _SAYS or any(child.dep_ == "dobj" for child in head.children)
    return verb.i < head.i and subject and not marked and has_its_own and head.pos_ in {"VERB", "AUX"}


def _complement(verb: "Token", head: "Token", depth: int) -> Assertion:
    """ "I started painting", "I used to paint", "I want to paint"."""
    infinitive = any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children)
    if head.lemma_ == "use" and infinitive:
        return Assertion.ENDED if assertion_of(head, _depth=depth + 1) is Assertion.HOLDS else Assertion.OPEN
    if head.lemma_ in _STOPS and not infinitive and (head.lemma_ != "give" or particle(head) == "up"):
        return Assertion.ENDED if assertion_of(head, _depth=depth + 1) is Assertion.HOLDS else Assertion.OPEN
    if infinitive and head.lemma_ == "get" and any(child.lemma_ in {"have", "ta", "'ve"} for child in head.children):
        return Assertion.OPEN  # "I've got to fix it"
    if head.lemma_ in (_GOES_ON_TO if infinitive else _GOES_ON):
        return assertion_of(head, _depth=depth + 1)
    return Assertion.OPEN


def _adverbial(verb: "Token", head: "Token", depth: int) -> Assertion:
    marks = [child.lower_ for child in verb.children if child.dep_ in {"mark", "advmod"}]
    if any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children):
        return Assertion.OPEN  # what for: it may have come to nothing
    if any(mark in {"because", "since", "cause", "cuz", "although", "though", "as"} for mark in marks):
        return Assertion.HOLDS
    if any(mark in {"before", "after", "once"} for mark in marks):
        return Assertion.HOLDS if is_past(verb) else Assertion.OPEN
    if any(mark in _GIVEN_MARKS for mark in marks):
        return Assertion.HOLDS if is_past(verb) else assertion_of(head, _depth=depth + 1)
    return assertion_of(head, _depth=depth + 1) if head.pos_ in {"VERB", "AUX"} else Assertion.OPEN


def _attributed(verb: "Token", noun: "Token", depth: int) -> Assertion:
    """The assertion of a clause beside a noun: taken for granted where the noun is meant as something that is there."""
    if any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children):
        return Assertion.OPEN
    definite = noun.pos_ == "PROPN" or any(
        child.dep_ in {"det", "poss"} and (child.lower_ in _DEFINITE or child.dep_ == "poss") for child in noun.children
    )
    if definite:
        return Assertion.HOLDS
    governor = governing(noun)
    if governor is None:
        return Assertion.HOLDS
    if governor.lemma_ in _WANTED:
        return Assertion.OPEN
    around = assertion_of(governor, _depth=depth + 1)
    return Assertion.OPEN if around is Assertion.DENIED else around


_READINGS: Final[Mapping[str, Callable[["Token", "Token", int], Assertion]]] = {
    "ccomp": _said,
    "xcomp": _complement,
    "pcomp": _behind_a_preposition,
    "advcl": _adverbial,
    "relcl": _attributed,
    "acl": _attributed,
}
"""How a clause hangs on another → what that says of it."""
