"""Which of what was found is about the question at all: the rest does not fill a context. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from ragpp.models import LEAST_RELEVANCE, Memory
from ragpp.text.english import CHAT_WORDS, STOP_WORDS, word_set
from ragpp.text.lexical import question_words
from ragpp_services.gateway.assembly.memory_key import MemoryKey, memory_key

DOUBTFUL: Final = 2
"""Interactions that are hardly about the question (LEAST_RELEVANCE) and shown all the same: of what the embedder knows
little, as of other languages, the right one scores no more. A context of a thousand tokens loses none of the
evidence of the development sets by it (of hints, 0.8 points)."""
BESIDE: Final = 3
FAR_BEHIND: Final = 1 / 50
"""A memory with less than this share of the best one's odds (score ÷ (1 - score)) does not answer what that answers,
and only the first BESIDE of all are shown all the same. A context of a thousand tokens loses 0.1 points of the evidence
of the development conversations by it, and in real chats what is beside the point takes two points less; a twentieth
loses 0.5 and takes three."""
_DOUBTFUL: Final = f"hardly about the question: its score is below {LEAST_RELEVANCE}"
_FAR_BEHIND: Final = "far behind the best: it does not answer what that answers"
_OF_ALL: Final = word_set(
    "summarise summarize summary everything anything all memory memories remembered discussed talked tell"
)
"""By which a query asks for what there is, whatever it is about."""
_RECALLING: Final = _OF_ALL | word_set("remember recall")
_CONVERSATIONS: Final = word_set("conversation conversations chat chats discussion discussions")


def names_something(query: str) -> bool:
    """True where a query is after anything in particular; "What do you know about me?" is not."""
    return any(
        word not in STOP_WORDS and word not in CHAT_WORDS and word not in _OF_ALL for word in question_words(query)
    )


def asks_for_all(query: str) -> bool:
    """True where a query is after whatever there is ("What do you know about me?"), or after the conversations
    themselves, which is in no words of theirs. "Where do I work?" names nothing in particular either, and is after
    something."""
    asked = question_words(query)
    if not _CONVERSATIONS.isdisjoint(asked):
        return True
    return not names_something(query) and (not _RECALLING.isdisjoint(asked) or STOP_WORDS.issuperset(asked))


def why_far_behind(ranking: Sequence[Memory]) -> Mapping[MemoryKey, str]:
    """Those of `ranking` (best first) that are not about the question, with the reason: interactions that are hardly
    about it, but for the first DOUBTFUL; and those that are nothing beside the best, but for the first BESIDE. Items,
    whose scores are on the same scale, are cut without exception: a context is whole without them."""
    said = [one for one in ranking if one.kind == "interaction"]
    items = [one for one in ranking if one.tier == "catalog"]
    least = least_beside(max([one.score for one in said], default=0.0))
    least_item = max(least, least_beside(max([one.score for one in items], default=0.0)))
    cut = {memory_key(one): _FAR_BEHIND for one in said[BESIDE:] if one.score < least}
    cut |= {memory_key(one): _FAR_BEHIND for one in items if one.score < least_item}
    doubtful = [one for one in said if one.score < LEAST_RELEVANCE][DOUBTFUL:]
    doubtful += [one for one in items if one.score < LEAST_RELEVANCE]
    return cut | {memory_key(one): _DOUBTFUL for one in doubtful}


def least_beside(best: float, share: float = FAR_BEHIND) -> float:
    """The score whose odds are `share` of those of `best`."""
    return share * best / (1 - best + share * best)
