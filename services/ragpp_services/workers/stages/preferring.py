"""Preferring: which of the preferences that are read in messages are meant as such."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from ragpp.extraction import Extraction, Extractor
from ragpp.extraction.port import PreferenceMention
from ragpp.models import Interaction
from ragpp.text.manner import is_about_answers
from ragpp.text.spans import Span
from ragpp_services.workers.language.cutting import cut
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
    grammar takes "I told her I'm allergic to notions" for an allergy. All of them where words alone are judged. Raises
    EmbeddingError, ExtractionError."""
    if not extraction.preferences or not judge.reads:
        return list(extraction.preferences)
    clauses = list(await asyncio.to_thread(cut, text))
    judged = await judge.judge_said(item, text, clauses)
    stated = await asyncio.to_thread(_stated, extractor, item, text, clauses)
    return [one for one in extraction.preferences if _is_meant(one, clauses, judged, stated)]


def _stated(
    extractor: Extractor, item: Interaction, text: str, clauses: Sequence[Span]
) -> Mapping[Span, Sequence[PreferenceMention]]:
    """What each clause states by itself."""
    return {
        clause: extractor.extract(
            text[clause.start : clause.end], speaker=item.name, said_at=item.wall_clock
        ).preferences
        for clause in clauses
    }


def _is_meant(
    one: PreferenceMention,
    clauses: Sequence[Span],
    judged: Sequence[Judgement],
    stated: Mapping[Span, Sequence[PreferenceMention]],
) -> bool:
    """By the likeliest of the clauses that state it; of all where none does by itself. How to answer is told to an
    assistant, and such a clause has to instruct."""
    pairs = zip(clauses, judged, strict=True)
    of_it = [judgement for clause, judgement in pairs if one in stated[clause]] or judged
    if is_about_answers(f"{one.key}: {one.value}"):
        return max((judgement.instructs for judgement in of_it), default=1.0) >= LEAST_MEANT
    least = LEAST_KEPT_OF.get(one.category, LEAST_KEPT)
    return max((judgement.traits["kept"] for judgement in of_it), default=1.0) >= least
