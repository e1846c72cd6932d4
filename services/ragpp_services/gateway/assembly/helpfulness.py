"""The memories that earn their tokens: those among which the answer is, as far as the ranking can tell. Pure.

The odds of an interaction or an item (score ÷ (1 - score)), beside the best one's of all that was said or curated, say
how likely it is the one that helps, where one does. Those are shown that have a share of the best one's, less in a
larger budget: a few where the ranking is sure of itself, which is never believed to be surer than SURE, and all that
fits where many are as likely. A budget is a ceiling and no aim.
"""

from collections.abc import Collection, Sequence
from typing import Final

from ragpp.api import Relevance
from ragpp.models import Memory
from ragpp_services.gateway.assembly.excerpts import ONE_SHARE
from ragpp_services.gateway.assembly.memory_key import MemoryKey, memory_key
from ragpp_services.gateway.assembly.relevance import least_beside

LEAST: Final = 1 / 10
OF_TOKENS: Final = 20
"""The share of the best one's odds that is shown, in a budget of up to 200 tokens, and less in a larger one, as many
tokens to those of the budget: who gives room wants to miss less. What is FAR_BEHIND is left out all the same. By the
ranking alone, of the answers that are in a context of 200, 500 and 1,000 tokens with all that fits, 1.5, 1.1 and .6 %
of the labelled chats' are not in this one (the encoder of questions learned of others), .9, .2 and 0 of LoCoMo's and
1.5, 3.2 and .6 of the lives', of whose lines 34, 20 and 13 % hold an answer (22, 11 and 6). With 50 it is 3.6, 2.4 and
6.4 at 500, for 27 %. A probability learned of a dozen figures of each was no better. `make eval-lives` and
`make eval-curve` print what holds."""
SURE: Final = 0.95
"""No score says more: of 42 questions to seven lives whose best one has .95 it answers 31, of 33 to short chats, which
were asked before, corrected or answered emptily, 6. Of the answers that 500 tokens have room for, two of 65 of such
chats' are left out (nine, where scores are taken at their word), and two sealed lives' contexts have an answer for 88 %
(87; 90 with all that fits). Of the lines of five open lives 27 % are about the question (30), of the sealed ones' 22
(23). With .9 it is one of 65, 88 %, 26 and 21."""
USUAL: Final = 96
"""Tokens of a memory from which on it has to be as much likelier as it is longer: a paste takes the room of ten lines.
As above, nothing is lost by it on any set; with 64 .2 % of the chats' answers and .6 of the lives'."""
AT_MOST: Final = 2
"""Interactions and what is curated, together, that are shown where nothing seems to be about the question."""

_FAR_BEHIND: Final = "far less likely to help than the best that is shown"
_NOTHING_KNOWN: Final = "nothing that was found seems to be about the question"
_BESIDE: Final = "not about the question by itself"


def why_not_shown(
    ranking: Sequence[Memory], known: Collection[MemoryKey], level: Relevance | None, budget: int
) -> dict[MemoryKey, str]:
    """Those of `ranking` (fused, best first) that do not earn their tokens in a budget of so many, with the reason.

    `known`: what is about the question by itself of all that is no interaction. Nothing else of what was learned or
    curated is shown: what it rests on says it. A rule that is called up applies also where nothing is known. What may
    say how the best has changed is shown with it, so that what is out of date does not stand alone. What always holds
    is not judged here.
    """
    judged = [memory for memory in ranking if memory.kind not in _OF_NOW and not memory.always_holds]
    if level == "none":
        found = [memory_key(memory) for memory in judged if memory.kind == "interaction" or memory.tier == "catalog"]
        called_up = {memory_key(one) for one in judged if one.kind == "rule"}.intersection(known)
        kept = called_up.union(found[:AT_MOST])
        return {key: _NOTHING_KNOWN for one in judged if (key := memory_key(one)) not in kept}
    ranked = [
        memory
        for memory in judged
        if memory.kind == "interaction" or (memory.tier == "catalog" and memory_key(memory) in known)
    ]
    share = min(LEAST, OF_TOKENS / max(1, budget))
    best = min(SURE, max([one.score for one in ranked], default=0.0))
    least = least_beside(best, share)

    def least_of(one: Memory) -> float:
        longer = min(one.tokens, ONE_SHARE * budget) / USUAL
        return least if longer <= 1 else least_beside(best, share * longer)

    cut = {
        memory_key(one): _FAR_BEHIND
        for one in ranked
        if one.kind in _BY_ODDS and one.may_correct is None and one.score < least_of(one)
    }
    learned = [memory for memory in judged if memory.kind != "interaction"]
    return cut | {key: _BESIDE for one in learned if (key := memory_key(one)) not in known}


_BY_ODDS: Final = frozenset({"interaction", "item"})
_OF_NOW: Final = frozenset({"message", "summary"})
