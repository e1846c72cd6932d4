"""A text's clauses: what they tell, and what they only ask.

"I've finished ten cards, how should I go on?" tells before it asks, and of a long question nobody can say that it tells
nothing: "Can you explain how the login of my Flask app, which uses version 2.3, …?" So a sentence that asks is divided
at its first interrogative clause, and what follows is asked when it has at most LONGEST_QUESTION words. In a script of
which no words are known here, the mark says that the last clause asks.
"""

import re
from dataclasses import dataclass
from typing import Final

from ragpp.text.lexical import MAX_WORD_CHARS, word_count
from ragpp.text.mentions import is_of_other_script
from ragpp.text.sentences import clean, split

LONGEST_QUESTION: Final = 16
"""Words. On the development chats with an assistant, long questions are evidence as often as statements are; 12 to 25
rank alike (`benchmarks/ranking_lab.py`)."""

FRAGMENT: Final = 4
"""Words of a question without a word that asks: "the red one?"; a longer one tells, for confirmation."""

_CLAUSE: Final = re.compile(r"(?:,|;| -| –|—|:|،|؛) |[，、；：]|(?=¿)")
_QUESTION_MARK: Final = re.compile(r"[?？؟][\"'”’)\]*_]*\s*$")
_AUXILIARY: Final = (
    r"(?:do|does|did|is|are|was|were|am|can|could|would|will|should|shall|have|has|had|may|isn't|aren't|don't|doesn't|"
    r"didn't|won't|wouldn't|can't|couldn't)"
)
_OPENING: Final = r"^\W*(?:(?:and|but|so|or|also|then|hey|hi|ok|okay|btw|oh|well|please|pls|quick question),?:? )*"
_ASKING_CLAUSE: Final = re.compile(
    rf"{_OPENING}(?:what|where|when|who|whom|whose|which|how|why|any|{_AUXILIARY}|what'?s|where'?s|who'?s|how'?s|when'?s|"
    r"remind me|tell me)\b",
    re.IGNORECASE,
)
_PRONOUN: Final = r"(?:i|we|you|he|she|it|they)"
_UNMARKED_QUESTION: Final = re.compile(
    rf"{_OPENING}(?:(?:what|where|when|who|which|how|why)(?: (?!{_PRONOUN}\b)\w+){{0,2}}? {_AUXILIARY} "
    rf"(?:{_PRONOUN}|the|an?|my|our|your|his|her|their|this|that|these|those|there|(?-i:[A-Z])\w*)\b|"
    r"(?:what|where|who|when|how)'?s (?:the|my|our|your|his|her|their|an?)\b|how to\b|do you (?:know|have|remember)\b|"
    r"(?:can|could) you\b|remind me (?:what|where|when|who|which|how|of)\b|(?:did|do) (?:i|we)\b|does (?:my|the)\b|"
    r"is (?:it|there)\b|are there\b)",
    re.IGNORECASE,
)
"""A question as it is typed in haste, without its mark: a word that asks, and soon after it an auxiliary before its
subject; "When I was in Rome" tells."""
_UNMARKED_THAI: Final = re.compile(
    r"(?:อะไร|ใคร|ที่ไหน|เมื่อไหร่|เมื่อไร|ยังไง|อย่างไร|ไหม|มั้ย|หรือยัง|หรือเปล่า|เท่าไหร่|เท่าไร)(?:ครับ|คะ|ค่ะ|นะ)*\W*$|^\W*ทำไม"
)
"""A question in Thai, which has no mark for it."""
_UNKNOWN: Final = re.compile(
    r"^\W*(?:(?:but|and|so|sorry|hmm|ugh),? )*(?:i|we) (?:still |really |just )?(?:do not|don't|dont|can't|cannot|"
    r"cant|no longer) (?:know|remember|recall) (?:anymore )?(?:where|what|when|who|which|why|if|whether)\b",
    re.IGNORECASE,
)
"""A question in the shape of a statement: "I don't know where I parked"."""


@dataclass(frozen=True, slots=True)
class Clauses:
    """`told` and `asked`: the clauses of each kind, in their order."""

    told: tuple[str, ...]
    asked: tuple[str, ...]


def sentences(text: str) -> list[str]:
    """The sentences of `text` with their marks. What is quoted or code is left out, unless there is nothing else."""
    return [text[one.start : one.end + 1] for one in split(clean(text))] or [text]


def divided(text: str) -> Clauses:
    """What `text` tells and what it asks; takes time in proportion to its length."""
    told: list[str] = []
    asked: list[str] = []
    for sentence in sentences(text):
        own, question = divided_sentence(sentence)
        told += [own] if own else []
        asked += [question] if question else []
    return Clauses(tuple(told), tuple(asked))


def divided_sentence(sentence: str) -> tuple[str, str]:
    """What one sentence tells, and what it asks; either may be empty."""
    if _QUESTION_MARK.search(sentence) is None:
        is_unmarked = _UNMARKED_QUESTION.match(sentence) and "!" not in sentence
        is_asked = is_unmarked or _UNKNOWN.match(sentence) or _UNMARKED_THAI.search(sentence)
        return ("", sentence) if is_asked and _has_at_most(LONGEST_QUESTION, sentence) else (sentence, "")
    clauses = _CLAUSE.split(sentence)
    first = next((place for place, clause in enumerate(clauses) if _ASKING_CLAUSE.match(clause)), None)
    if first is None and is_of_other_script(clauses[-1]):
        first = len(clauses) - 1
    if first is None:
        return ("", sentence) if _has_at_most(FRAGMENT, sentence) else (sentence, "")
    question = ", ".join(clauses[first:])
    asks = _has_at_most(LONGEST_QUESTION, question)
    return (", ".join(clauses[:first]), question) if asks else (sentence, "")


def _has_at_most(count: int, text: str) -> bool:
    return word_count(text[: count * MAX_WORD_CHARS]) <= count
