"""Which of the items that were found a language model chooses for a question, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from ragpp.catalog import MemoryItem
from ragpp.llm.port import LanguageModel
from ragpp.llm.prompting import prompt
from ragpp.llm.replies import ChoiceReply
from ragpp.llm.transcripts import BATCH_CHARS, cut, data

ITEM_CHARS: Final = 1_000
"""Characters of one item in the prompt; the rest of a longer one is left out."""
_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Chosen:
    """`place`: of the item among the candidates, from 0. `score`: the model's, 0 to 1, never more than that of the one
    before."""

    place: int
    score: float


async def choose_items(model: LanguageModel, query: str, candidates: Sequence[MemoryItem], k: int) -> list[Chosen]:
    """At most `k` of `candidates`, in the model's order. No candidates ask nothing.

    They go into one prompt, the first ones of them where they are longer than it takes. A number that none of them has
    and one that was named before are left out and counted. Raises LanguageModelError.
    """
    lines = _lines(candidates)
    if not lines:
        return []
    filled = prompt("choose").filled({"question": data(most=k, text=cut(query)), "facts": "\n".join(lines)})
    completion = await model.complete(filled, schema=ChoiceReply)
    said = completion.reply.chosen
    known = {one.n: one.score for one in reversed(said) if 1 <= one.n <= len(lines)}
    if len(said) > len(known):
        _log.info("llm.claims_dropped", model=model.name, claims=len(said), dropped=len(said) - len(known))
    chosen, least = list[Chosen](), 1.0
    for number in list(dict.fromkeys(one.n for one in said if one.n in known))[:k]:
        least = min(least, known[number])
        chosen.append(Chosen(number - 1, least))
    return chosen


def _lines(candidates: Sequence[MemoryItem]) -> list[str]:
    lines, size = list[str](), 0
    for number, item in enumerate(candidates, start=1):
        text = item.content if len(item.content) <= ITEM_CHARS else item.content[:ITEM_CHARS] + "…"
        replaced: dict[str, str | int] = {"replaced": True} if item.replaced_by else {}
        line = data(n=number, at=item.occurred_at.strftime("%Y-%m-%d"), text=text, **replaced)
        if lines and size + len(line) > BATCH_CHARS:
            break
        lines.append(line)
        size += len(line)
    return lines
