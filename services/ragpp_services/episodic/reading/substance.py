"""Whether a message says something, only asks, or says nothing that could answer a question.

"Where did I park?" repeats a question, and "I am not sure, could you tell me more?" says nothing, however many words
they share with what is asked. A message says nothing when each clause that it tells is a courtesy, offers help or owns
that something is not known. What follows "I have no information about that" is general, unless it has a number or a
name; what an assistant without a name goes on to say always is.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from ragpp.text.english import CHAT_WORDS, STOP_WORDS, word_set
from ragpp.text.lexical import words
from ragpp_services.episodic.reading.clauses import divided_sentence, sentences

MOST_CHARS: Final = 1_200
"""A longer message says something."""


class Substance(Enum):
    """What a message does."""

    SAYS = auto()
    ASKS = auto()
    NOTHING = auto()


_PART: Final = re.compile(
    r"(?:,|;| -| –| —)? (?:(?:but|however|though) |(?:so|and) (?=(?:I|we|you|if|it|that|the|my|your)\b))|[;:—–] | - "
)
_INFORMATION: Final = (
    r"(?:information|info|details?|records?|memory|memories|data|access|notes?|mention|context|knowledge|idea|clue|"
    r"anything|something|that|this|it|enough|specifics?|answer)"
)
_NOT: Final = (
    r"(?:do not|don't|dont|did not|didn't|cannot|can't|cant|can not|could not|couldn't|won't|wouldn't|not able to|"
    r"unable to|never|not)"
)
_IGNORANCE: Final = re.compile(
    rf"\b{_NOT} (?:\w+ly )?(?:know|knew|recall|remember|be sure|tell|say for sure|be certain|seem to)\b"
    rf"|\b{_NOT} (?:\w+ly )?(?:have|see|find|access|locate|pull up|get) (?:to )?(?:(?:any|an?|the|your|enough|specific|"
    rf"such|stored|previous|personal|more|further|much|of|on|saved|clear|exact) ){{0,4}}{_INFORMATION}\b"
    rf"|\bno (?:(?:specific|such|stored|previous|real|more|further|clear|personal) ){{0,2}}{_INFORMATION}\b"
    r"|(?:\bnot|n't|\bnever) (?:(?:been|actually|yet|ever|really) ){0,2}(?:mentioned|told|shared|said|given|provided|"
    r"talked|discussed|specified|saved|noted|recorded)\b"
    r"|\b(?:not (?:quite |entirely |really |totally |completely |100% )?(?:sure|certain|aware|familiar)|unsure|no idea|"
    r"no clue|dunno|idk|beats me|good question|great question|hard to (?:say|tell)|haven't (?:a|the) (?:clue|"
    r"faintest))\b",
    re.IGNORECASE,
)
_SORRY: Final = re.compile(
    r"\b(?:sorry|afraid|apologi[sz]e|apologies|unfortunately)\b.{0,80}(?:n't|\bnot|\bno|\bunable|\bnever)\b",
    re.IGNORECASE,
)
_ASSISTANT_LACKS: Final = re.compile(
    r"\bI(?:'m| am| have| do| can| could)?\b.{0,20}(?:n't|\bnot|\bno|\bunable|\bnever)\b"
)
"""What an assistant without a name has not, cannot or does not: it has nothing that a user could ask for."""
_OFFER: Final = re.compile(
    r"^\W*(?:(?:ok|okay|sure|yes|well|of course|also|then|and|perhaps|maybe),? )*(?:please|let me know|feel free|"
    r"tell me|if you(?:'d| would| could| can| want| tell| share| let| give| remember| have| like| need)|once you|"
    r"when you|"
    r"(?:i|we)(?:'d| would|'ll| will| can| could)(?: be)? (?:\w+ )?(?:happy|glad|love|try|help|assist|look|check|do my "
    r"best|keep|remember|note|make a note|be here)|just (?:let|tell|ask|say)|(?:could|can|would|will) you|you (?:can|"
    r"could|may|might)(?: \w+)? (?:tell|share|want to check|try checking|check)|i(?:'m| am) (?:always )?here|is there "
    r"anything|anything else|what (?:else )?(?:would|can|do) )",
    re.IGNORECASE,
)
_SPECIFIC: Final = re.compile(r"\d|(?<=[a-z,] )(?!I\b)[A-Z]")
"""A number, or a capital within a sentence."""
_SAYS_NOTHING: Final = (
    STOP_WORDS
    | CHAT_WORDS
    | word_set(
        "noted understood welcome apologies apologize apology pleasure worries problem luck morning afternoon evening "
        "night weekend cheers lovely ah aha alright yup nope hmm hm mm np ty thx thanx k kk sweet roger gotcha "
        "excellent certainly course confusion inconvenience assistant ai assist anytime that's there dear friend buddy "
        "mate chat soon"
    )
)


def substance(text: str, *, by_assistant: bool = False) -> Substance:
    """What `text` does; in time that grows with its length, of which MOST_CHARS are looked at. `by_assistant`: said by
    an assistant without a name, not by somebody who talks with the user."""
    if len(text) > MOST_CHARS:
        return Substance.SAYS
    lacks = (_IGNORANCE, _SORRY, _ASSISTANT_LACKS) if by_assistant else (_IGNORANCE, _SORRY)
    asks = ignorant = False
    for sentence in sentences(text):
        told, asked = divided_sentence(sentence)
        asks |= bool(asked)
        if not told:
            ignorant |= _IGNORANCE.search(asked) is not None
        elif all(_says_nothing(part, lacks) for part in _PART.split(told)):
            ignorant |= any(pattern.search(told) for pattern in lacks)
        elif not ignorant or (not by_assistant and _SPECIFIC.search(told)):
            return Substance.SAYS
    return Substance.ASKS if asks and not ignorant else Substance.NOTHING


def _says_nothing(part: str, lacks: Sequence[re.Pattern[str]]) -> bool:
    if _OFFER.match(part) or any(pattern.search(part) for pattern in lacks):
        return True
    return all(word in _SAYS_NOTHING for word in words(part))
