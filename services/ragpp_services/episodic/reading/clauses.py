"""A text's clauses: what they tell, and what they only ask.

"I've finished ten cards, how should I go on?" tells before it asks, "What shall I give Leo, he turns 8 on Saturday?"
behind it, and of a long question nobody can say that it tells nothing: "Can you explain how the login of my Flask app,
which uses version 2.3, …?" So a sentence is cut where a clause may begin. One that begins with an interrogative word,
or an auxiliary before its subject, asks; one with a subject and a finite verb of its own tells, as does a relative
clause, and what they are about is told with them; a request tells, unless it asks to be told (`requests`). What is none
of these goes on with the clause before it, and function words alone ("since" before "when is it broken?") tell
nothing. A question of more than LONGEST_QUESTION words tells. In a script of which no words are known here, the mark
says that the last clause asks.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.text.english import CHAT_WORDS, STOP_WORDS
from ragpp.text.indirect import OPENING, WH, asks_indirectly
from ragpp.text.lexical import MAX_WORD_CHARS, word_count, words
from ragpp.text.mentions import is_of_other_script
from ragpp.text.sentences import clean, split
from ragpp_services.episodic.reading.requests import YOU, asks_to_be_told, is_request, states

LONGEST_QUESTION: Final = 16
"""Words. On the development chats with an assistant, long questions are evidence as often as statements are; 12 to 25
rank alike (`benchmarks/ranking_lab.py`)."""

FRAGMENT: Final = 4
"""Words of a question without a word that asks: "the red one?"; a longer one tells, for confirmation."""

_AUXILIARY: Final = (
    r"(?:do|does|did|is|are|was|were|am|can|could|would|will|should|shall|have|has|had|may|isn't|aren't|don't|doesn't|"
    r"didn't|won't|wouldn't|can't|couldn't)"
)
_PRONOUN: Final = r"(?:i|we|you|u|he|she|it|they)"
_SUBJECT: Final = rf"(?:{_PRONOUN}|the|an?|my|our|your|his|her|their|this|that|these|those|there|(?-i:[A-Z])\w*)\b"
_INVERTED: Final = rf"{WH}(?: (?!{_PRONOUN}\b)\w+){{0,2}}? {_AUXILIARY} {_SUBJECT}"
"""An interrogative word, and soon after it an auxiliary before its subject: "When I was in Rome" tells."""
_CLAUSE: Final = re.compile(
    r"(?:,|;|:|،|؛) | (?:-+|–|—|/+) |[，、；：]|(?=¿)"
    rf"| (?=(?:and|but|so|because|cause|cos|coz|cuz|that) {_SUBJECT}|{_INVERTED}|(?:can|could) {YOU} \w)"
    r"|(?<!what)(?<!where)(?<!when)(?<!who)(?<!which)(?<!how)(?<!why)(?<!if)(?<!whether) "
    r"(?=(?:i|we|he|she|they)(?:'m|'re|'s| am| are| is| was| were) (?!\w+ing\b)[\w']+ \w|(?:im|hes|shes|theyre) \w)",
    re.IGNORECASE,
)
"""Where a clause may begin: behind a mark, at a conjunction before a subject ("Did I say that the key is at Tom's?"
tells where), and without a mark at what begins a question, a request, or what somebody is."""
_IDLE: Final = STOP_WORDS | CHAT_WORDS
_NOTHING: Final = re.compile(r"(?!)")
_QUESTION_MARK: Final = re.compile(r"[?？؟][\"'”’)\]*_]*\s*$")
_ASKING_CLAUSE: Final = re.compile(
    rf"{OPENING}(?:{WH}|any|{_AUXILIARY}|(?:what|where|who|how|when)'?s)\b", re.IGNORECASE
)
_UNMARKED_QUESTION: Final = re.compile(
    rf"{OPENING}(?:{_INVERTED}|(?:what|where|who|when|how)'?s (?:the|my|our|your|his|her|their|an?)\b"
    rf"|(?!who|which){WH}(?: (?:much|many|old|long|far|often|big|tall|time|day|kind|size))?"
    rf"(?:(?:'s| (?:is|are|was|were|do|does|did)) (?!{_PRONOUN}\b|new\b|more\b)|(?<=s) )\w(?!.*\b(?:is|was|are|had)\b)"
    r"|how to\b|(?:did|do) (?:i|we)\b|does (?:my|the)\b|is (?:it|there)\b|are there\b)",
    re.IGNORECASE,
)
"""A question as it is typed in haste, without its mark."""
_RELATIVE: Final = re.compile(rf"(?:who|whose|which) (?!(?:\w+ )?{_AUXILIARY} {_SUBJECT})", re.IGNORECASE)
_OF_ANOTHER: Final = re.compile(
    rf"{OPENING}(?:who|whose|which|he|she|it|they|his|her|their|its)(?:'\w+|s|re|ve)?\b", re.IGNORECASE
)
_NOUN: Final = re.compile(
    r"(?:\b(?:my|our|his|her|their|the|an?|this|that) [\w'-]+(?: [\w'-]+){0,3}|\b(?-i:[A-Z])[\w'-]+)\W*$", re.IGNORECASE
)
"""The noun phrase at the end of a clause, which a pronoun or a relative clause behind it takes up."""
_IN_PASSING: Final = re.compile(r"\b(?i:my|our|his|her|their) (?:[a-z-]+ ){1,2}(?:[A-Z][\w'-]+|(?i:who|whose) .+)")
"""Somebody of somebody's by name, or as one who does something: "for my son Leo", "for my mum who hates cilantro"."""
_UNMARKED_THAI: Final = re.compile(
    r"(?:อะไร|ใคร|ที่ไหน|เมื่อไหร่|เมื่อไร|ยังไง|อย่างไร|ไหม|มั้ย|หรือยัง|หรือเปล่า|เท่าไหร่|เท่าไร)(?:ครับ|คะ|ค่ะ|นะ)*\W*$|^\W*ทำไม"
)
"""A question in Thai, which has no mark for it."""


@dataclass(frozen=True, slots=True)
class Clauses:
    """`told` and `asked`: the clauses of each kind, in their order."""

    told: tuple[str, ...]
    asked: tuple[str, ...]


def sentences(text: str) -> list[str]:
    """The sentences of `text` with their marks. What is quoted or code is left out, unless there is nothing else."""
    return [text[one.start : one.end + 1] for one in split(clean(text))] or [text]


def divided(text: str) -> Clauses:
    """The clauses that `text` tells, asks, and tells in passing; in time proportional to its length."""
    told: list[str] = []
    asked: list[str] = []
    for sentence in sentences(text):
        own, question = divided_sentence(sentence)
        told += [own] if own else []
        asked += [question] if question else []
        told += [passing.group() for passing in _IN_PASSING.finditer(question)]
    return Clauses(tuple(told), tuple(asked))


def divided_sentence(sentence: str) -> tuple[str, str]:
    """The clauses that a sentence tells, and those that it asks; either may be empty. Function words alone are part
    of what is asked, where anything is."""
    told: list[str] = []
    asked: list[str] = []
    idle: list[str] = []
    for clause, tells in _judged(sentence):
        (asked if not tells else idle if _IDLE.issuperset(words(clause)) else told).append(clause)
    question = ", ".join((*idle, *asked)) if asked else ""
    if not question or not _has_at_most(LONGEST_QUESTION, question):
        return sentence, ""
    return ", ".join(told), question


def _judged(sentence: str) -> Iterator[tuple[str, bool]]:
    """The clauses of a sentence in order, and whether each tells; what one that tells takes up from a question
    once more, as told."""
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause.strip()] or [sentence]
    tells, before = True, ""
    for clause, begins in zip(clauses, _beginnings(sentence, clauses), strict=True):
        told = True if not tells and _RELATIVE.match(clause) else begins
        if told and not tells and _OF_ANOTHER.match(clause) and (noun := _NOUN.search(before)):
            yield noun.group(), True
        tells = tells if told is None else told
        yield clause, tells
        before = clause


def _beginnings(sentence: str, clauses: Sequence[str]) -> list[bool | None]:
    """Each clause's beginning in `sentence`: True where it tells; None where it goes on."""
    marked = _QUESTION_MARK.search(sentence) is not None
    asks = _ASKING_CLAUSE if marked else _NOTHING if "!" in sentence else _UNMARKED_QUESTION
    begins = [_begins(clause, asks) for clause in clauses]
    if marked and not any(one is not None for one in begins):
        if is_of_other_script(clauses[-1]):
            begins[-1] = False
        elif _has_at_most(FRAGMENT, sentence):
            begins[0] = False
    elif _UNMARKED_THAI.search(sentence):
        begins[0] = False
    return begins


def _begins(clause: str, asks: re.Pattern[str]) -> bool | None:
    if is_request(clause):
        return not asks_to_be_told(clause)
    if asks.match(clause) or asks_indirectly(clause):
        return False
    return True if states(clause) else None


def _has_at_most(count: int, text: str) -> bool:
    return word_count(text[: count * MAX_WORD_CHARS]) <= count
