"""Preferring: which of the preferences that are read in messages are meant as such."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ragpp.extraction import Extraction, Extractor
from ragpp.extraction.port import PreferenceMention
from ragpp.models import Interaction
from ragpp.text.manner import is_about_answers
from ragpp.text.spans import Span
from ragpp_services.workers.language.judging import Judge, Judgement
from ragpp_services.workers.stages.instructing import LEAST_MEANT

LEAST_KEPT: Final = 0.4
"""Odds that a clause is worth keeping below which it states no preference. Of 88 that were read in the labelled chats,
64 of 65 that are right have as much, and 5 of 23 that are not, by a judge that has learned of these chats."""
LEAST_KEPT_OF: Final[Mapping[str, float]] = {"health": 0.2, "food": 0.2}
"""The same by category: nobody forgives a missed allergy."""


async def prefer(
    judge: Judge, extractor: Extractor, item: Interaction, text: str, extraction: Extraction
) -> list[PreferenceMention]:
    """The preferences of `extraction`, of the message's own words `text`, that clauses state which are likely to: the
    grammar takes "be honest, was it worth it" for a wish for honest answers. All of them where words alone are judged.
    Raises EmbeddingError, ExtractionError."""
    if not extraction.preferences or not judge.reads:
        return list(extraction.preferences)
    judged = await judge.judge_clauses(item, text)
    stated = await asyncio.to_thread(_stated, extractor, item, text, judged)
    return [one for one in extraction.preferences if _is_meant(one, judged, stated)]


def _stated(
    extractor: Extractor, item: Interaction, text: str, clauses: Iterable[Span]
) -> Mapping[Span, Sequence[PreferenceMention]]:
    """Preferences by the clause that states them by itself."""
    return {
        clause: extractor.extract(
            text[clause.start : clause.end], speaker=item.name, said_at=item.wall_clock
        ).preferences
        for clause in clauses
    }


def _is_meant(
    one: PreferenceMention,
    judged: Mapping[Span, Judgement],
    stated: Mapping[Span, Sequence[PreferenceMention]],
) -> bool:
    """By the likeliest of the clauses that state it; of all where none does by itself. How to answer is told to an
    assistant, and such a clause has to instruct."""
    of_it = [judgement for clause, judgement in judged.items() if one in stated[clause]] or list(judged.values())
    if is_about_answers(f"{one.key}: {one.value}"):
        return max((judgement.instructs for judgement in of_it), default=1.0) >= LEAST_MEANT
    least = LEAST_KEPT_OF.get(one.category, LEAST_KEPT)
    return max((judgement.traits["kept"] for judgement in of_it), default=1.0) >= least
