"""Names for the nouns of a parsed sentence: a name, or the thing that its phrase says."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ragpp.extraction.acts.nouns import LIGHT, NOUNS
from ragpp.extraction.acts.table import Act
from ragpp.extraction.grammar.spelling import length_of, start_of
from ragpp.extraction.naming.masking import Reading
from ragpp.extraction.naming.words import Name
from ragpp.extraction.phrases import singular
from ragpp.extraction.port import EntityLabel
from ragpp.text.english import CALENDAR, word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

MAX_WORDS: Final = 5
_LABELS: Final[tuple[EntityLabel, ...]] = ("PERSON", "ORG", "GPE", "EVENT", "PRODUCT")
_BESIDE: Final = frozenset({"compound", "amod", "nmod", "nn"})
_SAYS_LITTLE: Final = word_set(
    "new old good great nice few own other last next first second same whole favorite favourite amazing little big "
    "small beautiful wonderful lovely great awesome fun cool different many several such more most recent latest best "
    "better bad huge tiny entire certain real really very just only main super incredible fantastic cute pretty long "
    "short another some special fresh perfect brand young much fewer less lovely proper decent single"
)
_LABEL_OF: Final[Mapping[str, EntityLabel]] = {
    "VISITED": "GPE", "MET": "PERSON", "WORKS_AT": "ORG", "MEMBER_OF": "ORG", "STUDIES_AT": "ORG", "STUDIED_AT": "ORG",
    "ATTENDED": "EVENT", "CELEBRATED": "EVENT", "ORGANISED": "EVENT",
}  # fmt: skip
"""The label of a kind's object, where nothing else tells it."""
_PURSUED: Final = frozenset({"STUDIES", "LEARNS", "TEACHES", "PRACTISES", "LIKES", "DISLIKES"})
"""Kinds whose object may be something that one does."""
_TRADE: Final = re.compile(
    r"(?:(?<!femin)(?<!optim)(?<!pessim)(?<!perfection)(?<!minimal)(?<!rac)(?<!real)ist|ician|smith|wright|monger|keeper|"
    r"maker|driver|worker|player|dev|coder|rider|clown|tuner|grower|fitter|layer|cutter|picker)s?$"
)
"""How nouns end that name what somebody works as."""
_WORD: Final = re.compile(r"[^\W\d_]")


def mark_of(word: "Token", reading: Reading) -> int | None:
    """Which referent of the reading stands where the word does."""
    return reading.mark_at(start_of(word))


def head_of(word: "Token") -> "Token":
    """The noun that tells what is meant: "tea" of "a cup of tea"."""
    if word.lemma_.lower() in LIGHT:
        for child in word.children:
            if child.dep_ == "prep" and child.lower_ == "of":
                for inner in child.children:
                    if inner.dep_ == "pobj":
                        return inner
    return word


def named_by(word: "Token") -> "Token":
    """The name that stands beside a noun and says which it is: "a bakery called Krume", "one book, Small Harbours"."""
    for child in word.children:
        if child.dep_ == "acl" and child.lemma_ in {"call", "name"}:
            for inner in child.children:
                if inner.dep_ in {"oprd", "dobj", "attr"} and inner.pos_ == "PROPN":
                    return inner
        if child.dep_ == "appos" and child.pos_ == "PROPN" and not _is_denied(child):
            return child
    return word


def _is_denied(word: "Token") -> bool:
    """ "Not Lisbon"."""
    return any(child.dep_ == "neg" for child in word.children) or word.nbor(-1).lower_ in {"not", "never"}


def fits(word: "Token", act: Act, reading: Reading) -> bool:
    """True where the act takes what the word names."""
    referent = mark_of(word, reading)
    lemma, plain = singular(word.lower_), word.lower_
    forms = {lemma, plain, word.lemma_.lower()}
    if referent is not None:
        return _takes_name(reading.referents[referent], act, last=forms)
    if word.pos_ == "PRON":
        return "PERSON" in act.takes
    excluded = forms & act.but or any(forms & NOUNS[name] for name in act.but if name in NOUNS)
    if excluded or word.pos_ not in {"NOUN", "PROPN", "VERB", "ADJ", "X"}:
        return False
    trade = "job" in act.takes and _TRADE.search(word.lower_) is not None
    listed = trade or forms & act.takes or any(forms & NOUNS[name] for name in act.takes if name in NOUNS)
    product = "PRODUCT" in act.takes and word.pos_ == "PROPN"
    return bool(listed) or product or _is_anything(word, act, forms)


def _is_anything(word: "Token", act: Act, forms: set[str]) -> bool:
    """True where it names something where anything is taken."""
    alone = not any(child.dep_ == "dobj" for child in word.children)
    pursued = word.pos_ == "VERB" and act.kind in _PURSUED and alone
    counted = word.tag_ == "JJ" and word.dep_ == "dobj" and any(child.dep_ == "det" for child in word.children)
    names = word.pos_ in {"NOUN", "PROPN"} or pursued or counted
    return "ANY" in act.takes and names and not forms & NOUNS["vague"] and not forms & CALENDAR


def _takes_name(name: Name, act: Act, *, last: set[str]) -> bool:
    ending = name.name.rpartition(" ")[2].lower()
    if " " in name.name and any(ending == word or (word in NOUNS and ending in NOUNS[word]) for word in act.but):
        return False
    if act.takes & {"ANY", "NAME"}:
        return not (name.label in act.but and name.firm)
    labels = act.takes.intersection(_LABELS)
    if name.label in labels:
        return name.label not in act.but
    if any(word in NOUNS and (ending in NOUNS[word] or last & NOUNS[word]) for word in act.takes):
        return True
    return bool(labels) and not name.firm and "strict" not in act.flags


def label_for(act: Act, known: Name | None) -> EntityLabel:
    """The label of an act's object: the one that it is known by, else the one that the act wants."""
    labels = [label for label in _LABELS if label in act.takes]
    if known is not None and (known.firm or known.label in labels):
        return known.label
    if len(labels) == 1:
        return labels[0]
    guessed = known.label if known is not None and known.label != "PERSON" else "PRODUCT"
    return _LABEL_OF.get(act.kind, guessed)


def named(word: "Token", act: Act, reading: Reading) -> str | None:
    """The name of what the word means, which becomes a referent of the reading; None where it names nothing."""
    word = named_by(word)
    referent = mark_of(word, reading)
    if referent is not None:
        name = reading.referents[referent]
        label = label_for(act, name)
        reading.referents[referent] = replace(name, label=label, firm=True, certain=True)
        return name.name
    phrase = phrase_of(word)
    if phrase is None:
        return None
    start = reading.sentence.start + start_of(word)
    reading.add(Name(phrase, label_for(act, None), start, start + length_of(word), firm=True, certain=True))
    return phrase


def phrase_of(word: "Token") -> str | None:
    """The noun with what stands before it and says which: "second-hand cello"; in lower case unless it is a name."""
    before = [
        child
        for child in word.lefts
        if child.dep_ in _BESIDE and child.lower_ not in _SAYS_LITTLE and _WORD.search(child.text)
    ]
    inner = [deep for child in before for deep in child.lefts if deep.dep_ in _BESIDE]
    hyphened = [word.doc[one.i - at] for one in (*before, word) for at in (1, 2) if _is_hyphened(one)]
    words = sorted({*inner, *before, *hyphened, word}, key=lambda one: one.i)[-MAX_WORDS:]
    if not words or not _WORD.search(word.text):
        return None
    text = words[0].doc.text[words[0].idx : words[-1].idx + len(words[-1].text)]
    if words[-1].i - words[0].i + 1 != len(words):
        text = " ".join(one.text for one in words)
    text = " ".join(text.split())
    return text if any(one.pos_ == "PROPN" and one.text[:1].isupper() for one in words) else text.lower()


def _is_hyphened(word: "Token") -> bool:
    """True where it goes on from a hyphen: "free" of "dairy-free"."""
    return word.i > 1 and word.nbor(-1).text == "-" and not word.nbor(-1).whitespace_


def activity(text: str, word: "Token", reading: Reading) -> str:
    """The activity that `text` names, which becomes a referent of the reading."""
    start = reading.sentence.start + start_of(word)
    reading.add(Name(text, "PRODUCT", start, start + length_of(word), firm=True, certain=True))
    return text
