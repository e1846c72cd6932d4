"""Endings: which of the statements that are known hold no longer because of a later one, as a language model says."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ragpp.llm.port import LanguageModel
from ragpp.llm.prompting import prompt
from ragpp.llm.replies import EndingsReply
from ragpp.llm.transcripts import data, in_batches


@dataclass(frozen=True, slots=True)
class Dated:
    """A statement and when it was said last."""

    id: str
    text: str
    at: datetime


async def suggest_endings(
    model: LanguageModel, statements: Mapping[str, Dated], near: Iterable[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The pairs (ended, by) of `near`, pairs of ids of `statements` of which one may end the other, in which the later
    says that the earlier holds no longer. What has no pair is not shown; no pairs ask nothing. Long lists are asked
    about in parts. Raises LanguageModelError."""
    candidates = {frozenset(pair) for pair in near}
    shown = sorted(
        (statements[one] for one in set[str]().union(*candidates)), key=lambda one: (one.at, one.text, one.id)
    )
    lines = [
        data(n=number, at=one.at.strftime("%A %Y-%m-%d %H:%M"), text=one.text)
        for number, one in enumerate(shown, start=1)
    ]
    found = list[tuple[str, str]]()
    for batch in in_batches(lines):
        part = shown[batch.first : batch.last + 1]
        if not _has_pair(part, candidates):
            continue
        completion = await model.complete(prompt("endings").filled({"statements": batch.text}), schema=EndingsReply)
        for said in completion.reply.ended:
            if not 0 < said.earlier < said.later <= len(shown):
                continue
            ended, by = shown[said.earlier - 1], shown[said.later - 1]
            if ended.at < by.at and frozenset((ended.id, by.id)) in candidates:
                found.append((ended.id, by.id))
    return list(dict.fromkeys(found))


def _has_pair(part: Sequence[Dated], candidates: Iterable[frozenset[str]]) -> bool:
    there = {one.id for one in part}
    return any(pair <= there for pair in candidates)
