"""What is being spoken of: what a pronoun stands for, and of what named thing a statement is that names none."""

import re
from dataclasses import dataclass
from typing import Final

from ragpp.extraction.facts.verbs import AUXILIARIES, BEFORE_A_NOUN, Clause, finite_verb
from ragpp.text.english import CALENDAR, CHAT_WORDS, NUMBERS, SENTENCE_OPENERS, STOP_WORDS, word_set

_NO_TOPIC: Final = word_set(
    "i we you it they he she this that these those there here who which what one some nobody nothing everything "
    "everyone somebody something anyone how when where why"
)
_LONGEST: Final = 8
_PHRASE: Final = re.compile(
    r"\b(?P<article>the|our|a|an|my|your|this|their)\s(?P<words>[\w'-]+(?:\s[\w'-]+){0,4})", re.IGNORECASE
)
_NAME: Final = re.compile(r"(?<![\w'.-])[A-Z][\w'&-]*(?:\s(?:[A-Z][\w'&-]*|\d[\w.]*))*")
_VOCATIVE: Final = re.compile(r",\s[A-Z][a-z]+[.!?]*$|^(?:[A-Z][a-z]+),\s")
_ENDS_A_PHRASE: Final = (
    STOP_WORDS | AUXILIARIES | BEFORE_A_NOUN | word_set("within next this yesterday today since per until")
)


@dataclass(frozen=True, slots=True)
class Who:
    """Names in a message, in lower case: of persons, and of what is neither a person nor a thing that can be spoken of
    as "it" (places)."""

    people: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()


@dataclass(slots=True)
class Topic:
    """What was spoken of last. `thing`: what "it" is at the beginning of the next sentence. `named`: the last thing
    with a name, without an article; `lasting`: it does not give way to another, as in a review of one thing. `asked`:
    the question that was asked last, and not yet answered."""

    thing: str | None = None
    person: str | None = None
    named: str | None = None
    asked: str | None = None
    lasting: bool = False

    def move_on(self, text: str, who: Who) -> None:
        """After a sentence, or a question, without what opens it."""
        straight = _VOCATIVE.sub("", text)
        self._note_person(straight, who)
        clause = Clause(straight)
        subject = clause.subject
        name = _named_thing(straight, who) if len(straight.split()) > 1 else None
        leads = name is not None and (
            straight.endswith("?") or name in subject or _with_its_article(name, straight) != name
        )
        if name is not None and (self.named is None or (leads and not self.lasting)):
            self.named = name
        if _may_be_named_again(subject):
            self.thing = subject
        elif subject.lower() not in who.people and subject.lower().split()[:1] not in (["it"], ["they"], ["this"]):
            there = _phrase(clause.predicate if clause.verb else straight)
            if name is not None and (there is None or name in there or name in clause.predicate):
                self.thing = _with_its_article(name, straight)
            elif there is not None:
                self.thing = there
        if self.lasting and self.named is None and self.thing is not None:
            self.named = re.sub(r"^(?:the|a|an|our|my|your|this|their)\s", "", self.thing, flags=re.IGNORECASE)

    def _note_person(self, text: str, who: Who) -> None:
        found = [match.group() for match in _NAME.finditer(text)]
        people = [name for name in found if name.lower() in who.people]
        alone = [name for name in found if len(found) == 1 and name == text.rstrip(".!") and _is_a_name(name)]
        if people or alone:
            self.person = (
                people[1:] if len(people) > 1 and people[0].lower() in SENTENCE_OPENERS else people or alone
            )[0]


def _may_be_named_again(subject: str) -> bool:
    words = subject.split()
    if not words or len(words) > _LONGEST or words[0].lower() in _NO_TOPIC or not words[-1][-1].isalnum():
        return False
    return words[0].lower() not in {"my", "no", "any", "every", "each", "everyone"} and "," not in subject


def _named_thing(text: str, who: Who) -> str | None:
    """The first name of a thing, with the noun behind it: "the Vega kettle" → "Vega kettle"."""
    for match in _NAME.finditer(text):
        name = match.group()
        if match.start() == 0 and " " not in name and name[1:].islower():
            continue
        if match.start() == 0 and " " in name and name.split()[0].lower() in SENTENCE_OPENERS:
            name = name.partition(" ")[2]
        lowered = name.lower().removesuffix("'s")
        if not _is_a_name(name) or lowered in who.people | who.places:
            continue
        if match.start() and text[: match.start()].rstrip().lower().endswith((" in", " at", " from", " near", " to")):
            if not name.startswith(("Hotel", "Café", "Cafe", "Restaurant")):
                continue
        return name.removesuffix("'s") + _noun_behind(text[match.end() :])
    return None


def _is_a_name(name: str) -> bool:
    first = name.split()[0].lower().replace("’", "'")
    if first in CALENDAR:
        return False
    bare = first.partition("'")[0]
    return (
        " " in name
        and bare not in {"i", "we", "you"}
        or (first not in SENTENCE_OPENERS and bare not in SENTENCE_OPENERS)
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
            if word.lower() in _ENDS_A_PHRASE or word.lower() in NUMBERS or (kept and word.endswith(("ed", "ing"))):
                break
            kept.append(word)
        if kept and not all(word.lower() in CHAT_WORDS for word in kept):
            article = match["article"].lower()
            return f"{'the' if article in {'a', 'an', 'this', 'your', 'my'} else article} {' '.join(kept)}"
    return None


def _with_its_article(name: str, text: str) -> str:
    there = re.search(rf"\b(?:the|our|a|an|my|your|this)\s{re.escape(name)}", text, re.IGNORECASE)
    return f"the {name}" if there else name
