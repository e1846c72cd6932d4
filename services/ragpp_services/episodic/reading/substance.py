"""The substance of a message: it says something, only asks, or says nothing that could answer a question.

"Where did I park?" repeats a question, and "I am not sure, could you tell me more?" says nothing, however many words
they share with what is asked. A message says nothing when all that it tells is courtesies. So does an assistant's that
offers help or owns that it does not know something, and what goes on after that is general. An assistant with a name is
somebody who talks, and nobody else's "I don't know how to swim" says nothing: it is a fact.
"""

import re
from enum import Enum, auto
from typing import Final

from ragpp.text.english import CHAT_WORDS, STOP_WORDS, word_set
from ragpp.text.lexical import words
from ragpp_services.episodic.reading.clauses import divided_sentence, sentences

MOST_CHARS: Final = 1_200
"""A longer message says something."""


class Substance(Enum):
    """The substance of a message."""

    SAYS = auto()
    ASKS = auto()
    NOTHING = auto()


_PART: Final = re.compile(
    r"(?:,|;| -| –| —)? (?:(?:but|however|though) |(?:so|and) (?=(?:I|we|you|if|it|that|the|my|your)\b))|[;:—–] | - "
)
_LACKS: Final = re.compile(
    r"\bI(?:'m| am| have| do| can| could)?\b.{0,20}(?:n't|\bnot|\bno|\bunable|\bnever)\b"
    r"|\b(?:sorry|afraid|apologi[sz]e|apologies|unfortunately)\b.{0,80}(?:n't|\bnot|\bno|\bunable|\bnever)\b"
    r"|(?:\bnot|n't|\bnever) (?:(?:been|actually|yet|ever|really) ){0,2}(?:mentioned|told|shared|said|given|provided|"
    r"talked|discussed|specified|saved|noted|recorded)\b"
    r"|\bno (?:information|info|details?|records?|memory|data|access|notes?|mention|idea|clue)\b",
    re.IGNORECASE,
)
"""Things that an assistant has not, cannot or does not know: it has nothing of its own that a user could ask for."""
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
    """The substance of `text`, in time that grows with its length; one longer than MOST_CHARS says something, unread.
    `by_assistant`: said by an assistant without a name, not by somebody who talks with the user."""
    if len(text) > MOST_CHARS:
        return Substance.SAYS
    asks = lacks = False
    for sentence in sentences(text):
        told, asked = divided_sentence(sentence)
        asks |= bool(asked)
        lacks |= by_assistant and _LACKS.search(asked) is not None
        if not told or _is_courtesy(told):
            continue
        if not by_assistant:
            return Substance.SAYS
        if all(_is_courtesy(part) or _OFFER.match(part) or _LACKS.search(part) for part in _PART.split(told)):
            lacks |= _LACKS.search(told) is not None
        elif not lacks:
            return Substance.SAYS
    return Substance.ASKS if asks and not lacks else Substance.NOTHING


def _is_courtesy(part: str) -> bool:
    return all(word in _SAYS_NOTHING for word in words(part))
