"""A text's clauses: what they tell, and what they only ask.

"I've finished ten cards, how should I go on?" tells before it asks, and of a long question nobody can say that it tells
nothing: "Can you explain how the login of my Flask app, which uses version 2.3, …?" So a sentence that asks is divided
at its first interrogative clause, and what follows is asked when it has at most LONGEST_QUESTION words.
"""

import re
from dataclasses import dataclass
from typing import Final

from ragpp.text.sentences import clean, split

LONGEST_QUESTION: Final = 16
"""Words. On the development chats with an assistant, long questions are evidence as often as statements are; 12 to 25
rank alike (`benchmarks/ranking_lab.py`)."""

_CLAUSE: Final = re.compile(r"(?:,|;| -| –|—|:) ")
_QUESTION_MARK: Final = re.compile(r"[?？؟][\"'”’)\]*_]*\s*$")
_INTERROGATIVE: Final = (
    r"(?:what|where|when|who|whom|whose|which|how|why|do|does|did|is|are|was|were|am|can|could|would|will|should|shall|"
    r"have|has|had|may|any|isn't|aren't|don't|doesn't|didn't|won't|wouldn't|can't|couldn't|what's|whats|where's|who's|"
    r"how's|when's|remind me|tell me)"
)
_ASKING_CLAUSE: Final = re.compile(
    rf"^\W*(?:(?:and|but|so|or|also|then|hey|ok|okay|btw|oh|well|please|pls) )*{_INTERROGATIVE}\b", re.IGNORECASE
)
_UNMARKED_QUESTION: Final = re.compile(
    r"^\W*(?:(?:hey|hi|ok|okay|so|and|but|btw|also|pls|please|quick question),?:? )*(?:what(?:'?s)?|where(?:'s)?|"
    r"when(?:'s)?|who(?:'s)?|which|how|why|do you (?:know|have|remember)|can you|could you|remind me|tell me|is it|are "
    r"there|is there|did (?:i|we)|does (?:my|the)|do (?:i|we))\b",
    re.IGNORECASE,
)
"""A question as it is typed in haste, without its mark."""


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
    marked = _QUESTION_MARK.search(sentence) is not None
    if not marked and not (_UNMARKED_QUESTION.match(sentence) and "!" not in sentence and _is_short(sentence)):
        return sentence, ""
    clauses = _CLAUSE.split(sentence)
    first = next((place for place, clause in enumerate(clauses) if _ASKING_CLAUSE.match(clause)), 0)
    question = ", ".join(clauses[first:])
    return (", ".join(clauses[:first]), question) if _is_short(question) else (sentence, "")


def _is_short(text: str) -> bool:
    return len(text.split(maxsplit=LONGEST_QUESTION)) <= LONGEST_QUESTION
