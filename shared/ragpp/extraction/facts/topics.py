"""The topic of a talk: what a pronoun stands for, and of what named thing a statement is that names none."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.extraction.facts.eliding import unfronted
from ragpp.extraction.facts.verbs import AUXILIARIES, BEFORE_A_NOUN, DETERMINERS, Clause, finite_verb
from ragpp.extraction.naming.lexicon import DEMONYMS, TITLES
from ragpp.text.english import CALENDAR, CHAT_WORDS, NUMBERS, SENTENCE_OPENERS, STOP_WORDS, word_set
from ragpp.text.kinship import CANONICAL

_NO_TOPIC: Final = word_set(
    "i we you it they he she this that these those there here who which what one some nobody nothing everything "
    "everyone somebody something anyone how when where why"
)
_SUBORDINATES: Final = word_set(
    "if when whenever whether because although though unless as once while since after before until"
)
_LONGEST: Final = 8
_PHRASE: Final = re.compile(
    r"\b(?P<article>the|our|a|an|my|your|this|their)\s(?P<words>[\w'-]+(?:\s[\w'-]+){0,4})", re.IGNORECASE
)
_NAME: Final = re.compile(
    r"(?<![\w'.-])[A-Z][\w'&-]*(?:\s(?:(?:van|von|der|den|de|del|da|di|la|le|ten|bin)\s)*(?:[A-Z][\w'&-]*|\d[\w.]*))*"
)
_PLACED: Final = re.compile(r"\b(?:in|at|from|near|to|into|on|via|with|by|for)\s(?:the\s)?$", re.IGNORECASE)
_DENIED: Final = re.compile(r"n't\b|\b(?:not|no|never)\b", re.IGNORECASE)
_MINE: Final = re.compile(r"(?:my|our)\s", re.IGNORECASE)
_BEHIND_AN_ARTICLE: Final = re.compile(r"\b(?:the|an?|our|my|your)\s$", re.IGNORECASE)
_GOES_ON: Final = re.compile(r"\b(?:it|they|them|its)\b", re.IGNORECASE)
_VOCATIVE: Final = re.compile(r",\s[A-Z][a-z]+[.!?]*$|^(?:[A-Z][a-z]+),\s")
_INTRODUCED: Final = re.compile(r"\b(?:an?|my|our|your|about the|another|new)\s", re.IGNORECASE)
_RELATIVE: Final = re.compile(
    rf"\b(?P<whose>(?i:my|our|your|his|her|their)|[A-Z][\w-]+'s)\s(?:[a-z-]+\s)?"
    rf"(?:{'|'.join(sorted(CANONICAL, key=len, reverse=True))})\b(?!-)(?:,?\s(?P<name>[A-Z][\w-]+))?"
)
_ARTICLE: Final = re.compile(r"(?:the|a|an|our|my|your|this|their)\s", re.IGNORECASE)
_ARTICLES: Final = word_set("the a an")
_ENDS_A_PHRASE: Final = (
    STOP_WORDS | AUXILIARIES | BEFORE_A_NOUN | word_set("within next this yesterday today since per until ago")
)


@dataclass(frozen=True, slots=True)
class Who:
    """Names in a message, in lower case: of persons, and of what is neither a person nor a thing that can be spoken of
    as "it" (places)."""

    people: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()


@dataclass(slots=True)
class Topic:
    """The things spoken of last. `thing`: what "it" is at the beginning of the next sentence. `named`: the last thing
    with a name, without an article; `matter`: what was asked after or dealt with last, named or not. `lasting`: neither
    gives way to another, as in a review of one thing. `asked`: the question that was asked last, and not yet answered.
    """

    thing: str | None = None
    person: str | None = None
    named: str | None = None
    asked: str | None = None
    matter: str | None = None
    lasting: bool = False

    def move_on(self, text: str, who: Who) -> None:
        """After a sentence, or a question, without what opens it."""
        straight = _VOCATIVE.sub("", text)
        self._note_person(straight, who)
        if straight.endswith("?") and _GOES_ON.search(straight):
            return
        clause = Clause(straight)
        supposed = subordinated(clause.subject)
        if supposed and not _stands_for_another(supposed):
            clause = Clause(straight.partition(", ")[2])
            if not clause.subject:
                self.thing = None
                return
        subject = unfronted(clause.subject)
        name = _named_thing(straight, who) if len(straight.split()) > 1 else None
        leads = name is not None and _leads(name, straight, subject)
        free = (self.named is None and self.matter is None) if self.lasting else (self.named is None or leads)
        if name is not None and free:
            self.named = name
        if _may_be_named_again(subject):
            self.thing = subject
        elif subject.lower() not in who.people and subject.lower().split()[:1] not in (["it"], ["they"], ["this"]):
            there = _phrase(clause.predicate if clause.verb else straight)
            if name is not None and (there is None or name in there or name in clause.predicate):
                self.thing = _with_its_article(name, straight)
            elif there is not None:
                self.thing = there
        self._deal_with(straight, clause)

    def _deal_with(self, text: str, clause: Clause) -> None:
        """Take as the matter what is asked after, or what somebody says they have or did something with, unless it is
        only a part of the matter at hand ("the opening")."""
        asks = text.endswith("?")
        own = asks or clause.subject.lower() in {"i", "we"}
        if _MINE.match(clause.subject) and not self.lasting:
            found: str | None = clause.subject
        elif self.lasting:
            found = None if self.matter else (_phrase(clause.predicate) if own else None) or self.thing
        elif not own or _DENIED.search(text):
            return
        else:
            body = text if asks else clause.predicate
            found = _phrase(body) if self.matter is None or _INTRODUCED.search(body) else None
        if found is not None:
            self.matter = _ARTICLE.sub("", found)

    @property
    def name(self) -> str | None:
        """The name of the topic: the person that the last sentence was about, else a name before a common noun."""
        if self.person and self.thing and self.person in self.thing:
            return self.thing
        return self.named or self.matter or self.thing

    def _note_person(self, text: str, who: Who) -> None:
        found = [match.group() for match in _NAME.finditer(text)]
        people = [name for name in found if name.lower() in who.people and name.lower() not in CHAT_WORDS]
        alone = [name for name in found if len(found) == 1 and name == text.rstrip(".!") and _is_a_name(name)]
        likely = [name for name in people if " " in name or not text.startswith(name)] or people or alone
        if likely:
            self.person = likely[0]
        relative = _RELATIVE.search(text)
        if relative is None:
            return
        if relative["name"]:
            self.person = relative["name"]
        elif relative["whose"].lower() not in {"his", "her", "their"} and (
            not likely or relative.group() in Clause(text).subject
        ):
            self.person = relative.group()


def thing_of(headings: Sequence[str]) -> str | None:
    """The thing that the nearest heading names; None where it asks or states something."""
    nearest = headings[-1] if headings else None
    if not nearest or nearest.endswith("?") or _stands_for_another(nearest):
        return None
    return nearest if finite_verb(nearest) is None else None


def subordinated(subject: str) -> str | None:
    """The subject of a clause that depends on another, "if a course"; None of one that does not."""
    word, _, rest = subject.partition(" ")
    return rest if word.lower() in _SUBORDINATES else None


def _stands_for_another(subject: str) -> bool:
    return subject.split(maxsplit=1)[0].lower() in _NO_TOPIC


def _leads(name: str, text: str, subject: str) -> bool:
    """True where a sentence is about `name`, and does not only mention it."""
    if text.endswith("?") or name in subject:
        return True
    return _with_its_article(name, text) != name and not _PLACED.search(text[: text.find(name)])


def _may_be_named_again(subject: str) -> bool:
    words = subject.split()
    if not words or len(words) > _LONGEST or words[0].lower() in _NO_TOPIC or not words[-1][-1].isalnum():
        return False
    return words[0].lower() not in {"no", "any", "every", "each", "everyone"} and "," not in subject


def _named_thing(text: str, who: Who) -> str | None:
    """The first name of a thing, with the noun behind it: "the Vega kettle" → "Vega kettle"; where something is or
    comes from only if there is no other."""
    places = list[str]()
    for match in _NAME.finditer(text):
        name, start = match.group(), match.start()
        if start == 0 and " " not in name and name[1:].islower():
            continue
        if start == 0 and " " in name and name.split()[0].lower() in SENTENCE_OPENERS:
            name = name.partition(" ")[2]
        if not _is_a_name(name) or name.lower().removesuffix("'s") in who.people | who.places | DEMONYMS:
            continue
        noun = _noun_behind(text[match.end() :])
        if name.isupper() and not noun and not _BEHIND_AN_ARTICLE.search(text[:start]):
            continue  # an abbreviation is more often a property than what is spoken of
        found = name.removesuffix("'s") + noun
        if not _PLACED.search(text[:start]):
            return found
        places.append(found)
    return places[0] if places else None


def _is_a_name(name: str) -> bool:
    first = name.split(maxsplit=1)[0].lower().replace("’", "'")
    if not name or not name[0].isalpha() or name.lower() in TITLES:
        return False
    if all(word.lower() in CALENDAR | SENTENCE_OPENERS or not word[0].isalpha() for word in name.split()):
        return False
    bare = first.partition("'")[0]
    return (" " in name and bare not in {"i", "we", "you"}) or (
        first not in SENTENCE_OPENERS and bare not in SENTENCE_OPENERS
    )


def _noun_behind(rest: str) -> str:
    following = re.match(r"\s([a-z]{3,})(?=[\s.,;:!?)]|$)", rest)
    if following is None or following[1] in _ENDS_A_PHRASE:
        return ""
    if finite_verb(f"it{following.group()}{rest[following.end() :]}") is not None and following[1].endswith(
        ("s", "ed")
    ):
        return ""
    return following.group()


def _phrase(text: str) -> str | None:
    """The first phrase with an article and a noun."""
    for match in _PHRASE.finditer(text):
        kept = list[str]()
        for word in match["words"].split():
            if word.lower() == "of" and kept:
                kept.append(word)
                continue
            if word.lower() in _ENDS_A_PHRASE or word.lower() in NUMBERS or (kept and word.endswith(("ed", "ing"))):
                break
            kept.append(word)
        if kept and kept[-1] == "of":
            kept.pop()
        if kept and not all(word.lower() in CHAT_WORDS for word in kept):
            article = match["article"].lower()
            return f"{'the' if article in {'a', 'an', 'this', 'your', 'my'} else article} {' '.join(kept)}"
    return None


def as_an_object(thing: str) -> str:
    """A sentence's beginning as it stands within one: "A membership" → "the membership", "Our pool" → "our pool"."""
    word, _, rest = thing.partition(" ")
    lowered = word.lower()
    if rest and lowered in _ARTICLES:
        return f"the {rest}"
    if lowered in DETERMINERS:
        return f"{lowered} {rest}".rstrip()
    return f"the {thing}" if thing[-1].islower() else thing


def _with_its_article(name: str, text: str) -> str:
    there = re.search(rf"\b(?:the|our|a|an|my|your|this)\s{re.escape(name)}", text, re.IGNORECASE)
    return f"the {name}" if there else name
