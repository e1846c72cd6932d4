"""Instructing: which of the sentences that are read as instructions are meant as such."""

from collections.abc import Sequence
from typing import Final

from ragpp.models import Interaction
from ragpp.text.spans import Span
from ragpp_services.workers.language.judging import Judge
from ragpp_services.workers.learning.instructions import Instruction

LEAST_MEANT: Final = 0.2
"""Odds that a sentence instructs the assistant below which it is no rule, unless it is an order and nothing else. Of
what rules of five lives were read in, all 17 that instruct have as much, and 3 of 20 that do not."""
Odds = Sequence[tuple[Span, float]]


async def meant(judge: Judge, items: Sequence[Interaction], read: Sequence[Instruction]) -> list[Instruction]:
    """Those of `read`, the instructions of `items`, that are likely meant: the grammar takes many a sentence of a chat
    for an order. A message is judged once, and only where it has anything but plain orders. Raises EmbeddingError."""
    doubtful = {one.source for one in read if not one.is_order}
    odds = {item.id: await _odds(judge, item) for item in items if item.id in doubtful}
    return [one for one in read if one.is_order or _most(odds[one.source], one.span) >= LEAST_MEANT]


async def _odds(judge: Judge, item: Interaction) -> Odds:
    """For each clause of a message how likely it instructs."""
    judged = await judge.judge_clauses(item, item.content)
    return [(clause, one.instructs) for clause, one in judged.items()]


def _most(odds: Odds, span: Span) -> float:
    return max((one for clause, one in odds if clause.meets(span)), default=0.0)
