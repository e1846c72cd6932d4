"""Instructing: which of the sentences that are read as instructions are meant as such."""

from collections.abc import Mapping, Sequence
from typing import Final

from ragpp.models import Interaction
from ragpp.text.spans import Span
from ragpp_services.workers.language.judging import Judge, Judgement
from ragpp_services.workers.learning.instructions import Instruction

LEAST_MEANT: Final = 0.2
"""Odds that a sentence instructs the assistant below which it is no rule. Of what rules were read in, in the labelled
chats by a judge that has learned of these, 219 of 237 that instruct have as much, and 12 of 137 that do not."""
LEAST_BY_WORDS: Final = 0.05
"""The same where no network reads: words alone give plain orders .1 to .9, and what only reads like one .01."""


async def meant(judge: Judge, items: Sequence[Interaction], read: Sequence[Instruction]) -> list[Instruction]:
    """Those of `read`, the instructions of `items`, that are likely meant: the grammar takes many a sentence of a chat
    for an order ("Mum comes for good"). A message is judged once. Raises EmbeddingError."""
    sources = {one.source for one in read}
    judged = {item.id: await judge.judge_clauses(item, item.content) for item in items if item.id in sources}
    least = LEAST_MEANT if judge.reads else LEAST_BY_WORDS
    return [one for one in read if _instructs(judged[one.source], one.span) >= least]


def _instructs(judged: Mapping[Span, Judgement], span: Span) -> float:
    """The odds that the likeliest of the clauses that `span` meets instructs."""
    return max((one.instructs for clause, one in judged.items() if clause.meets(span)), default=0.0)
