"""Stating: what messages tell, as findings: those of persons clause by clause, in words that can be read alone, and
what assistants say of their own work."""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.extraction import Extraction
from ragpp.extraction.port import FindingMention
from ragpp.fields import joined
from ragpp.learned import FOUND, VERBATIM_DETAIL
from ragpp.models import FindingEntry, FindingKind, Interaction
from ragpp.names import SPEAKER as USER
from ragpp.text.lexical import words
from ragpp.text.spans import Span
from ragpp_services.workers.authorship.own_words import own_text
from ragpp_services.workers.language.anaphora import start_in_context
from ragpp_services.workers.language.attribution import Readable, begins_with_other, make_readable
from ragpp_services.workers.language.cutting import cut
from ragpp_services.workers.language.judging import Judgement, Kind
from ragpp_services.workers.learning.authorship import doubted, own_judged
from ragpp_services.workers.learning.stated import extracted
from ragpp_services.workers.parts import WorkerParts

STATING_ROLES: Final = frozenset({"user"})
"""Only a person states what is kept of themselves."""
FOUND_BY_ASSISTANTS: Final[frozenset[FindingKind]] = frozenset({"decision", "error", "insight"})
"""The findings that an assistant states of its own work. Its plans are the next message, and its habits nobody's."""
SPEAKER: Final = "the user"
"""Who speaks where nobody told a name."""
FOUND_AS: Final[dict[Kind, FindingKind]] = {"habit": "pattern"}
"""Kinds of clauses that findings have another name for."""
PASSED_ON: Final = 0.6
"""Odds that a sentence is somebody else's from which on it tells nothing, where it is doubted at all. Of what is passed
on without a mark three in four have them, of what people type in haste themselves one in fifteen
(`benchmarks/train_authorship.py`, both by what was learned of others). An instruction is not kept where there is any
doubt (`authorship.doubted`): to obey a letter that was pasted does harm, to note a fact of it little."""
MAX_CHARS: Final = 4_000


async def findings_of(
    parts: WorkerParts, items: Sequence[Interaction], texts: Sequence[str], extractions: Sequence[Extraction]
) -> list[list[FindingEntry]]:
    """The findings of each of `items`, those that are worth keeping, in order. `texts`: of each its author's own words
    at its length; `extractions`: what they say by themselves. Raises EmbeddingError."""
    return [
        await _stated(parts, item, text, extraction)
        if item.role in STATING_ROLES
        else [finding_of(item, mention) for mention in extraction.findings if mention.finding in FOUND_BY_ASSISTANTS]
        for item, text, extraction in zip(items, texts, extractions, strict=True)
    ]


def plainly_named(item: Interaction) -> Interaction:
    """`item` with its speaker's name on one line: what is learned is shown in lines."""
    name = " ".join(item.name.split()) if item.name else None
    return item if name == item.name else item.model_copy(update={"name": name or None})


async def found_in(parts: WorkerParts, items: Sequence[Interaction]) -> dict[str, list[FindingEntry]]:
    """The findings of messages that may teach, by the ids of these, as `observe` finds it. Raises EmbeddingError,
    ExtractionError."""
    items = [plainly_named(item) for item in items]
    texts = [own_text(item) for item in items]
    extractions = [
        await asyncio.to_thread(extracted, parts.extractor, item, text) for item, text in zip(items, texts, strict=True)
    ]
    found = await findings_of(parts, items, texts, extractions)
    return {item.id: findings for item, findings in zip(items, found, strict=True)}


async def _stated(parts: WorkerParts, item: Interaction, text: str, extraction: Extraction) -> list[FindingEntry]:
    """The clauses of a person's message that are worth keeping, and those whose words name what they are."""
    clauses = await asyncio.to_thread(_own_clauses, item, text)
    named = {span: one for one in extraction.findings if (span := _clause_of(one, text, clauses)) is not None}
    judged = await parts.judge.judge_said(item, text, list(clauses))
    stated, before = list[FindingEntry](), list[Span]()
    for (span, clause), one in zip(clauses.items(), judged, strict=True):
        if span in named or _is_kept(one, clause):
            start = span.start if one.kind == "instruction" else _start_of(item, extraction, span, before)
            other = _other(item, extraction, start)
            said, in_context = text[span.start : span.end], text[start : span.end]
            stated.append(statement_of(item, said, one, named.get(span), other, in_context))
        if not clause.is_doubted:
            before.append(span)
    return stated


def _start_of(item: Interaction, extraction: Extraction, span: Span, before: Sequence[Span]) -> int:
    """Where what a clause is read with begins; an instruction is read by itself. What stands between clauses and is
    somebody else's keeps them apart, so it is looked for in the whole message."""
    said = item.content[span.start : span.end]
    is_known = _other(item, extraction, span.start) is not None and begins_with_other(said)
    return span.start if is_known else start_in_context(item.content, span, before)


@dataclass(frozen=True, slots=True)
class _Clause:
    """`asks`: it is a question or a request; `is_doubted`: somebody else may have said it."""

    asks: bool
    is_doubted: bool


def _own_clauses(item: Interaction, text: str) -> dict[Span, _Clause]:
    """The clauses of a message's own `text` that are not probably somebody else's, in order."""
    found = own_judged(item, text)
    doubts = doubted(text, found)
    likely = (Span(one.start, one.end) for one in found if one.passed_on > PASSED_ON)
    foreign = [span for span in likely if _meets(span, doubts)]
    return {span: _Clause(asks, _meets(span, doubts)) for span, asks in cut(text).items() if not _meets(span, foreign)}


def _meets(span: Span, others: Iterable[Span]) -> bool:
    return any(span.meets(other) for other in others)


def _is_kept(judged: Judgement, clause: _Clause) -> bool:
    return judged.is_kept(asks=clause.asks) and not (judged.kind == "instruction" and clause.is_doubted)


def _clause_of(mention: FindingMention, own: str, spans: Iterable[Span]) -> Span | None:
    start = own.find(mention.text.rstrip("…"))
    return next((span for span in spans if span.start <= start < span.end), None)


def _other(item: Interaction, extraction: Extraction, place: int) -> str | None:
    """The only person beside the speaker whom the message names before that place."""
    speaker = item.name or USER
    named = {one.name for one in extraction.entities if one.label == "PERSON" and one.start < place}
    others = named - {speaker}
    return others.pop() if len(others) == 1 else None


def statement_of(
    item: Interaction,
    said: str,
    judged: Judgement,
    named: FindingMention | None = None,
    other: str | None = None,
    in_context: str | None = None,
) -> FindingEntry:
    """A clause `said` in the message as a finding. The same said again, in the same context, is the same finding.
    `named`: what its words say plainly that it is, which counts more than what it is likely to be; `other`: whom "he"
    and "she" mean at the beginning; `in_context`: the clause behind those that it cannot be read without, which lend
    it no time of theirs."""
    speaker = item.name or SPEAKER
    readable = make_readable(said, speaker, item.wall_clock, other)
    if in_context is not None and in_context != said:
        in_context = make_readable(in_context, speaker, item.wall_clock, other).text
        readable = Readable(in_context, readable.when)
    kind = FOUND_AS.get(judged.kind, judged.kind) if named is None else named.finding
    when = readable.when if named is None or named.when is None else named.when
    time = when.start.isoformat() if when is not None else ""
    return FindingEntry(
        id=finding_id(kind, item.name or "", " ".join(words(readable.text)), time),
        finding=kind,
        text=readable.text[:MAX_CHARS],
        confidence=max(judged.traits["kept"], 0.0 if named is None else named.confidence),
        when=when,
        occurred_at=item.occurred_at,
        sources=(item.id,),
        meaning=judged.meaning,
        details={VERBATIM_DETAIL: said[:MAX_CHARS], **judged.traits},
    )


def finding_of(item: Interaction, mention: FindingMention) -> FindingEntry:
    """A finding in its speaker's words, under the speaker's name. The same thing said again is the same finding."""
    who = item.name or ("assistant" if item.role == "assistant" else "")
    said = mention.text[:MAX_CHARS]
    time = mention.when.start.isoformat() if mention.when is not None else ""
    return FindingEntry(
        id=finding_id(mention.finding, who, " ".join(words(said)), time),
        finding=mention.finding,
        text=f"{who}: {said}"[:MAX_CHARS] if who else said,
        confidence=mention.confidence,
        when=mention.when,
        occurred_at=item.occurred_at,
        sources=(item.id,),
        details={VERBATIM_DETAIL: mention.text},
    )


def finding_id(*said: str) -> str:
    """The id of a finding: the same for the same kind, speaker and words."""
    return f"{FOUND}{hashlib.sha256(joined(*said).encode()).hexdigest()[:32]}"
