"""How much evidence a context has for its tokens, and what one loses that another has. Pure."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.evaluation import EVIDENCE, whole
from ragpp.api import RecallResponse
from ragpp.context.quoting import unmarked

Row = dict[str, float]
"""Figures by column."""


@dataclass(frozen=True)
class Wanted:
    """The evidence of an answer: `texts`, what a context should show word for word; `messages`, on which lines of it
    should rest. Neither is empty."""

    texts: tuple[str, ...]
    messages: frozenset[str]


@dataclass(frozen=True)
class Seen:
    """One context. `words`: the share of the texts that stand in it; `lines`: of the messages that its lines rest on.
    `tokens`: it has."""

    words: float
    lines: float
    tokens: int


def seen(answer: RecallResponse, wanted: Wanted) -> Seen:
    """A context's evidence; a memory that is shown rests on its first EVIDENCE messages."""
    text = unmarked(answer.context)
    shown = {whole(one) for memory in answer.memories if memory.in_context for one in memory.sources[:EVIDENCE]}
    return Seen(
        words=sum(one in text for one in wanted.texts) / len(wanted.texts),
        lines=len(wanted.messages & shown) / len(wanted.messages),
        tokens=answer.tokens,
    )


def row_of(contexts: Sequence[Seen], fuller: Sequence[Seen] | None = None) -> Row:
    """Means over the contexts of some questions, of what stands in them and of what their lines rest on: the share of
    the evidence, and how many contexts have any.

    With `fuller` contexts of the same questions, in the same order: how many have none of the evidence where the fuller
    one has some (`lost`), and how many have less of it (`less`). ValueError where they are not as many, StatisticsError
    where there is none.
    """
    row: Row = {"n": len(contexts), "tokens": statistics.fmean(one.tokens for one in contexts)}
    others = None if fuller is None else list(zip(contexts, fuller, strict=True))
    for kind in ("words", "lines"):
        row[kind] = statistics.fmean(_share(one, kind) for one in contexts)
        row[f"{kind}: any"] = statistics.fmean(_share(one, kind) > 0 for one in contexts)
        if others is not None:
            told = [(_share(one, kind), _share(more, kind)) for one, more in others]
            row[f"{kind}: lost"] = statistics.fmean(more > 0 and not one for one, more in told)
            row[f"{kind}: less"] = statistics.fmean(more > one for one, more in told)
    return row


def _share(one: Seen, kind: str) -> float:
    return one.words if kind == "words" else one.lines


def rows_of(answers: Mapping[tuple[int, str], Sequence[Seen]], fullest: str) -> dict[tuple[int, str], Row]:
    """A row for each budget and way of filling a context; what is lost is told against the way `fullest`."""
    return {
        (budget, way): row_of(contexts, None if way == fullest else answers.get((budget, fullest)))
        for (budget, way), contexts in answers.items()
    }
