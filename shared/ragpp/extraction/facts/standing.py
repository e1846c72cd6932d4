"""Makes a statement stand alone: whoever speaks is named, and a pronoun it begins with is written out by what was
spoken of before it."""

import re
from dataclasses import dataclass
from typing import Final

from ragpp.extraction.facts.evidence import names
from ragpp.extraction.facts.verbs import AUXILIARIES, Clause, words_with_places
from ragpp.extraction.times.tenses import IRREGULAR_PASTS
from ragpp.text.english import word_set
from ragpp.text.persons import resolved
from ragpp.text.sentences import clean

_PRONOUN: Final = re.compile(
    r"(?P<thing>(?:it|this|that)(?=\s(?:is|was|has|had|does|did|will|can|must|runs?|costs?|[a-z]+s|also|only|now|"
    r"currently|never|always|doesn't|isn't|won't|can't|hasn't)\b)|it(?='(?:s|ll|d)\b))|"
    r"(?P<many>they|these|those)(?=\s[a-z]|'(?:re|ve|ll|d)\b)|(?P<person>he|she)(?=\s[a-z]|'(?:s|ll|d)\b)|"
    r"(?P<owned>its|their)(?=\s[a-z])|(?P<persons>his|her)(?=\s[a-z])",
    re.IGNORECASE,
)
_CONTRACTED: Final = re.compile(r"'(s|re|ve|ll|d)\b")
_LONG_FORM: Final = {"re": "are", "ve": "have", "ll": "will", "d": "would"}
_OBJECT: Final = re.compile(
    r"\b(?:the|our|a|an|my)\s(?:[\w'-]+\s){0,3}?(?:[A-Z][\w'-]*(?:\s[A-Z][\w'-]*)*(?:\s[a-z]+)?|[a-z][\w'-]+)"
)
_NAMED: Final = re.compile(
    r"\b(?:the\s|our\s)?[A-Z][\w'-]*(?:\s[A-Z0-9][\w'-]*)*(?:\s(?:plan|tier|project|team|api)\b)?"
)
_NO_TOPIC: Final = word_set("i we you it they he she this that these those there here who which what one some nobody")
_LONGEST_TOPIC: Final = 8
_SPOKEN: Final = re.compile(
    r"(?<![\w'])(?:I|i|we|We)(?:\s(?:\w+ly|always|never|often|also|still|just|already|now|only)){0,2}\s"
    r"(?P<verb>[a-z]+(?:n't)?)(?![\w'])"
)
_AGREED: Final = {"have": "has", "haven't": "hasn't", "do": "does", "don't": "doesn't", "am": "is", "are": "is",
                  "aren't": "isn't", "were": "was", "weren't": "wasn't"}  # fmt: skip
_ES: Final = ("s", "sh", "ch", "x", "z", "o")
_AND_A_VERB: Final = re.compile(r"(?<=\sand\s)(?P<verb>[a-z]+)(?=\s)")


@dataclass(slots=True)
class Topic:
    """What was spoken of last, as it may be named again. It changes with each sentence that is read."""

    thing: str | None = None
    person: str | None = None

    def move_on(self, text: str, people: frozenset[str]) -> None:
        """After a sentence, or a question: its subject, or else what it names first. `people`: the names of persons,
        in lower case."""
        clause = Clause(text)
        subject = clause.subject
        for found in _NAMED.finditer(text):
            if found.group().lower() in people:
                self.person = found.group()
                break
        if _may_be_named_again(subject):
            if subject.lower() not in people:
                self.thing = subject
            return
        in_object = next(
            (
                one
                for one in _NAMED.finditer(clause.predicate)
                if one.start() or names(one.group(), from_the_start=True)
            ),
            None,
        )
        there = in_object or _OBJECT.search(clause.predicate)
        if there is not None and there.group().lower() not in people:
            self.thing = there.group()


def _may_be_named_again(subject: str) -> bool:
    words = subject.split()
    return bool(words) and len(words) <= _LONGEST_TOPIC and words[0].lower() not in _NO_TOPIC and words[-1].isalnum()


def points_back(text: str) -> bool:
    """Whether `text` begins with a pronoun that only what was said before explains."""
    return _PRONOUN.match(text) is not None


def written_out(text: str, topic: Topic) -> str | None:
    """`text` with the pronoun it begins with as what it stands for; None where that is not known."""
    match = _PRONOUN.match(text)
    if match is None:
        return text
    person = match["person"] or match["persons"]
    stands_for = topic.person if person else topic.thing
    if stands_for is None and match["persons"] is None and match["many"]:
        stands_for = topic.person
    if stands_for is None:
        return None
    rest = text[match.end() :]
    if match["owned"] or match["persons"]:
        return _capitalised(f"{stands_for}'{'' if stands_for.endswith('s') else 's'}{rest}")
    contracted = _CONTRACTED.match(rest)
    if contracted:
        word = _LONG_FORM.get(contracted[1]) or ("has" if re.match(r"'s (?:been|got|had)\b", rest) else "is")
        rest = f" {word}{rest[contracted.end() :]}"
    return _capitalised(stands_for + rest)


def spoken_by(text: str, speaker: str | None, other: str | None) -> str:
    """`text` with the speaker and whom the speaker talks with named, and verbs that agree with that."""
    if speaker is None:
        return text
    return _capitalised(resolved(_agreeing(text), speaker, other))


def _agreeing(text: str) -> str:
    """ "I work" as "I works", for a name to take the place of the pronoun; nothing changes in quotation marks."""
    pieces, done = list[str](), 0
    for match in _SPOKEN.finditer(clean(text)):
        pieces += [text[done : match.start("verb")], _third_person(text[match.start("verb") : match.end("verb")])]
        done = match.end("verb")
    return "".join([*pieces, text[done:]])


def _third_person(verb: str) -> str:
    if verb in _AGREED:
        return _AGREED[verb]
    if verb in AUXILIARIES or verb in IRREGULAR_PASTS or verb.endswith("ed") or verb in {"and", "both", "all", "or"}:
        return verb
    if verb.endswith("y") and verb[-2:-1] not in {"a", "e", "o", "u"}:
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_ES) else f"{verb}s"


def _capitalised(text: str) -> str:
    first = words_with_places(text[:80])
    if first and first[0].group().islower() and first[0].start() == 0 and first[0].group().isalpha():
        return text[0].upper() + text[1:]
    return text


def as_a_statement(text: str) -> str:
    """On one line, without marks around it, with a capital."""
    flat = re.sub(r"\s+([,.;:!?])", r"\1", " ".join(text.split()))
    return _capitalised(flat.strip(" ,;:-–—*").rstrip(" .!"))
