"""Reads from a parsed sentence what its speaker likes, avoids and is used to: the lines of `taste_rules`.

Likes and dislikes of one thing have one key, so that "I've gone off tea" answers what "I love tea" answered; a choice
among alternatives has the key of `topics.choice`. What points at something in particular ("this song", "my new flat")
is no taste, and neither is a person.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ragpp.extraction.gate import Gate
from ragpp.extraction.grammar.assertion import ABLE, WOULD, Assertion
from ragpp.extraction.grammar.clauses import FIRST_PERSON, SUBJECTS, is_elided, is_passive, is_past, particle, subjects
from ragpp.extraction.grammar.forms import lemma_of
from ragpp.extraction.phrases import key_of, leading_phrase, object_phrase, without_article
from ragpp.extraction.port import Polarity, PreferenceMention
from ragpp.extraction.preferences.taste_rules import BY_WORD, Taste
from ragpp.extraction.preferences.things import general_phrase, listed, things_of, with_objects
from ragpp.extraction.preferences.topics import category_of, choice
from ragpp.text.english import word_set

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_CONFIDENCE: Final = {"likes": 0.7, "dislikes": 0.7, "avoids": 0.7, "allergic": 0.9}
_COMPLEMENTS: Final = frozenset({"xcomp", "ccomp", "prep", "prt", "dative", "oprd", "advcl"})
_NO_HABIT: Final = word_set(
    "know think feel mean say get have forget understand wonder hear see realise realize notice expect like love meet "
    "ask tell find make seem imagine wish hope hate end believe manage remember give leave lose keep be do let mind "
    "appreciate enjoy thank bring show try"
)
"""Verbs after "I never" and "I always" that tell of no habit worth knowing."""
_OF_BE: Final = frozenset({"acomp", "attr", "prep", "oprd", "ROOT", "xcomp"})
_BE: Final = frozenset({"be", "become", "get", "'s", "'m"})
_ABSTAINED: Final = {"drink": "alcohol", "smoke": "tobacco"}
_NOW: Final = word_set("only now instead")
_PLAIN: Final = frozenset({"aux", "neg", "nsubj", "cc", "conj", "advmod", "punct", "mark", "intj", "preconj"})
_A_LITTLE: Final = word_set("much enough often really usually normally generally just only when where")
_JOINT: Final = re.compile(r"\s*(?:,\s(?:and\s|or\s)?|\sand\s|\sor\s)")


def read_tastes(gate: Gate, words: "Doc", *, told: Sequence[range] = ()) -> Iterator[PreferenceMention]:
    """The tastes that the sentence asserts of its speaker. `told`: characters of the sentence that are read already,
    whose words are not read again."""
    if gate.is_open:
        return
    for word in words:
        if any(word.idx in span for span in told):
            continue
        lemma = word.lower_ if word.pos_ == "ADP" else lemma_of(word)
        for line in BY_WORD.get(lemma, ()):
            yield from _read(line, word, gate)
        if word.pos_ == "VERB":
            yield from _habit(word, gate)
            yield from _abstention(word, gate)


def _read(line: Taste, word: "Token", gate: Gate) -> Iterator[PreferenceMention]:
    verb = _be_of(word) if "be" in line.flags else word
    if verb is None or not (_is_verb(verb) or "be" in line.flags) or is_passive(verb):
        return
    if "be" not in line.flags and (lemma_of(word), particle(word)) not in line.words:
        return
    if "subject" in line.where:
        yield from _of_subject(line, word, verb, gate)
        return
    if not _is_mine(verb):
        return
    denied = _counts(line, verb, gate)
    if denied is None or any(child.lower_ == "no" for child in word.children):
        return
    if "enough" not in line.flags and _is_more_than_said(verb):
        return
    found = False
    for thing in things_of(line, word, verb):
        phrase = general_phrase(thing, verb, definite=line.value in {"prefers", "always"})
        if phrase and not (line.value == "given up" and (thing.pos_ == "PROPN" or _took_its_place(thing, verb))):
            found = True
            yield from _mention(line, phrase, denied=denied, verb=verb, thing=thing)
    if not found:
        for phrase in _told(_rest(line, word, verb)):
            yield from _mention(line, phrase, denied=denied, verb=verb, thing=word)


def _took_its_place(thing: "Token", verb: "Token") -> bool:
    """ "I gave up coffee, tea only now"."""
    between, behind = thing.doc[verb.i : thing.i], thing.doc[thing.i + 1 : thing.i + 3]
    return any(word.text == "," for word in between) and any(word.lower_ in _NOW for word in behind)


def _is_more_than_said(verb: "Token") -> bool:
    """ "I don't just like it", "I don't eat enough vegetables"."""
    return _is_denied(verb) and any(word.lower_ in {"just", "only", "enough", "merely"} for word in verb.subtree)


def _rest(line: Taste, word: "Token", verb: "Token") -> str:
    """Words that follow, where the parser may have taken the object for something else: "I can't stand cilantro"."""
    if "be" in line.flags:
        beside = word.i + 2 < len(word.doc) and word.nbor().lower_ in line.where
        beside = beside and (word.nbor().lower_ != "to" or line.value == "allergic")
        return str(word.doc[word.i + 2 :].text) if beside else ""
    if (
        "obj" not in line.where
        or line.flags & {"enough", "interest"}
        or any(child.dep_ in _COMPLEMENTS for child in verb.children)
    ):
        return ""
    return str(verb.doc[verb.i + 1 :].text)


def _told(text: str) -> Iterator[str]:
    """The things that a text begins with, where the parser did not take them for nouns: "penicillin and bee stings"."""
    for part in _JOINT.split(text[:120])[:4]:
        phrase = object_phrase(part, max_words=3)
        if phrase is None:
            return
        yield phrase


def _is_verb(word: "Token") -> bool:
    """True where it is one, or has a subject and so was taken for something else: "I only like paper books"."""
    return word.pos_ in {"VERB", "AUX"} or any(child.dep_ in SUBJECTS for child in word.children)


def _habit(verb: "Token", gate: Gate) -> Iterator[PreferenceMention]:
    """ "I never put milk in tea", "I always take the aisle"."""
    how = next(
        (child.lower_ for child in verb.children if child.lower_ in {"always", "never"} and child.i < verb.i), None
    )
    inner = [one for child in verb.children if child.dep_ == "prep" and child.i == verb.i + 1 for one in child.children]
    things = [one for one in (*verb.children, *inner) if one.dep_ in {"dobj", "pobj"} and one.pos_ in {"NOUN", "PROPN"}]
    if how is None or _is_perfect(verb) or not things or verb.lemma_ in _NO_HABIT or not _is_mine(verb):
        return
    if verb.tag_ not in {"VBP", "VB"} and verb.text != verb.lemma_:
        return
    if gate.assertion(verb) not in {Assertion.HOLDS, Assertion.DENIED} or things[0].ent_type_ == "PERSON":
        return
    phrase = leading_phrase(with_objects(verb), max_words=8, with_circumstances=True)
    if phrase:
        polarity: Polarity = "positive" if how == "always" else "negative"
        yield PreferenceMention(category_of(phrase), key_of(phrase), how, 0.8, polarity)


def _abstention(verb: "Token", gate: Gate) -> Iterator[PreferenceMention]:
    """ "I don't drink": what is left out goes without saying."""
    what = _ABSTAINED.get(verb.lemma_)
    more = any(child.dep_ not in _PLAIN or child.lower_ in _A_LITTLE for child in verb.children)
    if what is None or more or is_past(verb) or verb.tag_ == "VBG" or not _is_mine(verb):
        return
    if gate.assertion(verb) in {Assertion.DENIED, Assertion.ENDED}:
        yield PreferenceMention(category_of(what), f"{verb.lemma_} {what}", "never", 0.8, "negative")


def _be_of(word: "Token") -> "Token | None":
    """The "be" on which an adjective, a noun or a preposition hangs."""
    head = word.head
    if word.dep_ == "ROOT" and word.pos_ != "ADP":
        return word  # "not a fan of musicals"
    return head if word.dep_ in _OF_BE and head.lemma_ in _BE else None


def _is_mine(verb: "Token") -> bool:
    """True where the speaker is who it is said of."""
    who = subjects(verb)
    if not who:
        return is_elided(verb)
    return any(one.lower_ in FIRST_PERSON for one in who)


def _counts(line: Taste, verb: "Token", gate: Gate) -> bool | None:
    """True where the line is denied in a way that turns it round; None where the sentence does not state it."""
    if "never" in line.flags and not any(child.lower_ == "never" for child in verb.children):
        return None  # "I can't have enough sleep" is in want of it
    if "cannot" in line.flags:
        return _never_can(verb, gate)
    if "only" in line.flags and not any(child.lower_ in {"only", "exclusively"} for child in verb.children):
        return None
    if "denied" in line.flags and verb.dep_ == "xcomp" and verb.head.lemma_ == "refuse":
        return False if gate.assertion(verb.head) is Assertion.HOLDS and not is_past(verb.head) else None
    said = gate.assertion(verb, despite=WOULD if line.value == "prefers" else frozenset())
    if "trying" in line.flags and said is Assertion.OPEN and verb.head.lemma_ == "try":
        said = gate.assertion(verb.head)
    over = said is Assertion.ENDED and verb.dep_ == "xcomp" and verb.head.lemma_ == "use"
    if over or said is Assertion.OPEN or (is_past(verb) and not _lasts(line, verb)):
        return None  # "I used to love coffee" does not say what is now
    return _turned(line, said, past=is_past(verb))


def _never_can(verb: "Token", gate: Gate) -> bool | None:
    """ "I can't stand crowds"."""
    can = any(child.dep_ == "aux" and child.lower_ in {*ABLE, "cannot"} for child in verb.children)
    return False if can and gate.assertion(verb, despite=ABLE) is Assertion.DENIED else None


def _turned(line: Taste, said: Assertion, *, past: bool) -> bool | None:
    if "denied" in line.flags:
        return False if said is Assertion.DENIED else None
    if said is Assertion.HOLDS:
        return None if "past" in line.flags and not past else False
    return True if "turns" in line.flags else None


def _is_denied(word: "Token") -> bool:
    return any(child.dep_ == "neg" or child.lower_ in {"never", "n't", "not"} for child in word.children)


def _would(verb: "Token") -> bool:
    return any(child.dep_ == "aux" and child.lower_ in WOULD for child in verb.children)


def _is_perfect(verb: "Token") -> bool:
    return any(child.dep_ == "aux" and child.lemma_ in {"have", "'ve", "ve"} for child in verb.children)


def _lasts(line: Taste, verb: "Token") -> bool:
    """True where a past goes on: "I've always loved", "I gave up"."""
    return "past" in line.flags or _is_perfect(verb)


def _of_subject(line: Taste, word: "Token", verb: "Token", gate: Gate) -> Iterator[PreferenceMention]:
    """ "Sad books are my thing", "E-readers aren't for me"."""
    if "mine" in line.flags and not any(child.lower_ == "my" for child in word.children):
        return
    if "me" in line.flags and (is_past(verb) or not any(_is_me(child) for child in verb.children)):
        return
    if word.lower_ == "for" and not any(child.lower_ in {"me", "us"} for child in word.children):
        return
    said = Assertion.DENIED if _is_denied(word) else gate.assertion(verb)
    if said not in {Assertion.HOLDS, Assertion.DENIED} or ("denied" in line.flags and said is not Assertion.DENIED):
        return
    if said is Assertion.DENIED and "turns" not in line.flags:
        return
    for subject in (child for child in verb.children if child.dep_ == "nsubj"):
        for thing in (one for one in (subject, *listed(subject)) if not _is_hyphened_on(one)):
            phrase = general_phrase(thing, verb)
            if phrase:
                yield from _mention(line, phrase, denied=said is Assertion.DENIED, verb=verb, thing=thing)


def _is_me(word: "Token") -> bool:
    return word.dep_ == "dobj" and word.lower_ in {"me", "us"}


def _is_hyphened_on(word: "Token") -> bool:
    """True where it is the first part of a word: "e" of "e-readers"."""
    return not word.whitespace_ and word.i + 1 < len(word.doc) and word.nbor().text == "-"


def _mention(line: Taste, phrase: str, *, denied: bool, verb: "Token", thing: "Token") -> Iterator[PreferenceMention]:
    value, key, category = str(line.value), key_of(phrase), category_of(phrase)
    polarity: Polarity = "positive" if line.value in {"likes", "always", "prefers"} else "negative"
    confidence = _CONFIDENCE.get(line.value, 0.8)
    if denied:
        value, polarity = ("dislikes", "negative") if line.value == "likes" else ("not allergic", "positive")
    if line.value == "allergic":
        category, key = "health", f"allergy to {key}"
    elif line.value == "prefers" and _is_denied(thing):
        value, polarity = "prefers not to", "negative"
        key = key_of(f"{thing.lemma_} {phrase.partition(' ')[2]}".strip())
        confidence = 0.7
    elif line.value in {"prefers", "always"}:
        category, key = choice(phrase, _over(verb, thing))
        value = without_article(phrase)
        confidence = 0.6 if _would(verb) else 0.8
    elif line.value == "never" or (line.value == "given up" and phrase.startswith(("eating ", "drinking "))):
        what = phrase.partition(" ")[2] if line.value == "given up" else phrase
        act = thing.lemma_ if line.value == "given up" else verb.lemma_
        key, value = key_of(f"{act} {what}"), "never"
        category = category_of(key)
    if key and value:
        yield PreferenceMention(category, key, value, confidence, polarity)


def _over(verb: "Token", thing: "Token") -> str | None:
    """The thing that another is preferred to: "tea to coffee", "trains over planes"."""
    for child in (*verb.children, *thing.children):
        if child.dep_ == "prep" and child.lower_ in {"to", "over", "than"}:
            for one in child.children:
                if one.dep_ in {"pobj", "pcomp"}:
                    return leading_phrase(one.doc[one.left_edge.i : one.right_edge.i + 1].text, max_words=5)
    return None
